/* SPDX-License-Identifier: Apache-2.0
 * A made recording of Sonde's own with facts: classes, split, advice and their numbers against what was
 * put in. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "data/profiles/report/sonde-profile-report.h"
#include "data/profiles/sonde-profile-advice.h"
#include "data/profiles/sonde-profile-details.h"
#include "data/profiles/sonde-profile-json.h"
#include "data/traces/sonde-trace-builder.h"

#define US 1000

/* 100 GFLOP/s, 10 GB/s, 2 µs a step: a call of 1 MFLOP needs 10 µs, one of 1 MB 100 µs. */
static const SondeCeilings ceilings = { 100, 10, 2 };

/* What a step of the recording is made of. @category: of the span; @us: how long */
typedef struct
{
  const char *category, *name;
  gint64 us, flops, bytes;
  SondeStepPart part;
  gboolean is_copy, is_fallback;
} Piece;

static void
add_span (SondeTraceBuilder *builder, guint32 thread, const char *category, const char *name,
          gint64 start_ns, gint64 end_ns)
{
  static guint64 place;
  guint32 label = sonde_trace_builder_add_label (
      builder, sonde_trace_builder_add_text (builder, category, strlen (category)),
      sonde_trace_builder_add_text (builder, name, strlen (name)));

  sonde_trace_builder_add_span (builder, thread, label, start_ns, end_ns, place++);
}

/* @slow: step that takes ten times as long; -1: none */
static SondeTrace *
make_trace (const Piece *pieces, guint n, guint n_steps, int slow)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint32 thread
      = sonde_trace_builder_add_thread (builder, sonde_trace_builder_add_text (builder, "1", 1),
                                        sonde_trace_builder_add_text (builder, "1", 1), 0);
  gint64 at_ns = 0;

  sonde_trace_builder_set_producer (builder, "sonde");
  for (guint step = 0; step < n_steps; step++)
    {
      const gint64 start_ns = at_ns, factor = (int) step == slow ? 10 : 1;

      for (guint i = 0; i < n; i++)
        {
          add_span (builder, thread, pieces[i].category, pieces[i].name, at_ns,
                    at_ns + pieces[i].us * US * factor);
          at_ns += pieces[i].us * US * factor;
        }
      at_ns += 10 * US * factor; /* idle */
      add_span (builder, thread, "step", "step", start_ns, at_ns);
    }
  return sonde_trace_builder_finish (builder);
}

static SondeProfileFacts *
make_facts (const Piece *pieces, guint n)
{
  SondeProfileFacts *facts = sonde_profile_facts_new ("model");

  facts->ceilings = ceilings;
  for (guint i = 0; i < n; i++)
    {
      SondeOperatorFacts op = { .node = pieces[i].name,
                                .op = "MatMul",
                                .part = pieces[i].part,
                                .nodes = g_new0 (const char *, 1),
                                .flops = pieces[i].flops,
                                .bytes = pieces[i].bytes,
                                .is_copy = pieces[i].is_copy,
                                .is_fallback = pieces[i].is_fallback };

      if (strcmp (pieces[i].category, "op") == 0 || strcmp (pieces[i].category, "copy") == 0)
        g_array_append_val (facts->operators, op);
      else
        g_free ((void *) op.nodes);
    }
  return facts;
}

static const SondeProfileOperator *
find (const SondeProfile *profile, const char *node)
{
  for (guint i = 0; i < profile->operators->len; i++)
    if (g_strcmp0 (sonde_profile_get_operator (profile, i)->node, node) == 0)
      return sonde_profile_get_operator (profile, i);
  g_error ("no operator %s", node);
}

static const SondeAdvice *
find_advice (const SondeProfile *profile, SondeAdviceKind kind)
{
  for (guint i = 0; i < profile->advice->len; i++)
    if (((SondeAdvice *) g_ptr_array_index (profile->advice, i))->kind == kind)
      return g_ptr_array_index (profile->advice, i);
  return NULL;
}

static double
get_evidence (const SondeAdvice *advice, const char *key)
{
  for (guint i = 0; i < advice->evidence->len; i++)
    if (strcmp (g_array_index (advice->evidence, SondeEvidence, i).key, key) == 0)
      return g_array_index (advice->evidence, SondeEvidence, i).number;
  g_error ("no evidence %s", key);
}

/* The step takes 400 + 20 + 30 + 50 + 40 + 40 + 10 = 590 µs. */
static const Piece mixed[] = {
  { "op", "big", 400, 20000000, 1000, SONDE_STEP_PART_FORWARD }, /* needs 200 µs of arithmetic */
  { "op", "wide", 20, 1000, 150000, SONDE_STEP_PART_BACKWARD },  /* needs 15 µs of memory */
  { "op", "small", 30, 100, 100, SONDE_STEP_PART_OPTIMISER },    /* needs next to nothing */
  { "op", "reference", 50, 1000000, 1000, SONDE_STEP_PART_FORWARD, FALSE, TRUE },
  { "op", "reorder", 40, 0, 200000, SONDE_STEP_PART_FORWARD, TRUE },
  { "recording", "write", 40 },
};

