/* SPDX-License-Identifier: Apache-2.0
 * Where expressions get their values: the current position of a run, and copies kept from the
 * previous step. */
#pragma once

#include "engine/debug/run/sonde-previous-values.h"

G_BEGIN_DECLS

/**
 * SondeValueSource: on the stack; see sonde_value_source_init()
 * @get_elsewhere: (nullable): "VALUE@BRANCH" and "VALUE@prev", which name no value of the executed
 *   graph. (transfer full)
 */
typedef struct
{
  SondeExpressionSource source; /* first member */
  const SondeValueLookup *lookup;
  SondePreviousValues *previous;
  SondeTensor *(*get_elsewhere) (gpointer data, const char *name, GError **error);
  gpointer data;
} SondeValueSource;

/**
 * sonde_value_source_init:
 *
 * Values are those of sonde_value_lookup_find(), read where the run stands; without a copy where
 * only statistics are wanted. “step” is the number of the step, unless a value has that name.
 * prev(x) is what was kept; one that was not asked for before is kept from here on. A glob matches
 * names of floating values; “kind:weight”, gradient, activation, update, state, input and output,
 * and “op:TYPE” select by kind and by operator.
 */
void sonde_value_source_init (SondeValueSource *source, const SondeValueLookup *lookup,
                              SondePreviousValues *previous);

/**
 * sonde_debuggee_match_values:
 * @glob: as above; a value of that very name is matched alone
 * Returns: (transfer container) (element-type SondeGraphValue): of the executed graph, tensors of
 * floating types, in the order of the graph. Errors: NOT_FOUND when there is none.
 */
GPtrArray *sonde_debuggee_match_values (const SondeDebuggee *debuggee, const char *glob,
                                        GError **error);

G_END_DECLS
