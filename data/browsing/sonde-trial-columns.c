/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-trial-columns.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"

#define WHOLE_DIGITS 1e15 /* whole numbers below are exact in a double */

SondeTrialColumn *
sonde_trial_column_copy (const SondeTrialColumn *column)
{
  SondeTrialColumn *copy = g_memdup2 (column, sizeof *column);

  copy->name = g_strdup (column->name);
  copy->twin = g_strdup (column->twin);
  return copy;
}

void
sonde_trial_column_free (SondeTrialColumn *column)
{
  if (column == NULL)
    return;
  g_free (column->name);
  g_free (column->twin);
  g_free (column);
}

gboolean
sonde_trial_column_is_usual (const SondeTrialColumn *column)
{
  return column->rank != SONDE_TRIAL_SAME && column->twin == NULL;
}

/* ---- what stands in a column --------------------------------------------- */

/* "loss_scale" is none of them, but nobody looks for its best. */
gboolean
sonde_trial_less_is_better (const char *tag)
{
  static const char *const words[]
      = { "loss", "error", "err", "perplexity", "ppl",  "mse",  "mae",      "rmse",    "nll",
          "wer",  "cer",   "fid", "distance",   "cost", "time", "duration", "latency", NULL };
  g_autofree char *lower = g_ascii_strdown (tag, -1);
  g_auto (GStrv) parts = g_strsplit_set (lower, "/._- :", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (g_strv_contains (words, parts[i]) || g_str_has_suffix (parts[i], "loss")
        || g_str_has_suffix (parts[i], "error"))
      return TRUE;
  return FALSE;
}

/* NaN when none of the last points is finite. */
static double
mean_of_last (SondeSeries *series, guint n_last)
{
  guint64 n = sonde_series_get_n_points (series);
  gsize wanted = (gsize) MIN (n, CLAMP (n_last, 1, SONDE_TRIAL_MAX_LAST)), n_finite = 0;
  g_autofree SondePoint *points = g_new (SondePoint, MAX (wanted, 1));
  double sum = 0;

  wanted = sonde_series_copy_points (series, n - wanted, wanted, points);
  for (gsize i = 0; i < wanted; i++)
    if (isfinite (points[i].value))
      {
        sum += points[i].value;
        n_finite++;
      }
  return n_finite > 0 ? sum / (double) n_finite : NAN;
}

static double
metric_number (SondeSeries *series, const SondeTrialColumn *column)
{
  SondePoint point;
  gint64 first, last;
  double min, max;

  if (column->statistic == SONDE_TRIAL_LAST)
    return sonde_series_get_last (series, &point) ? point.value : NAN;
  if (column->statistic == SONDE_TRIAL_MEAN)
    return mean_of_last (series, column->n_last);
  if (!sonde_series_get_range (series, &first, &last, &min, &max))
    return NAN;
  if (column->statistic == SONDE_TRIAL_BEST)
    return sonde_trial_less_is_better (column->name) ? min : max;
  return column->statistic == SONDE_TRIAL_MIN ? min : max;
}

static SondeSeries *
get_series (SondeTrial *trial, const SondeTrialColumn *column)
{
  SondeSeries *series = sonde_run_get_series (sonde_trial_get_run (trial), column->name);

  return series != NULL && sonde_series_get_n_points (series) > 0 ? series : NULL;
}

static double
parse_number (const char *text)
{
  char *end;
  double number = g_ascii_strtod (text, &end);

  return end != text && *end == '\0' ? number : NAN;
}

double
sonde_trial_get_number (SondeTrial *trial, const SondeTrialColumn *column)
{
  if (column->rank == SONDE_TRIAL_METRIC)
    {
      SondeSeries *series = get_series (trial, column);

      return series != NULL ? metric_number (series, column) : NAN;
    }
  else
    {
      const char *text = sonde_trial_get_parameter (trial, column->name);

      return text != NULL ? parse_number (text) : NAN;
    }
}

/* "0.30000000000000004" is what somebody's arithmetic left of 0.3. */
static char *
format_parameter (const char *text, double number)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (number))
    return g_strdup (text);
  if (number == rint (number) && fabs (number) < WHOLE_DIGITS)
    return sonde_format_count ((gint64) number);
  return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.6g", number));
}

