/* SPDX-License-Identifier: Apache-2.0
 * A line below the bar about inputs that nobody gave: an inference without a file computes with zeros, and
 * a training has no batch before its first step. */
#pragma once

#include "app/debugger/sonde-debug-note.h"
#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_INPUT_NOTE (sonde_debug_input_note_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugInputNote, sonde_debug_input_note, SONDE, DEBUG_INPUT_NOTE,
                      SondeDebugNote)

/* @session: borrowed, outlives the note */
void sonde_debug_input_note_set_session (SondeDebugInputNote *note, SondeDebugSession *session);
/* A session begins. @given: its inputs are known, or are not ours to give */
void sonde_debug_input_note_begin (SondeDebugInputNote *note, gboolean given);

G_END_DECLS
