/* SPDX-License-Identifier: Apache-2.0
 * The data pipeline: stages, waits and forecasts of a recording whose times are known, and of PyTorch's
 * traces; the waits sum to the split of the profile. */
#include "data/profiles/sonde-data-pipeline.h"

#include <math.h>
#include <string.h>

#include "data/profiles/sonde-profile-advice.h"
#include "data/traces/sonde-trace-builder.h"
#include "data/traces/sonde-trace-file.h"

#define N_STEPS 4

typedef struct
{
  SondeTraceBuilder *builder;
  guint64 place;
} Maker;

static guint32
text (Maker *maker, const char *content)
{
  return sonde_trace_builder_add_text (maker->builder, content, strlen (content));
}

static void
add (Maker *maker, guint32 thread, const char *category, const char *name, gint64 start, gint64 end)
{
  sonde_trace_builder_add_span (
      maker->builder, thread,
      sonde_trace_builder_add_label (maker->builder, text (maker, category), text (maker, name)),
      start, end, maker->place++);
}

/* Steps of 1000 ns of which 600 are waited; a batch takes 800 + 40 · step ns, of which its source takes 500.
 * @beside: on a thread of its own, else inside the wait, in 600 ns */
static SondeProfile *
make_profile (gboolean beside, gboolean with_facts)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  Maker maker = { builder, 0 };
  guint32 pid = text (&maker, "1");
  guint32 driver = sonde_trace_builder_add_thread (builder, pid, text (&maker, "1"), 0);
  guint32 loader
      = beside ? sonde_trace_builder_add_thread (builder, pid, text (&maker, "2"), 0) : driver;
  SondeProfileFacts *facts = with_facts ? sonde_profile_facts_new ("run") : NULL;
  const SondeStageFacts stages[] = { { "source", 501, 501, NAN, 1 }, { "batch", 99, 99, NAN, 1 } };

  sonde_trace_builder_set_producer (builder, "sonde");
  for (gint64 step = 0; step < N_STEPS; step++)
    {
      const gint64 at = step * 1000, took = beside ? 800 + 40 * step : 600;
      g_autofree char *name = g_strdup_printf ("step %d", (int) step);

      add (&maker, driver, "step", name, at, at + 1000);
      add (&maker, driver, "wait", "next batch", at, at + 600);
      add (&maker, driver, "op", "conv", at + 600, at + 1000);
      add (&maker, loader, "data", "batch", at, at + took);
      add (&maker, loader, "data", "source", at + 10, at + 510);
      sonde_trace_builder_add_point (builder, pid, text (&maker, "data/ready"),
                                     text (&maker, "value"), at, (double) (step % 2));
    }
  if (facts != NULL)
    g_array_append_vals (facts->stages, stages, 2);
  return sonde_profile_new (sonde_trace_builder_finish (builder), facts, NULL);
}

static const SondePipelineStage *
find_stage (const SondeDataPipeline *pipeline, const char *name)
{
  for (guint i = 0; i < pipeline->stages->len; i++)
    {
      const SondePipelineStage *stage = &g_array_index (pipeline->stages, SondePipelineStage, i);

      if (strcmp (stage->stage, name) == 0)
        return stage;
    }
  g_assert_not_reached ();
}

static void
test_beside (void)
{
  SondeProfile *profile = make_profile (TRUE, FALSE);
  g_autoptr (SondeDataPipeline) pipeline = sonde_data_pipeline_new (profile);
  const SondePipelineStage *batch = find_stage (pipeline, "batch");
  const SondePipelineForecast *three;

  g_assert_cmpint (pipeline->balance, ==, SONDE_PIPELINE_ENGINE_WAITS);
  g_assert_cmpuint (pipeline->steps->len, ==, N_STEPS);
  g_assert_cmpfloat (pipeline->wall_ns, ==, 1000);
  g_assert_cmpfloat (pipeline->wait_ns, ==, 600);
  g_assert_cmpfloat_with_epsilon (pipeline->wait_ns, profile->part_ns[SONDE_STEP_PART_DATA_WAIT],
                                  1e-9);
  g_assert_cmpfloat (find_stage (pipeline, "source")->mean_ns, ==, 500);
  g_assert_cmpuint (batch->n_calls, ==, N_STEPS);
  g_assert_cmpfloat (batch->mean_ns, ==, 360); /* 300, 340, 380, 420 */
  g_assert_cmpfloat_with_epsilon (batch->p95_ns, 380 + 0.85 * 40, 1e-9);
  g_assert_cmpfloat (batch->busy_ns, ==, 360);
  g_assert_cmpfloat (pipeline->work_ns, ==, 860);
  g_assert_cmpuint (pipeline->n_workers, ==, 1);
  g_assert_cmpuint (pipeline->n_needed, ==, 3); /* 860 / 3 < 400 < 860 / 2 */
  g_assert_cmpuint (pipeline->forecast->len, ==, 4);
  three = &g_array_index (pipeline->forecast, SondePipelineForecast, 1);
  g_assert_cmpfloat (three->wait_ns, ==, 30);
  g_assert_cmpfloat (three->wall_ns, ==, 430);
  g_assert_cmpfloat (three[1].wait_ns, ==, 0);
  g_assert_cmpfloat (three[1].wall_ns, ==, 400);
  g_assert_nonnull (pipeline->queue);
  g_assert_cmpuint (pipeline->queue->points->len, ==, N_STEPS);
  sonde_profile_free (profile);
}

