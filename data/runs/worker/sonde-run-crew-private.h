/* SPDX-License-Identifier: Apache-2.0
 * Threads that do jobs for the worker thread: jobs go in one by one and come out when they are
 * done. What a job may touch is the matter of its function. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeRunCrew SondeRunCrew;
typedef void (*SondeRunJobFunc) (gpointer job);

/* @wakeup: event descriptor that is written to when a job is done. Threads start with the first
 * jobs. */
SondeRunCrew *sonde_run_crew_new (guint n_threads, SondeRunJobFunc func, int wakeup);
/* After sonde_run_crew_stop(). */
void sonde_run_crew_free (SondeRunCrew *crew);

void sonde_run_crew_push (SondeRunCrew *crew, gpointer job);
/* (nullable): one that is done */
gpointer sonde_run_crew_take (SondeRunCrew *crew);
/* The same, but waits as long as any is under way. */
gpointer sonde_run_crew_wait (SondeRunCrew *crew);
/* Ends the threads after the jobs in their hands; all jobs, begun or not, can be taken then. */
void sonde_run_crew_stop (SondeRunCrew *crew);

G_END_DECLS
