/* SPDX-License-Identifier: Apache-2.0
 * Stopping, stepping and looking inside bodies of Loop, Scan and If, and random walks through
 * them. */
#include <string.h>

#include "data/base/sonde-random.h"
#include "tests/engine/debug/nested-net.h"

/* "outer:1 inner:0 mul 1": loops with their iterations, the node, its position */
static char *
describe (NestedNet *net)
{
  g_autoptr (GPtrArray) frames = sonde_debugger_get_frames (net->debugger);
  GString *text = g_string_new (NULL);

  for (guint k = frames->len; k > 0; k--)
    {
      const SondeFrame *frame = g_ptr_array_index (frames, k - 1);

      if (frame->kind == SONDE_FRAME_BODY && frame->iteration >= 0)
        g_string_append_printf (text, "%s:%" G_GINT64_FORMAT " ", frame->node, frame->iteration);
      else if (frame->kind != SONDE_FRAME_GRAPH)
        g_string_append_printf (text, "%s/%s ", frame->node, frame->body);
      if (k == 1)
        g_string_append_printf (text, "%s%s %u",
                                frame->moment == SONDE_MOMENT_AFTER ? "after " : "", frame->at,
                                frame->position);
    }
  return g_string_free (text, FALSE);
}

#define assert_place(net, reason_, text_)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    SondeStop stop_;                                                                               \
    g_autofree char *place_ = describe (net);                                                      \
    sonde_debugger_get_stop ((net)->debugger, &stop_);                                             \
    g_assert_cmpstr (place_, ==, (text_));                                                         \
    g_assert_cmpstr (sonde_stop_reason_name (stop_.reason), ==, (reason_));                        \
  }                                                                                                \
  G_STMT_END

static guint
add_breakpoint (NestedNet *net, const char *pattern, SondeMoment moment)
{
  const SondeBreakpointSpec spec = { .pattern = pattern, .moment = moment };
  g_autoptr (GError) error = NULL;
  const SondeBreakpoint *breakpoint = sonde_debugger_add_breakpoint (net->debugger, &spec, &error);

  g_assert_no_error (error);
  return breakpoint->id;
}

static double
read_number (NestedNet *net, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  SondeGraphValue *value
      = sonde_debugger_find_value (net->debugger, text, &execution, &slice, &error);
  g_autoptr (SondeTensor) tensor = NULL;

  g_assert_no_error (error);
  tensor = sonde_execution_read (execution, value, &error);
  g_assert_no_error (error);
  return sonde_tensor_get_double (tensor, 0);
}

/* One command and where it leads. */
typedef struct
{
  SondeResumeKind kind;
  guint64 count;
  const char *target;
  const char *place; /* NULL: the end */
} Move;

static void
walk (NestedNet *net, const Move *moves, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      SondeRunResult result
          = nested_net_resume (net, moves[i].kind, moves[i].count, moves[i].target, NULL);

      g_assert_cmpint (result, ==, moves[i].place != NULL ? SONDE_RUN_PAUSED : SONDE_RUN_DONE);
      if (moves[i].place != NULL)
        assert_place (net,
                      moves[i].kind == SONDE_RESUME_UNTIL && g_strcmp0 (moves[i].target, "end") != 0
                          ? "until"
                          : "step",
                      moves[i].place);
    }
}

/* ---- stepping ------------------------------------------------------------ */

