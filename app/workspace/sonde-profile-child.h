/* SPDX-License-Identifier: Apache-2.0
 * A child that runs a model and keeps its profile: `sonde profile MODEL --run FOLDER`. One at a time.
 *
 * Signals: "changed" (): it runs, or how far it is; "done" (char *folder): the profile is there; "failed" (char
 * *sentence). A child that is cancelled says nothing, and its folder goes. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SONDE_TYPE_PROFILE_CHILD (sonde_profile_child_get_type ())
G_DECLARE_FINAL_TYPE (SondeProfileChild, sonde_profile_child, SONDE, PROFILE_CHILD, GObject)

/* @program: path of `sonde` */
SondeProfileChild *sonde_profile_child_new (const char *program);

/* @model: absolute; @n_runs: timed ones; @folder: a path of sonde_recording_folder_choose(). Result: "done" or "failed". */
void sonde_profile_child_start (SondeProfileChild *child, const char *model, guint n_runs,
                                const char *folder);
void sonde_profile_child_cancel (SondeProfileChild *child);
gboolean sonde_profile_child_is_running (SondeProfileChild *child);
/* FALSE: nothing is known yet: the model is loaded. */
gboolean sonde_profile_child_get_progress (SondeProfileChild *child, guint *done, guint *n);

G_END_DECLS
