/* SPDX-License-Identifier: Apache-2.0
 * The runs that are live, a line each: how far they are, how fast, and how long it takes still. A press on a
 * line selects the run. */
#pragma once

#include "app/workspace/sonde-workspace.h"
#include "data/browsing/sonde-trials.h"

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define SONDE_LIVE_RUNS_MAX 8 /* lines; the rest is counted */

#define SONDE_TYPE_LIVE_RUNS (sonde_live_runs_get_type ())
G_DECLARE_FINAL_TYPE (SondeLiveRuns, sonde_live_runs, SONDE, LIVE_RUNS, GtkBox)

/* @runs: (element-type SondeRun): those that are live; @trials: (element-type SondeTrial): of some of them, as
 * far as they were read. Hidden for less than two. */
void sonde_live_runs_set (SondeLiveRuns *list, SondeWorkspace *workspace, GPtrArray *runs,
                          GListModel *trials);

G_END_DECLS
