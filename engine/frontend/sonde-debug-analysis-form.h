/* SPDX-License-Identifier: Apache-2.0
 * The searches that take their time, as forms: which fields each asks for, and the request that what
 * was filled in makes. */
#pragma once

#include "engine/commands/sonde-command.h"

G_BEGIN_DECLS

#define SONDE_DEBUG_ANALYSIS_MAX_FIELDS 5

/* One field; all texts are message ids. @choices: (nullable) (array zero-terminated=1): one of them is
 * chosen; NULL: a text. @required: it must not be left empty; @is_path: it names a file or folder that is there.
 * Without @words: there is none */
typedef struct
{
  const char *words, *placeholder;
  const char *const *choices;
  gboolean required, is_path;
} SondeDebugAnalysisField;

/* What was filled in. @texts: (nullable) entries: of texts; @choices: positions in the choices */
typedef struct
{
  const char *texts[SONDE_DEBUG_ANALYSIS_MAX_FIELDS];
  guint choices[SONDE_DEBUG_ANALYSIS_MAX_FIELDS];
} SondeDebugAnalysisInput;

/**
 * SondeDebugAnalysisForm: one search
 * @name: "origin", "diverge", "diverge-step" (of a step in another program), "reduce", "precision", "diff", "rerun"
 * @title, @button, @sentence: message ids
 * @make: for sonde_debug_analysis_form_make_request(); NULL: it is a command
 * @make_command: (nullable): for sonde_debug_analysis_form_make_command()
 * @wants_folder: (nullable): whether the paths of the form are folders
 */
typedef struct
{
  const char *name, *title, *button, *sentence;
  SondeSessionRequest *(*make) (const SondeDebugAnalysisInput *input, GError **error);
  SondeDebugAnalysisField fields[SONDE_DEBUG_ANALYSIS_MAX_FIELDS];
  SondeCommand *(*make_command) (const SondeDebugAnalysisInput *input, GError **error);
  gboolean (*wants_folder) (const SondeDebugAnalysisInput *input);
} SondeDebugAnalysisForm;

/* (nullable): NULL for another name */
const SondeDebugAnalysisForm *sonde_debug_analysis_form_find (const char *name);

/* Blanks around texts do not count; paths become absolute, since the engine may have another working
 * directory. Errors: INVALID, saying what to enter. (transfer full) */
SondeSessionRequest *sonde_debug_analysis_form_make_request (const SondeDebugAnalysisForm *form,
                                                             const SondeDebugAnalysisInput *input,
                                                             GError **error);
/* The same of a form of which several requests come; NULL without @error: it is one request.
 * (transfer full) (nullable) */
SondeCommand *sonde_debug_analysis_form_make_command (const SondeDebugAnalysisForm *form,
                                                      const SondeDebugAnalysisInput *input,
                                                      GError **error);

G_END_DECLS
