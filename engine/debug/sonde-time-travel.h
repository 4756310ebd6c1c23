/* SPDX-License-Identifier: Apache-2.0
 * Going to places that have been, and back to where the run stood: for whoever looks at earlier
 * steps. Going back for the user is sonde-debugger-back.h. */
#pragma once

#include "engine/debug/sonde-debugger-back.h"
#include "engine/debug/run/sonde-run-place.h"

G_BEGIN_DECLS

/* Where it stands; the end of run @run, FALSE: not known; the first run that can be gone to. */
void sonde_debugger_get_run_place (SondeDebugger *debugger, SondeRunPlace *place);
gboolean sonde_debugger_get_run_end (SondeDebugger *debugger, guint64 run, SondeRunPlace *place);
guint64 sonde_debugger_get_first_run (SondeDebugger *debugger);
/* The last run that ever began. */
guint64 sonde_debugger_get_last_run (SondeDebugger *debugger);
/* Earlier steps can be run again from here, and it can come back to here. */
gboolean sonde_debugger_can_visit (SondeDebugger *debugger);
/* All runs are done, and nothing stopped the last. */
gboolean sonde_debugger_is_over (SondeDebugger *debugger);
/* Goes to @place, which has been, forward or back, and stops there with @reason; nothing is
 * counted. */
gboolean sonde_debugger_visit (SondeDebugger *debugger, const SondeRunPlace *place,
                               SondeStopReason reason, GError **error);
/* The same to where all runs are done, which has been. */
gboolean sonde_debugger_visit_end (SondeDebugger *debugger, GError **error);

/**
 * SondeStanding: for whoever visits; filled by sonde_standing_init(), emptied by
 * sonde_standing_clear()
 */
typedef struct
{
  SondeRunPlace place;
  gboolean is_over;
  SondeStop stop;
  char *node, *op, *scope;
  GArray *hits;
  GPtrArray *stops; /* (nullable): of watches */
} SondeStanding;

void sonde_standing_init (SondeStanding *standing, SondeDebugger *debugger);
void sonde_standing_clear (SondeStanding *standing);
/* Back to there, with the same stop. */
gboolean sonde_standing_go_home (SondeStanding *standing, SondeDebugger *debugger, GError **error);

G_END_DECLS
