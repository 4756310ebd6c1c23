/* SPDX-License-Identifier: Apache-2.0
 * The backward pass of a model, driven by what flowed into the outputs of a program's step. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * sonde_step_gradients_add:
 * @graph: as it will run, inferred
 * @partners: value of @graph -> name of @step
 * @step: "grad(output)", "grad(output:1)", …: by output of @graph, in order; "grad(NAME)"
 * @tensors, @names: name of a value -> tensor of @step, and its name there; gradients join
 *
 * The gradient of every partner of which the step has one, "grad(V)", becomes an output of @graph, and what
 * flows into the graph's outputs an input. Errors: STATE where @step has nothing of that; INVALID for
 * another size; UNSUPPORTED of sonde_pass_gradient_of().
 */
gboolean sonde_step_gradients_add (SondeGraph *graph, GHashTable *partners,
                                   const SondeNamedTensors *step, GHashTable *tensors,
                                   GHashTable *names, GError **error);

/* Of "grad(V)" the names of the partners that read V, through what has none: it is their backward that
 * makes it. Returns: (transfer full) (array zero-terminated=1) (nullable): @gradient is of no value */
char **sonde_step_gradients_list_readers (const SondeGraph *graph, const char *gradient,
                                          GHashTable *partners);

G_END_DECLS
