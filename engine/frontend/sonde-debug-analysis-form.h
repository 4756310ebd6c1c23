/* SPDX-License-Identifier: Apache-2.0
 * The searches that take their time, as forms: which fields each asks for, and the request that what
 * was filled in makes. */
#pragma once

#include "engine/session/sonde-session-requests.h"

G_BEGIN_DECLS

#define SONDE_DEBUG_ANALYSIS_MAX_FIELDS 3

/* One field; all texts are message ids. @choices: (nullable) (array zero-terminated=1): one of them is
 * chosen; NULL: a text. @required: it must not be left empty. Without @words: there is none */
typedef struct
{
  const char *words, *placeholder;
  const char *const *choices;
  gboolean required;
} SondeDebugAnalysisField;

/* What was filled in. @texts: (nullable) entries: of texts; @choices: positions in the choices */
typedef struct
{
  const char *texts[SONDE_DEBUG_ANALYSIS_MAX_FIELDS];
  guint choices[SONDE_DEBUG_ANALYSIS_MAX_FIELDS];
} SondeDebugAnalysisInput;

/**
 * SondeDebugAnalysisForm: one search
 * @name: "origin", "diverge", "reduce", "precision", "diff", "rerun"
 * @title, @button, @sentence: message ids
 * @make: for sonde_debug_analysis_form_make_request()
 */
typedef struct
{
  const char *name, *title, *button, *sentence;
  SondeSessionRequest *(*make) (const SondeDebugAnalysisInput *input, GError **error);
  SondeDebugAnalysisField fields[SONDE_DEBUG_ANALYSIS_MAX_FIELDS];
} SondeDebugAnalysisForm;

/* (nullable): NULL for another name */
const SondeDebugAnalysisForm *sonde_debug_analysis_form_find (const char *name);

/* Blanks around texts do not count; paths become absolute, since the engine may have another working
 * directory. Errors: INVALID, saying what to enter. (transfer full) */
SondeSessionRequest *sonde_debug_analysis_form_make_request (const SondeDebugAnalysisForm *form,
                                                             const SondeDebugAnalysisInput *input,
                                                             GError **error);

G_END_DECLS
