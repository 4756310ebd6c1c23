/* SPDX-License-Identifier: Apache-2.0
 * Gathers sampled stacks into a trace that is being made: its frames, stacks, weight. */
#pragma once

#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

typedef struct _SondeTraceSamples SondeTraceSamples;

/* @trace: must live until the last sample is added */
SondeTraceSamples *sonde_trace_samples_new (SondeTrace *trace);
void sonde_trace_samples_free (SondeTraceSamples *samples); /* (nullable) */

/**
 * sonde_trace_samples_add:
 * @frames: names, outermost first, numbers of the trace's texts; one that is in it twice counts once
 * @weight: how often the stack was seen
 *
 * One sample.
 */
void sonde_trace_samples_add (SondeTraceSamples *samples, const guint32 *frames, gsize n,
                              guint64 weight);

G_END_DECLS
