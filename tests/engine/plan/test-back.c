/* SPDX-License-Identifier: Apache-2.0
 * Going back in a run: at every position that random walks come to, every value that can be read
 * has the bits that it has there in a run that only went forward, and nothing can be read that is
 * not made yet. */
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/training-net.h"

#include <string.h>

#define WALK 60

typedef struct
{
  SondeGraph *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  GPtrArray *reference; /* by value id: in a run without pauses, NULL: not read */
} Fixture;

static void
fixture_plan (Fixture *fixture, SondeGraph *graph, const char *device,
              const SondePlanOptions *options)
{
  g_autoptr (GError) error = NULL;

  fixture->graph = sonde_graph_ref (graph);
  fixture->device = sonde_device_open (device, 1, &error);
  g_assert_no_error (error);
  fixture->plan = sonde_plan_new (graph, fixture->device, options, &error);
  g_assert_no_error (error);
  fixture->execution = sonde_execution_new (fixture->plan, &error);
  g_assert_no_error (error);
}

static void
fixture_clear (Fixture *fixture)
{
  g_clear_pointer (&fixture->reference, g_ptr_array_unref);
  sonde_execution_free (fixture->execution);
  sonde_plan_unref (fixture->plan);
  sonde_device_unref (fixture->device);
  sonde_graph_unref (fixture->graph);
}

static SondeGraphValue *
value_at (Fixture *fixture, guint i)
{
  return g_ptr_array_index (fixture->graph->values, i);
}

static void
free_tensor (void *tensor)
{
  if (tensor != NULL)
    sonde_tensor_unref (tensor);
}

/* What each value is where it is made; parameters before they change. */
static void
note_reference (Fixture *fixture)
{
  guint n = fixture->graph->values->len;
  g_autoptr (GError) error = NULL;

  fixture->reference = g_ptr_array_new_with_free_func (free_tensor);
  g_ptr_array_set_size (fixture->reference, (int) n);
  for (guint step = 0; step <= sonde_plan_get_n_steps (fixture->plan); step++)
    {
      g_assert_cmpint (sonde_execution_run_to (fixture->execution, step, &error), ==,
                       SONDE_RUN_PAUSED);
      g_assert_no_error (error);
      for (guint i = 0; i < n; i++)
        if (value_at (fixture, i) != NULL && fixture->reference->pdata[i] == NULL
            && sonde_execution_is_available (fixture->execution, value_at (fixture, i)))
          fixture->reference->pdata[i]
              = sonde_execution_read (fixture->execution, value_at (fixture, i), NULL);
    }
}

static gboolean
is_made (Fixture *fixture, const SondeGraphValue *value, guint position)
{
  int step = value->producer != NULL ? sonde_plan_find_step (fixture->plan, value->producer) : -1;

  return step < (int) position;
}

static void
check_value (Fixture *fixture, guint i)
{
  SondeGraphValue *value = value_at (fixture, i);
  SondeTensor *expected = fixture->reference->pdata[i];
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  if (expected == NULL)
    return;
  tensor = sonde_execution_read (fixture->execution, value, &error);
  if (!is_made (fixture, value, sonde_execution_get_position (fixture->execution)))
    {
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
      g_assert_false (sonde_execution_is_available (fixture->execution, value));
      return;
    }
  g_assert_no_error (error);
  g_assert_true (sonde_tensor_equal (tensor, expected));
}

/* All values, or some of them. */
static void
check_values (Fixture *fixture, GRand *random)
{
  for (guint i = 0; i < fixture->graph->values->len; i++)
    if (value_at (fixture, i) != NULL && (random == NULL || g_rand_int_range (random, 0, 4) == 0))
      check_value (fixture, i);
}

static void
go_back (Fixture *fixture, guint step)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_go_back (fixture->execution, step, &error), ==,
                   SONDE_RUN_PAUSED);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_execution_get_position (fixture->execution), ==, step);
  g_assert_true (sonde_execution_is_running (fixture->execution));
}

