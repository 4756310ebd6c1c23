/* SPDX-License-Identifier: Apache-2.0
 * Messages of the Debug Adapter Protocol over two descriptors: "Content-Length: N" CR LF CR LF,
 * then N bytes of JSON, framed by jsonrpc-glib. What does not live here: what messages mean.
 *
 * Signals: "message" (JsonObject *message): an object arrived; "closed" (GError *error): no further
 * message comes; @error: (nullable): NULL at the end of input. Both on the main context that was
 * the thread default when the channel was made. */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* A message that is longer is refused by jsonrpc-glib. */
#define SONDE_DAP_MAX_BYTES ((gsize) 16 << 20)

#define SONDE_TYPE_DAP_CHANNEL (sonde_dap_channel_get_type ())
G_DECLARE_FINAL_TYPE (SondeDapChannel, sonde_dap_channel, SONDE, DAP_CHANNEL, GObject)

/* @input, @output: descriptors; borrowed, must outlive the channel. Reading begins with
 * sonde_dap_channel_start(). */
SondeDapChannel *sonde_dap_channel_new (int input, int output);
void sonde_dap_channel_start (SondeDapChannel *channel);
/* No further signal comes; what was sent is still written. */
void sonde_dap_channel_stop (SondeDapChannel *channel);

/* Adds "seq" and queues @message (transfer full). If the editor no longer reads, "closed" follows. */
void sonde_dap_channel_send (SondeDapChannel *channel, JsonObject *message);
/* Iterates the main context until everything that was queued is written, or cannot be. */
void sonde_dap_channel_flush (SondeDapChannel *channel);

G_END_DECLS
