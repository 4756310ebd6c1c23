/* SPDX-License-Identifier: Apache-2.0
 * Two heaps; @sign 1 has the least number first, −1 the greatest. */
#include "data/base/sonde-running-median.h"

#include <math.h>

static double
get (const GArray *heap, guint i)
{
  return g_array_index (heap, double, i);
}

static void
exchange (GArray *heap, guint i, guint j)
{
  double kept = get (heap, i);

  g_array_index (heap, double, i) = get (heap, j);
  g_array_index (heap, double, j) = kept;
}

static void
push (GArray *heap, double sign, double number)
{
  guint i = heap->len;

  g_array_append_val (heap, number);
  for (; i > 0 && sign * get (heap, i) < sign * get (heap, (i - 1) / 2); i = (i - 1) / 2)
    exchange (heap, i, (i - 1) / 2);
}

static double
pop (GArray *heap, double sign)
{
  double first = get (heap, 0);
  guint i = 0, child;

  exchange (heap, 0, heap->len - 1);
  g_array_set_size (heap, heap->len - 1);
  for (; (child = 2 * i + 1) < heap->len; i = child)
    {
      if (child + 1 < heap->len && sign * get (heap, child + 1) < sign * get (heap, child))
        child++;
      if (sign * get (heap, i) <= sign * get (heap, child))
        break;
      exchange (heap, i, child);
    }
  return first;
}

void
sonde_running_median_clear (SondeRunningMedian *median)
{
  g_clear_pointer (&median->low, g_array_unref);
  g_clear_pointer (&median->high, g_array_unref);
}

void
sonde_running_median_add (SondeRunningMedian *median, double number)
{
  if (median->low == NULL)
    {
      median->low = g_array_new (FALSE, FALSE, sizeof (double));
      median->high = g_array_new (FALSE, FALSE, sizeof (double));
    }
  if (median->low->len == 0 || number <= get (median->low, 0))
    push (median->low, -1, number);
  else
    push (median->high, 1, number);
  if (median->low->len > median->high->len + 1)
    push (median->high, 1, pop (median->low, -1));
  else if (median->high->len > median->low->len + 1)
    push (median->low, -1, pop (median->high, 1));
}

guint
sonde_running_median_get_count (const SondeRunningMedian *median)
{
  return median->low != NULL ? median->low->len + median->high->len : 0;
}

double
sonde_running_median_get (const SondeRunningMedian *median)
{
  if (sonde_running_median_get_count (median) == 0)
    return NAN;
  if (median->low->len == median->high->len)
    return get (median->low, 0) / 2 + get (median->high, 0) / 2;
  return median->low->len > median->high->len ? get (median->low, 0) : get (median->high, 0);
}
