/* SPDX-License-Identifier: Apache-2.0
 * Steps whose results are given: whatever step it is, the run makes the same bits; and what a run saves
 * without a node, as far as that holds on any machine. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-given-steps.h"
#include "engine/profile/sonde-what-if-run.h"
#include "tests/engine/plan/plan-fixture.h"
#include "tests/engine/plan/training-net.h"

/* ---- models ---------------------------------------------------------------- */

/* Floats of both signs, small integers; unknown sizes are 2. (transfer full) */
static SondeTensor *
make_input (const SondeGraphValue *value, guint seed)
{
  SondeShape shape = { .rank = value->type.rank };
  SondeTensor *tensor;

  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = value->type.dims[d].size >= 0 ? value->type.dims[d].size : 2;
  tensor = sonde_tensor_new (value->type.dtype, &shape);
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i,
                             sonde_dtype_is_float (tensor->dtype)
                                 ? (double) ((i * 7 + seed * 5) % 23) / 11.0 - 1.0
                                 : (double) ((i + seed) % 2));
  return tensor;
}

static SondeExecution *
start_model (const char *name)
{
  g_autofree char *file = g_strconcat (name, ".onnx", NULL);
  g_autofree char *path = g_build_filename (g_getenv ("SONDE_SHARED"), "models", name, file, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, path, &error);
  g_autoptr (SondeGraph) graph = model != NULL ? sonde_prepare_inference (model, &error) : NULL;
  g_autoptr (GArray) bindings = g_array_new (FALSE, FALSE, sizeof (SondeBinding));
  SondePlanOptions options = { 0 };

  g_assert_no_error (error);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->inputs, i);
      g_autoptr (SondeTensor) tensor = make_input (value, 0);
      SondeBinding binding = { value->name, sonde_type_tensor (value->type.dtype, &tensor->shape) };

      if (value->role == SONDE_ROLE_INPUT)
        g_array_append_val (bindings, binding);
    }
  options.bindings = (const SondeBinding *) bindings->data;
  options.n_bindings = bindings->len;
  return plan_fixture_start (graph, "cpu", &options);
}

static void
give_inputs (SondeExecution *execution, guint seed)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->inputs, i);

      if (value->role == SONDE_ROLE_INPUT)
        plan_fixture_give (execution, value->name, make_input (value, seed));
    }
}

/* The tensors among the outputs. (element-type SondeTensor) */
static GPtrArray *
read_outputs (SondeExecution *execution)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  for (guint i = 0; i < graph->outputs->len; i++)
    {
      g_autoptr (GError) error = NULL;
      SondeTensor *tensor
          = sonde_execution_read (execution, g_ptr_array_index (graph->outputs, i), &error);

      g_assert_no_error (error);
      g_ptr_array_add (outputs, tensor);
    }
  return outputs;
}

static gboolean
outputs_equal (const GPtrArray *a, const GPtrArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    {
      const SondeTensor *x = g_ptr_array_index (a, i), *y = g_ptr_array_index (b, i);

      if (sonde_tensor_n_bytes (x) != sonde_tensor_n_bytes (y)
          || memcmp (x->data, y->data, sonde_tensor_n_bytes (x)) != 0)
        return FALSE;
    }
  return TRUE;
}

/* Each step of a model in turn: views, fused ones, those in place, boxed values, bodies. */
static void
test_same_bits (gconstpointer data)
{
  g_autoptr (SondeExecution) execution = start_model (data);
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
  g_autoptr (GPtrArray) expected = NULL;

  give_inputs (execution, 0);
  plan_fixture_run (execution);
  expected = read_outputs (execution);
  for (guint step = 0; step < n_steps; step++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGivenSteps) given = sonde_given_steps_new (execution, &step, 1, &error);
      g_autoptr (GPtrArray) outputs = NULL, after = NULL;

      g_assert_no_error (error);
      sonde_given_steps_set (given, TRUE);
      plan_fixture_run (execution);
      plan_fixture_run (execution);
      outputs = read_outputs (execution);
      if (!outputs_equal (outputs, expected))
        g_error ("step %u, %s, given: other bits", step,
                 sonde_plan_get_step (sonde_execution_get_plan (execution), step)->name);
      sonde_given_steps_set (given, FALSE);
      plan_fixture_run (execution);
      after = read_outputs (execution);
      g_assert_true (outputs_equal (after, expected));
    }
}

