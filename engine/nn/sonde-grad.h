/* SPDX-License-Identifier: Apache-2.0
 * Derivatives as functions: a graph in, a graph out that computes them too. Such a graph is
 * planned, run, looked into and differentiated again like any other. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/**
 * SondeValueRef: a value of a graph
 * @name: (nullable): of any value of the root graph: an input, a parameter, a layer's value. Inside
 *   a function of the model it is "call/value"
 * @position: without a name: among the graph's outputs where outputs are asked for, else among its
 * inputs
 */
typedef struct
{
  const char *name;
  guint position;
} SondeValueRef;

#define SONDE_VALUE(name) ((SondeValueRef){ (name), 0 })
#define SONDE_POSITION(position) ((SondeValueRef){ NULL, (position) })

/**
 * SondeGradOptions: zero-initialise
 * @auxiliary: (nullable) (array length=n_auxiliary): values that come along; nothing is
 * differentiated
 * @give_seeds: d/d(output) is an input "seed(V)" of the new graph, one for each output: then the
 *   gradients are a vector-Jacobian product. Else: ones
 * @stop: (nullable) (array length=n_stop): values at which gradients stop: they count as constants.
 *   So does what the operator sonde.StopGradient makes
 * @rules: (nullable) (array length=n_rules): gradients that take the place of operators' own
 *   (guided back-propagation and the like); needed during the call only
 */
typedef struct
{
  const SondeValueRef *auxiliary;
  guint n_auxiliary;
  gboolean give_seeds;
  const SondeValueRef *stop;
  guint n_stop;
  const SondeGradientRule *rules;
  guint n_rules;
} SondeGradOptions;

/**
 * sonde_grad:
 * @graph: as loaded, as prepared, or a result of these functions; it stays as it is
 * @outputs: (array length=n_outputs): values to differentiate, of any shape; several are summed
 * @inputs: (array length=n_inputs): values to differentiate with respect to: inputs, parameters,
 * values inside
 * @options: (nullable)
 *
 * A graph of the same inputs, whose outputs are d(Σ outputs)/d(input k), named "grad(V)", and then
 * the auxiliary values. It has what these need of @graph and nothing else, under the same names,
 * with provenance. Functions are inlined and older operators rewritten. What no output depends on
 * has a gradient of zeros.
 *
 * A gradient with respect to a value inside is the total derivative: how the outputs change when
 * that value does, through everything made from it.
 *
 * Returns: (transfer full). Errors: NOT_FOUND for a value that is not there, naming it; SHAPE for
 * one that is not float; UNSUPPORTED for an operator without gradient, naming the node and the
 * path; those of sonde_prepare_inference().
 */
SondeGraph *sonde_grad (SondeGraph *graph, const SondeValueRef *outputs, guint n_outputs,
                        const SondeValueRef *inputs, guint n_inputs,
                        const SondeGradOptions *options, GError **error);

/* The same; its outputs are the values, the auxiliary values, then the gradients. */
SondeGraph *sonde_value_and_grad (SondeGraph *graph, const SondeValueRef *outputs, guint n_outputs,
                                  const SondeValueRef *inputs, guint n_inputs,
                                  const SondeGradOptions *options, GError **error);

/**
 * sonde_jacobian_vector:
 *
 * How the outputs move when the inputs do: a graph with further inputs "tangent(X)", one for each
 * of @inputs, whose outputs are "tangent(Y)" = Σ dY/dX · tangent(X), one for each of @outputs, each
 * of its output's shape. Made by differentiating twice, so every operator on the way needs a
 * gradient of its gradient. auxiliary and give_seeds of @options are not used.
 * Returns: (transfer full). Errors: as sonde_grad()
 */
SondeGraph *sonde_jacobian_vector (SondeGraph *graph, const SondeValueRef *outputs, guint n_outputs,
                                   const SondeValueRef *inputs, guint n_inputs,
                                   const SondeGradOptions *options, GError **error);

/**
 * sonde_graph_run:
 * @device: (nullable): the processor
 * @names: (array length=n), @tensors: (array length=n): inputs; those with a default may be left
 * out
 * @outputs: (out) (array): graph->outputs->len new references
 *
 * Plans a copy of @graph for these inputs and runs it once. For many runs: sonde-runner.h.
 * Errors: of planning and running.
 */
gboolean sonde_graph_run (SondeGraph *graph, SondeDevice *device, const char *const *names,
                          SondeTensor *const *tensors, guint n, SondeTensor **outputs,
                          GError **error);

G_END_DECLS
