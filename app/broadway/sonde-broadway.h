/* SPDX-License-Identifier: Apache-2.0
 * A display for the window in a browser: GTK's broadway server, which listens on a Unix socket in a folder
 * of ours, behind a gate on the loopback interface. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _SondeBroadway SondeBroadway;

/**
 * sonde_broadway_start:
 * @port: of 127.0.0.1, where a browser finds it; 0: a free one
 *
 * Starts the server and sets GDK_BACKEND and BROADWAY_DISPLAY for the window that this process opens
 * then. The server ends with this process at the latest.
 * Errors: G_IO_ERROR_*: it is not installed, does not start, or the port is taken.
 */
SondeBroadway *sonde_broadway_start (guint16 port, GError **error);
/* The server ends. NULL is fine. */
void sonde_broadway_stop (SondeBroadway *broadway);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBroadway, sonde_broadway_stop)

/* What a person is told: the address, and how to get there from another machine. (transfer full) */
char *sonde_broadway_dup_advice (SondeBroadway *broadway);

/* @text: (nullable): "" and NULL are 0. FALSE: it is no port that can be used. */
gboolean sonde_broadway_parse_port (const char *text, guint16 *port);

G_END_DECLS
