/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-span-statistics.h"

#include <string.h>

#include "viewers/layout/trace/sonde-span-walk.h"

/* ---- sums ---------------------------------------------------------------- */

typedef struct
{
  const SondeTrace *trace;
  SondeSpanStatistic *sums; /* by label */
  guint32 *open;            /* spans of each label that are open on lane 0 */
  GHashTable *open_beside;  /* the same on other lanes, by lane and label */
} Summing;

/* Returns how many were open before. */
static guint32
count_open (Summing *summing, guint32 lane, guint32 label, int change)
{
  gpointer key = sonde_span_pair (lane, label);
  guint32 n;

  if (lane == 0)
    {
      n = summing->open[label];
      summing->open[label] = n + (guint32) change;
      return n;
    }
  n = GPOINTER_TO_UINT (g_hash_table_lookup (summing->open_beside, key));
  if (n + (guint32) change == 0)
    g_hash_table_remove (summing->open_beside, key);
  else
    g_hash_table_insert (summing->open_beside, key, GUINT_TO_POINTER (n + (guint32) change));
  return n;
}

static guint32
on_enter (const SondeSpanVisit *visit, gpointer data)
{
  Summing *summing = data;
  guint32 label = summing->trace->spans[visit->span].label;
  SondeSpanStatistic *sum = &summing->sums[label];

  sum->n++;
  sonde_span_add_ns (&sum->self_ns, visit->ns);
  if (count_open (summing, visit->lane, label, 1) == 0)
    sonde_span_add_ns (&sum->total_ns, visit->ns);
  if (visit->parent != SONDE_TRACE_NONE)
    sonde_span_add_ns (&summing->sums[summing->trace->spans[visit->parent].label].self_ns,
                       -visit->ns);
  return 0;
}

static void
on_leave (guint32 span, guint32 lane, gpointer data)
{
  Summing *summing = data;

  count_open (summing, lane, summing->trace->spans[span].label, -1);
}

static int
compare_self (gconstpointer a, gconstpointer b)
{
  const SondeSpanStatistic *left = a, *right = b;

  if (left->self_ns != right->self_ns)
    return left->self_ns > right->self_ns ? -1 : 1;
  return (left->label > right->label) - (left->label < right->label);
}

GArray *
sonde_span_statistics_new (const SondeTimelineIndex *index, gint64 start_ns, gint64 end_ns,
                           const int *cancelled)
{
  static const SondeSpanVisitor visitor = { NULL, on_enter, on_leave };
  guint n_labels = index->trace->labels->len;
  Summing summing = { .trace = index->trace,
                      .sums = g_new0 (SondeSpanStatistic, (gsize) n_labels + 1),
                      .open = g_new0 (guint32, (gsize) n_labels + 1),
                      .open_beside = g_hash_table_new (sonde_span_hash_pair, NULL) };
  GArray *list = NULL;

  if (sonde_span_walk (index, start_ns, end_ns, &visitor, &summing, cancelled))
    {
      list = g_array_new (FALSE, FALSE, sizeof (SondeSpanStatistic));
      for (guint32 i = 0; i < n_labels; i++)
        if (summing.sums[i].n > 0)
          {
            summing.sums[i].label = i;
            g_array_append_val (list, summing.sums[i]);
          }
      g_array_sort (list, compare_self);
    }
  g_free (summing.sums);
  g_free (summing.open);
  g_hash_table_unref (summing.open_beside);
  return list;
}

/* ---- search -------------------------------------------------------------- */

static int
compare_items (gconstpointer a, gconstpointer b, gpointer data)
{
  guint32 x = *(const guint32 *) a, y = *(const guint32 *) b;
  gint64 left = sonde_timeline_index_get_item (data, x).start_ns;
  gint64 right = sonde_timeline_index_get_item (data, y).start_ns;

  if (left != right)
    return left < right ? -1 : 1;
  return (x > y) - (x < y);
}

static gboolean
name_has (const char *name, const char *folded_text)
{
  g_autofree char *folded = g_utf8_casefold (name, -1);

  return strstr (folded, folded_text) != NULL;
}

GArray *
sonde_span_search (const SondeTimelineIndex *index, const char *text, guint max, guint8 **found,
                   guint64 *n_found, const int *cancelled)
{
  const SondeTrace *trace = index->trace;
  g_autofree char *folded = g_utf8_casefold (text, -1);
  g_autofree guint8 *flags = g_new0 (guint8, (gsize) trace->labels->len + 1);
  g_autoptr (GArray) items = g_array_new (FALSE, FALSE, sizeof (guint32));
  gboolean any = FALSE;

  *n_found = 0;
  for (guint i = 0; *folded != '\0' && i < trace->labels->len; i++)
    {
      flags[i] = name_has (sonde_trace_get_label (trace, i)->name, folded);
      any = any || flags[i];
    }
  for (guint32 i = 0; any && i < index->n_items; i++)
    {
      if (i % 65536 == 0 && cancelled != NULL && g_atomic_int_get (cancelled) != 0)
        return NULL;
      if (!flags[sonde_timeline_index_get_item (index, i).label])
        continue;
      ++*n_found;
      if (items->len < max)
        g_array_append_val (items, i);
    }
  g_array_sort_with_data (items, compare_items, (gpointer) index);
  *found = g_steal_pointer (&flags);
  return g_steal_pointer (&items);
}
