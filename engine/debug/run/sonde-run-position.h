/* SPDX-License-Identifier: Apache-2.0
 * Positions over all runs: which run, and how far it and the bodies in it had come; and how many
 * steps earlier runs had. */
#pragma once

#include "engine/debug/run/sonde-debuggee.h"

G_BEGIN_DECLS

#define SONDE_MOST_LEVELS 16 /* deeper bodies count as their node */

/**
 * SondeRunPosition: of run @run: where the outermost execution stands, and the bodies in it
 * @levels: (array length=n_levels): position, and for a body its iteration
 */
typedef struct
{
  guint64 run;
  guint n_levels;
  struct
  {
    gint64 iteration;
    guint position;
  } levels[SONDE_MOST_LEVELS];
} SondeRunPosition;

/* @position of the outermost execution in run @run. */
SondeRunPosition sonde_run_position (guint64 run, guint position);
/* Where the debuggee stands. */
SondeRunPosition sonde_run_position_now (const SondeDebuggee *debuggee);
/* @position of @execution, and where those around it stand. */
SondeRunPosition sonde_run_position_in (const SondeDebuggee *debuggee, SondeExecution *execution,
                                        guint position);
/* < 0: @a comes first. A node comes before what is in its bodies. */
int sonde_run_position_compare (const SondeRunPosition *a, const SondeRunPosition *b);
gboolean sonde_run_position_is_first (const SondeRunPosition *at);

/* The earliest run that can be gone to from run @here. */
guint64 sonde_debuggee_get_first_run (const SondeDebuggee *debuggee, guint64 here);

/**
 * SondeRunLengths: zero-initialise
 * @spans: (nullable): numbers of steps of runs
 * @n_seen: runs that ever began
 */
typedef struct
{
  GArray *spans;
  guint64 n_seen;
} SondeRunLengths;

void sonde_run_lengths_clear (SondeRunLengths *lengths);
/* The debuggee's run begins, of @n_steps. */
void sonde_run_lengths_note (SondeRunLengths *lengths, const SondeDebuggee *debuggee,
                             guint n_steps);
/* Runs from @run on may have other lengths than they had. */
void sonde_run_lengths_forget (SondeRunLengths *lengths, guint64 run);
/* @cursor: (inout): span to begin with, from the end (sonde_run_lengths_end()): runs are asked for in
 * falling order. 0: not known. */
guint sonde_run_lengths_get (const SondeRunLengths *lengths, guint64 run, guint *cursor);
guint sonde_run_lengths_end (const SondeRunLengths *lengths);

G_END_DECLS
