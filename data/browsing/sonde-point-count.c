/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-point-count.h"

#include "data/browsing/sonde-tag-names.h"

/* @of_run: (element-type SondeRun guint64): the runs that count; not owned, only compared */
struct _SondePointCount
{
  SondeRunStore *store;
  GHashTable *of_run;
  char *filter;
  guint64 sum, structure, serial;
};

static guint64
count_run (const SondePointCount *count, SondeRun *run)
{
  GPtrArray *tags = sonde_run_get_tags (run);
  guint64 n = 0;

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];

      if (tag->kind == SONDE_RECORD_SCALARS && sonde_tag_matches (tag->tag, count->filter))
        n += tag->count;
    }
  return n;
}

static void
set_run (SondePointCount *count, SondeRun *run, guint64 before)
{
  guint64 *n = g_new (guint64, 1);

  *n = count_run (count, run);
  count->sum += *n - before;
  g_hash_table_insert (count->of_run, run, n);
}

/* What the last message of the store changed. */
static void
follow (SondePointCount *count)
{
  GPtrArray *changed = sonde_run_store_get_changed (count->store);

  for (guint i = 0; i < changed->len; i++)
    {
      const guint64 *before = g_hash_table_lookup (count->of_run, changed->pdata[i]);

      if (before)
        set_run (count, changed->pdata[i], *before);
    }
}

SondePointCount *
sonde_point_count_new (SondeRunStore *store)
{
  SondePointCount *count = g_new0 (SondePointCount, 1);

  count->store = g_object_ref (store);
  count->of_run = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  return count;
}

void
sonde_point_count_free (SondePointCount *count)
{
  if (!count)
    return;
  g_object_unref (count->store);
  g_hash_table_unref (count->of_run);
  g_free (count->filter);
  g_free (count);
}

static void
count_all (SondePointCount *count, GListModel *runs)
{
  count->sum = 0;
  g_hash_table_remove_all (count->of_run);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

      set_run (count, run, 0);
    }
}

guint64
sonde_point_count_get (SondePointCount *count, GListModel *runs, guint64 structure,
                       const char *filter)
{
  guint64 serial = sonde_run_store_get_serial (count->store);
  gboolean same
      = count->filter && count->structure == structure && g_str_equal (count->filter, filter);

  if (same && serial == count->serial + 1)
    follow (count);
  else if (!same || serial != count->serial)
    {
      g_free (count->filter);
      count->filter = g_strdup (filter);
      count->structure = structure;
      count_all (count, runs);
    }
  count->serial = serial;
  return count->sum;
}
