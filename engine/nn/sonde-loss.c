/* SPDX-License-Identifier: Apache-2.0
 * Losses, as ordinary nodes. */
#include "engine/nn/sonde-loss.h"

/* Class indices: the prediction's sizes without the class dimension. */
static void
class_labels (const SondeType *prediction,
              SondeType       *labels)
{
  *labels = *prediction;
  labels->dtype = SONDE_DTYPE_I64;
  if (prediction->rank < 2)
    return;
  labels->rank = prediction->rank - 1;
  for (int i = 1; i < labels->rank; i++)
    labels->dims[i] = prediction->dims[i + 1];
}

static void
same_labels (const SondeType *prediction,
             SondeType       *labels)
{
  *labels = *prediction;
}

static SondeGraphValue *
infer_output (SondeGraph *graph,
              SondeNode  *node,
              GError    **error)
{
  node->origin_kind = SONDE_ORIGIN_LOSS;
  return sonde_build_infer (graph, node, error) ? sonde_node_get_output (node, 0) : NULL;
}

static SondeGraphValue *
build_cross_entropy (SondeGraph      *graph,
                     SondeGraphValue *prediction,
                     SondeGraphValue *labels,
                     GError         **error)
{
  SondeGraphValue *inputs[] = { prediction, labels };
  SondeNode *node = sonde_graph_add_node (graph, "loss", "", "SoftmaxCrossEntropyLoss", inputs, 2, 1);

  sonde_node_set_string (node, "reduction", "mean");
  return infer_output (graph, node, error);
}

static SondeGraphValue *
build_mse (SondeGraph      *graph,
           SondeGraphValue *prediction,
           SondeGraphValue *labels,
           GError         **error)
{
  SondeGraphValue *inputs[] = { prediction, labels };
  SondeNode *difference = sonde_graph_add_node (graph, "loss_difference", "", "Sub", inputs, 2, 1);
  SondeGraphValue *value = infer_output (graph, difference, error);
  SondeNode *square, *mean;

  if (value == NULL)
    return NULL;
  square = sonde_graph_add_node (graph, "loss_square", "", "Mul", (SondeGraphValue *[]) { value, value }, 2, 1);
  value = infer_output (graph, square, error);
  if (value == NULL)
    return NULL;
  mean = sonde_graph_add_node (graph, "loss", "", "ReduceMean", &value, 1, 1);
  sonde_node_set_int (mean, "keepdims", 0);
  return infer_output (graph, mean, error);
}

static const SondeLoss losses[] = {
  { "cross-entropy", TRUE, class_labels, build_cross_entropy },
  { "mse", FALSE, same_labels, build_mse },
};

const SondeLoss *
sonde_loss_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (losses); i++)
    if (g_str_equal (losses[i].name, name))
      return &losses[i];
  return NULL;
}

char *
sonde_loss_list (void)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (losses); i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", losses[i].name);
  return g_string_free (text, FALSE);
}
