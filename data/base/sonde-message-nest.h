/* SPDX-License-Identifier: Apache-2.0
 * Messages in the arguments of other messages, and ids from elsewhere. */
#pragma once

#include "data/base/sonde-message.h"

G_BEGIN_DECLS

/**
 * sonde_message_nest:
 * @format: as for sonde_message_new()
 *
 * A message as the argument of another one's %-s, and nothing else, for words that have arguments
 * themselves: “attribute “%s” of node “%s””. Ids and arguments stand between control characters. At
 * most SONDE_MESSAGE_MAX_NESTING of them lie inside each other; what lies deeper, or was damaged on its
 * way, is not shown. Returns: (transfer full)
 */
#define SONDE_MESSAGE_MAX_NESTING 4
char *sonde_message_nest (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* Does @id name positions, as "%2$s"? No id of ours does; one from elsewhere could repeat an argument
 * without end. */
gboolean sonde_message_id_names_positions (const char *id);

G_END_DECLS
