/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/pages/profile-fixture.h"

#include <string.h>

#include "data/base/sonde-random.h"
#include "data/profiles/sonde-recorded-profile.h"
#include "data/traces/sonde-trace-builder.h"

#define N_STEPS 20

static const struct
{
  const char *node, *op, *original;
  double ns;
  gint64 flops, bytes;
} operators[] = {
  { "conv", "Conv", "conv", 1e6, 4000000, 1000 },
  { "relu+fc", "Gemm", "fc", 4e5, 1000, 400000 },
  { "reorder(x)", "Reorder", NULL, 1e5, 0, 100000 },
};

static guint32
text (SondeTraceBuilder *builder, const char *content)
{
  return sonde_trace_builder_add_text (builder, content, strlen (content));
}

static SondeTrace *
make_trace (guint64 seed, double slow)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint32 pid = text (builder, "17"), op = text (builder, "op");
  guint32 thread = sonde_trace_builder_add_thread (builder, pid, pid, 0);
  guint64 place = 0;
  gint64 at = 0;

  sonde_trace_builder_set_producer (builder, "sonde");
  sonde_trace_builder_name_thread (builder, thread, text (builder, "main"));
  for (guint step = 0; step < N_STEPS; step++)
    {
      g_autofree char *name = g_strdup_printf ("step %u", step);
      gint64 start = at;

      for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
        {
          double noise = 1 + (double) (sonde_random_bits (seed, step, i) % 1000) / 50000;
          gint64 length = (gint64) (operators[i].ns * noise * (i == 0 ? slow : 1));

          sonde_trace_builder_count_event (builder);
          sonde_trace_builder_add_span (
              builder, thread,
              sonde_trace_builder_add_label (builder, op, text (builder, operators[i].node)), at,
              at + length, place++);
          at += length;
        }
      sonde_trace_builder_count_event (builder);
      sonde_trace_builder_add_span (
          builder, thread,
          sonde_trace_builder_add_label (builder, text (builder, "step"), text (builder, name)),
          start, at + 1000, place++);
      at += 2000;
    }
  return sonde_trace_builder_finish (builder);
}

static void
add_memory (SondeProfileFacts *facts)
{
  static const char *const steps[] = { "conv", "relu+fc" };
  const SondeLifetime values[]
      = { { .value = "c", .node = "conv", .kind = SONDE_MEMORY_OF_ACTIVATION, .bytes = 4096 },
          { .value = "y",
            .node = "relu+fc",
            .kind = SONDE_MEMORY_OF_ACTIVATION,
            .offset = 4096,
            .bytes = 1024,
            .from = 1,
            .until = 1 } };
  const SondeBodyMemory body = { "loop/body", "loop", 1, 1, 1200, 1199, 1024, 5120 };

  facts->memory.n_steps = G_N_ELEMENTS (steps);
  facts->memory.steps = g_memdup2 (steps, sizeof steps);
  facts->memory.held_bytes = g_new0 (guint64, G_N_ELEMENTS (steps));
  facts->memory.held_bytes[0] = facts->memory.held_bytes[1] = 5120;
  facts->memory.lifetimes = g_array_new (FALSE, TRUE, sizeof (SondeLifetime));
  facts->memory.alternatives = g_array_new (FALSE, TRUE, sizeof (SondeMemoryAlternative));
  facts->memory.bodies = g_array_new (FALSE, TRUE, sizeof (SondeBodyMemory));
  g_array_append_vals (facts->memory.lifetimes, values, G_N_ELEMENTS (values));
  g_array_append_val (facts->memory.bodies, body);
  facts->memory.peak_bytes = 5120;
  facts->memory.by_kind[SONDE_MEMORY_OF_ACTIVATION] = 5120;
}

static SondeProfileFacts *
make_facts (void)
{
  SondeProfileFacts *facts = sonde_profile_facts_new ("run");

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    {
      const char **nodes = g_new0 (const char *, 3);
      SondeOperatorFacts op = { .node = operators[i].node,
                                .op = operators[i].op,
                                .part = SONDE_STEP_PART_FORWARD,
                                .implementation = "plain",
                                .dtype = "float32",
                                .flops = operators[i].flops,
                                .bytes = operators[i].bytes,
                                .is_copy = operators[i].original == NULL };

      if (i == 1)
        *nodes = "relu";
      nodes[i == 1] = operators[i].original;
      op.nodes = (const char *const *) nodes;
      g_array_append_val (facts->operators, op);
    }
  facts->device = "cpu";
  facts->n_threads = 1;
  facts->ceilings = (SondeCeilings){ 10, 10, 1 };
  add_memory (facts);
  return facts;
}

static void
add (const SondeRecord *record, gpointer run)
{
  sonde_test_run_record (run, record);
}

void
profile_fixture_write (SondeTestRun *run, guint64 seed, double slow)
{
  SondeTrace *trace = make_trace (seed, slow);
  g_autoptr (SondeProfileFacts) facts = make_facts ();

  sonde_recorded_profile_write (trace, facts, 0, seed, add, run);
  sonde_test_run_flush (run);
  sonde_trace_free (trace);
}