char *
sonde_trial_dup_text (SondeTrial *trial, const SondeTrialColumn *column, double *number)
{
  const char *text;

  g_return_val_if_fail (SONDE_IS_TRIAL (trial), NULL);
  *number = sonde_trial_get_number (trial, column);
  if (column->rank == SONDE_TRIAL_METRIC)
    return get_series (trial, column) != NULL ? sonde_format_number (*number) : NULL;
  text = sonde_trial_get_parameter (trial, column->name);
  return text != NULL ? format_parameter (text, *number) : NULL;
}

char *
sonde_trial_dup_exact (SondeTrial *trial, const SondeTrialColumn *column)
{
  g_return_val_if_fail (SONDE_IS_TRIAL (trial), NULL);
  if (column->rank != SONDE_TRIAL_METRIC)
    return g_strdup (sonde_trial_get_parameter (trial, column->name));
  return get_series (trial, column) != NULL
             ? sonde_format_exact (sonde_trial_get_number (trial, column))
             : NULL;
}

/* ---- which there are ----------------------------------------------------- */

/* A parameter in the trials that were looked at. */
typedef struct
{
  const char *first; /* its text where it was seen first */
  guint n;           /* trials that have it */
  gboolean differs, says;
} Seen;

static void
look_at_parameter (const char *name, const char *text, void *parameters)
{
  Seen *seen = g_hash_table_lookup (parameters, name);

  if (seen == NULL)
    {
      seen = g_new0 (Seen, 1);
      seen->first = text;
      g_hash_table_insert (parameters, g_strdup (name), seen);
    }
  seen->n++;
  seen->says |= *text != '\0';
  seen->differs |= !g_str_equal (seen->first, text);
}

static void
look_at_tags (SondeRun *run, GHashTable *metrics)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    if (((const SondeRunTag *) tags->pdata[i])->kind == SONDE_RECORD_SCALARS)
      g_hash_table_add (metrics, (char *) ((const SondeRunTag *) tags->pdata[i])->tag);
}

static void
add_column (GPtrArray *columns, const char *name, SondeTrialRank rank)
{
  SondeTrialColumn *column = g_new0 (SondeTrialColumn, 1);

  column->rank = rank;
  column->name = g_strdup (name);
  column->n_last = SONDE_TRIAL_N_LAST;
  g_ptr_array_add (columns, column);
}

static int
compare_names (const char *a, const char *b)
{
  return g_utf8_validate (a, -1, NULL) && g_utf8_validate (b, -1, NULL) ? g_utf8_collate (a, b)
                                                                        : strcmp (a, b);
}

static gint
compare_columns (gconstpointer a, gconstpointer b)
{
  const SondeTrialColumn *first = *(const SondeTrialColumn *const *) a,
                         *second = *(const SondeTrialColumn *const *) b;

  if (first->rank != second->rank)
    return first->rank < second->rank ? -1 : 1;
  return compare_names (first->name, second->name);
}

gboolean
sonde_trial_columns_equal (GPtrArray *a, GPtrArray *b)
{
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const SondeTrialColumn *first = a->pdata[i], *second = b->pdata[i];

      if (first->rank != second->rank || !g_str_equal (first->name, second->name)
          || g_strcmp0 (first->twin, second->twin) != 0)
        return FALSE;
    }
  return TRUE;
}

/* ---- which say the same -------------------------------------------------- */

/* "Learning-Rate", "learning_rate" -> "learning_rate"; "/" and "." stay "." */
static char *
make_plain (const char *name)
{
  char *plain = g_ascii_strdown (name, -1);

  for (char *c = plain; *c != '\0'; c++)
    if (*c == '/' || *c == '.')
      *c = '.';
    else if (!g_ascii_isalnum (*c) && (guchar) *c < 0x80)
      *c = '_';
  return plain;
}

static GStrv
split_words (const char *name)
{
  g_autofree char *plain = make_plain (name);

  return g_strsplit_set (plain, "._", -1);
}

static gboolean
share_word (char *const *a, char *const *b)
{
  for (guint i = 0; a[i] != NULL; i++)
    if (*a[i] != '\0' && g_strv_contains ((const char *const *) b, a[i]))
      return TRUE;
  return FALSE;
}

static gboolean
same_in (SondeTrial *trial, const SondeTrialColumn *a, const SondeTrialColumn *b)
{
  const double x = sonde_trial_get_number (trial, a), y = sonde_trial_get_number (trial, b);

  if (!isnan (x) || !isnan (y))
    return x == y;
  if (a->rank == SONDE_TRIAL_METRIC || b->rank == SONDE_TRIAL_METRIC)
    return FALSE;
  return g_strcmp0 (sonde_trial_get_parameter (trial, a->name),
                    sonde_trial_get_parameter (trial, b->name))
         == 0;
}

