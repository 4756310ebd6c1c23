/* SPDX-License-Identifier: Apache-2.0
 * What `sonde inspect` found, collected as JSON or printed as text. */
#pragma once

#include <json-glib/json-glib.h>

#include "app/worker/models/sonde-model-choice.h"

G_BEGIN_DECLS

/**
 * SondeFindings: of all operands
 * @n_runs: how many were found; @runs: of them, what is not printed yet: JSON text, the elements of
 *   an array, which is printed piece by piece because there may be many
 * @models (element-type JsonObject); the others likewise
 * @traces, @dumps: JSON text, the elements of an array
 * @text: print text instead of collecting JSON
 * @choice: how models are opened
 */
typedef struct
{
  guint n_runs;
  GString *runs, *traces, *dumps;
  JsonArray *models, *arrays, *datasets, *captures;
  gboolean text;
  const SondeModelChoice *choice;
} SondeFindings;

/* The JSON of one finding: its path first, then its format. */
JsonObject *sonde_inspect_finding_new (const char *path, const char *format);
/* "PATH: WHAT" */
void sonde_inspect_print_head (const char *path, const char *what);
/* A string of a file, made valid UTF-8. */
void sonde_inspect_set_text (JsonObject *object, const char *name, const char *text);
/* Sizes as numbers, symbols as strings, unknown ones as null. */
JsonArray *sonde_inspect_make_shape (const SondeType *type);

G_END_DECLS
