/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-operator-column.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

/* ---- numbers ------------------------------------------------------------- */

char *
sonde_profiler_format_ns (double ns)
{
  return isfinite (ns) ? sonde_format_duration ((gint64) ns) : g_strdup ("–");
}

char *
sonde_profiler_format_share (double share)
{
  return isfinite (share) ? g_strdup_printf ("%.1f %%", share * 100) : g_strdup ("–");
}

char *
sonde_profiler_format_calls (double calls)
{
  if (!isfinite (calls))
    return g_strdup ("–");
  return fabs (calls - round (calls)) < 0.05 ? sonde_format_count (llround (calls))
                                             : g_strdup_printf ("%.1f", calls);
}

static char *
format_rate (double rate)
{
  return isfinite (rate) ? g_strdup_printf (rate < 10 ? "%.2f" : "%.1f", rate) : g_strdup ("–");
}

/* ---- what a row says ----------------------------------------------------- */

static const char *
get_node (const SondeOperatorCell *cell)
{
  return cell->op->node != NULL ? cell->op->node : "";
}

static const char *
get_op (const SondeOperatorCell *cell)
{
  return cell->op->op;
}

/* Translated where it is shown, its own word in a file. */
static const char *
get_class (const SondeOperatorCell *cell)
{
  return cell->op->operator_class != SONDE_OPERATOR_CLASS_UNKNOWN
             ? sonde_operator_class_get_title (cell->op->operator_class)
             : "";
}

static double
get_n_operators (const SondeOperatorCell *cell)
{
  return cell->n_operators;
}

static double
get_calls (const SondeOperatorCell *cell)
{
  return isfinite (cell->op->mean_calls) ? (double) cell->op->n_calls : NAN;
}

static double
get_mean_self (const SondeOperatorCell *cell)
{
  return cell->op->mean_self_ns;
}

static double
get_share (const SondeOperatorCell *cell)
{
  return cell->op->share;
}

static double
get_self (const SondeOperatorCell *cell)
{
  return isfinite (cell->op->mean_calls) ? (double) cell->op->self_ns : NAN;
}

static double
get_total (const SondeOperatorCell *cell)
{
  return isfinite (cell->op->mean_calls) ? (double) cell->op->total_ns : NAN;
}

static double
get_p50 (const SondeOperatorCell *cell)
{
  return cell->op->p50_ns;
}

static double
get_p95 (const SondeOperatorCell *cell)
{
  return cell->op->p95_ns;
}

static double
get_gflops (const SondeOperatorCell *cell)
{
  return cell->op->gflops;
}

static double
get_gbs (const SondeOperatorCell *cell)
{
  return cell->op->gbs;
}

#define TEXT(name, title, place, width, expands, get)                                              \
  {                                                                                                \
    name, title, SONDE_COLUMN_OF_##place, width, expands, FALSE, get, NULL, NULL                   \
  }
#define NUMBER(name, title, place, width, is_ns, get, format)                                      \
  {                                                                                                \
    name, title, SONDE_COLUMN_OF_##place, width, FALSE, is_ns, NULL, get, format                   \
  }

const SondeOperatorColumn sonde_operator_columns[] = {
  TEXT ("node", N_ ("Node"), NODES, 140, TRUE, get_node),
  TEXT ("op", N_ ("Operator"), NODES, 134, FALSE, get_op),
  TEXT ("op", N_ ("Operator"), TYPES, 150, TRUE, get_op),
  TEXT ("class", N_ ("Class"), BOTH, 88, FALSE, get_class),
  NUMBER ("operators", N_ ("Nodes"), TYPES, 64, FALSE, get_n_operators,
          sonde_profiler_format_calls),
  NUMBER ("calls", N_ ("Calls"), BOTH, 54, FALSE, get_calls, sonde_profiler_format_calls),
  NUMBER ("mean_self_ns", N_ ("A Step"), BOTH, 80, TRUE, get_mean_self, sonde_profiler_format_ns),
  NUMBER ("share", N_ ("Share"), BOTH, 66, FALSE, get_share, sonde_profiler_format_share),
  NUMBER ("self_ns", N_ ("Self"), BOTH, 80, TRUE, get_self, sonde_profiler_format_ns),
  NUMBER ("total_ns", N_ ("Total"), BOTH, 80, TRUE, get_total, sonde_profiler_format_ns),
  NUMBER ("p50_ns", N_ ("Median"), BOTH, 80, TRUE, get_p50, sonde_profiler_format_ns),
  NUMBER ("p95_ns", N_ ("95 %"), BOTH, 80, TRUE, get_p95, sonde_profiler_format_ns),
  NUMBER ("gflops", N_ ("GFLOP/s"), BOTH, 74, FALSE, get_gflops, format_rate),
  NUMBER ("gbs", N_ ("GB/s"), BOTH, 60, FALSE, get_gbs, format_rate),
  { NULL },
};

/* ---- columns ------------------------------------------------------------- */

static gboolean
says_something (const SondeOperatorColumn *column, const SondeOperatorCell *cell)
{
  return column->number != NULL ? isfinite (column->number (cell)) : *column->text (cell) != '\0';
}

gboolean
sonde_operator_column_tells (const SondeOperatorColumn *column, const SondeProfile *profile,
                             gboolean types)
{
  if (column->place == (types ? SONDE_COLUMN_OF_NODES : SONDE_COLUMN_OF_TYPES))
    return FALSE;
  if (column->number == get_mean_self && !profile->has_steps)
    return FALSE; /* it is the self time */
  if (column->text == get_op)
    return TRUE;
  for (guint i = 0; i < profile->operators->len; i++)
    if (says_something (column, &(SondeOperatorCell){ sonde_profile_get_operator (profile, i), 1 }))
      return TRUE;
  return FALSE;
}

char *
sonde_operator_column_dup_text (const SondeOperatorColumn *column, const SondeOperatorCell *cell)
{
  const char *text;

  if (column->number != NULL)
    return column->format (column->number (cell));
  text = column->text (cell);
  if (*text == '\0')
    return g_strdup ("–");
  return column->text == get_class ? g_strdup (_ (text)) : sonde_text_make_visible (text);
}

char *
sonde_operator_column_dup_exact (const SondeOperatorColumn *column, const SondeOperatorCell *cell)
{
  if (column->number == NULL)
    return sonde_operator_column_dup_text (column, cell);
  return column->is_ns && isfinite (column->number (cell))
             ? g_strdup_printf ("%.0f ns", column->number (cell))
             : NULL;
}

char *
sonde_operator_column_dup_value (const SondeOperatorColumn *column, const SondeOperatorCell *cell)
{
  double value;

  if (column->text == get_class)
    return g_strdup (
        *get_class (cell) != '\0' ? sonde_operator_class_get_name (cell->op->operator_class) : "");
  if (column->number == NULL)
    return g_strdup (column->text (cell));
  value = column->number (cell);
  if (!isfinite (value))
    return g_strdup ("");
  return value == floor (value) && fabs (value) < 1e15 ? g_strdup_printf ("%.0f", value)
                                                       : sonde_format_exact (value);
}

int
sonde_operator_column_compare (const SondeOperatorColumn *column, const SondeOperatorCell *a,
                               const SondeOperatorCell *b)
{
  double x, y;

  if (column->number == NULL)
    return g_utf8_collate (column->text (a), column->text (b));
  x = column->number (a);
  y = column->number (b);
  x = isnan (x) ? -INFINITY : x;
  y = isnan (y) ? -INFINITY : y;
  return (x > y) - (x < y);
}
