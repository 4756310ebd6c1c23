/* SPDX-License-Identifier: Apache-2.0
 * Copies of values at the end of a run, for the run after it. Two generations: at the end of a run
 * its own values are copied while those of the run before are still the previous ones. */
#pragma once

#include "engine/debug/run/sonde-value-lookup.h"
#include "engine/live/sonde-expression.h"

G_BEGIN_DECLS

#define SONDE_DEBUGGER_MAX_KEPT 1000 /* values */
/* At the end of a run in which it stopped, or that is stepped through, all values are kept, up to
 * this. */
#define SONDE_DEBUGGER_KEPT_BYTES ((gsize) 256 << 20)

/**
 * SondePreviousValues: embedded in the debugger; zero-initialised but for the first two
 * @kept: (nullable): values that somebody asked for
 * @fresh_all, @previous_all: (nullable): value's name -> tensor
 * @fresh_step, @previous_step: which steps they and what is kept are of; 0: none
 */
typedef struct
{
  const SondeDebuggee *debuggee;
  const SondeValueLookup *lookup;
  GPtrArray *kept;
  GHashTable *fresh_all, *previous_all;
  guint64 fresh_step, previous_step;
} SondePreviousValues;

void sonde_previous_values_clear (SondePreviousValues *previous);

/* See sonde_debugger_keep_previous() and the functions behind it. */
gboolean sonde_previous_values_keep (SondePreviousValues *previous, const char *name,
                                     GError **error);
void sonde_previous_values_drop (SondePreviousValues *previous, const char *name);
gboolean sonde_previous_values_keep_references (SondePreviousValues *previous,
                                                const SondeExpression *expression, GError **error);
void sonde_previous_values_drop_references (SondePreviousValues *previous,
                                            const SondeExpression *expression);
/* The run does not go on from where it stood: what was kept is of no step before. */
void sonde_previous_values_forget (SondePreviousValues *previous);
/* (transfer full). Errors: STATE, saying why */
SondeTensor *sonde_previous_values_get (SondePreviousValues *previous, const char *name,
                                        GError **error);

/* A run begins. */
void sonde_previous_values_begin_run (SondePreviousValues *previous);
/* A run ends. @all: somebody looks into it, and may ask for the previous value of anything. */
void sonde_previous_values_end_run (SondePreviousValues *previous, SondeExecution *execution,
                                    gboolean all);

G_END_DECLS
