/* SPDX-License-Identifier: Apache-2.0 */
#include "data/datasets/sonde-stage-meter.h"

#include <string.h>

/* Work of a stage on one sample that is worth a span. */
#define LEAST_NS 1000.0

void
sonde_stage_set_spans (SondeStage *stage, SondeSpanLog *log)
{
  guint depth = 0;

  for (const SondeStage *s = stage; s != NULL; s = s->before)
    depth++;
  for (; stage != NULL; stage = stage->before)
    {
      depth--;
      stage->spans = log;
      stage->span_label
          = log != NULL ? sonde_span_log_add_label (log, stage->klass->name) : SONDE_SPAN_NO_LABEL;
      stage->depth = MIN (depth, SONDE_STAGE_METER_MAX - 1);
    }
}

void
sonde_stage_meter_begin (SondeStageMeter *meter, SondeStage *last)
{
  meter->ring = sonde_span_log_enter (last->spans);
  if (G_LIKELY (meter->ring == NULL))
    return;
  meter->log = last->spans;
  memset (meter->ticks, 0, sizeof meter->ticks);
  memset (meter->labels, 0, sizeof meter->labels);
  meter->least = (guint64) (LEAST_NS / sonde_ticks_get_ns (&meter->log->ticks));
  meter->begin = meter->since = sonde_ticks_now (&meter->log->ticks);
}

void
sonde_stage_meter_mark (SondeStageMeter *meter, const SondeStage *stage)
{
  guint64 now = sonde_ticks_now (&meter->log->ticks);

  meter->ticks[stage->depth] += now - meter->since;
  meter->labels[stage->depth] = stage->span_label;
  if (now - meter->since >= meter->least)
    sonde_span_ring_add (
        meter->ring, (SondeSpan){ meter->since, now, { 1 }, stage->span_label, SONDE_SPAN_DATA });
  meter->since = now;
}

void
sonde_stage_meter_end (SondeStageMeter *meter, SondeStage *last, guint n)
{
  guint64 now;

  if (G_LIKELY (meter->ring == NULL) || n == 0)
    return;
  now = sonde_ticks_now (&meter->log->ticks);
  meter->ticks[last->depth] += now - meter->since;
  meter->labels[last->depth] = last->span_label;
  sonde_span_ring_add (meter->ring,
                       (SondeSpan){ meter->begin, now, { n }, last->span_label, SONDE_SPAN_DATA });
  for (guint i = 0; i < SONDE_STAGE_METER_MAX; i++)
    if (meter->labels[i] != SONDE_SPAN_NO_LABEL)
      sonde_span_ring_add (meter->ring, (SondeSpan){ meter->begin,
                                                     now,
                                                     { (gint64) meter->ticks[i] },
                                                     meter->labels[i],
                                                     SONDE_SPAN_STAGE });
}