static void
test_into_and_out (void)
{
  static const Move moves[] = {
    { SONDE_RESUME_STEP, 1, NULL, "outer 1" },
    { SONDE_RESUME_INTO, 1, NULL, "outer:0 twice 0" },
    { SONDE_RESUME_STEP, 1, NULL, "outer:0 inner 1" },
    { SONDE_RESUME_INTO, 1, NULL, "outer:0 inner:0 cast 0" },
    { SONDE_RESUME_STEP, 2, NULL, "outer:0 inner:0 add 2" },
    { SONDE_RESUME_STEP, 1, NULL, "outer:0 inner:1 cast 0" }, /* the next iteration */
    { SONDE_RESUME_STEP, 3, NULL, "outer:0 after 2" },        /* the node behind the loop */
    { SONDE_RESUME_STEP, 1, NULL, "outer:1 twice 0" },
    { SONDE_RESUME_STEP, 2, NULL, "outer:1 after 2" }, /* over the inner loop */
    { SONDE_RESUME_STEP, 2, NULL, "outer:2 inner 1" },
    { SONDE_RESUME_INTO, 1, NULL, "outer:2 inner:0 cast 0" },
    { SONDE_RESUME_OUT, 1, NULL, "outer:2 after 2" },
    { SONDE_RESUME_OUT, 1, NULL, "rest 2" },
    { SONDE_RESUME_STEP, 1, NULL, NULL },
  };
  NestedNet net;

  nested_net_init (&net, "loops");
  walk (&net, moves, G_N_ELEMENTS (moves));
  nested_net_clear (&net);
}

static void
test_counts (void)
{
  static const Move moves[] = {
    { SONDE_RESUME_INTO, 2, NULL, "outer:0 twice 0" },
    { SONDE_RESUME_INTO, 2, NULL, "outer:0 inner:0 cast 0" },
    { SONDE_RESUME_OUT, 2, NULL, "rest 2" },
    { SONDE_RESUME_NEXT, 1, NULL, NULL },
  };
  static const Move over[] = {
    { SONDE_RESUME_NEXT, 2, NULL, "rest 2" },
    { SONDE_RESUME_INTO, 5, NULL, NULL },
  };
  NestedNet net;

  nested_net_init (&net, "loops");
  walk (&net, moves, G_N_ELEMENTS (moves));
  nested_net_clear (&net);
  nested_net_init (&net, "loops");
  walk (&net, over, G_N_ELEMENTS (over));
  nested_net_clear (&net);
}

static void
test_until (void)
{
  static const Move moves[] = {
    { SONDE_RESUME_UNTIL, 0, "v_mul", "outer:0 inner:0 mul 1" },
    { SONDE_RESUME_UNTIL, 0, "mul", "outer:0 inner:1 mul 1" },
    { SONDE_RESUME_UNTIL, 0, "mul", "outer:1 inner:0 mul 1" },
    { SONDE_RESUME_UNTIL, 0, "iteration:1", "outer:1 inner:1 cast 0" },
    { SONDE_RESUME_UNTIL, 0, "end", "outer:1 after 2" },
    { SONDE_RESUME_UNTIL, 0, "iteration:2", "outer:2 twice 0" },
    { SONDE_RESUME_UNTIL, 0, "end:forward", NULL },
  };
  static const Move from_outside[]
      = { { SONDE_RESUME_UNTIL, 0, "iteration:2", "outer:2 twice 0" } };
  NestedNet net;

  nested_net_init (&net, "loops");
  walk (&net, moves, G_N_ELEMENTS (moves));
  nested_net_clear (&net);
  nested_net_init (&net, "loops");
  walk (&net, from_outside, 1);
  nested_net_clear (&net);
}

static void
test_refused (void)
{
  static const struct
  {
    SondeResume how;
    const char *said;
  } rows[] = {
    { { .kind = SONDE_RESUME_OUT }, "nothing to leave" },
    { { .kind = SONDE_RESUME_UNTIL, .target = "iteration:x" }, "iteration:x" },
    { { .kind = SONDE_RESUME_UNTIL, .target = "end:sideways" }, "sideways" },
    { { .kind = SONDE_RESUME_UNTIL, .target = "end:backward" }, "backward" },
    { { .kind = SONDE_RESUME_UNTIL, .target = "mull" }, "mull" },
  };
  NestedNet net;

  nested_net_init (&net, "loops");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (sonde_debugger_resume (net.debugger, &rows[i].how, &error));
      g_assert_nonnull (strstr (error->message, rows[i].said));
    }
  nested_net_clear (&net);
}