static void
walk (Fixture *fixture, guint seed)
{
  guint n = sonde_plan_get_n_steps (fixture->plan);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < WALK; i++)
    {
      guint position = sonde_execution_get_position (fixture->execution);

      if (g_rand_boolean (random))
        go_back (fixture, (guint) g_rand_int_range (random, 0, (gint32) position + 1));
      else
        g_assert_cmpint (sonde_execution_run_to (
                             fixture->execution,
                             (guint) g_rand_int_range (random, (gint32) position, (gint32) n + 1),
                             &error),
                         ==, SONDE_RUN_PAUSED);
      g_assert_no_error (error);
      if (g_rand_int_range (random, 0, 3) == 0)
        sonde_execution_checkpoint (fixture->execution);
      check_values (fixture, i % 10 == 0 ? NULL : random);
    }
}

/* ---- training graphs ----------------------------------------------------- */

static void
give_batch (Fixture *fixture, const TrainingNet *net, guint32 seed)
{
  g_autoptr (SondeTensor) images = training_net_images (net, seed);
  g_autoptr (SondeTensor) labels = training_net_labels (net, seed);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.05f);
  g_autoptr (SondeTensor) step = sonde_tensor_new_i64 (seed);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (fixture->execution, "x", images, &error);
  sonde_execution_set_input (fixture->execution, "labels", labels, &error);
  sonde_execution_set_input (fixture->execution, "rate", rate, &error);
  sonde_execution_set_input (fixture->execution, "step", step, &error);
  g_assert_no_error (error);
}

static void
run_on (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run (fixture->execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

/* Parameters after three steps, walked through or not. (element-type SondeTensor) */
static GPtrArray *
train (const char *device, const char *optimiser, const SondePlanOptions *options, gboolean walked)
{
  g_autoptr (TrainingNet) net = training_net_new (4, 16, optimiser);
  GPtrArray *parameters = g_ptr_array_new_with_free_func (free_tensor);
  Fixture fixture = { 0 };

  fixture_plan (&fixture, net->graph, device, options);
  for (guint step = 1; step <= 3; step++)
    {
      give_batch (&fixture, net, step);
      if (walked)
        {
          note_reference (&fixture);
          walk (&fixture, step);
        }
      run_on (&fixture);
      if (walked && step == 2) /* once more, from after the end */
        {
          go_back (&fixture, sonde_plan_get_n_steps (fixture.plan) / 2);
          check_values (&fixture, NULL);
          run_on (&fixture);
        }
      g_clear_pointer (&fixture.reference, g_ptr_array_unref);
    }
  for (guint i = 0; i < net->parameters->len; i++)
    g_ptr_array_add (
        parameters,
        sonde_execution_read (fixture.execution, g_ptr_array_index (net->parameters, i), NULL));
  fixture_clear (&fixture);
  return parameters;
}

static void
test_training (gconstpointer data)
{
  SondeMemoryMode memory = GPOINTER_TO_UINT (data) & 1 ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN;
  const SondePlanOptions options
      = { .memory = memory, .no_fusion = (GPOINTER_TO_UINT (data) & 2) != 0 };
  static const char *const optimisers[] = { "sgd", "adam" };
  static const char *const devices[] = { "cpu", "reference" };

  for (gsize k = 0; k < 4; k++)
    {
      g_autoptr (GPtrArray) plain = train (devices[k / 2], optimisers[k % 2], &options, FALSE);
      g_autoptr (GPtrArray) walked = train (devices[k / 2], optimisers[k % 2], &options, TRUE);

      g_assert_cmpuint (plain->len, ==, walked->len);
      for (guint i = 0; i < plain->len; i++)
        g_assert_true (sonde_tensor_equal (plain->pdata[i], walked->pdata[i]));
    }
}

/* ---- models -------------------------------------------------------------- */

/* Of several sets of inputs, named "x#0", "x#1", the first. */
static SondeNamedTensors *
load_inputs (SondeGraph *graph, const char *folder)
{
  g_autofree char *one = g_build_filename (folder, "inputs.npy", NULL),
                  *many = g_build_filename (folder, "inputs.npz", NULL);
  gboolean is_one = g_file_test (one, G_FILE_TEST_EXISTS);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *inputs = sonde_named_tensors_new ();
  g_autoptr (SondeTensor) x = is_one ? sonde_npy_read (NULL, one, &error) : NULL;
  g_autoptr (SondeNamedTensors) all = is_one ? NULL : sonde_npz_read (NULL, many, &error);

  g_assert_no_error (error);
  if (is_one)
    sonde_named_tensors_set (inputs,
                             ((SondeGraphValue *) g_ptr_array_index (graph->inputs, 0))->name, x);
  for (guint i = 0; !is_one && i < graph->inputs->len; i++)
    {
      const char *name = ((SondeGraphValue *) g_ptr_array_index (graph->inputs, i))->name;
      g_autofree char *numbered = g_strconcat (name, "#0", NULL);

      sonde_named_tensors_set (inputs, name, sonde_named_tensors_lookup (all, numbered));
    }
  return inputs;
}

static void
walk_model (SondeGraph *original, SondeNamedTensors *inputs, const SondePlanOptions *mode)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (original, &error);
  gsize n = sonde_named_tensors_get_size (inputs);
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, n);
  SondePlanOptions options = *mode;
  Fixture fixture = { 0 };

  for (gsize i = 0; i < n; i++)
    {
      SondeTensor *tensor = sonde_named_tensors_get_tensor (inputs, i);

      bindings[i] = (SondeBinding){ sonde_named_tensors_get_name (inputs, i),
                                    sonde_type_tensor (tensor->dtype, &tensor->shape) };
    }
  options.bindings = bindings;
  options.n_bindings = (guint) n;
  fixture_plan (&fixture, graph, "cpu", &options);
  for (gsize i = 0; i < n; i++)
    sonde_execution_set_input (fixture.execution, bindings[i].name,
                               sonde_named_tensors_get_tensor (inputs, i), &error);
  g_assert_no_error (error);
  note_reference (&fixture);
  walk (&fixture, 7);
  run_on (&fixture);
  walk (&fixture, 17);
  fixture_clear (&fixture);
}

