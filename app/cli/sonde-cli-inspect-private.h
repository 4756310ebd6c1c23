/* SPDX-License-Identifier: Apache-2.0
 * Inside `sonde inspect`: each kind of operand adds its findings, or prints them. */
#pragma once

#include "app/cli/sonde-cli-inspect-findings.h"
#include "app/cli/sonde-cli-runs.h"

G_BEGIN_DECLS

/* All runs of a settled store. */
void sonde_inspect_runs (SondeFindings *findings, const char *path, SondeRunStore *store);

/**
 * sonde_inspect_file:
 * Anything but record files: models, .npy, .npz, .safetensors, .ckpt, TensorProto files.
 * Errors: of the reader of its format; UNSUPPORTED when the format is unknown.
 */
gboolean sonde_inspect_file (SondeFindings *findings, const char *path, GError **error);

/* A folder without runs: a dataset, or else the model and array files in it. */
gboolean sonde_inspect_folder (SondeFindings *findings, const char *path, GError **error);

/* An ONNX file; @format: name to report. */
gboolean sonde_inspect_model (SondeFindings *findings, const char *path, const char *format,
                              GError **error);

G_END_DECLS
