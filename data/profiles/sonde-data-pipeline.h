/* SPDX-License-Identifier: Apache-2.0
 * Who waits for whom between the data pipeline and the engine: the times of its stages, what each step
 * waits, and what more workers would hide. Definitions: docs/profiler.md. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

/**
 * SondePipelineStage: from the source on
 * @n_calls: spans of it
 * @mean_ns, @p95_ns: of one call without the stages it calls; NaN without spans
 * @busy_ns: of all threads in a mean step, without the stages it calls
 * @wait_ns: how long who reads from it waits in a mean step
 * @queue_mean: results that were found ready; NaN without a queue
 * @n_threads: that worked in it; 0: not told
 */
typedef struct
{
  const char *stage;
  guint64 n_calls;
  double mean_ns, p95_ns, busy_ns, wait_ns, queue_mean;
  guint n_threads;
} SondePipelineStage;

/* @wait_ns: the data wait of the step's split */
typedef struct
{
  gint64 start_ns;
  double wall_ns, wait_ns;
} SondePipelineStep;

/* What a mean step would take, and wait, with so many workers. */
typedef struct
{
  guint n_workers;
  double wall_ns, wait_ns;
} SondePipelineForecast;

typedef enum
{
  SONDE_PIPELINE_UNKNOWN,      /* nothing is known of the data */
  SONDE_PIPELINE_IN_TURN,      /* the thread that drives the steps makes each batch itself */
  SONDE_PIPELINE_ENGINE_WAITS, /* at least SONDE_PIPELINE_STALL of a step */
  SONDE_PIPELINE_LOADER_WAITS, /* batches are ready before they are asked for */
} SondePipelineBalance;

#define SONDE_PIPELINE_STALL 0.02

/**
 * SondeDataPipeline:
 * @stages: SondePipelineStage; @steps: SondePipelineStep; both perhaps empty
 * @queue: (nullable): how many batches were ready each time one was asked for
 * @wall_ns, @wait_ns: means over @steps; NaN without steps
 * @work_ns: what one worker would take for the data of a mean step: NaN where workers are not in the
 *   trace
 * @n_workers: threads that make batches; 0: not told
 * @n_needed: the least number of workers with which no step waits; 0: not known
 * @forecast: SondePipelineForecast: what remains of the wait when n workers share the work, which is
 *   max (0, work / n − (wall − wait)); empty where the work is not known
 */
typedef struct
{
  SondePipelineBalance balance;
  GArray *stages, *steps, *forecast;
  const SondeTraceCounter *queue;
  double wall_ns, wait_ns, work_ns;
  guint n_workers, n_needed;
} SondeDataPipeline;

/* Whether the data come from processes that a trace of PyTorch has no spans of: only the name of the loader tells. */
gboolean sonde_data_pipeline_hides_workers (const SondeTrace *trace);

/* @profile: outlives it. (transfer full) */
SondeDataPipeline *sonde_data_pipeline_new (const SondeProfile *profile);
void sonde_data_pipeline_free (SondeDataPipeline *pipeline); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDataPipeline, sonde_data_pipeline_free)

G_END_DECLS