static void
test_model (gconstpointer name)
{
  static const SondePlanOptions modes[] = {
    { .memory = SONDE_MEMORY_PLAN },
    { .memory = SONDE_MEMORY_KEEP },
    { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE },
  };
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder = g_build_filename (shared != NULL ? shared : "", "models", name, NULL);
  g_autofree char *file = g_strconcat (folder, "/", name, ".onnx", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = NULL;
  g_autoptr (SondeNamedTensors) inputs = NULL;

  if (!g_file_test (file, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("SONDE_SHARED does not hold this model");
      return;
    }
  original = sonde_model_load (NULL, file, &error);
  g_assert_no_error (error);
  inputs = load_inputs (original, folder);
  for (gsize k = 0; k < G_N_ELEMENTS (modes); k++)
    walk_model (original, inputs, &modes[k]);
}

/* ---- what is set by hand, refusals --------------------------------------- */

/* x -> relu -> (w *) -> tanh -> exp, each node a step */
static SondeGraph *
make_chain (void)
{
  SondeGraph *graph = sonde_graph_new ("chain");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) w = random_f32 (&shape, 1, 5);
  SondeGraphValue *x, *parameter;

  sonde_graph_set_opset (graph, "", 17);
  x = sonde_graph_add_input (graph, "x", &type);
  parameter = sonde_graph_add_initialiser (graph, "w", w, SONDE_ROLE_PARAMETER);
  x = sonde_build_unary (graph, "Relu", x);
  sonde_graph_rename_value (graph, x, "a");
  x = sonde_build_binary (graph, "Mul", x, parameter);
  sonde_graph_rename_value (graph, x, "b");
  x = sonde_build_unary (graph, "Tanh", x);
  sonde_graph_rename_value (graph, x, "c");
  x = sonde_build_unary (graph, "Exp", x);
  sonde_graph_rename_value (graph, x, "d");
  sonde_graph_add_output (graph, x);
  return graph;
}

static void
write_number (Fixture *fixture, const char *name, double number)
{
  SondeGraphValue *value = sonde_graph_find_value (fixture->graph, name);
  SondeShape shape = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 6; i++)
    sonde_tensor_set_double (tensor, i, number);
  sonde_execution_write (fixture->execution, value, tensor, &error);
  g_assert_no_error (error);
}

