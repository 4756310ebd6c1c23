/* SPDX-License-Identifier: Apache-2.0
 * What a window can record: the session that is debugged, and models that are open; a profile that was recorded opens
 * among the sources. Pages that offer it share this.
 *
 * Signals: "changed" (); "recorded" (): a profile has just been opened; "problem" (char *sentence). */
#pragma once

#include "app/workspace/sonde-profile-child.h"
#include "app/workspace/sonde-profile-sources.h"
#include "engine/frontend/sonde-debug-recording.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PROFILE_RECORDER (sonde_profile_recorder_get_type ())
G_DECLARE_FINAL_TYPE (SondeProfileRecorder, sonde_profile_recorder, SONDE, PROFILE_RECORDER,
                      GObject)

/* @program: of the child */
SondeProfileRecorder *sonde_profile_recorder_new (const char *program,
                                                  SondeProfileSources *sources);

/* @session: (nullable): of the Debugger page, which leaves NULL here when it goes */
void sonde_profile_recorder_set_session (SondeProfileRecorder *recorder,
                                         SondeDebugSession *session);
/* (nullable) (transfer none): NULL: nothing is, or was, debugged */
SondeDebugRecording *sonde_profile_recorder_get_recording (SondeProfileRecorder *recorder);
/* Something is being debugged. */
gboolean sonde_profile_recorder_has_session (SondeProfileRecorder *recorder);

/* @model: its file */
void sonde_profile_recorder_profile (SondeProfileRecorder *recorder, const char *model,
                                     guint n_runs);
SondeProfileChild *sonde_profile_recorder_get_child (SondeProfileRecorder *recorder);

/* Either of them goes on. */
gboolean sonde_profile_recorder_is_on (SondeProfileRecorder *recorder);
/* "12 of 20 steps, 0 spans dropped", or what else it does. (transfer full) (nullable): NULL: nothing */
char *sonde_profile_recorder_dup_progress (SondeProfileRecorder *recorder);
/* Ends what goes on: a recording is kept, a model's runs are not. */
void sonde_profile_recorder_stop (SondeProfileRecorder *recorder);

G_END_DECLS
