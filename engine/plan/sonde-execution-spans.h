/* SPDX-License-Identifier: Apache-2.0
 * What an execution tells a log of spans. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/* Kinds of the sources of labels in a log (sonde_span_log_get_source()): the SondePlan of an execution, and of a
 * body; a label a step. */
#define SONDE_SPANS_OF_PLAN "plan"
#define SONDE_SPANS_OF_BODY "body"

/**
 * sonde_execution_set_spans:
 * @log: (nullable): where steps, copies of inputs and what observers take go while it records; referenced
 * @runs_are_steps: each run that is not paused is a step of @log, "run N"; else whoever runs it says when a
 *   step begins and ends
 *
 * As cheap as timing; while @log does not record, as cheap as nothing. Steps of bodies lie inside those of
 * their nodes. While nothing runs.
 */
void sonde_execution_set_spans (SondeExecution *execution, SondeSpanLog *log,
                                gboolean runs_are_steps);

/* Makes what the first recorded run would make else, for who measures runs from the first on: the ring of this
 * thread and the names of steps. With a log; while nothing runs. */
void sonde_execution_prepare_spans (SondeExecution *execution);

G_END_DECLS
