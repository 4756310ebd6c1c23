/* SPDX-License-Identifier: Apache-2.0
 * Normalisations that are written with other operators, or were before. */
#include "engine/passes/sonde-legalise.h"

static SondeGraphValue *
scalar (SondeGraph *graph, SondeNode *node, double number)
{
  return sonde_build_scalar (graph, sonde_legalise_dtype (node, 0), number);
}

/* Before 9, spatial = 0 asked for a mean and a variance of each element of a sample: parameters
 * have the shape of a sample then, and y = (x − mean) / sqrt (variance + ε)·scale + bias. In
 * training there is no such form. */
static gboolean
batch_of_elements (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  gboolean training
      = version < 7 ? sonde_node_get_int (node, "is_test", 0) == 0 : node->outputs->len > 1;
  SondeGraphValue *x = sonde_node_get_input (node, 0), *std = NULL, *y = NULL;

  if (sonde_node_get_int (node, "spatial", 1) != 0 || training || node->inputs->len < 5)
    return TRUE;
  (void) sonde_node_remove_attribute (node, "spatial");
  std = sonde_build_unary (
      graph, "Sqrt",
      sonde_build_binary (graph, "Add", sonde_node_get_input (node, 4),
                          scalar (graph, node, sonde_node_get_float (node, "epsilon", 1e-5))));
  y = sonde_build_binary (graph, "Sub", x, sonde_node_get_input (node, 3));
  y = sonde_build_binary (graph, "Mul", sonde_build_binary (graph, "Div", y, std),
                          sonde_node_get_input (node, 1));
  (void) sonde_legalise_add_node (graph, "Add", y, sonde_node_get_input (node, 2),
                                  sonde_legalise_take_output (graph, node, 0));
  return TRUE;
}

static gboolean
drop_consumed (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  (void) sonde_node_remove_attribute (node, "consumed_inputs");
  return TRUE;
}

/* (x − mean) / (sqrt (mean ((x − mean)²)) + 1e-9), the small number as in the operator's body */
static gboolean
mean_variance (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  const gint64 usual[] = { 0, 2, 3 };
  gsize n = 0;
  const gint64 *given = sonde_node_get_ints (node, "axes", &n);
  SondeGraphValue *axes = given ? sonde_build_ints (graph, given, n)
                                : sonde_build_ints (graph, usual, G_N_ELEMENTS (usual));
  SondeGraphValue *x = sonde_node_get_input (node, 0), *square = NULL, *std = NULL;

  x = sonde_build_binary (graph, "Sub", x, sonde_build_binary (graph, "ReduceMean", x, axes));
  square = sonde_build_binary (graph, "Mul", x, x);
  std = sonde_build_unary (graph, "Sqrt", sonde_build_binary (graph, "ReduceMean", square, axes));
  (void) sonde_legalise_add_node (
      graph, "Div", x, sonde_build_binary (graph, "Add", std, scalar (graph, node, 1e-9)),
      sonde_legalise_take_output (graph, node, 0));
  return TRUE;
}

const SondeLegalisation sonde_legalisations_normalisation[] = {
  { "BatchNormalization", 9, batch_of_elements },
  { "InstanceNormalization", 6, drop_consumed },
  { "MeanVarianceNormalization", 0, mean_variance },
  { NULL },
};
