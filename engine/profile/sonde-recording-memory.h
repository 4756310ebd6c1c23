/* SPDX-License-Identifier: Apache-2.0
 * What lives in memory while the steps of a recording ran, as counters of its trace. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "data/profiles/sonde-profile-facts.h"
#include "data/traces/sonde-trace-builder.h"

G_BEGIN_DECLS

/**
 * sonde_recording_add_memory:
 * @pid: a text of @builder
 * @memory: of the plans that ran; of steps with the same name the first counts
 * @origin, @tick_ns: ticks of time 0, ns of a tick
 *
 * A point where what lives differs from the step before, for each kind that there is.
 */
void sonde_recording_add_memory (SondeTraceBuilder *builder, guint32 pid, SondeSpanLog *log,
                                 const SondeMemoryTimeline *memory, guint64 origin, double tick_ns);

G_END_DECLS
