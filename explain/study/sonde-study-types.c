/* SPDX-License-Identifier: Apache-2.0
 * Copies and ends of what a study says. */
#include "explain/study/sonde-study-types.h"

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
