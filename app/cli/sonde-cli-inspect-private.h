/* SPDX-License-Identifier: Apache-2.0
 * Inside `sonde inspect`: what its files say about one operand, as JSON to collect and as text. */
#pragma once

#include "app/cli/sonde-cli-runs.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeFindings: of all operands
 * @runs: (element-type JsonObject); the others likewise
 * @text: print readable text while looking
 */
typedef struct
{
  JsonArray *runs, *models, *arrays, *datasets;
  gboolean text;
} SondeFindings;

/* All runs of a settled store. */
void sonde_inspect_runs (SondeFindings *findings, const char *path, SondeRunStore *store);

/**
 * sonde_inspect_file:
 * Anything but record files: models, .npy, .npz, .safetensors, .ckpt, TensorProto files.
 * Errors: what the reader of its format says; UNSUPPORTED when it is of no known format.
 */
gboolean sonde_inspect_file (SondeFindings *findings, const char *path, GError **error);

/* A folder without runs: a dataset, or else the model and array files in it. */
gboolean sonde_inspect_folder (SondeFindings *findings, const char *path, GError **error);

/* An ONNX file; @format as it is to be called. */
gboolean sonde_inspect_model (SondeFindings *findings, const char *path, const char *format,
                              GError **error);

/* The JSON of one finding: its path first, then its format. */
JsonObject *sonde_inspect_finding_new (const char *path, const char *format);
/* "PATH: WHAT" */
void sonde_inspect_print_head (const char *path, const char *what);
/* A string of a file, made valid UTF-8. */
void sonde_inspect_set_text (JsonObject *object, const char *name, const char *text);
/* What becomes of a model before it runs:
 * {"nodes","changes":[{"node","op","version","how","executed"}]}, or {"problem"} when it cannot
 * run. (sonde-cli-inspect-executed.c) */
JsonObject *sonde_inspect_make_executed (SondeGraph *original);
void sonde_inspect_print_executed (SondeGraph *original);

/* Sizes as numbers, symbols as strings, unknown ones as null. */
JsonArray *sonde_inspect_make_shape (const SondeType *type);
int sonde_inspect_compare_strings (gconstpointer a, gconstpointer b); /* of pointers to strings */

G_END_DECLS
