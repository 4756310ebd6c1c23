/* SPDX-License-Identifier: Apache-2.0
 * Inside `sonde inspect`: each kind of operand adds its findings, or prints them. */
#pragma once

#include "app/cli/sonde-cli-inspect-findings.h"
#include "app/cli/sonde-cli-runs.h"

G_BEGIN_DECLS

/* All runs of a settled store. */
void sonde_inspect_runs (SondeFindings *findings, const char *path, SondeRunStore *store);
/* What was found of runs and not printed yet, as JSON; the array stays open. */
void sonde_inspect_print_runs (SondeFindings *findings);

/**
 * sonde_inspect_file:
 * Anything but record files: models, .npy, .npz, .safetensors, .ckpt, .pt, TensorProto files.
 * Errors: of the reader of its format; UNSUPPORTED when the format is unknown.
 */
gboolean sonde_inspect_file (SondeFindings *findings, const char *path, GError **error);

/* Whether a file that may be taken for a part of a run, since profilers put theirs there, is a trace. */
gboolean sonde_inspect_is_trace (const char *path);

/* A folder without runs: a dataset, or else the model and array files in it. */
gboolean sonde_inspect_folder (SondeFindings *findings, const char *path, GError **error);

/* An ONNX file; @format: name to report. */
gboolean sonde_inspect_model (SondeFindings *findings, const char *path, const char *format,
                              GError **error);

/* A capture of the debugger. */
gboolean sonde_inspect_capture (SondeFindings *findings, const char *path, GError **error);

/* The traces of a folder that a profiler made; none in other folders. @n: (out) (optional) */
gboolean sonde_inspect_traces (SondeFindings *findings, const char *path, guint *n, GError **error);

/* A trace of a profiler, of any format. */
gboolean sonde_inspect_trace (SondeFindings *findings, const char *path, GError **error);

G_END_DECLS
