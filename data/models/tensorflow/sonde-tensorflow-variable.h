/* SPDX-License-Identifier: Apache-2.0
 * The variables of a SavedModel. */
#pragma once

#include "data/models/tensorflow/sonde-tensorflow-file.h"

G_BEGIN_DECLS

/* Finds the checkpoint below @folder, and which key each variable of @file, a SavedModel, has. */
gboolean sonde_tensorflow_open_variables (SondeTensorflowFile *file, const SondeIo *io,
                                          const char *folder, GError **error);

G_END_DECLS
