/* SPDX-License-Identifier: Apache-2.0
 * The step that all pages look at: one object, shared. It either follows the last step of what is
 * shown or stands where the user put it. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define SONDE_TYPE_STEP_CURSOR (sonde_step_cursor_get_type ())
G_DECLARE_FINAL_TYPE (SondeStepCursor, sonde_step_cursor, SONDE, STEP_CURSOR, GObject)

/* Follows the last step (0 until one is known). Property and notify: "step", "following". */
SondeStepCursor *sonde_step_cursor_new (void);

gint64 sonde_step_cursor_get_step (SondeStepCursor *cursor);
/* Stands there; no longer follows. */
void sonde_step_cursor_set_step (SondeStepCursor *cursor, gint64 step);

gboolean sonde_step_cursor_is_following (SondeStepCursor *cursor);
void sonde_step_cursor_follow (SondeStepCursor *cursor); /* the last step from now on */
/* Told by the workspace when runs grow. Moves a following cursor. */
void sonde_step_cursor_set_last (SondeStepCursor *cursor, gint64 last);

G_END_DECLS
