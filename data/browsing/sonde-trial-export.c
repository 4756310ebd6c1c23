/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-trial-export.h"

#include <string.h>

#include "data/base/sonde-text.h"

char *
sonde_trial_column_dup_title (const SondeTrialColumn *column)
{
  if (column->rank != SONDE_TRIAL_METRIC || column->statistic == SONDE_TRIAL_LAST)
    return g_strdup (column->name);
  switch (column->statistic)
    {
    case SONDE_TRIAL_BEST:
      return sonde_trial_less_is_better (column->name)
                 ? g_strdup_printf (_ ("%s (best, least)"), column->name)
                 : g_strdup_printf (_ ("%s (best, greatest)"), column->name);
    case SONDE_TRIAL_MIN:
      return g_strdup_printf (_ ("%s (min)"), column->name);
    case SONDE_TRIAL_MAX:
      return g_strdup_printf (_ ("%s (max)"), column->name);
    default:
      return g_strdup_printf (P_ ("%s (last)", "%s (mean of the last %u)", column->n_last),
                              column->name, column->n_last);
    }
}

/* ---- cells --------------------------------------------------------------- */

static void
append_csv (GString *text, const char *cell)
{
  if (strpbrk (cell, ",\"\r\n") == NULL)
    {
      g_string_append (text, cell);
      return;
    }
  g_string_append_c (text, '"');
  for (const char *c = cell; *c != '\0'; c++)
    {
      if (*c == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, *c);
    }
  g_string_append_c (text, '"');
}

static void
append_latex (GString *text, const char *cell)
{
  for (const char *c = cell; *c != '\0'; c++)
    if (strchr ("&%$#_{}", *c) != NULL)
      g_string_append_printf (text, "\\%c", *c);
    else if (*c == '\\')
      g_string_append (text, "\\textbackslash{}");
    else if (*c == '~' || *c == '^')
      g_string_append_printf (text, "\\%c{}", *c);
    else
      g_string_append_c (text, (guchar) *c < 0x20 ? ' ' : *c);
}

static void
append_cell (GString *text, SondeTrialFormat format, const char *cell)
{
  if (format == SONDE_TRIAL_CSV)
    append_csv (text, cell);
  else
    append_latex (text, cell);
}

/* ---- rows ---------------------------------------------------------------- */

static char *
dup_cell (SondeTrial *trial, const SondeTrialColumn *column, SondeTrialFormat format)
{
  double number;

  return format == SONDE_TRIAL_CSV ? sonde_trial_dup_exact (trial, column)
                                   : sonde_trial_dup_text (trial, column, &number);
}

static void
append_separated (GString *text, SondeTrialFormat format, const char *cell)
{
  g_string_append (text, format == SONDE_TRIAL_CSV ? "," : " & ");
  append_cell (text, format, cell != NULL ? cell : "");
}

static void
append_head (GString *text, GPtrArray *columns, SondeTrialFormat format)
{
  append_cell (text, format, _ ("Run"));
  for (guint i = 0; i < columns->len; i++)
    {
      g_autofree char *title = sonde_trial_column_dup_title (columns->pdata[i]);

      append_separated (text, format, title);
    }
}

static void
append_trial (GString *text, SondeTrial *trial, GPtrArray *columns, SondeTrialFormat format)
{
  for (guint i = 0; i < columns->len; i++)
    {
      g_autofree char *cell = dup_cell (trial, columns->pdata[i], format);

      append_separated (text, format, cell);
    }
}

/* Words to the left, numbers to the right: by the first trial that says something. */
static char
choose_side (GListModel *trials, const SondeTrialColumn *column)
{
  for (guint i = 0; i < g_list_model_get_n_items (trials); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, i);
      double number;
      g_autofree char *text = sonde_trial_dup_text (trial, column, &number);

      if (text != NULL)
        return number == number ? 'r' : 'l';
    }
  return 'l';
}

char *
sonde_trials_export (GListModel *trials, GPtrArray *columns, SondeTrialFormat format,
                     SondeTrialTitle title, void *user_data)
{
  GString *text = g_string_new (format == SONDE_TRIAL_LATEX ? "\\begin{tabular}{l" : NULL);
  const char *end = format == SONDE_TRIAL_LATEX ? " \\\\\n" : "\r\n";

  for (guint i = 0; format == SONDE_TRIAL_LATEX && i < columns->len; i++)
    g_string_append_c (text, choose_side (trials, columns->pdata[i]));
  if (format == SONDE_TRIAL_LATEX)
    g_string_append (text, "}\n\\hline\n");
  append_head (text, columns, format);
  g_string_append (text, end);
  if (format == SONDE_TRIAL_LATEX)
    g_string_append (text, "\\hline\n");
  for (guint i = 0; i < g_list_model_get_n_items (trials); i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, i);

      append_cell (text, format, title (trial, user_data));
      append_trial (text, trial, columns, format);
      g_string_append (text, end);
    }
  if (format == SONDE_TRIAL_LATEX)
    g_string_append (text, "\\hline\n\\end{tabular}\n");
  return g_string_free (text, FALSE);
}
