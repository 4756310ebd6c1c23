/* SPDX-License-Identifier: Apache-2.0 */
#include "app/worker/sonde-training-profile.h"

#include "data/base/sonde-clock.h"
#include "data/profiles/sonde-recorded-profile.h"
#include "engine/profile/sonde-memory-timeline.h"
#include "engine/profile/sonde-recording.h"

static void
add_record (const SondeRecord *record, gpointer writer)
{
  sonde_summary_writer_add_record (writer, record);
}

/* The number of the first step that was kept. */
static gint64
find_first_step (SondeSpanLog *log)
{
  gint64 first = G_MAXINT64;

  for (guint i = 0; i < sonde_span_log_get_n_threads (log); i++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, i, &thread);
      for (guint64 k = 0; k < thread.n_spans; k++)
        {
          const SondeSpan *span = sonde_span_log_get_span (log, i, k);

          if (span->category == SONDE_SPAN_STEP)
            first = MIN (first, span->value);
        }
    }
  return first;
}

void
sonde_training_profile_write (SondeSpanLog *log, SondeTrainer *trainer, SondeSummaryWriter *writer)
{
  SondePlan *plan = sonde_execution_get_plan (sonde_trainer_get_execution (trainer));
  SondeDevice *device = sonde_plan_get_device (plan);
  g_autoptr (SondeProfileFacts) facts = sonde_recording_make_facts (log, "run");
  g_autoptr (SondeTrace) trace = NULL;

  facts->n_threads = device->n_threads;
  sonde_recording_add_ceilings (facts);
  sonde_memory_timeline_of_training (facts, trainer);
  trace = sonde_recording_make_trace_with_memory (log, &facts->memory);
  sonde_recorded_profile_write (trace, facts, find_first_step (log),
                                (guint64) sonde_clock_wall_ns (NULL), add_record, writer);
}
