/* SPDX-License-Identifier: Apache-2.0
 * The memory of values whose sizes only the run knows: of Loop with a growing scan output, If in a Loop, Scan,
 * NonZero, sequences and strings; what is said of the peak against what was really taken, and who is said to
 * hold it. */
#include "engine/profile/sonde-memory-timeline.h"

#include <math.h>
#include <string.h>

#include "engine/ops/sonde-build.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/plan/sonde-execution-spans.h"
#include "engine/plan/sonde-run-notes.h"
#include "tests/engine/plan/graph-lines.h"
#include "tests/engine/profile/allocation-counter.h"

#define SIDE 256
#define VALUE_BYTES (SIDE * SIDE * sizeof (float))

/* ---- graphs ------------------------------------------------------------------ */

static SondeType
tensor_type (SondeDtype dtype, int rank, const gint64 *dims)
{
  SondeShape shape = { .rank = rank };

  memcpy (shape.dims, dims, (gsize) rank * sizeof *dims);
  return sonde_type_tensor (dtype, &shape);
}

static SondeType
scalar_type (SondeDtype dtype)
{
  return tensor_type (dtype, 0, (const gint64[]){ 0 });
}

static SondeGraph *
graph_with_input (const char *name, gint64 rows, gint64 columns, SondeGraphValue **x)
{
  SondeGraph *graph = sonde_graph_new (name);
  SondeType type = tensor_type (SONDE_DTYPE_F32, 2, (const gint64[]){ rows, columns });

  sonde_graph_set_opset (graph, "", 21);
  *x = sonde_graph_add_input (graph, "x", &type);
  return graph;
}

static SondeGraphValue *
named (SondeGraph *graph, SondeGraphValue *value, const char *name)
{
  sonde_graph_rename_value (graph, value, name);
  return value;
}

static SondeGraphValue *
integer (SondeGraph *graph, gint64 number)
{
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_i64 (number);

  return sonde_build_constant (graph, NULL, tensor);
}

static SondeGraph *
begin_body (SondeGraph *graph, SondeGraphValue **iteration, SondeGraphValue **condition,
            SondeGraphValue **carried)
{
  SondeGraph *body = sonde_graph_new_subgraph (graph, "body");
  SondeType number = scalar_type (SONDE_DTYPE_I64), yes = scalar_type (SONDE_DTYPE_BOOL);

  *iteration = sonde_graph_add_input (body, "iteration", &number);
  *condition = sonde_graph_add_input (body, "condition", &yes);
  *carried = sonde_graph_add_input (body, "carried", NULL);
  sonde_graph_add_output (body, *condition);
  return body;
}

static SondeNode *
add_loop (SondeGraph *graph, gint64 n, SondeGraphValue *initial, SondeGraph *body, guint n_outputs)
{
  SondeGraphValue *inputs[] = { integer (graph, n), NULL, initial };
  SondeNode *node = sonde_graph_add_node (graph, "loop", "", "Loop", inputs, 3, n_outputs);

  sonde_node_take_graph (node, "body", body);
  return node;
}

/* 20 times: h ← Softmax (Tanh (h)), collected: 20 × 256 KiB, in room for 32. */
static SondeGraph *
collecting_graph (void)
{
  SondeGraphValue *x, *i, *condition, *h;
  SondeGraph *graph = graph_with_input ("collecting", SIDE, SIDE, &x), *body;
  SondeNode *loop;

  body = begin_body (graph, &i, &condition, &h);
  h = named (body, sonde_build_unary (body, "Tanh", h), "tanh");
  h = named (body, sonde_build_unary (body, "Softmax", h), "next");
  sonde_graph_add_output (body, h);
  sonde_graph_add_output (body, h);
  loop = add_loop (graph, 20, x, body, 2);
  named (graph, sonde_node_get_output (loop, 0), "last");
  named (graph, sonde_node_get_output (loop, 1), "all");
  h = sonde_build_unary (graph, "Relu", sonde_node_get_output (loop, 1));
  sonde_graph_add_output (graph, named (graph, h, "y"));
  sonde_graph_add_output (graph, sonde_node_get_output (loop, 0));
  return graph;
}

