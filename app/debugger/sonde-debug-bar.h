/* SPDX-License-Identifier: Apache-2.0
 * The debugger's bar: what can be done, in which state it is, menus for what is done rarely. */
#pragma once

#include <gtk/gtk.h>

#include "app/debugger/sonde-debug-actions.h"
#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_BAR (sonde_debug_bar_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugBar, sonde_debug_bar, SONDE, DEBUG_BAR, GtkBox)

void sonde_debug_bar_set_up (SondeDebugBar *bar, SondeDebugSession *session,
                             SondeDebugActions *actions, SondeWorkspace *workspace);
/* What the state says stands in @below, a box of its own, where the bar has no room; NULL: in the
 * bar. */
void sonde_debug_bar_move_state (SondeDebugBar *bar, GtkWidget *below);
/* Whether its buttons have words beside their pictures. */
void sonde_debug_bar_set_words (SondeDebugBar *bar, gboolean words);
/* A popover of another panel under the button of an action, for a form, until it is closed. */
void sonde_debug_bar_popup (SondeDebugBar *bar, GtkWidget *popover, const char *action);

G_END_DECLS
