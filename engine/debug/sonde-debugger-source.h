/* SPDX-License-Identifier: Apache-2.0
 * Where expressions get their values: the debugger's present position, and what was kept of the
 * step before. */
#pragma once

#include "engine/debug/sonde-previous-values.h"

G_BEGIN_DECLS

/**
 * SondeDebuggerSource: on the stack; see sonde_debugger_source_init()
 * @get_elsewhere: (nullable): "VALUE@BRANCH" and "VALUE@prev", which no value here is called.
 * (transfer full)
 */
typedef struct
{
  SondeExpressionSource source; /* first member */
  const SondeValueLookup *lookup;
  SondePreviousValues *previous;
  SondeTensor *(*get_elsewhere) (gpointer data, const char *name, GError **error);
  gpointer data;
} SondeDebuggerSource;

/**
 * sonde_debugger_source_init:
 *
 * Values are those of sonde_debugger_find_value(), read where the run stands; without a copy where
 * only statistics are wanted. “step” is the number of the step, unless a value has that name.
 * prev(x) is what was kept; one that was not asked for before is kept from here on. A glob matches
 * names of floating values; “kind:weight”, gradient, activation, update, state, input and output,
 * and “op:TYPE”, stand for what they say.
 */
void sonde_debugger_source_init (SondeDebuggerSource *source, SondeDebugger *debugger);
/* The same from the parts of a debugger. */
void sonde_value_source_init (SondeDebuggerSource *source, const SondeValueLookup *lookup,
                              SondePreviousValues *previous);

/**
 * sonde_debugger_match_values:
 * @glob: as above; a value of that very name is matched alone
 * Returns: (transfer container) (element-type SondeGraphValue): of the executed graph, tensors of
 * floating types, in the order of the graph. Errors: NOT_FOUND when there is none.
 */
GPtrArray *sonde_debugger_match_values (SondeDebugger *debugger, const char *glob, GError **error);
GPtrArray *sonde_subject_match_values (const SondeSubject *subject, const char *glob,
                                       GError **error);

/* ---- the step before ----------------------------------------------------- */

/**
 * sonde_debugger_keep_previous:
 * @name: of a value of the executed graph, without slice
 *
 * From here on a copy of the value is made at the end of every run, before updated parameters take
 * the place of the old, and is prev(@name) of the next run: for a parameter P what P was during
 * that step. May be called again for the same name; sonde_debugger_drop_previous() as often.
 * Errors: NOT_FOUND; MEMORY when there are too many.
 */
gboolean sonde_debugger_keep_previous (SondeDebugger *debugger, const char *name, GError **error);
void sonde_debugger_drop_previous (SondeDebugger *debugger, const char *name);
/* The run does not go on from where it stood: what was kept is of no step before. */
void sonde_debugger_forget_previous (SondeDebugger *debugger);

/* The kept value. (transfer full). Errors: STATE when nothing was kept of the step before, saying
 * why. */
SondeTensor *sonde_debugger_get_previous (SondeDebugger *debugger, const char *name,
                                          GError **error);

G_END_DECLS
