/* SPDX-License-Identifier: Apache-2.0
 * Weights by name: files of any known format, and what of them fits a training. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-message.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * sonde_weights_read:
 * @path: .npz, .safetensors, PyTorch's .pt and .pth, MindSpore's .ckpt or .onnx (its parameters and
 * running statistics), by its ending
 *
 * Errors: INVALID naming the endings there are; those of the formats.
 */
SondeNamedTensors *sonde_weights_read (const SondeIo *io, const char *path, GError **error);

/* .npz or .safetensors, replaced atomically. */
gboolean sonde_weights_write (const SondeIo *io, const char *path, const SondeNamedTensors *tensors,
                              GError **error);

/* The weights people want: parameters (their moving averages where the training has them) and the
 * running statistics of the model. Returns: (transfer full) */
SondeNamedTensors *sonde_weights_collect (SondeTrainer *trainer, GError **error);

/**
 * SondeWeightsFit:
 * @SONDE_WEIGHTS_ALL: every parameter must be there, and nothing else; of the model's running
 * statistics what is there
 * @SONDE_WEIGHTS_PARTIAL: what fits is taken
 * @SONDE_WEIGHTS_STATE: everything a training holds must be there, and nothing else
 */
typedef enum
{
  SONDE_WEIGHTS_ALL,
  SONDE_WEIGHTS_PARTIAL,
  SONDE_WEIGHTS_STATE,
} SondeWeightsFit;

/**
 * sonde_weights_fit:
 * @name: of the file, for messages
 * @report: (out) (optional) (transfer full): what was left out of a partial file; NULL: nothing
 *
 * Writes the tensors into the training, or none of them. Floats of another width are converted;
 * MindSpore's and PyTorch's names of normalisation parameters stand for each other. Members
 * "training-…" are not weights.
 * Errors: INVALID naming missing, extra and differently shaped tensors; NOT_FOUND when no tensor of a
 * partial file matches.
 */
gboolean sonde_weights_fit (SondeTrainer *trainer, const SondeNamedTensors *tensors,
                            const char *name, SondeWeightsFit fit, SondeMessage **report,
                            GError **error);

/* The same into the parameters and running statistics of a model as loaded. @fit: ALL or PARTIAL */
gboolean sonde_weights_fit_model (SondeGraph *model, const SondeNamedTensors *tensors,
                                  const char *name, SondeWeightsFit fit, SondeMessage **report,
                                  GError **error);

/* A number for all names, shapes and bits, @but not counted (nullable). */
guint64 sonde_weights_digest (const SondeNamedTensors *tensors, const char *but);

G_END_DECLS
