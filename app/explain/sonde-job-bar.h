/* SPDX-License-Identifier: Apache-2.0
 * One line that always says what is going on: what is known, what an offer would cost, or how far a
 * computation is. It keeps its height. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_JOB_BAR (sonde_job_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeJobBar, sonde_job_bar, SONDE, JOB_BAR, AdwBin)

/* Signals: "cancelled" (): of what runs. */
GtkWidget *sonde_job_bar_new (void);

/* Nothing runs. @button, @action: (nullable): what is offered */
void sonde_job_bar_say (SondeJobBar *job, const char *text, const char *button, const char *action);
/* @what runs: a bar without numbers until the first progress. */
void sonde_job_bar_begin (SondeJobBar *job, const char *what);
/* @fraction, @seconds_left: < 0: not known. Nothing happens when nothing runs. */
void sonde_job_bar_progress (SondeJobBar *job, const char *what, double fraction,
                             double seconds_left);

G_END_DECLS