/* The scope around a loop is not one that its body could be left for, or that begins with each
 * iteration. */
static void
test_scopes (void)
{
  static const Move moves[] = {
    { SONDE_RESUME_INTO, 1, NULL, "enc/loop:0 enc/one 0" },
    { SONDE_RESUME_NEXT, 1, NULL, "enc/loop:0 enc/inner/two 1" },
    { SONDE_RESUME_NEXT, 1, NULL, "enc/loop:1 enc/one 0" }, /* over the scope */
    { SONDE_RESUME_STEP, 2, NULL, "enc/loop:1 enc/inner/three 2" },
    { SONDE_RESUME_OUT, 1, NULL, "head 1" },
  };
  static const Move out[] = {
    { SONDE_RESUME_INTO, 1, NULL, "enc/loop:0 enc/one 0" },
    { SONDE_RESUME_STEP, 1, NULL, "enc/loop:0 enc/inner/two 1" },
    { SONDE_RESUME_OUT, 1, NULL, "enc/loop:1 enc/one 0" },
    { SONDE_RESUME_OUT, 1, NULL, "head 1" },
  };
  NestedNet net;

  nested_net_init (&net, "scopes");
  walk (&net, moves, G_N_ELEMENTS (moves));
  nested_net_clear (&net);
  nested_net_init (&net, "scopes");
  walk (&net, out, G_N_ELEMENTS (out));
  nested_net_clear (&net);
}

static void
test_break_scopes (void)
{
  static const char *const places[]
      = { "enc/loop 0", "enc/loop:0 enc/inner/two 1", "enc/loop:1 enc/inner/two 1" };
  NestedNet net;

  nested_net_init (&net, "scopes");
  add_breakpoint (&net, "scope:enc", SONDE_MOMENT_BEFORE);
  add_breakpoint (&net, "scope:enc/inner", SONDE_MOMENT_BEFORE);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                       SONDE_RUN_PAUSED);
      assert_place (&net, "breakpoint", places[i]);
    }
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_DONE);
  nested_net_clear (&net);
}

/* ---- breakpoints --------------------------------------------------------- */

static void
test_breakpoints (void)
{
  static const char *const places[]
      = { "outer:0 inner:0 mul 1", "outer:0 inner:1 mul 1", "outer:1 inner:0 mul 1",
          "outer:1 inner:1 mul 1", "outer:2 inner:0 mul 1", "outer:2 inner:1 mul 1" };
  const SondeBreakpoint *breakpoint;
  NestedNet net;

  nested_net_init (&net, "loops");
  add_breakpoint (&net, "v_mul", SONDE_MOMENT_BEFORE);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                       SONDE_RUN_PAUSED);
      assert_place (&net, "breakpoint", places[i]);
    }
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_DONE);
  breakpoint = g_ptr_array_index (sonde_debugger_get_breakpoints (net.debugger), 0);
  g_assert_cmpuint (breakpoint->hits, ==, 6);
  g_assert_cmpuint (breakpoint->n_positions, ==, 1);
  nested_net_clear (&net);
}

/* After the last node of an iteration is a place of its own; the step from there is the next one's
 * first node. */
static void
test_after_last (void)
{
  static const Move moves[] = {
    { SONDE_RESUME_STEP, 1, NULL, "outer:0 inner:1 mul 1" },
  };
  SondeStop stop;
  NestedNet net;

  nested_net_init (&net, "loops");
  add_breakpoint (&net, "add", SONDE_MOMENT_AFTER);
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_PAUSED);
  assert_place (&net, "breakpoint", "outer:0 inner:0 after add 3");
  sonde_debugger_get_stop (net.debugger, &stop);
  g_assert_cmpuint (stop.n_iterations, ==, 2);
  walk (&net, moves, 1);
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_PAUSED);
  assert_place (&net, "breakpoint", "outer:0 inner:1 after add 3");
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_STEP, 1, NULL, NULL), ==,
                   SONDE_RUN_PAUSED);
  assert_place (&net, "step", "outer:1 twice 0"); /* "after" was executed */
  nested_net_clear (&net);
}

