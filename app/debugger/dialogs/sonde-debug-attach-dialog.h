/* SPDX-License-Identifier: Apache-2.0
 * Chooses a session to attach to: those of this machine or of another in a list, or an address. It
 * connects itself, and says in place why that fails. */
#pragma once

#include <adwaita.h>

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_ATTACH_DIALOG (sonde_debug_attach_dialog_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugAttachDialog, sonde_debug_attach_dialog, SONDE, DEBUG_ATTACH_DIALOG,
                      AdwWindow)

/* @client: (transfer full) */
typedef void (*SondeDebugAttached) (GtkWidget *over, SondeSessionClient *client);

/* @over: what it belongs to; @ends: another session ends when this one begins, which is said;
 * @attached: called at most once, while @over lives */
void sonde_debug_attach_dialog_open (GtkWidget *over, gboolean ends, SondeDebugAttached attached);

G_END_DECLS