/* It is not computed: with other inputs the outputs stay as long as they are given. */
static void
test_not_computed (void)
{
  g_autoptr (SondeExecution) execution = start_model ("lenet-mnist");
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) steps
      = sonde_what_if_find_steps (sonde_execution_get_plan (execution), "/fc3/Gemm", &error);
  g_autoptr (GPtrArray) first = NULL, given_other = NULL, other = NULL;
  g_autoptr (SondeGivenSteps) given = NULL;

  g_assert_no_error (error);
  give_inputs (execution, 0);
  plan_fixture_run (execution);
  first = read_outputs (execution);
  given = sonde_given_steps_new (execution, (const guint *) steps->data, steps->len, &error);
  g_assert_no_error (error);
  give_inputs (execution, 3);
  sonde_given_steps_set (given, TRUE);
  plan_fixture_run (execution);
  given_other = read_outputs (execution);
  sonde_given_steps_set (given, FALSE);
  plan_fixture_run (execution);
  other = read_outputs (execution);
  g_assert_true (outputs_equal (given_other, first));
  g_assert_false (outputs_equal (other, first));
}

/* ---- training ---------------------------------------------------------------- */

static void
give_batch (SondeExecution *execution, TrainingNet *net)
{
  plan_fixture_give (execution, "x", training_net_images (net, 1));
  plan_fixture_give (execution, "labels", training_net_labels (net, 1));
  plan_fixture_give (execution, "rate", sonde_tensor_new_f32 (0.05f));
}

/* All parameters and states; (element-type SondeTensor) */
static GPtrArray *
read_parameters (SondeExecution *execution)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  SondeGraph *graph = sonde_plan_get_graph (plan);
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      g_autoptr (GError) error = NULL;

      if (value != NULL && sonde_plan_updates (plan, value))
        g_ptr_array_add (tensors, sonde_execution_read (execution, value, &error));
      g_assert_no_error (error);
    }
  return tensors;
}

/* One step of training from the same parameters, each step but the updates given in turn. */
static void
test_training (gconstpointer data)
{
  g_autoptr (TrainingNet) net = training_net_new (4, 16, "sgd");
  SondePlanOptions options = { .update_in_place = GPOINTER_TO_INT (data) };
  g_autoptr (SondeExecution) start = plan_fixture_start (net->graph, "cpu", &options);
  g_autoptr (SondeExecution) plain = NULL;
  g_autoptr (GPtrArray) expected = NULL;
  g_autoptr (GError) error = NULL;
  guint n_given = 0;

  give_batch (start, net);
  plain = sonde_execution_branch (start, &error);
  g_assert_no_error (error);
  plan_fixture_run (plain);
  expected = read_parameters (plain);
  for (guint k = 0; k < sonde_plan_get_n_steps (sonde_execution_get_plan (start)); k++)
    {
      g_autoptr (SondeExecution) branch = NULL;
      g_autoptr (SondeGivenSteps) given = NULL;
      g_autoptr (GPtrArray) parameters = NULL;

      if (sonde_plan_get_step (sonde_execution_get_plan (start), k)->phase == SONDE_PHASE_OPTIMISER)
        continue;
      branch = sonde_execution_branch (start, &error);
      g_assert_no_error (error);
      given = sonde_given_steps_new (branch, &k, 1, &error);
      g_assert_no_error (error);
      g_assert_true (sonde_execution_copy_sources (branch, start, &error));
      g_assert_no_error (error);
      sonde_given_steps_set (given, TRUE);
      plan_fixture_run (branch);
      parameters = read_parameters (branch);
      g_assert_true (outputs_equal (parameters, expected));
      n_given++;
    }
  g_assert_cmpuint (n_given, >, 10);
}

/* ---- what if ------------------------------------------------------------------- */

static void
check_result (const SondeWhatIfRun *run)
{
  g_assert_cmpuint (run->result.n_runs, >=, SONDE_WHAT_IF_RUNS);
  g_assert_cmpfloat (run->result.base_ns, >, 0);
  g_assert_cmpfloat (run->result.without_ns, >, 0);
  g_assert_cmpfloat (run->result.p, >=, 0);
  g_assert_cmpfloat (run->result.p, <=, 1);
}

