/* SPDX-License-Identifier: Apache-2.0
 * Scores of a network, in batches. */
#include "explain/sonde-network-score.h"

#include <math.h>

/* Planning a size costs some twenty rows of a small network, and from here on a row costs no less. */
#define MOST_ROWS 8

static gboolean
check_class (gint64   target,
             gint64   classes,
             GError **error)
{
  if (target >= 0 && target < classes)
    return TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "Target class %" G_GINT64_FORMAT " is outside the model's %" G_GINT64_FORMAT " classes.", target, classes);
  return FALSE;
}

/* Softmax in double; stored as float32 by the caller, so that equal pictures compare equal on every device. */
static double
score_row (const float   *z,
           gint64         classes,
           SondeNetworkScoreKind kind,
           gint64         target,
           gint64         other)
{
  double largest = -INFINITY, rival = -INFINITY, sum = 0.0;

  if (kind == SONDE_NETWORK_LOGIT)
    return z[target];
  if (kind == SONDE_NETWORK_CONTRAST)
    return (double) z[target] - z[other];
  for (gint64 c = 0; c < classes; c++)
    {
      if (isnan (z[c]))
        return NAN;
      largest = fmax (largest, z[c]);
      rival = c != target ? fmax (rival, z[c]) : rival;
    }
  for (gint64 c = 0; c < classes; c++)
    sum += exp (z[c] - largest);
  if (kind == SONDE_NETWORK_PROBABILITY)
    return exp (z[target] - largest) / sum;
  return (exp (z[target] - largest) - exp (rival - largest)) / sum;
}

gboolean
sonde_network_score_logits (SondeTensor   *logits,
                    SondeNetworkScoreKind kind,
                    gint64         target,
                    gint64         other,
                    double        *scores,
                    GError       **error)
{
  gint64 n = logits->shape.dims[0], classes = logits->shape.dims[1];
  const float *z = (const float *) (const void *) logits->data;

  if (!check_class (target, classes, error) || (kind == SONDE_NETWORK_CONTRAST && !check_class (other, classes, error)))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    scores[i] = (float) score_row (z + i * classes, classes, kind, target, other);
  return TRUE;
}

static guint
largest_power_of_two (guint n)
{
  guint power = 1;

  while (power <= n / 2)
    power *= 2;
  return power;
}

/* A power of two, so that no rest is left over of it. */
static guint
choose_batch (SondeExplainer *explainer,
              SondeTensor    *pictures)
{
  return largest_power_of_two ((guint) MIN (sonde_explainer_get_batch (explainer, pictures, FALSE), MOST_ROWS));
}

static gboolean
score_batch (SondeNetworkScore *network,
             SondeTensor       *pictures,
             double            *scores,
             GError           **error)
{
  g_autoptr (SondeTensor) logits = sonde_explainer_forward (network->explainer, pictures, error);

  network->n_calls++;
  network->n_rows += (guint64) pictures->shape.dims[0];
  return logits != NULL
         && sonde_network_score_logits (logits, network->kind, network->target, network->other, scores, error);
}

gboolean
sonde_network_score (SondeTensor *pictures,
                     double      *scores,
                     gpointer     data,
                     GError     **error)
{
  SondeNetworkScore *network = data;
  gint64 total = pictures->shape.dims[0];

  if (network->batch == 0)
    network->batch = choose_batch (network->explainer, pictures);
  for (gint64 done = 0; done < total;)
    {
      guint left = (guint) MIN (total - done, (gint64) network->batch);
      SondeShape shape = pictures->shape;
      g_autoptr (SondeTensor) part = NULL;

      shape.dims[0] = left == network->batch ? left : largest_power_of_two (left);
      part = sonde_tensor_view (pictures, &shape, pictures->strides, done * pictures->strides[0]);
      if (!score_batch (network, part, scores + done, error))
        return FALSE;
      done += shape.dims[0];
    }
  return TRUE;
}
