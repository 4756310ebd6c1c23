/* SPDX-License-Identifier: Apache-2.0
 * Above the cards of the Overview: which run it is, and how it gets on, in a line of facts that wraps, with a
 * bar below where the run's records say how far it goes. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "data/browsing/sonde-run-progress.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_TYPE_RUN_BAR (sonde_run_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeRunBar, sonde_run_bar, SONDE, RUN_BAR, GtkBox)

/* @trial: (nullable): of the run, as far as it was read. What is not known takes no room. */
void sonde_run_bar_set (SondeRunBar *bar, SondeWorkspace *workspace, SondeRun *run,
                        SondeTrial *trial);

/* "12.3 steps/s"; NULL where the rate is not known. (transfer full) (nullable) */
char *sonde_run_bar_dup_rate (const SondeRunProgress *progress);
/* "250 of 1,000", "250", "–". (transfer full) */
char *sonde_run_bar_dup_steps (SondeRun *run, const SondeRunProgress *progress);
/* "4 min 3 s" until the end of a run that is live; else NULL. (transfer full) (nullable) */
char *sonde_run_bar_dup_remaining (SondeRun *run, const SondeRunProgress *progress);

G_END_DECLS