/* What @op makes of the captured "carried", @n times over. */
static SondeGraph *
branch (SondeGraph *graph, const char *name, const char *op, guint n)
{
  SondeGraph *body = sonde_graph_new_subgraph (graph, name);
  SondeGraphValue *h = sonde_graph_capture_value (body, "carried");

  for (guint i = 0; i < n; i++)
    h = sonde_build_unary (body, op, h);
  sonde_graph_add_output (body, h);
  return body;
}

/* 6 times: If (i < 3) Relu (h), else three times Softmax. */
static SondeGraph *
choosing_graph (void)
{
  SondeGraphValue *x, *i, *condition, *h, *early;
  SondeGraph *graph = graph_with_input ("choosing", SIDE, SIDE, &x), *body;
  SondeNode *choose, *loop;

  body = begin_body (graph, &i, &condition, &h);
  early = sonde_build_binary (body, "Less", i, integer (body, 3));
  choose = sonde_graph_add_node (body, "choose", "", "If", &early, 1, 1);
  sonde_node_take_graph (choose, "then_branch", branch (body, "then_branch", "Relu", 1));
  sonde_node_take_graph (choose, "else_branch", branch (body, "else_branch", "Softmax", 3));
  h = named (body, sonde_node_get_output (choose, 0), "next");
  sonde_graph_add_output (body, h);
  loop = add_loop (graph, 6, x, body, 1);
  sonde_graph_add_output (graph, named (graph, sonde_node_get_output (loop, 0), "y"));
  return graph;
}

/* A state of 64 KiB, summed over 16 entries of x, and what follows from each sum collected. */
static SondeGraph *
scanning_graph (void)
{
  g_autoptr (SondeTensor) start = graph_lines_random ("16384");
  SondeGraphValue *x, *inputs[2], *entry, *state, *sum;
  SondeGraph *graph = graph_with_input ("scanning", 16, 64 * SIDE, &x), *body;
  SondeNode *scan;

  body = sonde_graph_new_subgraph (graph, "body");
  state = sonde_graph_add_input (body, "state", NULL);
  entry = sonde_graph_add_input (body, "entry", NULL);
  sum = named (body, sonde_build_binary (body, "Add", state, entry), "sum");
  sonde_graph_add_output (body, sum);
  sonde_graph_add_output (body, named (body, sonde_build_unary (body, "Softmax", sum), "part"));
  inputs[0] = sonde_build_constant (graph, "start", start);
  inputs[1] = x;
  scan = sonde_graph_add_node (graph, "scan", "", "Scan", inputs, 2, 2);
  sonde_node_set_int (scan, "num_scan_inputs", 1);
  sonde_node_take_graph (scan, "body", body);
  sonde_graph_add_output (graph, named (graph, sonde_node_get_output (scan, 0), "total"));
  sonde_graph_add_output (graph, named (graph, sonde_node_get_output (scan, 1), "y"));
  return graph;
}

/* Where x > 0: [2, n], as floats, twice as much for a while; n is known only in the run. */
static SondeGraph *
searching_graph (void)
{
  SondeGraphValue *x, *found;
  SondeGraph *graph = graph_with_input ("searching", SIDE, SIDE, &x);

  found = named (graph, sonde_build_unary (graph, "NonZero", sonde_build_unary (graph, "Relu", x)),
                 "found");
  found = named (graph, sonde_build_cast (graph, found, SONDE_DTYPE_F32), "numbers");
  found = named (graph, sonde_build_unary (graph, "Neg", found), "negative");
  found = named (graph, sonde_build_unary (graph, "Exp", found), "y");
  sonde_graph_add_output (graph, found);
  return graph;
}

