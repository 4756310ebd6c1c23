/* SPDX-License-Identifier: Apache-2.0
 * `sonde convert` of models: read, written, checked, reported. */
#pragma once

#include "app/cli/sonde-cli.h"

G_BEGIN_DECLS

/**
 * SondeConvertOptions: options of the command
 * @shapes: (nullable) (array zero-terminated=1): "NAME=D,D,…"
 * @opset: of ai.onnx; 0: as the model has it
 * @verify: @reference: (nullable): .npz or folder
 */
typedef struct
{
  char *model, *signature, *weights, *verify, *reference, *report;
  char **shapes;
  int opset;
  double tolerance;
  gboolean partial, json, no_check;
} SondeConvertOptions;

/* Is @path a model (not only weights)? */
gboolean sonde_convert_is_model (const char *path);
/* Returns the exit status. */
int sonde_convert_model (const SondeCliCommand *command, const char *in, const char *out,
                         const SondeConvertOptions *options);

G_END_DECLS
