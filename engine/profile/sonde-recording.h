/* SPDX-License-Identifier: Apache-2.0
 * What a log of spans recorded (data/base/sonde-span-log.h), as a trace and the facts beside it: the same
 * that a file of another profiler becomes, so that everything that shows or analyses traces takes
 * it. The log starts and stops the recording; this reads it afterwards. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "data/profiles/sonde-profile-facts.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

#define SONDE_RECORDING_MEMORY "memory"
#define SONDE_RECORDING_RESERVED "memory reserved"
#define SONDE_RECORDING_POINTS (1u << 18)

/**
 * sonde_recording_make_trace:
 * @log: stopped
 *
 * Categories "step", "scope", "op", "kernel", "alloc", "copy", "data", "wait", "recording"; a step is called "step 12"
 * or "run 12", an op by its node. Scopes are those of the graph: one span for ops of a scope that
 * follow each other. Times in ns since the first span; clock_base_ns is that moment's time of day. n_dropped is
 * what found no room. Empty when nothing was recorded. Returns: (transfer full)
 */
SondeTrace *sonde_recording_make_trace (SondeSpanLog *log);

/* The same with what lives in memory as counters: "memory" of each kind (SONDE_RECORDING_MEMORY) and what is
 * allocated for it ("memory reserved"), in each step of a plan that ran, up to SONDE_RECORDING_POINTS
 * changes. @memory: (nullable): of the plans */
SondeTrace *sonde_recording_make_trace_with_memory (SondeSpanLog *log,
                                                    const SondeMemoryTimeline *memory);

/**
 * sonde_recording_make_facts:
 * @log: stopped
 * @kind: "model", "recipe" or "run"
 *
 * Operators of all plans that ran, stages of the data pipeline, times of the steps, bytes that were
 * recorded; precision is the type of most of the arithmetic. Threads, ceilings and memory are for others to
 * fill. Returns: (transfer full)
 */
SondeProfileFacts *sonde_recording_make_facts (SondeSpanLog *log, const char *kind);

/* Those of @facts' device, threads and precision, measured where they are not known
 * (sonde_ceilings_get()); they stay NaN where there are none. Not while the device computes. */
void sonde_recording_add_ceilings (SondeProfileFacts *facts);

G_END_DECLS
