/* SPDX-License-Identifier: Apache-2.0 */
#include "app/worker/sonde-inference-profile.h"

#include "collector/writer/sonde-summary-writer.h"
#include "data/base/sonde-clock.h"
#include "data/profiles/sonde-recorded-profile.h"
#include "engine/profile/sonde-memory-timeline.h"
#include "engine/profile/sonde-recording.h"

static void
add_record (const SondeRecord *record, gpointer writer)
{
  sonde_summary_writer_add_record (writer, record);
}

gboolean
sonde_inference_profile_write (const char *folder, const SondeTrace *trace,
                               const SondeProfileFacts *facts, GError **error)
{
  const SondeSummaryWriterOptions options = { .program = "sonde " SONDE_VERSION };
  SondeSummaryWriter *writer = sonde_summary_writer_open (folder, &options, error);

  if (writer == NULL)
    return FALSE;
  sonde_recorded_profile_write (trace, facts, 0, (guint64) sonde_clock_wall_ns (NULL), add_record,
                                writer);
  return sonde_summary_writer_close (writer, error);
}

gboolean
sonde_inference_profile_keep (SondeSpanLog *log, SondeExecution *execution, const char *folder,
                              GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (SondeProfileFacts) facts = sonde_recording_make_facts (log, "model");
  g_autoptr (SondeTrace) trace = NULL;

  facts->n_threads = sonde_plan_get_device (plan)->n_threads;
  sonde_recording_add_ceilings (facts);
  sonde_memory_timeline_of_plan (facts, plan, execution);
  trace = sonde_recording_make_trace_with_memory (log, &facts->memory);
  return sonde_inference_profile_write (folder, trace, facts, error);
}
