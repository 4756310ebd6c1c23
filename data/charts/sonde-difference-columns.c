/* SPDX-License-Identifier: Apache-2.0 */
#include "data/charts/sonde-difference-columns.h"

#include <inttypes.h>
#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

static double
get_a (const SondeCurveDifference *difference)
{
  return sonde_curve_value_is_known (&difference->a) ? difference->a.point.value : NAN;
}

static double
get_b (const SondeCurveDifference *difference)
{
  return sonde_curve_value_is_known (&difference->b) ? difference->b.point.value : NAN;
}

static double
get_min (const SondeCurveDifference *difference)
{
  return difference->min;
}

static double
get_max (const SondeCurveDifference *difference)
{
  return difference->max;
}

static double
get_mean (const SondeCurveDifference *difference)
{
  return difference->mean;
}

static double
get_n (const SondeCurveDifference *difference)
{
  return (double) difference->n;
}

/* @name: in a table that is copied */
typedef struct
{
  const char *title, *meaning, *name;
  double (*number) (const SondeCurveDifference *difference);
} Column;

static const Column columns[SONDE_DIFFERENCE_N_COLUMNS] = {
  [SONDE_DIFFERENCE_A] = { N_ ("At A"), N_ ("Recorded value at cursor A"), "a", get_a },
  [SONDE_DIFFERENCE_B] = { N_ ("At B"), N_ ("Recorded value at cursor B"), "b", get_b },
  [SONDE_DIFFERENCE_CHANGE]
  = { N_ ("B − A"), N_ ("Value at B less that at A"), "change", sonde_curve_difference_get_change },
  [SONDE_DIFFERENCE_RATE]
  = { N_ ("Per step"), N_ ("Change divided by the steps between the two recorded points"),
      "change_per_step", sonde_curve_difference_get_rate },
  [SONDE_DIFFERENCE_RATIO] = { N_ ("B ÷ A"), N_ ("Value at B divided by that at A"), "ratio",
                               sonde_curve_difference_get_ratio },
  [SONDE_DIFFERENCE_MIN]
  = { N_ ("Min"), N_ ("Smallest recorded value from A to B"), "min", get_min },
  [SONDE_DIFFERENCE_MAX]
  = { N_ ("Max"), N_ ("Greatest recorded value from A to B"), "max", get_max },
  [SONDE_DIFFERENCE_MEAN]
  = { N_ ("Mean"), N_ ("Mean of the finite recorded values from A to B"), "mean", get_mean },
  [SONDE_DIFFERENCE_N] = { N_ ("Points"), N_ ("Recorded points from A to B"), "points", get_n },
};

const char *
sonde_difference_column_get_title (SondeDifferenceColumn column)
{
  return columns[column].title;
}

const char *
sonde_difference_column_get_meaning (SondeDifferenceColumn column)
{
  return columns[column].meaning;
}

double
sonde_difference_column_get_number (SondeDifferenceColumn column,
                                    const SondeCurveDifference *difference)
{
  return columns[column].number (difference);
}

/* ---- cells --------------------------------------------------------------- */

static const SondeCurveValue *
get_value (SondeDifferenceColumn column, const SondeCurveDifference *difference)
{
  if (column == SONDE_DIFFERENCE_A)
    return &difference->a;
  return column == SONDE_DIFFERENCE_B ? &difference->b : NULL;
}

static char *
dup_value (const SondeCurveValue *value, gboolean is_live)
{
  g_autofree char *step = sonde_format_count (value->point.step);
  g_autofree char *number = sonde_format_number (value->point.value);

  switch (value->kind)
    {
    case SONDE_READING_THERE:
      return g_steal_pointer (&number);
    case SONDE_READING_BESIDE:
      return g_strdup_printf (_ ("%s at %s"), number, step);
    case SONDE_READING_NOT_BEGUN:
      return g_strdup_printf (_ ("– begins at %s"), step);
    case SONDE_READING_ENDED:
      return g_strdup_printf (is_live ? _ ("– so far to %s") : _ ("– ended at %s"), step);
    }
  g_return_val_if_reached (NULL);
}

char *
sonde_difference_column_dup_text (SondeDifferenceColumn column,
                                  const SondeCurveDifference *difference, gboolean is_live)
{
  const SondeCurveValue *value = get_value (column, difference);
  double number = columns[column].number (difference);

  if (value != NULL)
    return dup_value (value, is_live);
  if (column == SONDE_DIFFERENCE_N)
    return sonde_format_count ((gint64) difference->n);
  if (column == SONDE_DIFFERENCE_MEAN && difference->is_long)
    return g_strdup (_ ("too many points"));
  return isnan (number) ? g_strdup ("–") : sonde_format_number (number);
}

char *
sonde_difference_column_dup_exact (SondeDifferenceColumn column,
                                   const SondeCurveDifference *difference)
{
  const SondeCurveValue *value = get_value (column, difference);
  g_autofree char *digits = sonde_format_exact (
      value != NULL ? value->point.value : columns[column].number (difference));
  g_autofree char *step = value != NULL ? sonde_format_count (value->point.step) : NULL;

  return step != NULL ? g_strdup_printf (_ ("%s at step %s"), digits, step)
                      : g_steal_pointer (&digits);
}

/* ---- as text ------------------------------------------------------------- */

GString *
sonde_difference_table_new (gboolean has_second)
{
  GString *table = g_string_new ("run");

  for (int i = 0; i < (has_second ? SONDE_DIFFERENCE_N_COLUMNS : 1); i++)
    if (i == SONDE_DIFFERENCE_A || i == SONDE_DIFFERENCE_B)
      g_string_append_printf (table, "\tstep_%s\tvalue_%s", columns[i].name, columns[i].name);
    else
      g_string_append_printf (table, "\t%s", columns[i].name);
  g_string_append_c (table, '\n');
  return table;
}

static void
append_number (GString *table, double number)
{
  g_autofree char *digits = isnan (number) ? NULL : sonde_format_exact (number);

  g_string_append_printf (table, "\t%s", digits != NULL ? digits : "");
}

static void
append_value (GString *table, const SondeCurveValue *value)
{
  g_autofree char *digits = NULL;

  if (!sonde_curve_value_is_known (value))
    {
      g_string_append (table, "\t\t");
      return;
    }
  digits = sonde_format_exact (value->point.value);
  g_string_append_printf (table, "\t%" PRIi64 "\t%s", value->point.step, digits);
}

void
sonde_difference_table_add (GString *table, const char *name,
                            const SondeCurveDifference *difference, gboolean has_second)
{
  for (const char *p = name; *p != '\0'; p++)
    g_string_append_c (table, *p == '\t' || *p == '\n' ? ' ' : *p);
  for (int i = 0; i < (has_second ? SONDE_DIFFERENCE_N_COLUMNS : 1); i++)
    if (i == SONDE_DIFFERENCE_A || i == SONDE_DIFFERENCE_B)
      append_value (table, get_value ((SondeDifferenceColumn) i, difference));
    else
      append_number (table, columns[i].number (difference));
  g_string_append_c (table, '\n');
}
