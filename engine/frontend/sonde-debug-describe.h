/* SPDX-License-Identifier: Apache-2.0
 * State, location and reason of a session's stop in words, in the user's language. */
#pragma once

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/* "Paused before conv2 (Conv) · 2 of 9 nodes". @steps_per_second: while it runs; NaN: not known.
 * (transfer full) */
char *sonde_debug_describe_state (const SondeSessionStatus *status, double steps_per_second);
/* The same in two or three words: "Running · step 573 · 12.3 steps/s". (transfer full) */
char *sonde_debug_describe_briefly (const SondeSessionStatus *status, double steps_per_second);
/* "before conv2 (Conv)". (transfer full) */
char *sonde_debug_describe_location (const SondeStop *stop);
/* Why it stopped, in a word or two: "breakpoint 3". (transfer full) */
char *sonde_debug_describe_reason (const SondeStop *stop);

/* What kind of value it is, in a word: "parameter"; (transfer none) */
const char *sonde_debug_describe_role (SondeValueRole role);
/* Appends a fact to a line of facts: " · " and @format, without the dot at the beginning of a line. */
void sonde_debug_append (GString *text, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Appends how many elements are NaN or infinite: "3 NaN · 1 Inf"; nothing where all are finite. */
void sonde_debug_append_not_finite (GString *text, const SondeStatistics *statistics);

G_END_DECLS
