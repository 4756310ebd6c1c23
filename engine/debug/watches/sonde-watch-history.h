/* SPDX-License-Identifier: Apache-2.0
 * What is kept of watched values of the last steps. */
#pragma once

#include "engine/debug/watches/sonde-watch-targets.h"

G_BEGIN_DECLS

/* Steps of which facts of watched values are kept, for sonde_debugger_recheck(). */
#define SONDE_DEBUGGER_WATCH_HISTORY 16

/* Kept facts of one value and step; see SONDE_DEBUGGER_WATCH_HISTORY. */
typedef struct
{
  guint64 step;
  SondeFactsRequest *request; /* g_rc_box */
  SondeFacts facts;
} SondeStepFacts;

/* Name of a value -> array of SONDE_DEBUGGER_WATCH_HISTORY SondeStepFacts. (transfer full) */
GHashTable *sonde_watch_history_new (void);
/* @facts: (array): by pass of the target */
void sonde_watch_history_keep (GHashTable *values, guint64 step, const SondeWatchTarget *target,
                               const SondeFacts *facts);
/* (nullable): nothing was kept of that step. */
const SondeStepFacts *sonde_watch_history_find (GHashTable *values, const SondeWatchTarget *target,
                                                guint64 step);
gboolean sonde_watch_history_has_step (GHashTable *values, guint64 step);

G_END_DECLS
