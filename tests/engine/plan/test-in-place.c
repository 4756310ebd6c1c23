/* SPDX-License-Identifier: Apache-2.0
 * Updates in place: the bits of those beside, whoever looks on or gives up a run, and what is
 * refused once they are made. */
#include "engine/ops/sonde-build.h"
#include "tests/engine/plan/plan-fixture.h"
#include "tests/engine/plan/training-net.h"

#include <string.h>

/* Watches every step, or none. */
typedef struct
{
  SondeObserver base;
  gboolean wants;
  guint pause_after; /* step; G_MAXUINT: none */
  guint n_kept;      /* parameters that could be read behind their update */
  SondeGraphValue *parameter;
} Watcher;

static guint
wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return ((Watcher *) observer)->wants ? SONDE_WANT_AFTER : SONDE_WANT_NOTHING;
}

static SondeAnswer
after (SondeObserver *observer, SondeExecution *execution, guint step)
{
  Watcher *watcher = (Watcher *) observer;

  if (step + 1 == sonde_plan_get_n_steps (sonde_execution_get_plan (execution)))
    watcher->n_kept += sonde_execution_is_available (execution, watcher->parameter);
  return step == watcher->pause_after ? SONDE_ANSWER_PAUSE : SONDE_ANSWER_CONTINUE;
}

static SondeExecution *
start (TrainingNet *net, const char *device, gboolean in_place)
{
  SondePlanOptions options = { .update_in_place = in_place };

  return plan_fixture_start (net->graph, device, &options);
}

static void
give (SondeExecution *execution, TrainingNet *net, guint32 seed)
{
  plan_fixture_give (execution, "x", training_net_images (net, seed));
  plan_fixture_give (execution, "labels", training_net_labels (net, seed));
  plan_fixture_give (execution, "rate", sonde_tensor_new_f32 (0.05f));
  for (guint i = 0; i < net->graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (net->graph->inputs, i);

      if (g_str_equal (input->name, "step"))
        plan_fixture_give (execution, "step", sonde_tensor_new_i64 (seed + 1));
    }
}

/* All parameters and states are the same to the bit. */
static void
compare (SondeExecution *a, SondeExecution *b)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (a));
  SondeGraph *other = sonde_plan_get_graph (sonde_execution_get_plan (b));
  guint n = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      g_autoptr (SondeTensor) x = NULL, y = NULL;
      g_autoptr (GError) error = NULL;

      if (value == NULL || !sonde_plan_updates (sonde_execution_get_plan (a), value))
        continue;
      x = sonde_execution_read (a, value, &error);
      g_assert_no_error (error);
      y = sonde_execution_read (b, sonde_graph_find_value (other, value->name), &error);
      g_assert_no_error (error);
      g_assert_cmpmem (x->data, sonde_tensor_n_bytes (x), y->data, sonde_tensor_n_bytes (y));
      n++;
    }
  g_assert_cmpuint (n, >, 0);
}

typedef struct
{
  const char *name, *device, *optimiser;
} Case;

static const Case cases[] = {
  { "sgd", "cpu", "sgd" },
  { "adam", "cpu", "adam" },
  { "sgd-reference", "reference", "sgd" },
  { "adam-reference", "reference", "adam" },
};

/* Runs watched, unwatched, paused, gone back in, given up early: always the bits of a plan that
 * keeps both. */
static void
test_same (gconstpointer data)
{
  const Case *of = data;
  g_autoptr (TrainingNet) one = training_net_new (4, 16, of->optimiser),
                          two = training_net_new (4, 16, of->optimiser);
  g_autoptr (SondeExecution) beside = start (one, of->device, FALSE),
                             within = start (two, of->device, TRUE);
  Watcher watcher
      = { { wants, NULL, after }, FALSE, G_MAXUINT, 0, g_ptr_array_index (two->parameters, 0) };
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (within));
  SondePlanMemory kept, written;

  sonde_plan_get_memory (sonde_execution_get_plan (beside), &kept);
  sonde_plan_get_memory (sonde_execution_get_plan (within), &written);
  g_assert_cmpuint (written.bytes - written.rests, <, (kept.bytes - kept.rests) * 6 / 10);
  sonde_execution_add_observer (within, &watcher.base);
  for (guint32 i = 0; i < 12; i++)
    {
      g_autoptr (GError) error = NULL;

      watcher.wants = i % 4 == 1 || i % 4 == 2;
      sonde_execution_refresh_observers (within);
      give (beside, one, i);
      give (within, two, i);
      plan_fixture_run (beside);
      if (i % 3 == 1)
        {
          g_assert_cmpint (sonde_execution_run_to (within, n_steps - 1, &error), ==,
                           SONDE_RUN_PAUSED);
          g_assert_cmpint (sonde_execution_go_back (within, n_steps / 2, &error), ==,
                           SONDE_RUN_PAUSED);
          g_assert_no_error (error);
        }
      if (i % 3 == 2)
        {
          sonde_execution_interrupt (within);
          g_assert_cmpint (sonde_execution_run (within, &error), ==, SONDE_RUN_PAUSED);
          sonde_execution_abandon (within);
          g_assert_cmpint (sonde_execution_run_to (within, n_steps - 1, &error), ==,
                           SONDE_RUN_PAUSED);
          sonde_execution_abandon (within);
          give (within, two, i);
        }
      plan_fixture_run (within);
      compare (beside, within);
    }
  g_assert_cmpuint (watcher.n_kept, ==, 6);
}