static void
test_branches (void)
{
  static const char *const places[]
      = { "scan:0 choose/then_branch low 0", "scan:1 choose/else_branch high 0",
          "scan:2 choose/then_branch low 0", "scan:3 choose/else_branch high 0" };
  NestedNet net;

  nested_net_init (&net, "scan");
  add_breakpoint (&net, "op:Sqrt", SONDE_MOMENT_BEFORE);
  add_breakpoint (&net, "l?w", SONDE_MOMENT_BEFORE);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      SondeStop stop;

      g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                       SONDE_RUN_PAUSED);
      assert_place (&net, "breakpoint", places[i]);
      sonde_debugger_get_stop (net.debugger, &stop);
      g_assert_cmpuint (stop.n_iterations, ==, 1);
      g_assert_cmpuint (stop.iterations[0], ==, i);
    }
  nested_net_clear (&net);
}

static SondeAnswer
never (SondeObserver *observer, SondeExecution *execution, guint step)
{
  g_assert_not_reached ();
}

/* What nobody wants inside bodies is not asked for there. */
static void
test_nothing_wanted (void)
{
  NestedNet net;

  nested_net_init (&net, "loops");
  add_breakpoint (&net, "rest", SONDE_MOMENT_BEFORE);
  ((SondeObserver *) net.debugger)->after = never;
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_PAUSED);
  assert_place (&net, "breakpoint", "rest 2");
  nested_net_clear (&net);
}

/* ---- values -------------------------------------------------------------- */

static void
test_values (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  NestedNet net;

  nested_net_init (&net, "loops");
  add_breakpoint (&net, "add", SONDE_MOMENT_BEFORE);
  nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL);
  nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL); /* outer 0, inner 1 */
  g_assert_cmpfloat (read_number (&net, "n_i"), ==, 1);
  g_assert_cmpfloat (read_number (&net, "n_y"), ==, -3); /* -0.75 · 2 · 2 + 0 */
  g_assert_cmpfloat (read_number (&net, "v_mul"), ==, -6);
  g_assert_cmpfloat (read_number (&net, "v_twice"), ==, -1.5);
  g_assert_cmpfloat (read_number (&net, "v_first"), ==, -0.75);
  g_assert_true (sonde_debugger_select_frame (net.debugger, 1, &error));
  g_assert_true (sonde_debugger_get_selected_execution (net.debugger)
                 == sonde_execution_get_inner (net.execution));
  g_assert_cmpfloat (read_number (&net, "v_mul"), ==, -6); /* it is below */
  g_assert_false (sonde_debugger_select_frame (net.debugger, 3, &error));
  g_clear_error (&error);
  g_assert_null (
      sonde_debugger_find_value (net.debugger, "v_after[0]x", &execution, &slice, &error));
  g_clear_error (&error);
  sonde_debugger_remove_breakpoint (net.debugger, 0, NULL);
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, NULL), ==,
                   SONDE_RUN_DONE);
  g_assert_cmpfloat (read_number (&net, "n_i"), ==, 1); /* the last iteration's */
  g_assert_cmpfloat (read_number (&net, "o_i"), ==, 2);
  g_assert_cmpfloat (read_number (&net, "outer/body/o_i"), ==, 2);
  g_assert_cmpfloat (read_number (&net, "outer/body/inner/body/n_i"), ==, 1);
  g_assert_cmpfloat (read_number (&net, "v_rest"), ==, fabs (read_number (&net, "v_after")));
  nested_net_clear (&net);
}

static void
test_never_ran (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  NestedNet net;

  nested_net_init (&net, "scan");
  g_assert_null (sonde_debugger_find_value (net.debugger, "v_high", &execution, &slice, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "choose"));
  nested_net_clear (&net);
}

/* ---- fused steps --------------------------------------------------------- */

/* On the CPU with memory PLAN nodes run together. Returns: the first step of several, and its
 * size. */
