/* SPDX-License-Identifier: Apache-2.0
 * A landscape that is being computed in a child: how far it is, and a button that ends it. Hidden while nothing is.
 *
 * Signals: "changed" (): it began or ended; "done" (char *title, char *tag, gboolean reused): it is recorded in the
 * run of that title, or was before; "failed" (char *sentence). */
#pragma once

#include "app/pages/landscape/sonde-landscape-dialog.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LANDSCAPE_WORK (sonde_landscape_work_get_type ())
G_DECLARE_FINAL_TYPE (SondeLandscapeWork, sonde_landscape_work, SONDE, LANDSCAPE_WORK, GtkBox)

/* @program: path of `sonde` */
GtkWidget *sonde_landscape_work_new (const char *program);

/* @run: its folder, absolute; @title: what it is called. One at a time. */
void sonde_landscape_work_start (SondeLandscapeWork *work, const char *run, const char *title,
                                 const SondeLandscapeSettings *settings);
gboolean sonde_landscape_work_is_on (SondeLandscapeWork *work);

G_END_DECLS
