/* SPDX-License-Identifier: Apache-2.0
 * The branches of the session: what made each, where it stands. A click goes back to one; a button
 * compares it with the present one. */
#pragma once

#include <gtk/gtk.h>

#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_BRANCHES (sonde_debug_branches_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugBranches, sonde_debug_branches, SONDE, DEBUG_BRANCHES, GtkBox)

GtkWidget *sonde_debug_branches_new (SondeDebugSession *session);

G_END_DECLS