static guint
find_fused (NestedNet *net, guint *n_nodes)
{
  for (guint k = 0; k < sonde_plan_get_n_steps (net->plan); k++)
    {
      *n_nodes = sonde_plan_get_step (net->plan, k)->n_nodes;
      if (*n_nodes > 1)
        return k;
    }
  g_assert_not_reached ();
}

/* The value of @node as it is when every node runs alone. */
static SondeTensor *
value_alone (const char *name)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor;
  NestedNet net;

  nested_net_init (&net, "chain");
  g_assert_cmpint (sonde_execution_run (net.execution, &error), ==, SONDE_RUN_DONE);
  tensor = sonde_execution_read (net.execution, sonde_graph_find_value (net.graph, name), &error);
  g_assert_no_error (error);
  nested_net_clear (&net);
  return tensor;
}

static void
check_value (NestedNet *net, const char *node)
{
  g_autofree char *name = g_strconcat ("v_", node, NULL);
  g_autoptr (SondeTensor) expected = value_alone (name);

  g_assert_cmpfloat_with_epsilon (read_number (net, name), sonde_tensor_get_double (expected, 0),
                                  1e-6);
}

static void
test_fused (void)
{
  NestedNet net;
  guint k, n_nodes;

  nested_net_init (&net, "fused");
  k = find_fused (&net, &n_nodes);
  if (k > 0)
    g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_STEP, k, NULL, NULL), ==,
                     SONDE_RUN_PAUSED);
  for (guint i = 0; i < n_nodes; i++)
    {
      const SondeStep *step = sonde_plan_get_step (net.plan, k);
      g_autoptr (GPtrArray) frames = NULL;
      const SondeFrame *frame;

      g_assert_cmpint (
          nested_net_resume (&net, i == 0 ? SONDE_RESUME_INTO : SONDE_RESUME_STEP, 1, NULL, NULL),
          ==, SONDE_RUN_PAUSED);
      frames = sonde_debugger_get_frames (net.debugger);
      frame = g_ptr_array_index (frames, 0);
      g_assert_cmpuint (frames->len, ==, 2);
      g_assert_cmpint (frame->kind, ==, SONDE_FRAME_FUSED);
      g_assert_cmpuint (frame->position, ==, i);
      g_assert_cmpuint (frame->n_steps, ==, n_nodes);
      g_assert_cmpstr (frame->at, ==, step->nodes[i]->name);
      g_assert_false (
          sonde_execution_is_available (net.execution, sonde_node_get_output (step->nodes[i], 0)));
      if (i > 0)
        check_value (&net, step->nodes[i - 1]->name); /* the step has not run */
    }
  g_assert_cmpuint (sonde_execution_get_position (net.execution), ==, k);
  if (nested_net_resume (&net, SONDE_RESUME_STEP, 1, NULL, NULL) == SONDE_RUN_PAUSED)
    g_assert_cmpuint (sonde_execution_get_position (net.execution), ==, k + 1);
  nested_net_clear (&net);
}

static void
test_out_of_fused (void)
{
  SondeStop stop;
  NestedNet net;
  guint k, n_nodes;

  nested_net_init (&net, "fused");
  k = find_fused (&net, &n_nodes);
  nested_net_resume (&net, SONDE_RESUME_UNTIL, 0, sonde_plan_get_step (net.plan, k)->nodes[1]->name,
                     NULL);
  sonde_debugger_get_stop (net.debugger, &stop);
  g_assert_cmpstr (stop.node, ==, sonde_plan_get_step (net.plan, k)->nodes[1]->name);
  g_assert_cmpuint (stop.position, ==, k);
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_INTO, 1, NULL, NULL), ==,
                   SONDE_RUN_PAUSED);
  if (nested_net_resume (&net, SONDE_RESUME_OUT, 1, NULL, NULL) == SONDE_RUN_PAUSED)
    g_assert_cmpuint (sonde_execution_get_position (net.execution), ==, k + 1);
  nested_net_clear (&net);
}

