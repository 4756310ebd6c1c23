/* SPDX-License-Identifier: Apache-2.0
 * What the debugger's panels say: states, numbers, sizes. */
#pragma once

#include "engine/session/client/sonde-session-client.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* "Paused before conv2 (Conv) · 2 of 9 done". (transfer full) */
char *sonde_debug_describe_state (const SondeSessionStatus *status);
SondeState sonde_debug_mark_of_state (const SondeSessionStatus *status);
/* Why it stopped, in a word or two: "breakpoint 3". (transfer full) */
char *sonde_debug_describe_reason (const SondeStop *stop);

/* Four significant digits; "NaN", "−∞". (transfer full) */
char *sonde_debug_format_number (double value);
/* "12.4 MiB". (transfer full) */
char *sonde_debug_format_bytes (guint64 bytes);

G_END_DECLS
