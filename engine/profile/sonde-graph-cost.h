/* SPDX-License-Identifier: Apache-2.0
 * What a model costs without running it: parameters, multiplications with additions, operations, bytes
 * and the memory of its activations, node by node as the model stands in its file. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "data/values/sonde-shape.h"

G_BEGIN_DECLS

/* Sizes of an input. @name: lent; @sizes: all known, ≥ 0 */
typedef struct
{
  const char *name;
  SondeShape sizes;
} SondeInputSizes;

#define SONDE_COST_NOT_KNOWN (-1)

/**
 * SondeNodeCost: of one execution; SONDE_COST_NOT_KNOWN where it needs a size that only the run tells
 * @name, @op: lent by the graph; outside of the default domain @op is "DOMAIN.OPERATOR" and kept by the
 *   SondeGraphCost
 * @n_parameters: elements of the parameters that it is the first to read
 * @macs: multiplications each with an addition, of products and convolutions: Conv out · Cin/g · ∏k;
 *   ConvTranspose in · Cout/g · ∏k; Gemm and MatMul M · N · K · batch; LSTM, GRU and RNN
 *   steps · batch · (|W| + |R|); their integer forms alike; biases are not counted. Others 0; of a
 *   function of the model or an operator that stands for several the sum of what it stands for
 * @flops: 2 · @macs where there are any, else SondeCost.flops of what it stands for
 * @bytes_read, @bytes_written: of the distinct inputs and of all outputs, in their own types
 * @alive_bytes: of what nodes have made by then and is read here or later, this node's outputs included
 * @shape_known, @shape: of its first output
 * @runs_bodies: If, Loop or Scan: what its bodies compute is not counted, since only the run tells
 *   how often; their parameters are
 */
typedef struct
{
  const char *name, *op;
  guint64 n_parameters;
  gint64 macs, flops, bytes_read, bytes_written;
  guint64 alive_bytes;
  gboolean shape_known;
  SondeShape shape;
  gboolean runs_bodies;
} SondeNodeCost;

/**
 * SondeGraphCost: sums over what is known
 * @nodes: (element-type SondeNodeCost): in the order of the file
 * @n_state: elements of running means and variances; not in @n_parameters
 * @parameter_bytes: of both
 * @peak_bytes: greatest @alive_bytes
 * @texts: owns operators of other domains
 */
typedef struct
{
  GArray *nodes;
  guint64 n_parameters, n_state, parameter_bytes;
  guint64 macs, flops;
  guint64 peak_bytes;
  GStringChunk *texts;
} SondeGraphCost;

/**
 * sonde_graph_cost_new:
 * @model: as loaded; it is not changed, and must live as long as the result
 * @sizes: (array length=n_sizes) (nullable): of some inputs. A symbol of theirs has its size elsewhere,
 *   too; sizes that are still unknown are 1
 *
 * Operators that Sonde lacks are not known, and neither is what follows from their results, unless the
 * file declares it.
 * Returns: (transfer full)
 * Errors: NOT_FOUND for an input that is not there, with the nearest name; SHAPE for sizes that do not
 * fit the input, or the model, naming the node; INVALID, UNSUPPORTED of what the model is made of.
 */
SondeGraphCost *sonde_graph_cost_new (SondeGraph *model, const SondeInputSizes *sizes,
                                      guint n_sizes, GError **error);
void sonde_graph_cost_free (SondeGraphCost *cost); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraphCost, sonde_graph_cost_free)

/* Whether anything of the node is not known. */
gboolean sonde_node_cost_is_partial (const SondeNodeCost *cost);

G_END_DECLS
