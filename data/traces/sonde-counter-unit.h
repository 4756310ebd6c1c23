/* SPDX-License-Identifier: Apache-2.0
 * What the numbers of a counter are: no format says it, but Sonde knows what it records itself. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_COUNTER_PLAIN, /* nobody says */
  SONDE_COUNTER_BYTES,
  SONDE_COUNTER_MEGAHERTZ,
} SondeCounterUnit;

SondeCounterUnit sonde_counter_get_unit (const SondeTrace *trace, const SondeTraceCounter *counter);

/* "1.5 MiB", "−3 KiB", "2600 MHz", "12.35 k". Returns: (transfer full) */
char *sonde_counter_format (SondeCounterUnit unit, double value);

G_END_DECLS