/* 10 times: a sequence with one more value each time. */
static SondeGraph *
listing_graph (void)
{
  SondeGraphValue *x, *i, *condition, *list, *pair[2], *empty;
  SondeGraph *graph = graph_with_input ("listing", SIDE, SIDE, &x), *body;
  SondeNode *loop;

  body = begin_body (graph, &i, &condition, &list);
  pair[0] = list;
  pair[1] = sonde_build_binary (body, "Mul", sonde_graph_capture_value (body, "x"),
                                sonde_build_cast (body, i, SONDE_DTYPE_F32));
  list = sonde_node_get_output (
      sonde_graph_add_node (body, "insert", "", "SequenceInsert", pair, 2, 1), 0);
  sonde_graph_add_output (body, named (body, list, "longer"));
  empty = sonde_node_get_output (
      sonde_graph_add_node (graph, "empty", "", "SequenceEmpty", NULL, 0, 1), 0);
  loop = add_loop (graph, 10, empty, body, 1);
  pair[0] = named (graph, sonde_node_get_output (loop, 0), "list");
  list = sonde_node_get_output (
      sonde_graph_add_node (graph, "join", "", "ConcatFromSequence", pair, 1, 1), 0);
  sonde_node_set_int (list->producer, "axis", 0);
  sonde_graph_add_output (graph, named (graph, list, "y"));
  return graph;
}

static SondeGraphValue *
add_list_node (SondeGraph *graph, const char *op, SondeGraphValue *list, SondeGraphValue *item)
{
  SondeGraphValue *inputs[] = { list, item };

  return sonde_node_get_output (
      sonde_graph_add_node (graph, NULL, "", op, inputs, item != NULL ? 2 : 1, 1), 0);
}

/* 8 times: two lists that go on from one, each with a value of its own; the first is thrown away, the second loses its
 * first value in every run but the first and gets another one. */
static SondeGraph *
branching_graph (void)
{
  SondeGraphValue *x, *i, *condition, *list, *item, *first, *second, *pair[2], *empty;
  SondeGraph *graph = graph_with_input ("branching", SIDE, SIDE, &x), *body;
  SondeNode *loop;

  body = begin_body (graph, &i, &condition, &list);
  item = sonde_build_binary (body, "Mul", sonde_graph_capture_value (body, "x"),
                             sonde_build_cast (body, i, SONDE_DTYPE_F32));
  first = add_list_node (body, "SequenceInsert", list, sonde_build_unary (body, "Neg", item));
  second = add_list_node (body, "SequenceInsert", list, item);
  second = add_list_node (body, "SequenceInsert", second, sonde_build_unary (body, "Abs", item));
  second = add_list_node (body, "SequenceErase", second, integer (body, 0));
  second = add_list_node (body, "SequenceInsert", second,
                          add_list_node (body, "SequenceAt", first, integer (body, -1)));
  sonde_graph_add_output (body, named (body, second, "next"));
  empty = sonde_node_get_output (
      sonde_graph_add_node (graph, "empty", "", "SequenceEmpty", NULL, 0, 1), 0);
  loop = add_loop (graph, 8, empty, body, 1);
  pair[0] = named (graph, sonde_node_get_output (loop, 0), "list");
  list = sonde_node_get_output (
      sonde_graph_add_node (graph, "join", "", "ConcatFromSequence", pair, 1, 1), 0);
  sonde_node_set_int (list->producer, "axis", 0);
  sonde_graph_add_output (graph, named (graph, list, "y"));
  return graph;
}

/* ---- running ------------------------------------------------------------------- */

/* A model that ran, once before and twice while somebody recorded. */
typedef struct
{
  SondeExecution *execution;
  SondeSpanLog *log;
  SondeProfileFacts *facts;
  guint64 taken;
} Fixture;

static void
run_once (SondeExecution *execution)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

static void
give_random (SondeExecution *execution)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  const SondeGraphValue *x = g_ptr_array_index (graph->inputs, 0);
  g_autofree char *shape
      = g_strdup_printf ("%" PRIi64 "x%" PRIi64, x->type.dims[0].size, x->type.dims[1].size);
  g_autoptr (SondeTensor) tensor = graph_lines_random (shape);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (execution, "x", tensor, &error);
  g_assert_no_error (error);
}

