/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-tag-names.h"

gboolean
sonde_tag_matches (const char *tag, const char *filter)
{
  g_autofree char *lower_tag = NULL, *lower_filter = NULL;

  if (filter == NULL || *filter == '\0')
    return TRUE;
  lower_tag = g_utf8_strdown (tag, -1);
  lower_filter = g_utf8_strdown (filter, -1);
  if (strpbrk (filter, "*?") != NULL)
    return g_pattern_match_simple (lower_filter, lower_tag);
  return strstr (lower_tag, lower_filter) != NULL;
}

static int
compare_strings (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
sonde_tag_names_collect (GListModel *runs, SondeRecordKind kind)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  GPtrArray *tags = g_ptr_array_new ();

  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      GPtrArray *own = sonde_run_get_tags (run);

      for (guint k = 0; k < own->len; k++)
        {
          const SondeRunTag *tag = own->pdata[k];
          if (tag->kind == kind && g_hash_table_add (seen, (char *) tag->tag))
            g_ptr_array_add (tags, (char *) tag->tag);
        }
    }
  g_ptr_array_sort (tags, compare_strings);
  return tags;
}

/* What the first part says something of; without a first part the whole. */
static const char *
get_subject (const char *tag)
{
  const char *slash = strchr (tag, '/');

  return slash != NULL ? slash + 1 : tag;
}

static int
compare_subjects (gconstpointer a, gconstpointer b)
{
  int order
      = strcmp (get_subject (*(const char *const *) a), get_subject (*(const char *const *) b));

  return order != 0 ? order : compare_strings (a, b);
}

void
sonde_tag_names_pair (GPtrArray *tags)
{
  g_ptr_array_sort (tags, compare_subjects);
}
