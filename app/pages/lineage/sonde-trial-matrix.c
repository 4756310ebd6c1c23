/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/lineage/sonde-trial-matrix.h"

#include <math.h>
#include <string.h>

#include "viewers/paint/sonde-text-paint.h"

static int
compare_words (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Words in order, and each trial's as a number of them. (transfer full) */
static char **
number_words (GPtrArray *trials, const SondeTrialColumn *column, double *values)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();
  GStrv result;

  for (guint i = 0; i < trials->len; i++)
    {
      double number;
      char *text = sonde_trial_dup_text (trials->pdata[i], column, &number);

      g_ptr_array_add (texts, text);
      if (text != NULL && g_hash_table_add (seen, text))
        g_ptr_array_add (words, text);
    }
  g_ptr_array_sort (words, compare_words);
  g_hash_table_remove_all (seen);
  for (guint k = 0; k < words->len; k++)
    g_hash_table_insert (seen, words->pdata[k], GUINT_TO_POINTER (k));
  for (guint i = 0; i < trials->len; i++)
    values[i] = texts->pdata[i] != NULL
                    ? GPOINTER_TO_UINT (g_hash_table_lookup (seen, texts->pdata[i]))
                    : NAN;
  result = g_new0 (char *, words->len + 1);
  for (guint k = 0; k < words->len; k++)
    result[k] = sonde_text_make_visible (words->pdata[k]);
  return result;
}

static gboolean
has_words (GPtrArray *trials, const SondeTrialColumn *column)
{
  for (guint i = 0; column->rank != SONDE_TRIAL_METRIC && i < trials->len; i++)
    if (sonde_trial_get_parameter (trials->pdata[i], column->name) != NULL
        && isnan (sonde_trial_get_number (trials->pdata[i], column)))
      return TRUE;
  return FALSE;
}

char **
sonde_trials_number (GPtrArray *trials, const SondeTrialColumn *column, double *values)
{
  if (has_words (trials, column))
    return number_words (trials, column, values);
  for (guint i = 0; i < trials->len; i++)
    values[i] = sonde_trial_get_number (trials->pdata[i], column);
  return NULL;
}