static void
make_execution (Fixture *fixture, SondeGraph *original)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  g_autoptr (SondeDevice) device = allocation_counter_open ();
  g_autoptr (SondePlan) plan = NULL;

  g_assert_no_error (error);
  plan = sonde_plan_new (graph, device, NULL, &error);
  g_assert_no_error (error);
  fixture->execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
}

static void
open_fixture (Fixture *fixture, SondeGraph *original)
{
  make_execution (fixture, original);
  give_random (fixture->execution);
  run_once (fixture->execution);
}

static void
record (Fixture *fixture, guint n)
{
  fixture->log = sonde_span_log_new ();
  sonde_execution_set_spans (fixture->execution, fixture->log, TRUE);
  sonde_span_log_start (fixture->log, NULL);
  for (guint i = 0; i < n; i++)
    run_once (fixture->execution);
  sonde_span_log_stop (fixture->log);
}

static void
look (Fixture *fixture)
{
  fixture->facts = sonde_profile_facts_new ("model");
  sonde_memory_timeline_of_plan (fixture->facts, sonde_execution_get_plan (fixture->execution),
                                 fixture->execution);
}

static void
fixture_init (Fixture *fixture, SondeGraph *original)
{
  *fixture = (Fixture){ NULL };
  open_fixture (fixture, original);
  allocation_counter_begin ();
  record (fixture, 2);
  fixture->taken = allocation_counter_get_most ();
  look (fixture);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_profile_facts_free (fixture->facts);
  sonde_execution_free (fixture->execution);
  sonde_span_log_unref (fixture->log);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

/* ---- what always holds ------------------------------------------------------------ */

static const SondeLifetime *
lifetime_at (const SondeMemoryTimeline *timeline, guint i)
{
  return &g_array_index (timeline->lifetimes, SondeLifetime, i);
}

static void
print_timeline (const SondeMemoryTimeline *timeline)
{
  for (guint k = 0; k < timeline->n_steps; k++)
    g_test_message ("%u %s: %" PRIu64 "%s", k, timeline->steps[k], timeline->held_bytes[k],
                    k == timeline->peak_step ? " (peak)" : "");
  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *life = lifetime_at (timeline, i);

      g_test_message ("%s [%s] %s, %s: %" PRIu64 " from %u to %u%s", life->value,
                      sonde_memory_kind_get_name (life->kind), life->node, life->scope, life->bytes,
                      life->from, life->until, life->is_measured ? ", measured" : "");
    }
}

/* No two values that live in one step lie over each other, and they sum to what is held, or less. */
static void
check_step (const SondeMemoryTimeline *timeline, guint step)
{
  guint64 by_kind[SONDE_MEMORY_N_KINDS], sum = 0, lives = 0;

  sonde_memory_timeline_count (timeline, step, by_kind);
  for (guint i = 0; i < SONDE_MEMORY_N_KINDS; i++)
    sum += by_kind[i];
  g_assert_cmpuint (sum, ==, timeline->held_bytes[step]);
  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *a = lifetime_at (timeline, i);

      if (a->from > step || a->until < step)
        continue;
      lives += a->bytes;
      for (guint j = 0; j < i; j++)
        {
          const SondeLifetime *b = lifetime_at (timeline, j);

          if (b->from <= step && b->until >= step && a->offset < b->offset + b->bytes
              && b->offset < a->offset + a->bytes)
            g_error ("step %u: “%s” lies over “%s”", step, a->value, b->value);
        }
    }
  g_assert_cmpuint (lives, <=, timeline->held_bytes[step]);
}

static void
check_timeline (const Fixture *fixture)
{
  const SondeMemoryTimeline *timeline = &fixture->facts->memory;

  print_timeline (timeline);
  for (guint k = 0; k < timeline->n_steps; k++)
    check_step (timeline, k);
  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *life = lifetime_at (timeline, i);

      g_assert_cmpuint (life->from, <=, life->until);
      g_assert_cmpuint (life->until, <, timeline->n_steps);
      g_assert_true (i == 0 || lifetime_at (timeline, i - 1)->from <= life->from);
    }
  g_assert_cmpuint (timeline->held_bytes[timeline->peak_step], ==, timeline->peak_bytes);
  g_test_message ("said %" PRIu64 ", taken %" PRIu64, timeline->peak_bytes, fixture->taken);
  g_assert_cmpfloat (fabs ((double) timeline->peak_bytes / (double) fixture->taken - 1), <=, 0.01);
}

