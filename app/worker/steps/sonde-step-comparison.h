/* SPDX-License-Identifier: Apache-2.0
 * A step of another program (a training in PyTorch) against a model that was exported from it: the
 * model runs on the step's inputs, and every value that the step knows by the name of a module is
 * judged, forward and backward. Or against values that another run made. */
#pragma once

#include "engine/session/sonde-step-comparison-request.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

/**
 * sonde_step_comparison_run:
 * @asked: @values_path has "input", "input:1", … what the outermost module was called with, in
 *   order; what modules gave by their paths; with @gradients "grad(PATH)", and "grad(output)",
 *   "grad(output:1)", … of what the outermost module gave
 * @tick: (nullable): TRUE gives up
 *
 * Weights are those of @weights_path by name, transposed where the exporter wrote them so. Where they
 * have no counterpart, or were folded with a normalisation, the model's own stay, and are listed.
 *
 * Returns: (transfer full): @reference of a value is the name of the step's. Errors: those of the files
 * and of the plan; INVALID for inputs and weights of other sizes or types; NOT_FOUND when not one
 * module of the step is in the model; STATE when @tick gave up, or a gradient of the output is missing
 */
SondeDivergence *sonde_step_comparison_run (const SondeStepComparisonRequest *asked,
                                            gboolean (*tick) (guint step, guint n_steps,
                                                              gpointer data),
                                            gpointer data, GError **error);

G_END_DECLS
