/* SPDX-License-Identifier: Apache-2.0
 * Frames of the Debug Adapter Protocol: "Content-Length: N" CR LF CR LF, then N bytes of JSON. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A message that is longer is refused: nothing an editor sends comes near. */
#define SONDE_DAP_MAX_BYTES ((gsize) 16 << 20)

/**
 * SondeDapChannel: zero-initialise
 * @input, @output: descriptors, lent
 * @stop: eventfd: reading ends, as at the end of input
 * @buffer: read and not yet used
 * @seq: of the last message that was written
 */
typedef struct
{
  int input, output;
  int stop;
  GByteArray *buffer;
  guint seq;
} SondeDapChannel;

void sonde_dap_channel_init (SondeDapChannel *channel, int input, int output);
void sonde_dap_channel_clear (SondeDapChannel *channel);
/* Any thread: who reads comes back. */
void sonde_dap_channel_stop (SondeDapChannel *channel);

/**
 * sonde_dap_channel_read:
 * Blocks. Returns: (transfer full) (nullable): the JSON of the next message; NULL without @error at
 * the end of input.
 * Errors: PROTOCOL for a header without length, a message that is too long, an end in the middle.
 */
char *sonde_dap_channel_read (SondeDapChannel *channel, GError **error);

/* @rest: members of the message after "seq", as in "\"type\":\"event\",…". One thread. FALSE when
 * nobody reads any more. */
gboolean sonde_dap_channel_write (SondeDapChannel *channel, const char *rest);

G_END_DECLS
