/* SPDX-License-Identifier: Apache-2.0
 * Nodes of a graph in a profile: those that are operators, those that fused ones stand for, their memory. */
#include <string.h>

#include "data/profiles/sonde-profiled-nodes.h"
#include "data/traces/sonde-trace-builder.h"

/* Of each operator its duration in ns, and the original nodes it stands for. */
static const struct
{
  const char *node, *originals[3];
  SondeStepPart part;
  gint64 ns;
} operators[] = {
  { "conv_grad", { "conv", "fc" }, SONDE_STEP_PART_BACKWARD, 9000 },
  { "conv", { "conv" }, SONDE_STEP_PART_FORWARD, 3000 },
  { "relu+fc", { "relu", "fc" }, SONDE_STEP_PART_FORWARD, 2000 },
  { "reorder", { NULL }, SONDE_STEP_PART_FORWARD, 1000 },
};

static guint32
text (SondeTraceBuilder *builder, const char *content)
{
  return sonde_trace_builder_add_text (builder, content, strlen (content));
}

static SondeTrace *
make_trace (void)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint32 pid = text (builder, "1"), op = text (builder, "op");
  guint32 thread = sonde_trace_builder_add_thread (builder, pid, pid, 0);
  gint64 at = 0;

  sonde_trace_builder_set_producer (builder, "sonde");
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    {
      guint32 label
          = sonde_trace_builder_add_label (builder, op, text (builder, operators[i].node));

      sonde_trace_builder_count_event (builder);
      sonde_trace_builder_add_span (builder, thread, label, at, at + operators[i].ns, i);
      at += operators[i].ns;
    }
  return sonde_trace_builder_finish (builder);
}

static SondeProfileFacts *
make_facts (gboolean with_memory)
{
  SondeProfileFacts *facts = sonde_profile_facts_new ("model");
  const SondeLifetime lifetimes[] = {
    { .value = "w", .bytes = 9999 }, /* a weight: nobody makes it */
    { .value = "c", .node = "conv", .bytes = 4000 },
    { .value = "scratch", .node = "conv", .bytes = 96 },
    { .value = "y", .node = "relu+fc", .bytes = 128 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    {
      SondeOperatorFacts op = { .node = operators[i].node,
                                .op = "Op",
                                .part = operators[i].part,
                                .flops = SONDE_COST_UNKNOWN,
                                .bytes = SONDE_COST_UNKNOWN };

      op.nodes = g_memdup2 (operators[i].originals, sizeof operators[i].originals);
      g_array_append_val (facts->operators, op);
    }
  if (!with_memory)
    return facts;
  facts->memory.lifetimes = g_array_new (FALSE, TRUE, sizeof (SondeLifetime));
  facts->memory.alternatives = g_array_new (FALSE, TRUE, sizeof (SondeMemoryAlternative));
  g_array_append_vals (facts->memory.lifetimes, lifetimes, G_N_ELEMENTS (lifetimes));
  return facts;
}

static void
check (const SondeProfiledNodes *nodes, const char *name, const char *op, gint64 bytes,
       gboolean shared)
{
  const SondeProfileOperator *found = sonde_profiled_nodes_find (nodes, name);
  gboolean is_shared;

  g_assert_cmpstr (found != NULL ? found->node : NULL, ==, op);
  g_assert_cmpint (sonde_profiled_nodes_get_bytes (nodes, name, &is_shared), ==, bytes);
  if (bytes >= 0)
    g_assert_cmpint (is_shared, ==, shared);
}

static void
test_nodes (void)
{
  g_autoptr (SondeProfile) profile = sonde_profile_new (make_trace (), make_facts (TRUE), NULL);
  g_autoptr (SondeProfiledNodes) nodes = sonde_profiled_nodes_new (profile);

  g_assert_true (sonde_profiled_nodes_get_profile (nodes) == profile);
  g_assert_true (sonde_profiled_nodes_have_memory (nodes));
  check (nodes, "conv", "conv", 4096, FALSE); /* its own operator, although a longer one names it */
  check (nodes, "relu", "relu+fc", 128, TRUE);
  check (nodes, "fc", "relu+fc", 128, TRUE); /* forward before backward */
  check (nodes, "relu+fc", "relu+fc", 128, FALSE);
  check (nodes, "conv_grad", "conv_grad", -1, FALSE);
  check (nodes, "reorder", "reorder", -1, FALSE);
  check (nodes, "nobody", NULL, -1, FALSE);
}

static void
test_without_facts (void)
{
  g_autoptr (SondeProfile) bare = sonde_profile_new (make_trace (), NULL, NULL);
  g_autoptr (SondeProfile) timed = sonde_profile_new (make_trace (), make_facts (FALSE), NULL);
  g_autoptr (SondeProfiledNodes) none = sonde_profiled_nodes_new (bare);
  g_autoptr (SondeProfiledNodes) times = sonde_profiled_nodes_new (timed);

  g_assert_false (sonde_profiled_nodes_have_memory (none));
  g_assert_null (sonde_profiled_nodes_find (none, "fc"));
  g_assert_false (sonde_profiled_nodes_have_memory (times));
  check (times, "fc", "relu+fc", -1, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/profiled-nodes/nodes", test_nodes);
  g_test_add_func ("/data/profiles/profiled-nodes/without-facts", test_without_facts);
  return g_test_run ();
}