/* Bytes of @value in step @step. */
static guint64
count_in (const Fixture *fixture, guint step, const char *value)
{
  const SondeMemoryTimeline *timeline = &fixture->facts->memory;
  guint64 bytes = 0;

  for (guint i = 0; i < timeline->lifetimes->len; i++)
    {
      const SondeLifetime *life = lifetime_at (timeline, i);

      if (life->from <= step && life->until >= step && g_str_equal (life->value, value))
        bytes += life->bytes;
    }
  return bytes;
}

/* Of those that live at the peak. */
static guint64
count_alive (const Fixture *fixture, const char *value)
{
  return count_in (fixture, fixture->facts->memory.peak_step, value);
}

static const char *
peak_of (const Fixture *fixture)
{
  return fixture->facts->memory.steps[fixture->facts->memory.peak_step];
}

static const SondeBodyMemory *
find_body (const Fixture *fixture, const char *name)
{
  const GArray *bodies = fixture->facts->memory.bodies;

  for (guint i = 0; i < bodies->len; i++)
    if (g_str_equal (g_array_index (bodies, SondeBodyMemory, i).body, name))
      return &g_array_index (bodies, SondeBodyMemory, i);
  g_error ("no body “%s”", name);
}

/* ---- tests --------------------------------------------------------------------------- */

static void
test_collecting (void)
{
  g_autoptr (SondeGraph) graph = collecting_graph ();
  g_auto (Fixture) fixture = { NULL };
  const SondeBodyMemory *body;

  fixture_init (&fixture, graph);
  check_timeline (&fixture);
  body = find_body (&fixture, "loop/body");
  g_assert_cmpuint (body->n_runs, ==, 20);
  /* from the first, which collects into room for 8, to the one that doubles it for the second time */
  g_assert_cmpuint (body->shown, ==, 16);
  g_assert_cmpuint (body->most_bytes - body->least_bytes, ==, (32 - 8) * VALUE_BYTES);
  g_assert_cmpuint (count_alive (&fixture, "collected(loop/body)"), ==, 32 * VALUE_BYTES);
  g_assert_cmpstr (peak_of (&fixture), ==, "loop");
}

static void
test_choosing (void)
{
  g_autoptr (SondeGraph) graph = choosing_graph ();
  g_auto (Fixture) fixture = { NULL };

  fixture_init (&fixture, graph);
  check_timeline (&fixture);
  g_assert_cmpuint (find_body (&fixture, "loop/body")->n_runs, ==, 6);
  g_assert_cmpuint (find_body (&fixture, "loop/body/choose/then_branch")->n_runs, ==, 1);
  g_assert_cmpstr (peak_of (&fixture), ==, "loop/body/choose");
  g_assert_cmpuint (count_alive (&fixture, "loop/body/next"), ==, VALUE_BYTES);
  g_assert_cmpuint (count_alive (&fixture, "carried(loop/body)"), ==, VALUE_BYTES);
}

static void
test_scanning (void)
{
  g_autoptr (SondeGraph) graph = scanning_graph ();
  g_auto (Fixture) fixture = { NULL };

  fixture_init (&fixture, graph);
  check_timeline (&fixture);
  g_assert_cmpuint (find_body (&fixture, "scan/body")->n_runs, ==, 16);
  g_assert_cmpuint (count_alive (&fixture, "collected(scan/body)"), ==, 16 * 4 * VALUE_BYTES / 16);
}

static void
test_searching (void)
{
  g_autoptr (SondeGraph) graph = searching_graph ();
  g_auto (Fixture) fixture = { NULL };

  fixture_init (&fixture, graph);
  check_timeline (&fixture);
  g_assert_cmpstr (peak_of (&fixture), ==, "NonZero");
  g_assert_cmpuint (count_alive (&fixture, "found"), >, VALUE_BYTES);
}

