/* SPDX-License-Identifier: Apache-2.0
 * Scores by method and metric. */
#include "explain/session/sonde-score-set.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "explain/attribution/sonde-attribution-spec.h"

SondeScoreSet *
sonde_score_set_new (void)
{
  SondeScoreSet *set = g_new0 (SondeScoreSet, 1);

  set->methods = g_ptr_array_new_with_free_func (g_free);
  set->metrics = g_ptr_array_new_with_free_func (g_free);
  set->weights = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  set->label = -1;
  return set;
}

void
sonde_score_set_free (SondeScoreSet *set)
{
  g_clear_pointer (&set->scores, g_ptr_array_unref);
  g_ptr_array_unref (set->methods);
  g_ptr_array_unref (set->metrics);
  g_hash_table_unref (set->weights);
  g_free (set);
}

gboolean
sonde_score_is_control (const char *method)
{
  return g_str_equal (method, SONDE_SCORE_RANDOM) || g_str_equal (method, SONDE_SCORE_CENTRE);
}

char *
sonde_score_dup_method_title (const char *method)
{
  return g_str_equal (method, SONDE_SCORE_RANDOM)   ? g_strdup (_ ("Random map"))
         : g_str_equal (method, SONDE_SCORE_CENTRE) ? g_strdup (_ ("Centre map"))
                                                    : sonde_attribution_spec_dup_title (method);
}

static void
add_once (GPtrArray *list, const char *name)
{
  if (!g_ptr_array_find_with_equal_func (list, name, g_str_equal, NULL))
    g_ptr_array_add (list, g_strdup (name));
}

static void
list_names (SondeScoreSet *set)
{
  static const char *const controls[] = { SONDE_SCORE_CENTRE, SONDE_SCORE_RANDOM };

  for (guint i = 0; i < set->scores->len; i++)
    {
      const SondeMetricScore *score = g_ptr_array_index (set->scores, i);

      add_once (set->metrics, score->metric);
      if (!sonde_score_is_control (score->method))
        add_once (set->methods, score->method);
    }
  for (gsize c = 0; c < G_N_ELEMENTS (controls); c++)
    for (guint i = 0; i < set->scores->len; i++)
      if (g_str_equal (((SondeMetricScore *) g_ptr_array_index (set->scores, i))->method,
                       controls[c]))
        add_once (set->methods, controls[c]);
}

void
sonde_score_set_take (SondeScoreSet *set, GPtrArray *scores)
{
  if (scores != NULL)
    g_ptr_array_ref (scores);
  g_clear_pointer (&set->scores, g_ptr_array_unref);
  set->scores = scores;
  set->label = -1;
  g_ptr_array_set_size (set->methods, 0);
  g_ptr_array_set_size (set->metrics, 0);
  if (scores != NULL)
    list_names (set);
}

static const SondeMetricScore *
find (const SondeScoreSet *set, const char *method, const char *metric, gint64 label)
{
  for (guint i = 0; set->scores != NULL && i < set->scores->len; i++)
    {
      const SondeMetricScore *score = g_ptr_array_index (set->scores, i);

      if (score->label == label && g_str_equal (score->method, method)
          && g_str_equal (score->metric, metric))
        return score;
    }
  return NULL;
}

const SondeMetricScore *
sonde_score_set_find (const SondeScoreSet *set, const char *method, const char *metric)
{
  return find (set, method, metric, set->label);
}

gboolean
sonde_score_set_has_label (const SondeScoreSet *set, gint64 label)
{
  for (guint i = 0; set->scores != NULL && i < set->scores->len; i++)
    if (((SondeMetricScore *) g_ptr_array_index (set->scores, i))->label == label)
      return TRUE;
  return FALSE;
}

double
sonde_score_set_get_weight (const SondeScoreSet *set, const char *metric)
{
  const double *weight = g_hash_table_lookup (set->weights, metric);

  return weight != NULL ? *weight : 1;
}

void
sonde_score_set_set_weight (SondeScoreSet *set, const char *metric, double weight)
{
  g_hash_table_insert (set->weights, g_strdup (metric), g_memdup2 (&weight, sizeof weight));
}

double
sonde_score_set_get_composite (const SondeScoreSet *set, const char *method)
{
  double sum = 0, weights = 0;

  for (guint i = 0; i < set->metrics->len; i++)
    {
      const char *metric = g_ptr_array_index (set->metrics, i);
      const SondeMetricScore *score = sonde_score_set_find (set, method, metric);

      if (score == NULL || !isfinite (score->rating))
        continue;
      sum += sonde_score_set_get_weight (set, metric) * score->rating;
      weights += sonde_score_set_get_weight (set, metric);
    }
  return weights > 0 ? sum / weights : NAN;
}

gboolean
sonde_score_set_beats_random (const SondeScoreSet *set, const SondeMetricScore *score)
{
  const SondeMetricScore *random = find (set, SONDE_SCORE_RANDOM, score->metric, score->label);

  if (random == NULL || !isfinite (score->low) || !isfinite (random->high))
    return FALSE;
  return score->rises ? score->low > random->high : score->high < random->low;
}

const char *
sonde_score_set_get_metric_title (const SondeScoreSet *set, const char *metric, gboolean *rises)
{
  for (guint i = 0; set->scores != NULL && i < set->scores->len; i++)
    {
      const SondeMetricScore *score = g_ptr_array_index (set->scores, i);

      if (!g_str_equal (score->metric, metric))
        continue;
      *rises = score->rises;
      return score->metric_title;
    }
  *rises = TRUE;
  return metric;
}

GPtrArray *
sonde_score_set_list_rated (const SondeScoreSet *set)
{
  GPtrArray *rated = g_ptr_array_new ();

  for (guint i = 0; i < set->metrics->len; i++)
    {
      const char *metric = g_ptr_array_index (set->metrics, i);
      gboolean any = FALSE;

      for (guint k = 0; k < set->methods->len && !any; k++)
        {
          const SondeMetricScore *score
              = sonde_score_set_find (set, g_ptr_array_index (set->methods, k), metric);

          any = score != NULL && isfinite (score->rating);
        }
      if (any && sonde_score_set_get_weight (set, metric) > 0)
        g_ptr_array_add (rated, (char *) metric);
    }
  return rated;
}