/* ---- interrupts and failures --------------------------------------------- */

static void
test_pause_inside (void)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (GError) error = NULL;
  NestedNet net;

  nested_net_init (&net, "loops");
  nested_net_resume (&net, SONDE_RESUME_UNTIL, 0, "mul", NULL);
  sonde_debugger_resume (net.debugger, &on, &error);
  sonde_execution_interrupt (net.execution);
  g_assert_cmpint (sonde_execution_run (net.execution, &error), ==, SONDE_RUN_PAUSED);
  sonde_debugger_stop_here (net.debugger);
  assert_place (&net, "pause", "outer:0 inner:0 mul 1");
  nested_net_resume (&net, SONDE_RESUME_STEP, 1, NULL, NULL);
  assert_place (&net, "step", "outer:0 inner:0 add 2");
  nested_net_clear (&net);
}

static void
test_failure (void)
{
  g_autoptr (GError) error = NULL;
  NestedNet net;

  nested_net_init (&net, "fails");
  g_assert_cmpint (nested_net_resume (&net, SONDE_RESUME_CONTINUE, 0, NULL, &error), ==,
                   SONDE_RUN_FAILED);
  g_assert_nonnull (error);
  assert_place (&net, "error", "loop:1 reshape 3");
  g_assert_cmpfloat (read_number (&net, "concat"), ==, 2);
  g_assert_cmpfloat (read_number (&net, "l_y"), ==, -0.75);
  g_assert_cmpfloat (read_number (&net, "v_first"), ==, -0.75);
  nested_net_clear (&net);
}

/* ---- random walks -------------------------------------------------------- */

static guint64
draw (guint64 seed, guint index, guint64 n)
{
  return sonde_random_bits (seed, 7, index) % n;
}

/* (position, iteration, position, …) from the outermost */
static GArray *
clock_of (NestedNet *net)
{
  g_autoptr (GPtrArray) frames = sonde_debugger_get_frames (net->debugger);
  GArray *clock = g_array_new (FALSE, FALSE, sizeof (gint64));

  for (guint k = frames->len; k > 0; k--)
    {
      const SondeFrame *frame = g_ptr_array_index (frames, k - 1);
      gint64 position = frame->position;

      if (frame->kind == SONDE_FRAME_BODY)
        g_array_append_val (clock, frame->iteration);
      g_array_append_val (clock, position);
    }
  return clock;
}

/* Whether @later is behind @earlier. */
static gboolean
is_later (const GArray *earlier, const GArray *later)
{
  for (guint i = 0; i < MIN (earlier->len, later->len); i++)
    if (g_array_index (earlier, gint64, i) != g_array_index (later, gint64, i))
      return g_array_index (later, gint64, i) > g_array_index (earlier, gint64, i);
  return later->len > earlier->len;
}

static void
check_stop (NestedNet *net, GArray **clock)
{
  g_autoptr (GPtrArray) frames = sonde_debugger_get_frames (net->debugger);
  const SondeFrame *frame = g_ptr_array_index (frames, 0);
  SondeExecution *execution = sonde_debugger_get_frame_execution (net->debugger, 0);
  GArray *now = clock_of (net);

  g_assert_true (*clock == NULL || is_later (*clock, now));
  g_assert_nonnull (sonde_graph_find_node (
      sonde_plan_get_graph (sonde_execution_get_plan (execution)), frame->at));
  g_clear_pointer (clock, g_array_unref);
  *clock = now;
}

