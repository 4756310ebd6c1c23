/* SPDX-License-Identifier: Apache-2.0
 * Weights made meaningless from the output downward, and what maps should say to it. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "engine/ops/sonde-op.h"
#include "explain/metrics/sonde-stability.h"

#define PASS 0.3

/* A constant of the graph's own that the node reads, of numbers with at least @rank dimensions. */
static gboolean
is_weight (const SondeGraphValue *value, int rank)
{
  const SondeTensor *tensor
      = value != NULL && value->constant != NULL ? sonde_value_get_tensor (value->constant) : NULL;

  return tensor != NULL && tensor->dtype == SONDE_DTYPE_F32 && tensor->shape.rank >= rank;
}

static gboolean
has_weights (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  if (klass == NULL || (klass->traits & SONDE_TRAIT_WEIGHTS) == 0)
    return FALSE;
  for (guint k = 0; k < node->inputs->len; k++)
    if (is_weight (g_ptr_array_index (node->inputs, k), 2))
      return TRUE;
  return FALSE;
}

GPtrArray *
sonde_randomisation_layers (SondeGraph *model)
{
  GPtrArray *layers = g_ptr_array_new ();

  for (guint i = model->nodes->len; i-- > 0;)
    if (has_weights (g_ptr_array_index (model->nodes, i)))
      g_ptr_array_add (layers, g_ptr_array_index (model->nodes, i));
  return layers;
}

static SondeTensor *
permute (SondeTensor *weights, guint64 seed, guint64 stream)
{
  SondeTensor *result = sonde_tensor_copy (weights);
  float *values = (float *) (void *) result->data;

  for (gint64 i = sonde_tensor_n_elements (result) - 1; i > 0; i--)
    {
      gint64 other = (gint64) (sonde_random_uniform (seed, stream, (guint64) i) * (double) (i + 1));
      float value = values[i];

      values[i] = values[other];
      values[other] = value;
    }
  return result;
}

void
sonde_randomise_layer (SondeNode *layer, guint64 seed)
{
  for (guint k = 0; k < layer->inputs->len; k++)
    {
      SondeGraphValue *value = g_ptr_array_index (layer->inputs, k);
      g_autoptr (SondeTensor) weights = NULL;

      if (!is_weight (value, 1))
        continue;
      weights = permute (sonde_value_get_tensor (value->constant), seed,
                         sonde_random_stream (value->name));
      sonde_value_unref (value->constant);
      value->constant = sonde_value_new_tensor (weights);
    }
}

gboolean
sonde_randomisation_passes (const double *spearman, guint n, double *last_half)
{
  double sum = 0.0;
  guint count = 0;

  for (guint i = n / 2; i < n; i++)
    if (!isnan (spearman[i]))
      {
        sum += spearman[i];
        count++;
      }
  *last_half = count > 0 ? sum / count : NAN;
  return count > 0 && *last_half <= PASS;
}