static double
first_of (Fixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = sonde_execution_read (
      fixture->execution, sonde_graph_find_value (fixture->graph, name), &error);

  g_assert_no_error (error);
  return sonde_tensor_get_double (tensor, 0);
}

/* "a" is set before the Mul and "w" before the Tanh: going back takes it back, as far as it was
 * later. */
static void
test_edits (gconstpointer data)
{
  const char *const pinned[] = { "a", "b", NULL };
  const SondePlanOptions options = { .memory = (SondeMemoryMode) GPOINTER_TO_UINT (data),
                                     .no_fusion = TRUE,
                                     .pinned = pinned };
  g_autoptr (SondeGraph) graph = make_chain ();
  SondeShape shape = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 3);
  g_autoptr (GError) error = NULL;
  Fixture fixture = { 0 };
  double w;

  fixture_plan (&fixture, graph, "cpu", &options);
  sonde_execution_set_input (fixture.execution, "x", x, &error);
  note_reference (&fixture);
  g_assert_cmpuint (sonde_plan_get_n_steps (fixture.plan), ==, 4);
  go_back (&fixture, 1);
  w = first_of (&fixture, "w");
  write_number (&fixture, "a", 0.25);
  sonde_execution_run_to (fixture.execution, 2, &error);
  g_assert_cmpfloat_with_epsilon (first_of (&fixture, "b"), 0.25 * w, 1e-7);
  write_number (&fixture, "w", 4);
  sonde_execution_run_to (fixture.execution, 4, &error);
  g_assert_no_error (error);

  go_back (&fixture, 3); /* both were set before that */
  g_assert_cmpfloat (first_of (&fixture, "w"), ==, 4);
  g_assert_cmpfloat_with_epsilon (first_of (&fixture, "b"), 0.25 * w, 1e-7);
  go_back (&fixture, 2); /* where "w" was set */
  g_assert_cmpfloat (first_of (&fixture, "w"), ==, 4);
  go_back (&fixture, 1);
  g_assert_cmpfloat (first_of (&fixture, "w"), ==, w);
  g_assert_cmpfloat (first_of (&fixture, "a"), ==, 0.25);
  go_back (&fixture, 0);
  run_on (&fixture);
  g_clear_error (&error);
  for (guint i = 0; i < fixture.graph->values->len; i++)
    if (value_at (&fixture, i) != NULL)
      check_value (&fixture, i);
  fixture_clear (&fixture);
}

static void
assert_refused (Fixture *fixture, guint step, const char *why)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_go_back (fixture->execution, step, &error), ==,
                   SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, why));
}

static void
test_refusals (void)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  g_autoptr (SondeGraph) graph = make_chain ();
  SondeShape shape = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 3);
  g_autoptr (GError) error = NULL;
  Fixture fixture = { 0 };

  fixture_plan (&fixture, graph, "cpu", &options);
  assert_refused (&fixture, 0, "nothing has run");
  sonde_execution_set_input (fixture.execution, "x", x, &error);
  sonde_execution_run_to (fixture.execution, 2, &error);
  g_assert_no_error (error);
  assert_refused (&fixture, 3, "not come that far");
  run_on (&fixture);
  sonde_execution_set_input (fixture.execution, "x", x, &error);
  assert_refused (&fixture, 1, "was written since");
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = { "plan", "keep", "plan-unfused", "keep-unfused" };
  static const char *const models[]
      = { "mlp",          "lenet-mnist",    "bn-resnet",      "dwnet", "transformer",
          "control-flow", "lenet-int8-qdq", "gru-classifier", "unet" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_strdup_printf ("/back/training/%s", names[i]);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_training);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strdup_printf ("/back/model/%s", models[i]);

      g_test_add_data_func (path, models[i], test_model);
    }
  g_test_add_data_func ("/back/edits/plan", GUINT_TO_POINTER (SONDE_MEMORY_PLAN), test_edits);
  g_test_add_data_func ("/back/edits/keep", GUINT_TO_POINTER (SONDE_MEMORY_KEEP), test_edits);
  g_test_add_func ("/back/refusals", test_refusals);
  return g_test_run ();
}