static SondeRunResult
random_move (NestedNet *net, guint64 seed, guint index)
{
  static const SondeResumeKind kinds[]
      = { SONDE_RESUME_STEP, SONDE_RESUME_NEXT,  SONDE_RESUME_INTO,    SONDE_RESUME_INTO,
          SONDE_RESUME_OUT,  SONDE_RESUME_UNTIL, SONDE_RESUME_CONTINUE };
  guint n_names = g_strv_length ((char **) net->names);
  SondeResume how = { .kind = kinds[draw (seed, index, G_N_ELEMENTS (kinds))],
                      .count = draw (seed, index + 1, 4) };
  g_autoptr (GError) error = NULL;
  SondeRunResult result;

  how.target = net->names[draw (seed, index + 2, n_names)];
  if (draw (seed, index + 3, 3) == 0)
    add_breakpoint (net, net->names[draw (seed, index + 4, n_names)],
                    (SondeMoment) draw (seed, index + 5, 2));
  if (draw (seed, index + 6, 4) == 0)
    sonde_debugger_remove_breakpoint (net->debugger, 0, NULL);
  if (!sonde_debugger_resume (net->debugger, &how, NULL))
    return SONDE_RUN_STOPPED; /* nothing to leave */
  if (sonde_debugger_has_stopped (net->debugger))
    return SONDE_RUN_PAUSED;
  result = sonde_execution_run (net->execution, &error);
  g_assert_no_error (error);
  return result;
}

static SondeTensor *
run_plainly (const char *which)
{
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor;
  NestedNet net;

  nested_net_init (&net, which);
  sonde_debugger_detach (net.debugger);
  g_assert_cmpint (sonde_execution_run (net.execution, &error), ==, SONDE_RUN_DONE);
  tensor = sonde_execution_read (net.execution, g_ptr_array_index (net.graph->outputs, 0), &error);
  g_assert_no_error (error);
  nested_net_clear (&net);
  return tensor;
}

static void
random_walk (const char *which, guint64 seed, const SondeTensor *expected)
{
  SondeRunResult result = SONDE_RUN_PAUSED;
  g_autoptr (SondeTensor) tensor = NULL;
  g_autoptr (GArray) clock = NULL;
  NestedNet net;

  nested_net_init (&net, which);
  for (guint i = 0; result != SONDE_RUN_DONE; i++)
    {
      g_assert_cmpuint (i, <, 1000);
      result = random_move (&net, seed, 8 * i);
      if (result == SONDE_RUN_PAUSED)
        check_stop (&net, &clock);
    }
  tensor = sonde_execution_read (net.execution, g_ptr_array_index (net.graph->outputs, 0), NULL);
  g_assert_true (sonde_tensor_equal (tensor, expected));
  nested_net_clear (&net);
}

static void
test_random_walks (void)
{
  static const char *const nets[] = { "loops", "scan" };

  for (guint n = 0; n < G_N_ELEMENTS (nets); n++)
    {
      g_autoptr (SondeTensor) expected = run_plainly (nets[n]);

      for (guint64 seed = 0; seed < 300; seed++)
        random_walk (nets[n], seed, expected);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/debug/nest/into-and-out", test_into_and_out);
  g_test_add_func ("/engine/debug/nest/counts", test_counts);
  g_test_add_func ("/engine/debug/nest/until", test_until);
  g_test_add_func ("/engine/debug/nest/refused", test_refused);
  g_test_add_func ("/engine/debug/nest/scopes", test_scopes);
  g_test_add_func ("/engine/debug/nest/break-scopes", test_break_scopes);
  g_test_add_func ("/engine/debug/nest/breakpoints", test_breakpoints);
  g_test_add_func ("/engine/debug/nest/after-last", test_after_last);
  g_test_add_func ("/engine/debug/nest/branches", test_branches);
  g_test_add_func ("/engine/debug/nest/nothing-wanted", test_nothing_wanted);
  g_test_add_func ("/engine/debug/nest/values", test_values);
  g_test_add_func ("/engine/debug/nest/never-ran", test_never_ran);
  g_test_add_func ("/engine/debug/nest/fused", test_fused);
  g_test_add_func ("/engine/debug/nest/out-of-fused", test_out_of_fused);
  g_test_add_func ("/engine/debug/nest/pause-inside", test_pause_inside);
  g_test_add_func ("/engine/debug/nest/failure", test_failure);
  g_test_add_func ("/engine/debug/nest/random-walks", test_random_walks);
  return g_test_run ();
}