/* Two equal products take nearly all of the run: without one it takes about half. */
static void
test_half (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("products");
  SondeShape shape = sonde_shape_make (2, 320, 320);
  g_autoptr (SondeTensor) matrix = random_f32 (&shape, 0.1, 7);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (GPtrArray) before = NULL, after = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeWhatIfRun) run = NULL;
  SondeGraphValue *value;
  double share = 0;

  sonde_graph_set_opset (graph, "", 17);
  value = sonde_graph_add_input (graph, "x", &type);
  for (guint i = 0; i < 2; i++)
    {
      SondeGraphValue *operands[] = { value, value };
      SondeNode *node
          = sonde_graph_add_node (graph, i == 0 ? "first" : "second", "", "MatMul", operands, 2, 1);

      g_assert_true (sonde_build_infer (graph, node, &error));
      value = sonde_node_get_output (node, 0);
    }
  sonde_graph_add_output (graph, value);
  execution = plan_fixture_start (graph, "cpu", NULL);
  plan_fixture_give (execution, "x", sonde_tensor_ref (matrix));
  plan_fixture_run (execution);
  before = read_outputs (execution);
  /* what else the machine does may mislead one measurement, but not each of ten */
  for (guint i = 0; i < 10 && (share < 0.3 || share > 0.7 || run->result.p >= 0.01); i++)
    {
      g_clear_pointer (&run, sonde_what_if_run_free);
      run = sonde_what_if_run_new (execution, "first", 0, &error);
      g_assert_no_error (error);
      check_result (run);
      share = 1 - run->result.without_ns / run->result.base_ns;
      g_test_message ("one of two equal products saves %.3f, p = %g", share, run->result.p);
    }
  g_assert_cmpstr (run->result.node, ==, "first");
  g_assert_cmpuint (g_strv_length (run->nodes), ==, 1);
  g_assert_cmpstr (run->result.nodes[0], ==, "first");
  g_assert_cmpfloat (share, >, 0.3);
  g_assert_cmpfloat (share, <, 0.7);
  g_assert_cmpfloat (run->result.p, <, 0.01);
  /* the execution itself stands where it stood */
  after = read_outputs (execution);
  g_assert_true (outputs_equal (before, after));
}

/* A fused step is given whole; the caller's parameters do not move. */
static void
test_training_measured (void)
{
  g_autoptr (TrainingNet) net = training_net_new (4, 16, "sgd");
  SondePlanOptions options = { .update_in_place = TRUE };
  g_autoptr (SondeExecution) execution = plan_fixture_start (net->graph, "cpu", &options);
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (GPtrArray) before = NULL, after = NULL;

  give_batch (execution, net);
  plan_fixture_run (execution);
  before = read_parameters (execution);
  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k += 5)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);
      g_autoptr (SondeWhatIfRun) run = NULL;
      g_autoptr (GError) error = NULL;

      if (step->n_nodes == 0)
        continue;
      run = sonde_what_if_run_new (execution, step->name, 0, &error);
      g_assert_no_error (error);
      check_result (run);
      for (guint i = 0; i < step->n_nodes; i++)
        g_assert_true (g_strv_contains (run->result.nodes, step->nodes[i]->name));
    }
  after = read_parameters (execution);
  g_assert_true (outputs_equal (before, after));
}

static void
test_names (void)
{
  g_autoptr (SondeExecution) execution = start_model ("lenet-mnist");
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (GError) error = NULL;
  g_autoptr (GArray) by_node = sonde_what_if_find_steps (plan, "/conv1/Conv", &error);
  g_autoptr (GArray) none = NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (by_node->len, ==, 1);
  none = sonde_what_if_find_steps (plan, "/conv1/Com", &error);
  g_assert_null (none);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "“/conv1/Com”"));
  g_assert_nonnull (strstr (error->message, "“/conv1/Conv”"));
  g_clear_error (&error);
  give_inputs (execution, 0);
  g_assert_null (sonde_what_if_run_new (execution, "nothing of the kind", 0, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  static const char *const nets[]
      = { "lenet-mnist",    "bn-resnet",      "transformer",  "lstm-classifier", "unet",
          "lenet-int8-qdq", "dynamic-shapes", "control-flow", "module-functions" };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *name = g_strconcat ("/engine/profile/what-if/same-bits/", nets[i], NULL);

      g_test_add_data_func (name, nets[i], test_same_bits);
    }
  g_test_add_func ("/engine/profile/what-if/not-computed", test_not_computed);
  g_test_add_data_func ("/engine/profile/what-if/training", GINT_TO_POINTER (0), test_training);
  g_test_add_data_func ("/engine/profile/what-if/training-in-place", GINT_TO_POINTER (1),
                        test_training);
  g_test_add_func ("/engine/profile/what-if/half", test_half);
  g_test_add_func ("/engine/profile/what-if/training-measured", test_training_measured);
  g_test_add_func ("/engine/profile/what-if/names", test_names);
  return g_test_run ();
}
