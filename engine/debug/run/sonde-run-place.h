/* SPDX-License-Identifier: Apache-2.0
 * Places of runs: which run, and how far it and the bodies in it had come; and how many steps
 * earlier runs had. */
#pragma once

#include "engine/debug/run/sonde-subject.h"

G_BEGIN_DECLS

#define SONDE_MOST_LEVELS 16 /* deeper bodies count as their node */

/**
 * SondeRunPlace: a place of run @run: where the outermost execution stands, and the bodies in it
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
} SondeRunPlace;

/* @position of the outermost execution in run @run. */
SondeRunPlace sonde_run_place (guint64 run, guint position);
/* Where the subject stands. */
SondeRunPlace sonde_run_place_here (const SondeSubject *subject);
/* @position of @execution, and where those around it stand. */
SondeRunPlace sonde_run_place_of (const SondeSubject *subject, SondeExecution *execution,
                                  guint position);
/* < 0: @a comes first. A node comes before what is in its bodies. */
int sonde_run_place_compare (const SondeRunPlace *a, const SondeRunPlace *b);
gboolean sonde_run_place_is_first (const SondeRunPlace *place);

/* The earliest run that can be gone to from run @here. */
guint64 sonde_subject_get_first_run (const SondeSubject *subject, guint64 here);

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
/* The subject's run begins, of @n_steps. */
void sonde_run_lengths_note (SondeRunLengths *lengths, const SondeSubject *subject, guint n_steps);
/* Runs from @run on may have other lengths than they had. */
void sonde_run_lengths_forget (SondeRunLengths *lengths, guint64 run);
/* @cursor: (inout): span to begin with, from the end (sonde_run_lengths_end()): runs are asked for in
 * falling order. 0: not known. */
guint sonde_run_lengths_get (const SondeRunLengths *lengths, guint64 run, guint *cursor);
guint sonde_run_lengths_end (const SondeRunLengths *lengths);

G_END_DECLS
