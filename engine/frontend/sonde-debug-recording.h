/* SPDX-License-Identifier: Apache-2.0
 * A profile that a session records: begun, followed while the run goes on, kept in a run when it has ended. One that
 * somebody else began, or a typed command, is followed like one's own. An inference is run again and again until it has
 * as many runs as were asked for.
 *
 * Signals: "changed" (): how far it is; "ended" (): it is over and has whole steps; "kept" (char *folder): it can be
 * read from that run. What fails is the session's "problem". */
#pragma once

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_RECORDING (sonde_debug_recording_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugRecording, sonde_debug_recording, SONDE, DEBUG_RECORDING, GObject)

SondeDebugRecording *sonde_debug_recording_new (SondeDebugSession *session);
SondeDebugSession *sonde_debug_recording_get_session (SondeDebugRecording *recording);

/* Why none can be begun now, a sentence; NULL: it can. (static) */
const char *sonde_debug_recording_get_obstacle (SondeDebugRecording *recording);

/* @options: .n_steps and .slower. An inference that stands begins from its start. */
void sonde_debug_recording_start (SondeDebugRecording *recording,
                                  const SondeSpanLogOptions *options);
void sonde_debug_recording_stop (SondeDebugRecording *recording);
/* Asks whether the session records something of which nobody told. */
void sonde_debug_recording_look (SondeDebugRecording *recording);
/* Behind "ended": @folder is for what has no run of its own; see sonde_session_request_profile_keep(). */
void sonde_debug_recording_keep (SondeDebugRecording *recording, const char *folder);

gboolean sonde_debug_recording_is_on (SondeDebugRecording *recording);
/* It is being written. */
gboolean sonde_debug_recording_is_keeping (SondeDebugRecording *recording);
/* How far it is, or was. */
const SondeSpanLogStatus *sonde_debug_recording_get_status (SondeDebugRecording *recording);
/* Steps that were asked for; 0: until it is stopped, or somebody else asked. */
guint64 sonde_debug_recording_get_n_steps (SondeDebugRecording *recording);

G_END_DECLS
