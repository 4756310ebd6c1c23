/* SPDX-License-Identifier: Apache-2.0
 * One line that always says what is going on: what is known, what an offer would cost, or how far a
 * computation is. It keeps its height. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_JOB (sonde_explain_job_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainJob, sonde_explain_job, SONDE, EXPLAIN_JOB, AdwBin)

/* Signals: "cancelled" (): of what runs. */
GtkWidget *sonde_explain_job_new (void);

/* Nothing runs. @button, @action: (nullable): what is offered */
void sonde_explain_job_say (SondeExplainJob *job, const char *text, const char *button,
                            const char *action);
/* @what runs: a bar without numbers until the first progress. */
void sonde_explain_job_begin (SondeExplainJob *job, const char *what);
/* @fraction, @seconds_left: < 0: not known. Nothing happens when nothing runs. */
void sonde_explain_job_progress (SondeExplainJob *job, const char *what, double fraction,
                                 double seconds_left);
gboolean sonde_explain_job_is_running (SondeExplainJob *job);

G_END_DECLS