static void
test_listing (void)
{
  g_autoptr (SondeGraph) graph = listing_graph ();
  g_auto (Fixture) fixture = { NULL };

  fixture_init (&fixture, graph);
  check_timeline (&fixture);
  g_assert_cmpuint (find_body (&fixture, "loop/body")->n_runs, ==, 10);
  g_assert_cmpuint (count_alive (&fixture, "list"), ==, 10 * VALUE_BYTES);
  g_assert_cmpuint (count_alive (&fixture, "y"), ==, 10 * VALUE_BYTES);
  /* in the last run of the body, which adds one to nine */
  g_assert_cmpuint (find_body (&fixture, "loop/body")->shown, ==, 9);
  g_assert_cmpuint (count_in (&fixture, 2, "carried(loop/body)"), ==, 9 * VALUE_BYTES);
  g_assert_cmpuint (count_in (&fixture, 3, "loop/body/longer"), ==, VALUE_BYTES);
}

static void
test_branching (void)
{
  g_autoptr (SondeGraph) graph = branching_graph ();
  g_auto (Fixture) fixture = { NULL };

  fixture_init (&fixture, graph);
  check_timeline (&fixture);
  g_assert_cmpuint (count_alive (&fixture, "list"), ==, 16 * VALUE_BYTES);
}

/* Strings count with their bytes, and each once though it is in several lists. */
static void
test_strings (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("strings");
  const gint64 n = 1000;
  SondeType type = tensor_type (SONDE_DTYPE_STRING, 1, &n);
  SondeGraphValue *texts[2], *joined;
  g_autofree char **content = g_new0 (char *, n);
  g_autoptr (SondeTensor) tensor = NULL;
  g_autoptr (SondeValue) value = NULL;
  g_auto (Fixture) fixture = { NULL };
  g_autoptr (GError) error = NULL;
  SondeShape shape;

  sonde_graph_set_opset (graph, "", 21);
  texts[0] = texts[1] = sonde_graph_add_input (graph, "texts", &type);
  joined = sonde_node_get_output (
      sonde_graph_add_node (graph, "join", "", "StringConcat", texts, 2, 1), 0);
  sonde_graph_add_output (graph, named (graph, joined, "twice"));
  for (gint64 i = 0; i < n; i++)
    content[i] = (char *) "a text of 24 bytes......";
  sonde_type_get_shape (&type, &shape);
  tensor = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, content);
  value = sonde_value_new_tensor (tensor);
  make_execution (&fixture, graph);
  sonde_execution_set_input_value (fixture.execution, "texts", value, &error);
  g_assert_no_error (error);
  record (&fixture, 1);
  look (&fixture);
  g_assert_cmpuint (count_alive (&fixture, "texts"), ==, 1000 * (8 + 25));
  g_assert_cmpuint (count_alive (&fixture, "twice"), ==, 1000 * (8 + 49));
}

/* What was recorded before is forgotten when another recording begins, and runs that nobody records cost and tell
 * nothing. */
static void
test_recordings (void)
{
  g_autoptr (SondeGraph) graph = collecting_graph ();
  g_auto (Fixture) fixture = { NULL };

  open_fixture (&fixture, graph);
  g_assert_null (sonde_execution_get_run_notes (fixture.execution));
  record (&fixture, 1);
  g_assert_nonnull (sonde_execution_get_run_notes (fixture.execution));
  run_once (fixture.execution);
  sonde_span_log_start (fixture.log, NULL);
  run_once (fixture.execution);
  sonde_span_log_stop (fixture.log);
  g_assert_cmpuint (sonde_execution_get_run_notes (fixture.execution)->bodies[0]->n_runs, ==, 20);
}

/* ---- somebody looks on ----------------------------------------------------------------- */

/* Reads all there is after each step, in bodies too; @pauses there. */
typedef struct
{
  SondeObserver observer;
  gboolean pauses;
  guint n_read;
} Reader;

static guint
want_after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_AFTER;
}

