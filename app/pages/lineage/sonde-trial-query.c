/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-query.h"

#include <math.h>
#include <string.h>

#include "engine/live/sonde-expression.h"
#include "engine/live/sonde-nearest.h"

struct _SondeTrialQuery
{
  SondeExpressionSource source; /* first: it is cast back */
  SondeExpression *expression;
  GHashTable *columns; /* name in the text -> SondeTrialColumn */
  SondeTrial *trial;   /* lent, during sonde_trial_query_matches() */
  gboolean misses;     /* it lacks a parameter that was asked for */
};

/* ---- values of a trial --------------------------------------------------- */

static gboolean
get_number (SondeExpressionSource *source, const char *name, double *number)
{
  SondeTrialQuery *query = (SondeTrialQuery *) source;
  const SondeTrialColumn *column = g_hash_table_lookup (query->columns, name);
  gboolean has_text;

  if (column == NULL)
    return FALSE;
  *number = sonde_trial_get_number (query->trial, column);
  if (!isnan (*number) || column->rank == SONDE_TRIAL_METRIC)
    return TRUE;
  has_text = sonde_trial_get_parameter (query->trial, column->name) != NULL;
  query->misses |= !has_text;
  return !has_text;
}

static SondeTensor *
make_text (const char *text)
{
  SondeShape scalar = sonde_shape_scalar ();

  return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &scalar, &text);
}

/* Texts, and what stands in quotes. */
static SondeTensor *
get_tensor (SondeExpressionSource *source, const SondeReference *reference, GError **error)
{
  SondeTrialQuery *query = (SondeTrialQuery *) source;
  const SondeTrialColumn *column = g_hash_table_lookup (query->columns, reference->name);
  SondeShape scalar = sonde_shape_scalar ();
  double number;

  if (column == NULL)
    return make_text (reference->name);
  if (!get_number (source, reference->name, &number))
    return make_text (sonde_trial_get_parameter (query->trial, column->name));
  return sonde_tensor_new_from_data (SONDE_DTYPE_F64, &scalar, &number);
}

/* ---- names --------------------------------------------------------------- */

static const char *
get_candidate (guint k, gpointer columns)
{
  return ((const SondeTrialColumn *) ((GPtrArray *) columns)->pdata[k])->name;
}

static gboolean
is_quoted (const char *text, const char *name)
{
  g_autofree char *twice = g_strdup_printf ("\"%s\"", name);
  g_autofree char *once = g_strdup_printf ("'%s'", name);

  return strstr (text, twice) != NULL || strstr (text, once) != NULL;
}

/* "loss.best" of a scalar "loss". */
static SondeTrialColumn *
find_statistic (GPtrArray *columns, const char *name)
{
  static const char *const ends[SONDE_TRIAL_N_STATISTICS]
      = { "last", "best", "min", "max", "mean" };
  const char *dot = strrchr (name, '.');

  for (guint i = 0; dot != NULL && i < G_N_ELEMENTS (ends); i++)
    if (g_str_equal (dot + 1, ends[i]))
      {
        g_autofree char *tag = g_strndup (name, (gsize) (dot - name));
        const SondeTrialColumn *of = sonde_trial_columns_find (columns, tag);
        SondeTrialColumn *column
            = of != NULL && of->rank == SONDE_TRIAL_METRIC ? sonde_trial_column_copy (of) : NULL;

        if (column != NULL)
          column->statistic = (SondeTrialStatistic) i;
        return column;
      }
  return NULL;
}

static SondeTrialColumn *
resolve (GPtrArray *columns, const char *name)
{
  const SondeTrialColumn *column = sonde_trial_columns_find (columns, name);

  return column != NULL ? sonde_trial_column_copy (column) : find_statistic (columns, name);
}

static gboolean
take_name (SondeTrialQuery *query, const SondeReference *reference, const char *text,
           GPtrArray *columns, GError **error)
{
  SondeTrialColumn *column = NULL;
  const char *nearest;

  if (reference->glob || reference->previous || reference->slice != NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“%s”: a query takes single columns, by their names.", reference->name);
      return FALSE;
    }
  column = resolve (columns, reference->name);
  if (column != NULL)
    g_hash_table_replace (query->columns, g_strdup (reference->name), column);
  if (column != NULL || is_quoted (text, reference->name))
    return TRUE;
  nearest = sonde_nearest_name (reference->name, get_candidate, columns->len, columns);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "there is no column “%s”; the nearest is “%s”.", reference->name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "there is no column “%s”.", reference->name);
  return FALSE;
}

/* ---- the rest ------------------------------------------------------------ */

SondeTrialQuery *
sonde_trial_query_new (const char *text, GPtrArray *columns, GError **error)
{
  g_autoptr (SondeTrialQuery) query = g_new0 (SondeTrialQuery, 1);

  query->source = (SondeExpressionSource){ .get_tensor = get_tensor, .get_number = get_number };
  query->columns = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                          (GDestroyNotify) sonde_trial_column_free);
  query->expression = sonde_expression_parse (text, error);
  if (query->expression == NULL)
    return NULL;
  for (guint i = 0; i < sonde_expression_get_n_references (query->expression); i++)
    if (!take_name (query, sonde_expression_get_reference (query->expression, i), text, columns,
                    error))
      return NULL;
  return g_steal_pointer (&query);
}

void
sonde_trial_query_free (SondeTrialQuery *query)
{
  if (query == NULL)
    return;
  sonde_expression_free (query->expression);
  g_hash_table_unref (query->columns);
  g_free (query);
}

gboolean
sonde_trial_query_matches (SondeTrialQuery *query, SondeTrial *trial, GError **error)
{
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (GError) problem = NULL;

  query->trial = trial;
  query->misses = FALSE;
  if (sonde_expression_evaluate (query->expression, &query->source, &result, &problem))
    return result.truth;
  if (!query->misses) /* else NaN may have met a text */
    g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}
