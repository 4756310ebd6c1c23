/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-intervals.h"

static const SondeTimeSpan *
get (const SondeIntervals *set, guint i)
{
  return &g_array_index (set->list, SondeTimeSpan, i);
}

void
sonde_intervals_init (SondeIntervals *set)
{
  set->list = g_array_new (FALSE, FALSE, sizeof (SondeTimeSpan));
  set->before_ns = g_array_new (FALSE, FALSE, sizeof (gint64));
}

void
sonde_intervals_clear (SondeIntervals *set)
{
  g_clear_pointer (&set->list, g_array_unref);
  g_clear_pointer (&set->before_ns, g_array_unref);
}

void
sonde_intervals_add (SondeIntervals *set, gint64 start_ns, gint64 end_ns)
{
  SondeTimeSpan interval = { start_ns, end_ns };

  if (end_ns > start_ns)
    g_array_append_val (set->list, interval);
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const SondeTimeSpan *x = a, *y = b;

  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void
sum_up (SondeIntervals *set)
{
  gint64 sum = 0;

  g_array_set_size (set->before_ns, 0);
  for (guint i = 0; i < set->list->len; i++)
    {
      g_array_append_val (set->before_ns, sum);
      sum += get (set, i)->end_ns - get (set, i)->start_ns;
    }
}

void
sonde_intervals_settle (SondeIntervals *set)
{
  SondeTimeSpan *list = (SondeTimeSpan *) set->list->data;
  guint n = 0;

  g_array_sort (set->list, compare_starts);
  for (guint i = 0; i < set->list->len; i++)
    if (n > 0 && list[i].start_ns <= list[n - 1].end_ns)
      list[n - 1].end_ns = MAX (list[n - 1].end_ns, list[i].end_ns);
    else
      list[n++] = list[i];
  g_array_set_size (set->list, n);
  sum_up (set);
}

/* How long the set lasts before @at_ns. */
static gint64
measure_before (const SondeIntervals *set, gint64 at_ns)
{
  guint low = 0, high = set->list->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (get (set, middle)->start_ns < at_ns)
        low = middle + 1;
      else
        high = middle;
    }
  if (low == 0)
    return 0;
  return g_array_index (set->before_ns, gint64, low - 1) + MIN (get (set, low - 1)->end_ns, at_ns)
         - get (set, low - 1)->start_ns;
}

gint64
sonde_intervals_measure (const SondeIntervals *set, gint64 start_ns, gint64 end_ns)
{
  return end_ns > start_ns ? measure_before (set, end_ns) - measure_before (set, start_ns) : 0;
}

void
sonde_intervals_subtract (const SondeIntervals *a, const SondeIntervals *b, SondeIntervals *result)
{
  guint j = 0;

  g_array_set_size (result->list, 0);
  for (guint i = 0; i < a->list->len; i++)
    {
      gint64 from = get (a, i)->start_ns, end = get (a, i)->end_ns;

      while (j < b->list->len && get (b, j)->end_ns <= from)
        j++;
      for (guint k = j; k < b->list->len && get (b, k)->start_ns < end; k++)
        {
          sonde_intervals_add (result, from, get (b, k)->start_ns);
          from = MAX (from, get (b, k)->end_ns);
        }
      sonde_intervals_add (result, from, end);
    }
  sum_up (result);
}
