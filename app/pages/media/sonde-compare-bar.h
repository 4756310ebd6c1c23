/* SPDX-License-Identifier: Apache-2.0
 * With what the records of a page are compared, and how: another step of the run, or another run at the same
 * step; the ways are the page's. */
#pragma once

#include "app/workspace/sonde-workspace.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_COMPARE_BAR (sonde_compare_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeCompareBar, sonde_compare_bar, SONDE, COMPARE_BAR, GtkBox)

/* Signal "changed" (): something else is compared, or otherwise. */

/* The runs that can be chosen: those that are shown, but for the selected one, with a record of @kind. One that was
 * chosen and is none of them any more gives way to no comparison. */
void sonde_compare_bar_set_runs (SondeCompareBar *bar, SondeWorkspace *workspace,
                                 SondeRecordKind kind);
/* @steps: (element-type gint64): of the selected run, ascending, each once; copied */
void sonde_compare_bar_set_steps (SondeCompareBar *bar, GArray *steps);
/* @labels: (array zero-terminated=1): copied; @name: (nullable): of the settings, where the choice is remembered */
void sonde_compare_bar_set_modes (SondeCompareBar *bar, const char *const *labels,
                                  SondeWorkspace *workspace, const char *name);

/* The step that the page shows: "another step" is the one before it at first, else the one after it. */
void sonde_compare_bar_set_shown_step (SondeCompareBar *bar, gint64 step);

/* Compares with that step from now on. */
void sonde_compare_bar_compare_step (SondeCompareBar *bar, gint64 step);
void sonde_compare_bar_stop (SondeCompareBar *bar);
/* Opens the list of what can be compared with. */
void sonde_compare_bar_ask (SondeCompareBar *bar);

/**
 * sonde_compare_bar_find:
 * @run, @step: what is shown
 * @other, @other_step: (out) (transfer none): what to compare it with; of another run the step that is shown
 *
 * FALSE: with nothing.
 */
gboolean sonde_compare_bar_find (SondeCompareBar *bar, SondeRun *run, gint64 step, SondeRun **other,
                                 gint64 *other_step);
/* "run a · step 2", or where @wanted was another step "run a · step 2 (nearest to 5)". (transfer full) */
char *sonde_compare_bar_dup_name (SondeWorkspace *workspace, SondeRun *run, gint64 step,
                                  gint64 wanted);
guint sonde_compare_bar_get_mode (SondeCompareBar *bar); /* index of its label */

G_END_DECLS
