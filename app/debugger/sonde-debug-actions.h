/* SPDX-License-Identifier: Apache-2.0
 * What a person can do in the debugger: one table of actions with their keys, and for each why it
 * cannot be done now. Buttons, menus and keys all come from it. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_ACTIONS (sonde_debug_actions_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugActions, sonde_debug_actions, SONDE, DEBUG_ACTIONS, GObject)

/* Signals: "asked" (char *name): an action that needs the page was chosen: a form, a dialog,
 * another input, the end; "updated" (): some can be done now that could not, or the other way
 * round. */

SondeDebugActions *sonde_debug_actions_new (SondeDebugSession *session);

/* Group "debug". (transfer none) */
GActionGroup *sonde_debug_actions_get_group (SondeDebugActions *actions);

/* Something is open, or about to be; @subject: it can be opened again with another input. */
void sonde_debug_actions_set_started (SondeDebugActions *actions, gboolean started,
                                      gboolean subject);
gboolean sonde_debug_actions_get_started (SondeDebugActions *actions);

/* Whether the node is in the profile that the window shows: asked each time that something changed. @find:
 * given @data and a name */
typedef gboolean (*SondeDebugFind) (gpointer data, const char *node);
void sonde_debug_actions_set_profile (SondeDebugActions *actions, SondeDebugFind find,
                                      gpointer data);
void sonde_debug_actions_profile_changed (SondeDebugActions *actions);

/* The node that is looked at, else the one before which the run stands. (nullable) */
const char *sonde_debug_actions_get_node (SondeDebugActions *actions);

/* "Step Into" of "step", in the user's language. (nullable) */
const char *sonde_debug_actions_get_title (const char *name);
/* The same in a word or two: "Into". (nullable) */
const char *sonde_debug_actions_get_word (const char *name);
/* The title with its key; where it cannot be done now, a second line says why. (transfer full) */
char *sonde_debug_actions_dup_tooltip (SondeDebugActions *actions, const char *name);

/* The keys of all actions, as accelerators: "<Shift>F10". (transfer full) (array
 * zero-terminated=1) */
char **sonde_debug_actions_dup_keys (void);
/* Does what the key means here. FALSE: nothing. Even an action that cannot be done now is what the
 * key means. */
gboolean sonde_debug_actions_press (SondeDebugActions *actions, guint key,
                                    GdkModifierType modifiers);

G_END_DECLS
