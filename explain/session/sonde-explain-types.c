/* SPDX-License-Identifier: Apache-2.0
 * Copies and ends of what a session says. */
#include "explain/session/sonde-explain-types.h"

#include "explain/sonde-note.h"

SondeExplainInfo *
sonde_explain_info_copy (const SondeExplainInfo *info)
{
  SondeExplainInfo *copy = g_new0 (SondeExplainInfo, 1);

  *copy = *info;
  copy->classes = g_strdupv (info->classes);
  copy->model_name = g_strdup (info->model_name);
  copy->notes = sonde_notes_new ();
  if (info->notes != NULL)
    sonde_notes_append (copy->notes, info->notes);
  return copy;
}

void
sonde_explain_info_free (SondeExplainInfo *info)
{
  if (info == NULL)
    return;
  g_strfreev (info->classes);
  g_free (info->model_name);
  g_clear_pointer (&info->notes, g_ptr_array_unref);
  g_free (info);
}

void
sonde_error_cluster_free (SondeErrorCluster *cluster)
{
  if (cluster == NULL)
    return;
  g_clear_pointer (&cluster->members, g_array_unref);
  g_clear_pointer (&cluster->mean, sonde_tensor_unref);
  g_free (cluster);
}

void
sonde_triage_result_free (SondeTriageResult *triage)
{
  if (triage == NULL)
    return;
  g_clear_pointer (&triage->rows, g_ptr_array_unref);
  g_clear_pointer (&triage->clusters, g_ptr_array_unref);
  g_clear_pointer (&triage->notes, g_ptr_array_unref);
  g_free (triage);
}

void
sonde_neighbour_sample_free (SondeNeighbourSample *neighbour)
{
  if (neighbour == NULL)
    return;
  sonde_sample_result_free (neighbour->result);
  sonde_image_unref (neighbour->image);
  g_free (neighbour);
}

void
sonde_boxed_image_free (SondeBoxedImage *boxed)
{
  if (boxed == NULL)
    return;
  sonde_image_unref (boxed->image);
  g_free (boxed);
}

void
sonde_metric_score_free (SondeMetricScore *score)
{
  if (score == NULL)
    return;
  g_free (score->method);
  g_free (score->metric);
  g_free (score->metric_title);
  g_free (score);
}

void
sonde_self_test_check_free (SondeSelfTestCheck *check)
{
  if (check == NULL)
    return;
  g_free (check->name);
  sonde_message_free (check->expected);
  sonde_message_free (check->got);
  sonde_message_free (check->sentence);
  g_free (check);
}
