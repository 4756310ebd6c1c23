/* SPDX-License-Identifier: Apache-2.0
 * Indexing, ordering and random operators as they were before. */
#include "engine/passes/sonde-legalise.h"

/* ---- order --------------------------------------------------------------- */

/* Until 10 k was an attribute. */
static gboolean
top_count (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  gint64 k = sonde_node_get_int (node, "k", 0);

  if (sonde_node_remove_attribute (node, "k"))
    sonde_node_set_input (graph, node, 1, sonde_build_ints (graph, &k, 1));
  return TRUE;
}

/* Scatter went on under another name. */
static gboolean
scatter_name (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_node_set_op (node, node->domain, "ScatterElements");
  node->origin_kind = SONDE_ORIGIN_LEGALISED;
  return TRUE;
}

/* ---- reductions ---------------------------------------------------------- */

static gboolean
axes_to_input (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  sonde_legalise_move_ints (graph, node, "axes", 1);
  return TRUE;
}

/* ---- signals ------------------------------------------------------------- */

/* Until 20 the axis was an attribute, 1 by default; then an input, −2 by default. */
static gboolean
fourier_axis (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  g_autoptr (SondeTensor) axis = sonde_tensor_new_i64 (sonde_node_get_int (node, "axis", 1));

  (void) sonde_node_remove_attribute (node, "axis");
  sonde_node_set_input (graph, node, 2, sonde_build_constant (graph, "axis", axis));
  return TRUE;
}

/* ---- the table ----------------------------------------------------------- */

const SondeLegalisation sonde_legalisations_index[] = {
  { "DFT", 20, fourier_axis },
  { "ReduceL1", 18, axes_to_input },
  { "ReduceL2", 18, axes_to_input },
  { "ReduceLogSum", 18, axes_to_input },
  { "ReduceLogSumExp", 18, axes_to_input },
  { "ReduceProd", 18, axes_to_input },
  { "ReduceSumSquare", 18, axes_to_input },
  { "Scatter", 0, scatter_name },
  { "TopK", 10, top_count },
  { NULL },
};
