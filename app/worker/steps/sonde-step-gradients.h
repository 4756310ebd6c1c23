/* SPDX-License-Identifier: Apache-2.0
 * The backward pass of a model, driven by what flowed into the outputs of a program's step. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeStepMatch: what a graph and a step have in common; all lent
 * @partners: value of the graph -> name of @step
 * @weights: name of an initialiser -> SondeStepWeight
 * @step: "grad(output)", "grad(output:1)", …: by output of the graph, in order; "grad(NAME)"
 * @tensors, @names: name of a value -> tensor of @step, and its name there; gradients join
 */
typedef struct
{
  GHashTable *partners, *weights;
  const SondeNamedTensors *step;
  GHashTable *tensors, *names;
} SondeStepMatch;

/**
 * sonde_step_gradients_add:
 * @graph: as it will run, inferred
 *
 * The gradient of every partner and weight of which the step has one, "grad(V)", becomes an output of @graph,
 * and what flows into the graph's outputs an input. Errors: STATE where the step has nothing of that; INVALID
 * for another size; UNSUPPORTED of sonde_pass_gradient_of().
 */
gboolean sonde_step_gradients_add (SondeGraph *graph, const SondeStepMatch *match, GError **error);

/* Of "grad(V)" the names of the partners that read V, through what has none: it is their backward that
 * makes it. Returns: (transfer full) (array zero-terminated=1) (nullable): @gradient is of no value */
char **sonde_step_gradients_list_readers (const SondeGraph *graph, const char *gradient,
                                          GHashTable *partners);

G_END_DECLS
