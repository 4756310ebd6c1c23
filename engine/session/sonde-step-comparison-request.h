/* SPDX-License-Identifier: Apache-2.0
 * What a client asks an engine to compare: a step of another program and a model. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeStepComparisonRequest: a step of another program, and a model that was exported from it or values
 * that another run made; zero-initialise
 * @model_path: (nullable): absolute; @reference_path: (nullable): instead of it: values by the names of
 *   modules, in a file or folder. One of them
 * @values_path: absolute; .safetensors or .npz: what the outermost module was called with
 *   ("input", "input:1", …), what modules gave, by their paths, and gradients ("grad(PATH)")
 * @weights_path: (nullable): absolute: of the program, by their names; NULL: the model's own
 * @gradients: backward, too; @values_path has "grad(output)", "grad(output:1)", …
 * @order: (nullable) (array zero-terminated=1): names of modules and gradients in the order of the step,
 *   also of those that @values_path lacks; NULL: those that it has
 * @rtol: with @has_rtol; @pattern: (nullable): glob of nodes, values or modules
 */
typedef struct
{
  const char *model_path, *reference_path, *values_path, *weights_path;
  const char *const *order;
  gboolean gradients, has_rtol;
  double rtol;
  const char *pattern;
  guint threads;
} SondeStepComparisonRequest;

G_END_DECLS
