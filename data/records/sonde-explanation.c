/* SPDX-License-Identifier: Apache-2.0 */
#include "data/records/sonde-explanation.h"

SondeExplanation *
sonde_explanation_new (void)
{
  return g_new0 (SondeExplanation, 1);
}

static void
copy_occlusion (SondeExplanationOcclusion *occlusion)
{
  occlusion->mask = g_strdup (occlusion->mask);
  occlusion->layers
      = g_memdup2 (occlusion->layers, occlusion->n_layers * sizeof *occlusion->layers);
  for (gsize i = 0; i < occlusion->n_layers; i++)
    {
      SondeExplanationLayer *layer = &occlusion->layers[i];

      layer->boxes = g_memdup2 (layer->boxes, 4 * layer->n_boxes * sizeof *layer->boxes);
    }
}

SondeExplanation *
sonde_explanation_copy (const SondeExplanation *explanation)
{
  SondeExplanation *copy;

  if (explanation == NULL)
    return NULL;
  copy = g_memdup2 (explanation, sizeof *explanation);
  copy->image = g_strdup (copy->image);
  copy->status = g_strdup (copy->status);
  copy->truths = g_memdup2 (copy->truths, copy->n_truths * sizeof *copy->truths);
  copy->predictions
      = g_memdup2 (copy->predictions, copy->n_predictions * sizeof *copy->predictions);
  copy->maps = g_memdup2 (copy->maps, copy->n_maps * sizeof *copy->maps);
  for (gsize i = 0; i < copy->n_maps; i++)
    {
      copy->maps[i].method = g_strdup (copy->maps[i].method);
      copy->maps[i].heat_map = g_strdup (copy->maps[i].heat_map);
    }
  copy->scores = g_memdup2 (copy->scores, copy->n_scores * sizeof *copy->scores);
  for (gsize i = 0; i < copy->n_scores; i++)
    {
      SondeExplanationScore *score = &copy->scores[i];

      score->benchmark = g_strdup (score->benchmark);
      score->method = g_strdup (score->method);
      score->label_scores
          = g_memdup2 (score->label_scores, score->n_label_scores * sizeof (double));
    }
  copy->occlusions = g_memdup2 (copy->occlusions, copy->n_occlusions * sizeof *copy->occlusions);
  for (gsize i = 0; i < copy->n_occlusions; i++)
    copy_occlusion (&copy->occlusions[i]);
  copy->labels = g_strdupv (copy->labels);
  copy->methods = g_strdupv (copy->methods);
  copy->benchmarks = g_strdupv (copy->benchmarks);
  return copy;
}

static void
clear_occlusion (SondeExplanationOcclusion *occlusion)
{
  for (gsize i = 0; i < occlusion->n_layers; i++)
    g_free (occlusion->layers[i].boxes);
  g_free (occlusion->layers);
  g_free (occlusion->mask);
}

void
sonde_explanation_free (SondeExplanation *explanation)
{
  if (explanation == NULL)
    return;
  for (gsize i = 0; i < explanation->n_maps; i++)
    {
      g_free (explanation->maps[i].method);
      g_free (explanation->maps[i].heat_map);
    }
  for (gsize i = 0; i < explanation->n_scores; i++)
    {
      g_free (explanation->scores[i].benchmark);
      g_free (explanation->scores[i].method);
      g_free (explanation->scores[i].label_scores);
    }
  for (gsize i = 0; i < explanation->n_occlusions; i++)
    clear_occlusion (&explanation->occlusions[i]);
  g_free (explanation->truths);
  g_free (explanation->predictions);
  g_free (explanation->maps);
  g_free (explanation->scores);
  g_free (explanation->occlusions);
  g_strfreev (explanation->labels);
  g_strfreev (explanation->methods);
  g_strfreev (explanation->benchmarks);
  g_free (explanation->image);
  g_free (explanation->status);
  g_free (explanation);
}

gsize
sonde_explanation_n_bytes (const SondeExplanation *explanation)
{
  gsize bytes;

  if (explanation == NULL)
    return 0;
  bytes = sizeof *explanation
          + (explanation->n_truths + explanation->n_predictions) * sizeof *explanation->truths
          + explanation->n_maps * sizeof *explanation->maps;
  for (gsize i = 0; i < explanation->n_scores; i++)
    bytes += sizeof *explanation->scores + explanation->scores[i].n_label_scores * sizeof (double);
  for (gsize i = 0; i < explanation->n_occlusions; i++)
    for (gsize k = 0; k < explanation->occlusions[i].n_layers; k++)
      bytes += sizeof (SondeExplanationLayer)
               + 4 * explanation->occlusions[i].layers[k].n_boxes * sizeof (int);
  return bytes;
}