/* Somebody comes when some parameters are updated already, others are not. */
static void
test_late (void)
{
  g_autoptr (TrainingNet) one = training_net_new (4, 16, "sgd"),
                          two = training_net_new (4, 16, "sgd");
  g_autoptr (SondeExecution) beside = start (one, "cpu", FALSE), within = start (two, "cpu", TRUE),
                             branch = NULL;
  SondePlan *plan = sonde_execution_get_plan (within);
  SondeGraphValue *parameter = g_ptr_array_index (two->parameters, 0);
  SondeGraphValue *updated = NULL;
  g_autoptr (SondeTensor) old = NULL, new = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < two->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (two->graph->values, i);

      updated = value != NULL && value->update_of == parameter ? value : updated;
    }
  give (beside, one, 1);
  give (within, two, 1);
  plan_fixture_run (beside);
  plan_fixture_run (within);

  /* Done: P' is P; what the run began with is nowhere. */
  g_assert_null (sonde_execution_read_source (within, parameter, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  g_assert_cmpint (sonde_execution_go_back (within, 1, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  compare (beside, within);

  /* Paused before the last step, both are there; in a branch, too. */
  give (beside, one, 2);
  give (within, two, 2);
  plan_fixture_run (beside);
  g_assert_cmpint (sonde_execution_run_to (within, sonde_plan_get_n_steps (plan) - 1, &error), ==,
                   SONDE_RUN_PAUSED);
  old = sonde_execution_read (within, parameter, &error);
  g_assert_no_error (error);
  new = sonde_execution_read (within, updated, &error);
  g_assert_no_error (error);
  g_assert_cmpint (memcmp (old->data, new->data, sonde_tensor_n_bytes (old)), !=, 0);
  branch = sonde_execution_branch (within, &error);
  g_assert_no_error (error);
  plan_fixture_run (within);
  plan_fixture_run (branch);
  compare (beside, within);
  compare (beside, branch);

  /* Nobody looks: in place once more, from where they lay by now. */
  give (beside, one, 3);
  give (within, two, 3);
  give (branch, two, 3);
  plan_fixture_run (beside);
  plan_fixture_run (within);
  plan_fixture_run (branch);
  compare (beside, within);
  compare (beside, branch);
}

/* ---- a run that stands behind an update ---------------------------------- */

/* Wants nothing but what is inside bodies, and pauses there once. */
typedef struct
{
  SondeObserver base;
  gboolean paused;
  SondeAnswer answer;
} Insider;

static guint
wants_inside (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return sonde_execution_get_parent (execution) != NULL ? SONDE_WANT_BEFORE : SONDE_WANT_NOTHING;
}

static SondeAnswer
before_inside (SondeObserver *observer, SondeExecution *execution, guint step)
{
  Insider *insider = (Insider *) observer;

  if (insider->paused)
    return SONDE_ANSWER_CONTINUE;
  insider->paused = TRUE;
  return insider->answer;
}

static SondeTensor *
three (float a, float b, float c)
{
  const float numbers[] = { a, b, c };
  SondeShape shape = sonde_shape_make (1, 3);

  return sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, numbers);
}

/* p' = p + x, then q' = q − x behind an If that is made of x. */
static SondeGraph *
make_torn (void)
{
  SondeGraph *graph = sonde_graph_new ("torn");
  g_autoptr (SondeTensor) first = three (1, 2, 3), second = three (10, 20, 30);
  SondeShape shape = sonde_shape_make (1, 3), scalar = sonde_shape_scalar ();
  SondeType numbers = sonde_type_tensor (SONDE_DTYPE_F32, &shape),
            yes = sonde_type_tensor (SONDE_DTYPE_BOOL, &scalar);
  SondeGraphValue *x, *p, *q, *condition, *made, *inputs[2];
  SondeNode *node;

  sonde_graph_set_opset (graph, "", 28);
  x = sonde_graph_add_input (graph, "x", &numbers);
  condition = sonde_graph_add_input (graph, "condition", &yes);
  p = sonde_graph_add_initialiser (graph, "p", first, SONDE_ROLE_PARAMETER);
  q = sonde_graph_add_initialiser (graph, "q", second, SONDE_ROLE_PARAMETER);
  made = sonde_build_binary (graph, "Add", p, x);
  sonde_graph_rename_value (graph, made, "p'");
  made->update_of = p;
  node = sonde_graph_add_node (graph, "choose", "", "If", &condition, 1, 1);
  for (guint i = 0; i < 2; i++)
    {
      SondeGraph *body = sonde_graph_new_subgraph (graph, i == 0 ? "then_branch" : "else_branch");
      SondeGraphValue *outer = sonde_graph_capture_value (body, "p'");

      sonde_graph_add_output (body, sonde_build_unary (body, "Neg", outer));
      sonde_node_take_graph (node, i == 0 ? "then_branch" : "else_branch", body);
    }
  inputs[0] = q;
  inputs[1] = sonde_node_get_output (node, 0);
  node = sonde_graph_add_node (graph, "last", "", "Add", inputs, 2, 1);
  made = sonde_node_get_output (node, 0);
  sonde_graph_rename_value (graph, made, "q'");
  made->type = numbers;
  made->update_of = q;
  return graph;
}

static void
check_numbers (SondeExecution *execution, const char *name, double first)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor
      = sonde_execution_read (execution, sonde_graph_find_value (graph, name), &error);

  g_assert_no_error (error);
  g_assert_cmpfloat (sonde_tensor_get_double (tensor, 0), ==, first);
}

static void
refused (SondeExecution *execution, const char *name)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  g_autoptr (SondeTensor) tensor = three (0, 0, 0);
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_execution_is_available (execution, value));
  g_assert_null (sonde_execution_read (execution, value, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "in place"));
  g_clear_error (&error);
  if (sonde_execution_is_running (execution))
    {
      g_assert_false (sonde_execution_write (execution, value, tensor, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
      g_clear_error (&error);
      g_assert_cmpint (sonde_execution_go_back (execution, 0, &error), ==, SONDE_RUN_FAILED);
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
    }
}

static void
test_torn (void)
{
  g_autoptr (SondeGraph) graph = make_torn ();
  const SondePlanOptions options = { .update_in_place = TRUE };
  g_autoptr (SondeExecution) execution = plan_fixture_start (graph, "cpu", &options);
  Insider insider = { { wants_inside, before_inside, .nested = TRUE }, FALSE, SONDE_ANSWER_PAUSE };
  SondeShape scalar = sonde_shape_scalar ();
  const guint8 yes = 1;
  g_autoptr (GError) error = NULL;

  sonde_execution_add_observer (execution, &insider.base);
  plan_fixture_give (execution, "x", three (1, 1, 1));
  plan_fixture_give (execution, "condition",
                     sonde_tensor_new_from_data (SONDE_DTYPE_BOOL, &scalar, &yes));

  /* Given up between the two updates: the second one is made first. */
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_PAUSED);
  refused (execution, "p");
  check_numbers (execution, "p'", 2);
  check_numbers (execution, "q", 10);
  sonde_execution_abandon (execution);
  check_numbers (execution, "p", 2);
  check_numbers (execution, "q", 8);

  /* Gone on with, it is done. */
  insider.paused = FALSE;
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_PAUSED);
  plan_fixture_run (execution);
  check_numbers (execution, "p", 3);
  check_numbers (execution, "q", 5);

  /* Over between the two: nothing goes on from that, until both were set. */
  insider.paused = FALSE;
  insider.answer = SONDE_ANSWER_STOP;
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_STOPPED);
  refused (execution, "p");
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  sonde_execution_abandon (execution);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SondeTensor) again = three (i == 0 ? 1 : 10, 2, 3);

      g_assert_true (sonde_execution_write (
          execution, sonde_graph_find_value (graph, i == 0 ? "p" : "q"), again, &error));
    }
  plan_fixture_run (execution);
  check_numbers (execution, "p", 2);
  check_numbers (execution, "q", 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/plan/in-place/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_same);
    }
  g_test_add_func ("/plan/in-place/late", test_late);
  g_test_add_func ("/plan/in-place/torn", test_torn);
  return g_test_run ();
}