/* What is recorded beside the spans comes first: it counts what was too short for a span. */
static void
test_in_turn (void)
{
  SondeProfile *profile = make_profile (FALSE, TRUE);
  g_autoptr (SondeDataPipeline) pipeline = sonde_data_pipeline_new (profile);

  g_assert_cmpint (pipeline->balance, ==, SONDE_PIPELINE_IN_TURN);
  g_assert_cmpfloat (find_stage (pipeline, "source")->busy_ns, ==, 501);
  g_assert_cmpfloat (find_stage (pipeline, "source")->mean_ns, ==, 500);
  g_assert_cmpfloat (pipeline->work_ns, ==, 600);
  g_assert_cmpuint (pipeline->n_needed, ==, 2);
  sonde_profile_free (profile);
}

static void
test_nothing (void)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  SondeProfile *profile = sonde_profile_new (sonde_trace_builder_finish (builder), NULL, NULL);
  g_autoptr (SondeDataPipeline) pipeline = sonde_data_pipeline_new (profile);

  g_assert_cmpint (pipeline->balance, ==, SONDE_PIPELINE_UNKNOWN);
  g_assert_cmpuint (pipeline->stages->len + pipeline->steps->len + pipeline->forecast->len, ==, 0);
  g_assert_true (isnan (pipeline->wait_ns) && isnan (pipeline->work_ns));
  sonde_profile_free (profile);
}

/* The advice on data: more workers only where it is told who makes them. */
static void
assert_advice (const SondeProfile *profile, gboolean hidden)
{
  const SondeAdvice *advice = g_ptr_array_index (profile->advice, 0);
  const char *said = sonde_message_get_english (advice->message);

  g_assert_cmpint (advice->kind, ==, SONDE_ADVICE_DATA_WAIT);
  g_assert_true ((strstr (said, "More workers") == NULL) == hidden);
  g_assert_true ((strstr (said, "processes of its own") != NULL) == hidden);
}

/* What each step waits equals the split, and the loader is told by its name. */
static void
test_pytorch (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  static const struct
  {
    const char *name;
    SondePipelineBalance balance;
    guint n_workers;
  } files[] = { { "pytorch-slow-data.json.gz", SONDE_PIPELINE_IN_TURN, 1 },
                { "pytorch-workers.json.gz", SONDE_PIPELINE_ENGINE_WAITS, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = g_build_filename (shared != NULL ? shared : "", "samples", "traces",
                                                files[i].name, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeDataPipeline) pipeline = NULL;
      SondeTrace *trace;
      SondeProfile *profile;

      if (!g_file_test (path, G_FILE_TEST_EXISTS))
        {
          g_test_skip ("the samples are not there");
          return;
        }
      trace = sonde_trace_file_read (NULL, path, &error);
      g_assert_no_error (error);
      profile = sonde_profile_new (trace, NULL, NULL);
      pipeline = sonde_data_pipeline_new (profile);
      g_assert_cmpint (pipeline->balance, ==, files[i].balance);
      g_assert_cmpuint (pipeline->n_workers, ==, files[i].n_workers);
      g_assert_cmpfloat_with_epsilon (
          pipeline->wait_ns, profile->part_ns[SONDE_STEP_PART_DATA_WAIT], pipeline->wait_ns * 1e-9);
      g_assert_cmpfloat_with_epsilon (pipeline->wall_ns, profile->wall_ns,
                                      pipeline->wall_ns * 1e-9);
      g_assert_cmpint (isnan (pipeline->work_ns), ==, files[i].n_workers == 0);
      assert_advice (profile, files[i].n_workers == 0);
      sonde_profile_free (profile);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/data-pipeline/beside", test_beside);
  g_test_add_func ("/data/profiles/data-pipeline/in-turn", test_in_turn);
  g_test_add_func ("/data/profiles/data-pipeline/nothing", test_nothing);
  g_test_add_func ("/data/profiles/data-pipeline/pytorch", test_pytorch);
  return g_test_run ();
}
