/* SPDX-License-Identifier: Apache-2.0
 * `sonde convert` of models: read, written, checked, reported. */
#pragma once

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli.h"

G_BEGIN_DECLS

/**
 * SondeConvertOptions: options of the command
 * @choice: how IN is opened
 * @opset: of ai.onnx; 0: as the model has it
 * @split_above: bytes of weights from which on OUT is two files; 0: as its format needs
 * @verify: @reference: (nullable): .npz or folder
 */
typedef struct
{
  SondeModelChoice choice;
  char *model, *verify, *reference, *report;
  int opset;
  gint64 split_above;
  double tolerance;
  gboolean partial, json, no_check;
} SondeConvertOptions;

/* Is @path a model (not only weights)? */
gboolean sonde_convert_is_model (const char *path);
/* Returns the exit status. */
int sonde_convert_model (const SondeCliCommand *command, const char *in, const char *out,
                         const SondeConvertOptions *options);

G_END_DECLS
