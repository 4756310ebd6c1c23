/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-tag-list.h"

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

/* (transfer container): interned strings, sorted. */
static GPtrArray *
collect (GListModel *runs, SondeRecordKind kind)
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

guint
sonde_tag_list_update (GtkStringList *list, GListModel *runs, SondeRecordKind kind,
                       const char *filter)
{
  g_autoptr (GPtrArray) all = collect (runs, kind);
  g_autoptr (GPtrArray) tags = g_ptr_array_new ();
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (list)), head = 0, tail = 0;

  for (guint i = 0; i < all->len; i++)
    if (sonde_tag_matches (all->pdata[i], filter))
      g_ptr_array_add (tags, all->pdata[i]);
  while (head < n_old && head < tags->len
         && g_str_equal (gtk_string_list_get_string (list, head), tags->pdata[head]))
    head++;
  while (tail < n_old - head && tail < tags->len - head
         && g_str_equal (gtk_string_list_get_string (list, n_old - 1 - tail),
                         tags->pdata[tags->len - 1 - tail]))
    tail++;
  if (head + tail < n_old || head + tail < tags->len)
    {
      guint n_new = tags->len - head - tail;
      g_autofree const char **additions = g_new0 (const char *, n_new + 1);

      for (guint i = 0; i < n_new; i++)
        additions[i] = tags->pdata[head + i];
      gtk_string_list_splice (list, head, n_old - head - tail, additions);
    }
  return all->len;
}
