/* SPDX-License-Identifier: Apache-2.0
 * How many training steps a second go by, from the steps that a session tells now and then. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_DEBUG_PACE_SAMPLES 32

/* @steps, @times: (array length=n): the latest last, times in µs */
typedef struct
{
  guint n;
  guint64 steps[SONDE_DEBUG_PACE_SAMPLES];
  gint64 times[SONDE_DEBUG_PACE_SAMPLES];
} SondeDebugPace;

/* Nothing is known: it stands. */
void sonde_debug_pace_clear (SondeDebugPace *pace);
/* It is at @step now. One that lies before the last begins anew. */
void sonde_debug_pace_add (SondeDebugPace *pace, guint64 step, gint64 now_us);
/* Steps a second over the last two seconds, or since the last step where one takes longer; NaN: not
 * known yet. */
double sonde_debug_pace_get (const SondeDebugPace *pace);

G_END_DECLS
