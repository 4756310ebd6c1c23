/* SPDX-License-Identifier: Apache-2.0 */
#include "data/charts/sonde-curve-group.h"

#include <math.h>

/* A value of one member; @order: later ones of the same member and step count. */
typedef struct
{
  gint64 step, wall_time_ns;
  double value;
  guint member, order;
} Entry;

static int
compare_entries (const void *a, const void *b)
{
  const Entry *x = a, *y = b;

  if (x->step != y->step)
    return x->step < y->step ? -1 : 1;
  if (x->member != y->member)
    return x->member < y->member ? -1 : 1;
  return (x->order > y->order) - (x->order < y->order);
}

static int
compare_values (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* (transfer full): all finite points, by step, then by member. */
static GArray *
collect (GArray *const *members, guint n_members)
{
  GArray *entries = g_array_new (FALSE, FALSE, sizeof (Entry));

  for (guint m = 0; m < n_members; m++)
    for (guint i = 0; i < members[m]->len; i++)
      {
        const SondePoint *point = &g_array_index (members[m], SondePoint, i);
        Entry entry = { point->step, point->wall_time_ns, point->value, m, i };

        if (isfinite (point->value))
          g_array_append_val (entries, entry);
      }
  g_array_sort (entries, compare_entries);
  return entries;
}

/* Source: Abramowitz and Stegun 26.7.5 (after Cornish and Fisher): four digits from six degrees on; tabulated below. */
double
sonde_curve_group_student (guint n)
{
  static const double first[] = { 12.706204736432095, 4.302652729911275, 3.182446305284263,
                                  2.7764451051977987, 2.5705818366147395 };
  const double z = 1.959963984540054;
  double z2 = z * z, d = n;

  if (n < 1)
    return NAN;
  if (n <= G_N_ELEMENTS (first))
    return first[n - 1];
  return z
         * (1 + (z2 + 1) / (4 * d) + ((5 * z2 + 16) * z2 + 3) / (96 * d * d)
            + (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * d * d * d)
            + ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / (92160 * d * d * d * d));
}

static double
find_half_width (const double *values, guint n, double mean, SondeChartBand band)
{
  double sum = 0, deviation;

  if (n < 2)
    return 0;
  for (guint i = 0; i < n; i++)
    sum += (values[i] - mean) * (values[i] - mean);
  deviation = sqrt (sum / (n - 1));
  if (band == SONDE_CHART_BAND_DEVIATION)
    return deviation;
  return deviation / sqrt (n)
         * (band == SONDE_CHART_BAND_CONFIDENCE ? sonde_curve_group_student (n - 1) : 1);
}

/* @values: sorted */
static double
find_median (const double *values, guint n)
{
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

static void
append (SondeCurveGroup *group, gint64 step, gint64 wall_ns, double *values, guint n,
        SondeChartCentre centre, SondeChartBand band)
{
  SondePoint point = { step, wall_ns, 0, 0 };
  double mean = 0, middle, half;

  for (guint i = 0; i < n; i++)
    mean += (values[i] - mean) / (i + 1);
  qsort (values, n, sizeof *values, compare_values);
  middle = centre == SONDE_CHART_CENTRE_MEDIAN ? find_median (values, n) : mean;
  point.value = middle;
  g_array_append_val (group->centre, point);
  if (band == SONDE_CHART_BAND_NONE)
    return;
  half = find_half_width (values, n, mean, band);
  point.value = band == SONDE_CHART_BAND_EXTREMES ? values[0] : middle - half;
  g_array_append_val (group->lower, point);
  point.value = band == SONDE_CHART_BAND_EXTREMES ? values[n - 1] : middle + half;
  g_array_append_val (group->upper, point);
}

void
sonde_curve_group_compute (GArray *const *members, guint n_members, SondeChartCentre centre,
                           SondeChartBand band, SondeCurveGroup *group)
{
  g_autoptr (GArray) entries = collect (members, n_members);
  g_autofree double *values = g_new (double, n_members + 1);

  *group = (SondeCurveGroup){ g_array_new (FALSE, FALSE, sizeof (SondePoint)) };
  if (band != SONDE_CHART_BAND_NONE)
    {
      group->lower = g_array_new (FALSE, FALSE, sizeof (SondePoint));
      group->upper = g_array_new (FALSE, FALSE, sizeof (SondePoint));
    }
  for (guint i = 0, next; i < entries->len; i = next)
    {
      const Entry *first = &g_array_index (entries, Entry, i);
      double wall = 0;
      guint n = 0;

      for (next = i; next < entries->len; next++)
        {
          const Entry *entry = &g_array_index (entries, Entry, next);

          if (entry->step != first->step)
            break;
          /* The last of its member. */
          if (next + 1 < entries->len && entry[1].step == entry->step
              && entry[1].member == entry->member)
            continue;
          values[n++] = entry->value;
          wall += ((double) entry->wall_time_ns - wall) / n;
        }
      append (group, first->step, (gint64) wall, values, n, centre, band);
    }
}

void
sonde_curve_group_clear (SondeCurveGroup *group)
{
  g_clear_pointer (&group->centre, g_array_unref);
  g_clear_pointer (&group->lower, g_array_unref);
  g_clear_pointer (&group->upper, g_array_unref);
}
