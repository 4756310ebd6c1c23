/* SPDX-License-Identifier: Apache-2.0
 * Readers that wait for a value: each is called once, when the step that makes it has run. */
#pragma once

#include "engine/debug/sonde-debugger.h"
#include "engine/debug/sonde-debugger.h"
#include "engine/debug/run/sonde-debuggee.h"

G_BEGIN_DECLS

/* Embedded in the debugger; zero-initialised but for @debuggee. @list: (nullable) */
typedef struct
{
  const SondeDebuggee *debuggee;
  GPtrArray *list;
} SondeProbes;

void sonde_probes_clear (SondeProbes *probes);
/* See sonde_debugger_add_probe(). */
gboolean sonde_probes_add (SondeProbes *probes, SondeGraphValue *value, SondeProbeCallback callback,
                           gpointer data, GError **error);
void sonde_probes_remove (SondeProbes *probes, gpointer data);

/* Whether one waits for @step of @plan; it has run. */
gboolean sonde_probes_want (const SondeProbes *probes, SondePlan *plan, guint step);
void sonde_probes_run (SondeProbes *probes, SondeExecution *execution, guint step);
/* The run that they waited for is over. */
void sonde_probes_give_up (SondeProbes *probes);

G_END_DECLS
