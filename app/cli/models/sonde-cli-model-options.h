/* SPDX-License-Identifier: Apache-2.0
 * The options that every command has that takes a model, and what it tells of them. */
#pragma once

#include <json-glib/json-glib.h>

#include "app/worker/models/sonde-model-choice.h"

G_BEGIN_DECLS

/* Rows of a table of options; @choice: a SondeModelChoice that is cleared afterwards. */
#define SONDE_CLI_MODEL_OPTIONS(choice)                                                            \
  { "signature",                                                                                   \
    0,                                                                                             \
    0,                                                                                             \
    G_OPTION_ARG_STRING,                                                                           \
    &(choice).signature,                                                                           \
    N_ ("Signature or program of a model file that has several"),                                  \
    N_ ("NAME") },                                                                                 \
      { "weights",                                                                                 \
        0,                                                                                         \
        0,                                                                                         \
        G_OPTION_ARG_FILENAME,                                                                     \
        &(choice).weights,                                                                         \
        N_ ("File of weights for the parameters of the model"),                                    \
        N_ ("FILE") },                                                                             \
  {                                                                                                \
    "shape", 0, 0, G_OPTION_ARG_STRING_ARRAY, &(choice).shapes,                                    \
        N_ ("Sizes of an input that the model leaves open (repeatable)"), N_ ("NAME=D,D,…")        \
  }

/* The name of an option that was given, "--weights"; NULL: none. */
const char *sonde_cli_find_model_option (const SondeModelChoice *choice);

/* A line on standard error: how many weights came by name and by shape, which were not used.
 * @report: (nullable): nothing */
void sonde_cli_tell_weights (const SondeWeightReport *report);

/* {"from","by":{"name","shape"},"parameters":{NAME:TENSOR},"unused"}; null of NULL. (transfer full) */
JsonNode *sonde_cli_weights_to_json (const SondeWeightReport *report);

G_END_DECLS