static gboolean
same_everywhere (GListModel *trials, const SondeTrialColumn *a, const SondeTrialColumn *b)
{
  guint n = g_list_model_get_n_items (trials);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, i);

      if (!same_in (trial, a, b))
        return FALSE;
    }
  return n > 0;
}

/* A parameter stays rather than a scalar, a short name rather than a long one. */
static gboolean
is_plainer (const SondeTrialColumn *a, const SondeTrialColumn *b)
{
  if ((a->rank == SONDE_TRIAL_METRIC) != (b->rank == SONDE_TRIAL_METRIC))
    return b->rank == SONDE_TRIAL_METRIC;
  if ((strpbrk (a->name, "./") != NULL) != (strpbrk (b->name, "./") != NULL))
    return strpbrk (b->name, "./") != NULL;
  return strlen (a->name) <= strlen (b->name);
}

/* Two scalars may well agree by chance: 100 % of this and of that. */
static gboolean
may_be_twins (const SondeTrialColumn *a, const SondeTrialColumn *b)
{
  if (a->twin != NULL || b->twin != NULL)
    return FALSE;
  if (a->rank == SONDE_TRIAL_METRIC && b->rank == SONDE_TRIAL_METRIC)
    return FALSE;
  return a->rank == SONDE_TRIAL_METRIC || b->rank == SONDE_TRIAL_METRIC || a->rank == b->rank;
}

static void
find_twins (GListModel *trials, GPtrArray *columns)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func ((GDestroyNotify) g_strfreev);

  for (guint i = 0; i < columns->len; i++)
    g_ptr_array_add (words, split_words (((SondeTrialColumn *) columns->pdata[i])->name));
  for (guint i = 0; i < columns->len; i++)
    for (guint k = i + 1; k < columns->len; k++)
      {
        SondeTrialColumn *a = columns->pdata[i], *b = columns->pdata[k];

        if (!may_be_twins (a, b) || !share_word (words->pdata[i], words->pdata[k])
            || !same_everywhere (trials, a, b))
          continue;
        if (is_plainer (a, b))
          b->twin = g_strdup (a->name);
        else
          a->twin = g_strdup (b->name);
      }
}

GPtrArray *
sonde_trial_columns_collect (GListModel *trials)
{
  g_autoptr (GHashTable) parameters
      = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autoptr (GHashTable) metrics = g_hash_table_new (g_str_hash, g_str_equal);
  GPtrArray *columns = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_trial_column_free);
  guint n = g_list_model_get_n_items (trials);
  GHashTableIter iter;
  gpointer name, seen;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeTrial) trial = g_list_model_get_item (trials, i);

      sonde_trial_for_each_parameter (trial, look_at_parameter, parameters);
      look_at_tags (sonde_trial_get_run (trial), metrics);
    }
  g_hash_table_iter_init (&iter, parameters);
  while (g_hash_table_iter_next (&iter, &name, &seen))
    if (((Seen *) seen)->says)
      add_column (columns, name,
                  ((Seen *) seen)->differs || ((Seen *) seen)->n < n ? SONDE_TRIAL_DIFFERS
                                                                     : SONDE_TRIAL_SAME);
  g_hash_table_iter_init (&iter, metrics);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (!g_hash_table_contains (parameters, name))
      add_column (columns, name, SONDE_TRIAL_METRIC);
  g_ptr_array_sort (columns, compare_columns);
  find_twins (trials, columns);
  return columns;
}

/* ---- by name ------------------------------------------------------------- */

static gboolean
ends_with_part (const char *name, const char *end)
{
  gsize n = strlen (name), k = strlen (end);

  return n > k && name[n - k - 1] == '.' && g_str_has_suffix (name, end);
}

SondeTrialColumn *
sonde_trial_columns_find (GPtrArray *columns, const char *name)
{
  g_autofree char *wanted = make_plain (name);
  SondeTrialColumn *by_end = NULL, *by_sign = NULL;
  guint n_ends = 0;

  for (guint i = 0; i < columns->len; i++)
    {
      SondeTrialColumn *column = columns->pdata[i];
      g_autofree char *plain = make_plain (column->name);

      if (g_str_equal (column->name, name))
        return column;
      if (by_sign == NULL && g_str_equal (plain, wanted))
        by_sign = column;
      if (column->twin == NULL && ends_with_part (plain, wanted))
        {
          by_end = column;
          n_ends++;
        }
    }
  return by_sign != NULL ? by_sign : n_ends == 1 ? by_end : NULL;
}
