/* SPDX-License-Identifier: Apache-2.0
 * Type, shape, size and statistics of a value, a row each. */
#pragma once

#include <gtk/gtk.h>

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/* Replaces what @grid held. @reply: (nullable): with statistics; NULL: nothing is known */
void sonde_debug_show_statistics (GtkWidget *grid, const SondeSessionReply *reply);

G_END_DECLS
