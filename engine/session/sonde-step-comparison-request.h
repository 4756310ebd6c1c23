/* SPDX-License-Identifier: Apache-2.0
 * What a client asks an engine to compare: a step of another program and a model. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeStepComparisonRequest: a step of another program and a model that was exported from it
 * @model_path, @values_path: absolute; the values are a .npz: what the outermost module was called with
 *   ("input", "input:1", …), what modules gave, by their paths, and gradients ("grad(PATH)")
 * @weights_path: (nullable): absolute: of the program, by their names; NULL: the model's own
 * @gradients: backward, too; @values_path has "grad(output)", "grad(output:1)", …
 * @rtol: with @has_rtol; @pattern: (nullable): glob of nodes, values or modules
 */
typedef struct
{
  const char *model_path, *values_path, *weights_path;
  gboolean gradients, has_rtol;
  double rtol;
  const char *pattern;
  guint threads;
} SondeStepComparisonRequest;

G_END_DECLS