static void
test_classes (void)
{
  g_autoptr (SondeProfile) profile
      = sonde_profile_new (make_trace (mixed, G_N_ELEMENTS (mixed), 8, -1),
                           make_facts (mixed, G_N_ELEMENTS (mixed)), NULL);
  const SondeProfileOperator *big = find (profile, "big");
  double sum = 0, parts = 0;

  g_assert_cmpint (profile->n_steps, ==, 8);
  g_assert_cmpint (profile->operators->len, ==, 5);
  g_assert_true (big == sonde_profile_get_operator (profile, 0));
  g_assert_cmpint (big->operator_class, ==, SONDE_OPERATOR_CLASS_COMPUTE);
  g_assert_cmpint (find (profile, "wide")->operator_class, ==, SONDE_OPERATOR_CLASS_BANDWIDTH);
  g_assert_cmpint (find (profile, "small")->operator_class, ==, SONDE_OPERATOR_CLASS_OVERHEAD);
  g_assert_cmpint (find (profile, "reference")->operator_class, ==, SONDE_OPERATOR_CLASS_FALLBACK);
  g_assert_cmpint (find (profile, "reorder")->operator_class, ==, SONDE_OPERATOR_CLASS_COPY);
  g_assert_cmpfloat_with_epsilon (big->gflops, 50, 1e-9);
  g_assert_cmpfloat_with_epsilon (big->limit_ns, 200 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (find (profile, "wide")->gbs, 7.5, 1e-9);
  for (guint i = 0; i < SONDE_OPERATOR_N_CLASSES; i++)
    sum += profile->class_ns[i];
  for (guint i = 0; i < SONDE_STEP_N_PARTS; i++)
    parts += profile->part_ns[i];
  g_assert_cmpfloat_with_epsilon (profile->wall_ns, 590 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (sum, profile->wall_ns, 1e-6);
  g_assert_cmpfloat_with_epsilon (parts, profile->wall_ns, 1e-6);
  g_assert_cmpfloat_with_epsilon (profile->class_ns[SONDE_OPERATOR_CLASS_IDLE], 50 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (profile->part_ns[SONDE_STEP_PART_FORWARD], 450 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (profile->part_ns[SONDE_STEP_PART_BACKWARD], 20 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (profile->part_ns[SONDE_STEP_PART_OPTIMISER], 30 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (profile->part_ns[SONDE_STEP_PART_COPY], 40 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (profile->part_ns[SONDE_STEP_PART_RECORDING], 40 * US, 1e-6);
}

static void
test_advice (void)
{
  g_autoptr (SondeProfile) profile
      = sonde_profile_new (make_trace (mixed, G_N_ELEMENTS (mixed), 8, -1),
                           make_facts (mixed, G_N_ELEMENTS (mixed)), NULL);
  const SondeAdvice *first = g_ptr_array_index (profile->advice, 0), *fallback, *copies;

  g_assert_cmpint (first->kind, ==, SONDE_ADVICE_DOMINANT_OP);
  g_assert_cmpstr (first->node, ==, "big");
  g_assert_cmpfloat_with_epsilon (first->gain_ns, 200 * US, 1e-6);
  g_assert_cmpfloat_with_epsilon (get_evidence (first, "limit_ms"), 0.2, 1e-9);
  g_assert_nonnull (strstr (sonde_message_get_english (first->message), "bound by arithmetic"));
  fallback = find_advice (profile, SONDE_ADVICE_FALLBACK);
  g_assert_nonnull (fallback);
  g_assert_cmpstr (fallback->node, ==, "reference");
  g_assert_cmpfloat_with_epsilon (fallback->gain_ns, 40 * US, 1e-6); /* 50 less 10 of arithmetic */
  copies = find_advice (profile, SONDE_ADVICE_COPIES);
  g_assert_nonnull (copies);
  g_assert_cmpfloat_with_epsilon (copies->share, 40.0 / 590, 1e-9);
  g_assert_nonnull (find_advice (profile, SONDE_ADVICE_RECORDING));
  g_assert_null (find_advice (profile, SONDE_ADVICE_OVERHEAD_BOUND));
  g_assert_null (find_advice (profile, SONDE_ADVICE_DATA_WAIT));
  g_assert_null (find_advice (profile, SONDE_ADVICE_UNEVEN_STEPS));
  g_assert_null (find_advice (profile, SONDE_ADVICE_MEMORY_PEAK));
  for (guint i = 1; i < profile->advice->len; i++)
    g_assert_cmpfloat (((SondeAdvice *) g_ptr_array_index (profile->advice, i - 1))->gain_ns, >=,
                       ((SondeAdvice *) g_ptr_array_index (profile->advice, i))->gain_ns);
}

static const SondeTraceDetail *
find_detail (const SondeProfile *profile, const char *node, const char *key)
{
  guint n;
  const SondeTraceDetail *details
      = sonde_trace_get_details (profile->trace, find (profile, node)->label, &n);

  for (guint i = 0; i < n; i++)
    if (strcmp (details[i].key, key) == 0)
      return &details[i];
  return NULL;
}

/* What goes along into files for other programs. */
static void
test_details (void)
{
  g_autoptr (SondeProfile) profile
      = sonde_profile_new (make_trace (mixed, G_N_ELEMENTS (mixed), 8, -1),
                           make_facts (mixed, G_N_ELEMENTS (mixed)), NULL);
  guint n;

  sonde_profile_add_details (profile);
  sonde_profile_add_details (profile); /* once */
  for (guint i = 0; i < 5; i++)
    {
      g_assert_cmpstr (find_detail (profile, mixed[i].name, "node")->text, ==, mixed[i].name);
      g_assert_cmpstr (find_detail (profile, mixed[i].name, "op_type")->text, ==, "MatMul");
      g_assert_cmpint (find_detail (profile, mixed[i].name, "flops")->number, ==, mixed[i].flops);
      g_assert_cmpint (find_detail (profile, mixed[i].name, "bytes")->number, ==, mixed[i].bytes);
      g_assert_null (find_detail (profile, mixed[i].name, "implementation"));
    }
  g_assert_cmpstr (find_detail (profile, "wide", "phase")->text, ==, "backward");
  for (guint i = 0; i < profile->trace->labels->len; i++)
    if (strcmp (sonde_trace_get_label (profile->trace, i)->category, "step") == 0)
      g_assert_null (sonde_trace_get_details (profile->trace, i, &n));
}

/* A wait of the loader's slowest stage, many small calls and one slow step. */
static void
test_waiting (void)
{
  static const Piece pieces[] = {
    { "wait", "batch", 100 },
    { "op", "tiny", 90, 10, 10, SONDE_STEP_PART_FORWARD },
  };
  SondeProfileFacts *facts = make_facts (pieces, G_N_ELEMENTS (pieces));
  const SondeStageFacts source = { "source", 900, 100, NAN, 1 }, map = { "map", 1600, 100, 0.5, 4 };
  g_autoptr (SondeProfile) profile = NULL;
  const SondeAdvice *wait, *overhead, *uneven;

  g_array_append_val (facts->stages, source);
  g_array_append_val (facts->stages, map);
  profile = sonde_profile_new (make_trace (pieces, G_N_ELEMENTS (pieces), 10, 7), facts, NULL);
  wait = find_advice (profile, SONDE_ADVICE_DATA_WAIT);
  g_assert_nonnull (wait);
  g_assert_cmpfloat_with_epsilon (wait->share, 0.5, 1e-9);
  g_assert_cmpstr (g_ptr_array_index (g_array_index (wait->evidence, SondeEvidence, 1).texts, 0),
                   ==, "source"); /* 900 ns; four workers of map need 400 each */
  overhead = find_advice (profile, SONDE_ADVICE_OVERHEAD_BOUND);
  g_assert_nonnull (overhead);
  g_assert_cmpfloat_with_epsilon (get_evidence (overhead, "calls"), 1, 1e-9);
  g_assert_cmpfloat_with_epsilon (get_evidence (overhead, "overhead_us"), 2, 1e-9);
  uneven = find_advice (profile, SONDE_ADVICE_UNEVEN_STEPS);
  g_assert_nonnull (uneven);
  for (guint i = 0; i < uneven->evidence->len; i++)
    {
      const SondeEvidence *evidence = &g_array_index (uneven->evidence, SondeEvidence, i);

      if (evidence->type != SONDE_EVIDENCE_STEPS)
        continue;
      g_assert_cmpint (evidence->steps->len, ==, 1);
      g_assert_cmpint (g_array_index (evidence->steps, guint, 0), ==, 7);
    }
}

/* Wall time as measured around the runs counts; what the spans leave is idle. */
static void
test_runs (void)
{
  SondeProfileFacts *facts = make_facts (mixed, G_N_ELEMENTS (mixed));
  g_autoptr (SondeProfile) profile = NULL;
  g_autoptr (JsonNode) json = NULL;
  JsonObject *object;

  for (guint i = 0; i < 8; i++)
    {
      double ns = (600 + i) * US;

      g_array_append_val (facts->run_ns, ns);
    }
  facts->device = sonde_profile_facts_keep (facts, "cpu");
  profile = sonde_profile_new (make_trace (mixed, G_N_ELEMENTS (mixed), 8, -1), facts, NULL);
  json = sonde_profile_to_json (profile, NULL, NULL);
  object = json_node_get_object (json);
  g_assert_cmpstr (json_object_get_string_member (object, "kind"), ==, "model");
  g_assert_cmpstr (json_object_get_string_member (object, "device"), ==, "cpu");
  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (object, "wall_ms"), 0.6035, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      json_object_get_double_member (json_object_get_object_member (object, "run_ms"), "min"), 0.6,
      1e-9);
  g_assert_cmpfloat_with_epsilon (
      json_object_get_double_member (json_object_get_object_member (object, "classes"), "idle"),
      0.0635, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      json_object_get_double_member (json_object_get_object_member (object, "split"), "other_ms"),
      0.0235, 1e-9);
  g_assert_true (json_object_get_null_member (object, "compare"));
}

/* The page of an own recording: classes, rates, memory of the plan. */
static void
test_report (void)
{
  SondeProfileFacts *facts = make_facts (mixed, G_N_ELEMENTS (mixed));
  g_autofree char *folder = g_dir_make_tmp ("sonde-report-XXXXXX", NULL), *path = NULL,
                  *page = NULL;
  g_autoptr (SondeProfile) profile = NULL;
  g_autoptr (GError) error = NULL;

  facts->memory.n_steps = 3;
  facts->memory.held_bytes = g_new0 (guint64, 3);
  facts->memory.held_bytes[1] = facts->memory.peak_bytes = 3 << 20;
  facts->memory.lifetimes = g_array_new (FALSE, TRUE, sizeof (SondeLifetime));
  profile = sonde_profile_new (make_trace (mixed, G_N_ELEMENTS (mixed), 8, -1), facts, NULL);
  path = g_build_filename (folder, "page.html", NULL);
  sonde_profile_report_write (profile, NULL, "a <model>", path, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &page, NULL, NULL));
  g_assert_nonnull (strstr (page, "<h1>a &lt;model&gt;</h1>"));
  g_assert_nonnull (strstr (page, "What bounds the operators"));
  g_assert_nonnull (strstr (page, "<td>compute</td><td class=\"n\">50.0</td>"));
  g_assert_nonnull (strstr (page, "At most 3 MiB of memory"));
  g_remove (path);
  g_rmdir (folder);
}

/* A node that was renamed is the same by type, scope and position. */
static void
test_positions (void)
{
  static const Piece before[] = {
    { "op", "net/a", 10, 1, 1, SONDE_STEP_PART_FORWARD },
    { "op", "net/b", 20, 1, 1, SONDE_STEP_PART_FORWARD },
    { "op", "other/c", 30, 1, 1, SONDE_STEP_PART_FORWARD },
  };
  static const Piece after[] = {
    { "op", "net/a", 10, 1, 1, SONDE_STEP_PART_FORWARD },
    { "op", "net/renamed", 40, 1, 1, SONDE_STEP_PART_FORWARD },
    { "op", "elsewhere/c", 30, 1, 1, SONDE_STEP_PART_FORWARD },
  };
  g_autoptr (SondeProfile) base
      = sonde_profile_new (make_trace (before, 3, 8, -1), make_facts (before, 3), NULL);
  g_autoptr (SondeProfile) other
      = sonde_profile_new (make_trace (after, 3, 8, -1), make_facts (after, 3), NULL);
  g_autoptr (SondeProfileComparison) comparison = sonde_profile_comparison_new (base, other);
  guint n_both = 0;

  g_assert_cmpint (comparison->operators->len, ==, 4);
  g_assert_true (comparison->too_few_steps);
  for (guint i = 0; i < comparison->operators->len; i++)
    {
      const SondeComparedOperator *op
          = &g_array_index (comparison->operators, SondeComparedOperator, i);

      if (op->base_op == NULL || op->other_op == NULL)
        continue;
      n_both++;
      if (strcmp (op->base_op->node, "net/b") == 0)
        {
          g_assert_cmpstr (op->other_op->node, ==, "net/renamed");
          g_assert_cmpfloat_with_epsilon (op->ratio, 2, 1e-9);
          g_assert_true (op->significant);
        }
    }
  g_assert_cmpint (n_both, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/advice/classes", test_classes);
  g_test_add_func ("/data/profiles/advice/advice", test_advice);
  g_test_add_func ("/data/profiles/advice/details", test_details);
  g_test_add_func ("/data/profiles/advice/waiting", test_waiting);
  g_test_add_func ("/data/profiles/advice/runs", test_runs);
  g_test_add_func ("/data/profiles/advice/report", test_report);
  g_test_add_func ("/data/profiles/advice/positions", test_positions);
  return g_test_run ();
}
