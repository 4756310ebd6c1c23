/* SPDX-License-Identifier: Apache-2.0
 * What a client asks a session to open. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeSessionInput: one file for one graph input
 * @name: (nullable): NULL with the only input that is no initialiser
 */
typedef struct
{
  const char *name;
  const char *path;
} SondeSessionInput;

/**
 * SondeOpenRequest: what a client asks to be opened; all lent for the call
 * @subject: model file, recipe file, or name of a built-in model
 * @inputs: (array length=n_inputs): with a model file: inference on them
 * @sets: (array zero-terminated=1) (nullable): "key=value" of --set
 * @run_directory: (nullable): of --run
 * @device: (nullable): NULL is "cpu"
 * @threads: 0: as many as the affinity mask allows
 * @replace: what is open is finished and goes (not of an attached session)
 * @training: train even a model file; else a model file is inferred, and a recipe or built-in
 *   model trained
 */
typedef struct
{
  const char *subject;
  const SondeSessionInput *inputs;
  guint n_inputs;
  const char *const *sets;
  const char *run_directory;
  const char *device;
  int threads;
  gboolean training;
  gboolean replace;
} SondeOpenRequest;

G_END_DECLS