static SondeAnswer
read_all (SondeObserver *observer, SondeExecution *execution, guint step)
{
  Reader *reader = (Reader *) observer;
  GPtrArray *values = sonde_plan_get_graph (sonde_execution_get_plan (execution))->values;

  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      g_autoptr (SondeValue) content = NULL;

      if (value != NULL && sonde_execution_is_available (execution, value))
        content = sonde_execution_read_value (execution, value, NULL);
      reader->n_read += content != NULL;
    }
  return reader->pauses ? SONDE_ANSWER_PAUSE : SONDE_ANSWER_CONTINUE;
}

/* Runs to the end, however often it pauses. Returns: how often it did */
static guint
run_through (SondeExecution *execution)
{
  g_autoptr (GError) error = NULL;
  guint n = 0;

  while (sonde_execution_run (execution, &error) == SONDE_RUN_PAUSED)
    n++;
  g_assert_no_error (error);
  return n;
}

/* Who looks takes nothing of the run's; a run that pauses is left out, and the next is counted as if it had never
 * been. */
static void
test_watched (void)
{
  SondeGraph *(*const makers[]) (void) = { collecting_graph, choosing_graph, scanning_graph,
                                           searching_graph,  listing_graph,  branching_graph };

  for (gsize i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      g_autoptr (SondeGraph) graph = makers[i]();
      g_auto (Fixture) alone = { NULL }, fixture = { NULL };
      Reader reader = { .observer = { .wants = want_after, .after = read_all, .nested = TRUE },
                        .pauses = TRUE };

      fixture_init (&alone, graph);
      open_fixture (&fixture, graph);
      fixture.log = sonde_span_log_new ();
      sonde_execution_set_spans (fixture.execution, fixture.log, TRUE);
      sonde_execution_add_observer (fixture.execution, &reader.observer);
      sonde_span_log_start (fixture.log, NULL);
      g_assert_cmpuint (run_through (fixture.execution), >=, 3);
      g_assert_null (sonde_execution_get_run_notes (fixture.execution));
      reader.pauses = FALSE;
      run_once (fixture.execution);
      g_assert_cmpuint (reader.n_read, >, 10);
      look (&fixture);
      g_assert_cmpuint (sonde_execution_get_run_notes (fixture.execution)->most, ==,
                        sonde_execution_get_run_notes (alone.execution)->most);
      sonde_execution_remove_observer (fixture.execution, &reader.observer);
    }
}

/* A run that fails in a body, or is given up there, leaves nothing behind. */
static void
test_failed (void)
{
  g_autoptr (SondeGraph) graph = listing_graph ();
  g_auto (Fixture) alone = { NULL }, fixture = { NULL };
  g_autoptr (GError) error = NULL;

  fixture_init (&alone, graph);
  open_fixture (&fixture, graph);
  record (&fixture, 0);
  sonde_span_log_start (fixture.log, NULL);
  sonde_execution_set_memory_limit (fixture.execution, 6 * VALUE_BYTES);
  g_assert_cmpint (sonde_execution_run (fixture.execution, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
  g_assert_null (sonde_execution_get_run_notes (fixture.execution));
  sonde_execution_set_memory_limit (fixture.execution, G_MAXUINT64);
  run_once (fixture.execution);
  g_assert_cmpuint (sonde_execution_get_run_notes (fixture.execution)->most, ==,
                    sonde_execution_get_run_notes (alone.execution)->most);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/profile/run-memory/collecting", test_collecting);
  g_test_add_func ("/engine/profile/run-memory/choosing", test_choosing);
  g_test_add_func ("/engine/profile/run-memory/scanning", test_scanning);
  g_test_add_func ("/engine/profile/run-memory/searching", test_searching);
  g_test_add_func ("/engine/profile/run-memory/listing", test_listing);
  g_test_add_func ("/engine/profile/run-memory/branching", test_branching);
  g_test_add_func ("/engine/profile/run-memory/strings", test_strings);
  g_test_add_func ("/engine/profile/run-memory/recordings", test_recordings);
  g_test_add_func ("/engine/profile/run-memory/watched", test_watched);
  g_test_add_func ("/engine/profile/run-memory/failed", test_failed);
  return g_test_run ();
}
