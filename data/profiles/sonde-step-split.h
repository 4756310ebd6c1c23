/* SPDX-License-Identifier: Apache-2.0
 * Where the time of a step goes: the thread that drives it, and the devices it uses. Definitions:
 * docs/profiler.md. */
#pragma once

#include "data/profiles/sonde-profile-facts.h"
#include "data/profiles/sonde-step-part.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/* Which steps of a trace are looked at: @n from @first on, counted from 0. */
typedef struct
{
  guint first, n;
} SondeStepRange;

/**
 * sonde_trace_find_steps:
 * @range: (nullable): NULL: all
 *
 * Steps are spans of the categories that PyTorch ("user_annotation": ProfilerStep#N), ONNX Runtime
 * ("Session": model_run) and Sonde ("step") give them.
 *
 * Returns: (transfer full) (element-type guint32): indices of spans in the order of their starts
 */
GArray *sonde_trace_find_steps (const SondeTrace *trace, const SondeStepRange *range);

/**
 * SondeStepSplit:
 * @n_steps: 0 when the trace marks none
 * @wall_ns, @parts_ns: sums over the steps; the parts sum to the wall time
 */
typedef struct
{
  guint64 n_steps;
  gint64 wall_ns;
  gint64 parts_ns[SONDE_STEP_N_PARTS];
} SondeStepSplit;

/**
 * sonde_step_split_compute:
 * @steps: of sonde_trace_find_steps()
 * @facts: (nullable): say which part the nodes of Sonde's own spans are of; without them all are forward
 *
 * Own spans: category op and copy by the node's facts, data and wait on the step's thread are data wait,
 * recording, communication.
 */
void sonde_step_split_compute (const SondeTrace *trace, const GArray *steps,
                               const SondeProfileFacts *facts, SondeStepSplit *split);
/* The same of each step by itself. @splits: (array length=steps) (out) */
void sonde_step_split_compute_each (const SondeTrace *trace, const GArray *steps,
                                    const SondeProfileFacts *facts, SondeStepSplit *splits);

/**
 * SondeDeviceSplit:
 * @n_devices: 0 when the trace has none
 *
 * Sums over steps and devices; a trace without steps is one step from its start to its end.
 * busy = something runs, idle = the rest of the step; exposed communication = communication while
 * nothing computes.
 */
typedef struct
{
  guint64 n_steps, n_devices;
  gint64 wall_ns, busy_ns, idle_ns, compute_ns, copy_ns, communication_ns;
  gint64 exposed_communication_ns;
} SondeDeviceSplit;

/* @steps: as in sonde_step_split_compute() */
void sonde_device_split_compute (const SondeTrace *trace, const GArray *steps,
                                 SondeDeviceSplit *split);

G_END_DECLS
