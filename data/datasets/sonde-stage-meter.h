/* SPDX-License-Identifier: Apache-2.0
 * How long each stage of a pipeline works, for a log of spans. One meter a batch that is being made: a
 * stage's time is from the end of what it asked to its own end. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "data/datasets/sonde-pipeline.h"

G_BEGIN_DECLS

#define SONDE_STAGE_METER_MAX 8 /* stages; those before the last of them count as it */

/**
 * SondeStageMeter:
 * @ring: (nullable): nobody wants to know, and nothing else counts
 * @begin: of the batch; @since: the end of the stage before
 * @least: ticks; shorter work of a stage is summed up but makes no span of its own
 * @ticks: by stage, the source is 0; the sum of this batch
 */
typedef struct _SondeStageMeter
{
  SondeSpanLog *log;
  SondeSpanRing *ring;
  guint64 begin, since, least;
  guint64 ticks[SONDE_STAGE_METER_MAX];
  guint32 labels[SONDE_STAGE_METER_MAX];
} SondeStageMeter;

/* @last: the stage that makes the batch */
void sonde_stage_meter_begin (SondeStageMeter *meter, SondeStage *last);
/* @stage has done its part of a sample. Only with a ring. */
void sonde_stage_meter_mark (SondeStageMeter *meter, const SondeStage *stage);
/* The batch of @n samples is made. 0: it was given up, and no stage has done its whole part: nothing is
 * recorded. */
void sonde_stage_meter_end (SondeStageMeter *meter, SondeStage *last, guint n);

G_END_DECLS
