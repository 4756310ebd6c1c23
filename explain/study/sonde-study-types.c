/* SPDX-License-Identifier: Apache-2.0
 * Copies and ends of what a study says, and the composite of scores. */
#include "explain/study/sonde-study-types.h"

#include <math.h>

static char **
settings_texts (SondeStudySettings *settings, gsize i)
{
  char **const texts[]
      = { &settings->model,        &settings->data,  &settings->labels,   &settings->mean,
          &settings->deviation,    &settings->size,  &settings->channels, &settings->training,
          &settings->given_labels, &settings->device };

  return i < G_N_ELEMENTS (texts) ? texts[i] : NULL;
}

SondeStudySettings *
sonde_study_settings_copy (const SondeStudySettings *settings)
{
  SondeStudySettings *copy = g_new0 (SondeStudySettings, 1);

  *copy = *settings;
  for (gsize i = 0; settings_texts (copy, i) != NULL; i++)
    *settings_texts (copy, i) = g_strdup (*settings_texts (copy, i));
  return copy;
}

void
sonde_study_settings_clear (SondeStudySettings *settings)
{
  for (gsize i = 0; settings_texts (settings, i) != NULL; i++)
    g_clear_pointer (settings_texts (settings, i), g_free);
}

void
sonde_study_settings_free (SondeStudySettings *settings)
{
  if (settings == NULL)
    return;
  sonde_study_settings_clear (settings);
  g_free (settings);
}

static GPtrArray *
copy_texts (GPtrArray *texts)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; texts != NULL && i < texts->len; i++)
    g_ptr_array_add (copy, g_strdup (g_ptr_array_index (texts, i)));
  return copy;
}

SondeStudyFacts *
sonde_study_facts_copy (const SondeStudyFacts *facts)
{
  SondeStudyFacts *copy = g_new0 (SondeStudyFacts, 1);

  *copy = *facts;
  copy->classes = g_strdupv (facts->classes);
  copy->model_name = g_strdup (facts->model_name);
  copy->data_name = g_strdup (facts->data_name);
  copy->notes = copy_texts (facts->notes);
  return copy;
}

void
sonde_study_facts_free (SondeStudyFacts *facts)
{
  if (facts == NULL)
    return;
  g_strfreev (facts->classes);
  g_free (facts->model_name);
  g_free (facts->data_name);
  g_clear_pointer (&facts->notes, g_ptr_array_unref);
  g_free (facts);
}

void
sonde_study_row_free (SondeStudyRow *row)
{
  if (row == NULL)
    return;
  g_free (row->name);
  g_free (row->evidence);
  g_free (row->probabilities);
  g_free (row);
}

gboolean
sonde_study_row_is_error (const SondeStudyRow *row)
{
  return row->label >= 0 && row->label != row->predicted;
}

void
sonde_study_cluster_free (SondeStudyCluster *cluster)
{
  if (cluster == NULL)
    return;
  g_clear_pointer (&cluster->members, g_array_unref);
  g_clear_pointer (&cluster->mean, sonde_tensor_unref);
  g_free (cluster);
}

void
sonde_study_triage_free (SondeStudyTriage *triage)
{
  if (triage == NULL)
    return;
  g_clear_pointer (&triage->rows, g_ptr_array_unref);
  g_clear_pointer (&triage->clusters, g_ptr_array_unref);
  g_clear_pointer (&triage->notes, g_ptr_array_unref);
  g_free (triage);
}

SondeStudyMap *
sonde_study_map_copy (const SondeStudyMap *map)
{
  SondeStudyMap *copy = g_new0 (SondeStudyMap, 1);

  *copy = *map;
  copy->spec = g_strdup (map->spec);
  copy->title = g_strdup (map->title);
  copy->note = g_strdup (map->note);
  copy->map = sonde_tensor_ref (map->map);
  return copy;
}

void
sonde_study_map_free (SondeStudyMap *map)
{
  if (map == NULL)
    return;
  g_free (map->spec);
  g_free (map->title);
  g_free (map->note);
  g_clear_pointer (&map->map, sonde_tensor_unref);
  g_free (map);
}

void
sonde_study_boxes_free (SondeStudyBoxes *boxes)
{
  if (boxes == NULL)
    return;
  g_free (boxes->spec);
  g_clear_pointer (&boxes->layers, g_ptr_array_unref);
  g_clear_pointer (&boxes->pruned, g_array_unref);
  g_clear_pointer (&boxes->steps, g_array_unref);
  g_free (boxes->mask);
  g_free (boxes->note);
  g_free (boxes);
}

void
sonde_study_neighbour_free (SondeStudyNeighbour *neighbour)
{
  if (neighbour == NULL)
    return;
  g_free (neighbour->name);
  sonde_image_free (neighbour->image);
  g_free (neighbour);
}

void
sonde_study_answer_free (SondeStudyAnswer *answer)
{
  if (answer == NULL)
    return;
  g_free (answer->probabilities);
  g_free (answer->logits);
  g_free (answer);
}

void
sonde_study_score_free (SondeStudyScore *score)
{
  if (score == NULL)
    return;
  g_free (score->method);
  g_free (score->metric);
  g_free (score->metric_title);
  g_free (score);
}

void
sonde_study_check_free (SondeStudyCheck *check)
{
  if (check == NULL)
    return;
  g_free (check->name);
  g_free (check->expected);
  g_free (check->got);
  g_free (check->sentence);
  g_free (check);
}

double
sonde_study_scores_composite (GPtrArray *scores, const char *method, GHashTable *weights)
{
  double sum = 0.0, total = 0.0;

  for (guint i = 0; i < scores->len; i++)
    {
      const SondeStudyScore *score = g_ptr_array_index (scores, i);
      const double *given = weights != NULL ? g_hash_table_lookup (weights, score->metric) : NULL;
      double weight = given != NULL ? *given : 1.0;

      if (score->label >= 0 || isnan (score->rating) || !g_str_equal (score->method, method))
        continue;
      sum += weight * score->rating;
      total += weight;
    }
  return total > 0.0 ? sum / total : NAN;
}
