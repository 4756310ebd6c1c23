/* SPDX-License-Identifier: Apache-2.0
 * What a session in somebody else's loop (PyTorch) knows of its step, fetched into files that an engine
 * of ours can read: inputs, what modules gave, gradients, weights. */
#pragma once

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/**
 * SondeForeignStepOptions: zero-initialise
 * @weights, @gradients: those, too
 * @sums: gradients of parameters also where they are sums over several calls of the model
 * @pattern: (nullable): glob of modules
 * @is_given_up: asked between two values; TRUE: it is given up
 * @progress: (nullable): told what part of the values has been looked at: 0 first
 */
typedef struct
{
  gboolean weights, gradients, sums;
  const char *pattern;
  gboolean (*is_given_up) (gpointer data);
  void (*progress) (double fraction, gpointer data);
  gpointer data;
} SondeForeignStepOptions;

/**
 * SondeForeignStep: all owned
 * @folder: of mode 0700, with the files; it goes when this is freed
 * @values: .safetensors: "input", "input:1", …, modules by their paths, "grad(PATH)", "grad(output)"
 * @weights: (nullable): .safetensors: parameters and buffers
 * @order: (element-type utf8): modules and gradients as the step came by, those that could not be had
 *   among them
 * @absent: (element-type utf8): sentences on what could not be had
 */
typedef struct
{
  char *folder, *values, *weights;
  GPtrArray *order, *absent;
} SondeForeignStep;

/**
 * sonde_foreign_step_fetch:
 * @client: stands
 *
 * A module that ran several times in a call of the model is left out, since it has no one value; where the model was
 * called several times, the first call counts. Errors: of the
 * session; MEMORY for more than a file may hold, with the sizes; STATE when it is given up, or where the
 * step was not seen from its beginning.
 */
SondeForeignStep *sonde_foreign_step_fetch (SondeSessionClient *client,
                                            const SondeForeignStepOptions *options, GError **error);
void sonde_foreign_step_free (SondeForeignStep *step);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeForeignStep, sonde_foreign_step_free)

G_END_DECLS
