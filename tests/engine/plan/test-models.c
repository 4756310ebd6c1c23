/* SPDX-License-Identifier: Apache-2.0
 * The models of the reference folder, from file to outputs: every stored intermediate value is read
 * through the execution and compared, kept and planned, on both devices. */
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/plan/sonde-execution.h"

#include <math.h>
#include <string.h>

/**
 * Model: a folder of SONDE_SHARED/models
 * @outputs: file of the outputs; one tensor for the first output, or an .npz by name
 * @tolerance: relative and, a tenth of it, absolute
 */
typedef struct
{
  const char *name;
  const char *outputs;
  double tolerance;
} Model;

static const Model models[] = {
  { "lenet-mnist", "logits.npy", 1e-4 },
  { "mlp", "outputs.npy", 1e-4 },
  { "bn-resnet", "outputs.npy", 1e-4 },
  { "bn-resnet-opset9", "outputs.npy", 1e-4 },
  { "dwnet", "outputs.npy", 1e-4 },
  { "transformer", "outputs.npy", 1e-4 },
  { "transformer-opset20", "outputs.npy", 1e-4 },
  { "fp16-resnet", "outputs.npy", 5e-2 },
  { "external-data", "outputs.npy", 1e-4 },
};

static char *
shared_file (const char *model, const char *file)
{
  const char *shared = g_getenv ("SONDE_SHARED");

  return g_build_filename (shared != NULL ? shared : "", "models", model, file, NULL);
}

/* ---- comparing ----------------------------------------------------------- */

static void
compare (const SondeTensor *ours, const SondeTensor *expected, double tolerance, const char *what)
{
  double scale = 0;

  g_assert_true (sonde_shape_equal (&ours->shape, &expected->shape));
  for (gint64 i = 0; i < sonde_tensor_n_elements (expected); i++)
    {
      double value = fabs (sonde_tensor_get_double (expected, i));

      scale = isfinite (value) ? MAX (scale, value) : scale;
    }

  for (gint64 i = 0; i < sonde_tensor_n_elements (expected); i++)
    {
      double a = sonde_tensor_get_double (ours, i), b = sonde_tensor_get_double (expected, i);

      /* Sums of many terms are compared on the scale of the tensor. */
      if (!(fabs (a - b) <= tolerance * (0.1 + scale)) && a != b && !(isnan (a) && isnan (b)))
        g_error ("%s: element %" G_GINT64_FORMAT " is %.9g, stored is %.9g", what, i, a, b);
    }
}

/* ---- one model ----------------------------------------------------------- */

static SondeTensor *
load_input (const Model *model)
{
  g_autofree char *path = shared_file (model->name, "inputs.npy");
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_npy_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensor;
}

static SondeExecution *
start (const Model *model, SondeGraph *graph, SondeDevice *device, SondeMemoryMode memory,
       SondeTensor *input)
{
  SondeGraphValue *value = g_ptr_array_index (graph->inputs, 0);
  SondeBinding binding = { value->name, sonde_type_tensor (input->dtype, &input->shape) };
  const SondePlanOptions options = { .memory = memory, .bindings = &binding, .n_bindings = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  SondeExecution *execution;

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  sonde_execution_set_input (execution, value->name, input, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  return execution;
}

static guint
check_intermediates (const Model *model, SondeExecution *execution, SondeGraph *graph)
{
  g_autofree char *list_path = shared_file (model->name, "intermediates.tsv");
  g_autofree char *values_path = shared_file (model->name, "intermediates.npz");
  g_autofree char *list = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) stored = sonde_npz_read (NULL, values_path, &error);
  g_auto (GStrv) lines = NULL;
  guint compared = 0;

  g_assert_no_error (error);
  g_file_get_contents (list_path, &list, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (list, "\n", -1);
  for (guint i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);
      SondeGraphValue *value = sonde_graph_find_value (graph, fields[4]);
      SondeTensor *expected = sonde_named_tensors_lookup (stored, fields[0]);
      g_autofree char *what = g_strdup_printf ("%s, %s (%s)", model->name, fields[4], fields[2]);
      g_autoptr (SondeTensor) ours = NULL;

      /* A value that a pass made superfluous is not in the executed graph. */
      if (value == NULL || expected == NULL || expected->dtype == SONDE_DTYPE_STRING)
        continue;

      ours = sonde_execution_read (execution, value, &error);
      g_assert_no_error (error);
      compare (ours, expected, model->tolerance, what);
      compared++;
    }

  return compared;
}

static void
check_output (const Model *model, SondeExecution *execution, SondeGraph *graph)
{
  g_autofree char *path = shared_file (model->name, model->outputs);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) expected = sonde_npy_read (NULL, path, &error);
  g_autoptr (SondeTensor) ours = NULL;

  g_assert_no_error (error);
  ours = sonde_execution_read (execution, g_ptr_array_index (graph->outputs, 0), &error);
  g_assert_no_error (error);
  compare (ours, expected, model->tolerance, model->name);
}

/* Every value of the planned execution is that of the kept one: to the bit where nothing is fused,
 * to a few roundings where several nodes ran as one. */
static void
check_agreement (SondeExecution *kept, SondeGraph *kept_graph, SondeExecution *planned,
                 SondeGraph *planned_graph, gboolean same_bits)
{
  for (guint i = 0; i < kept_graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (kept_graph->values, i);
      g_autoptr (SondeTensor) a = NULL, b = NULL;
      g_autoptr (GError) error = NULL;

      if (value == NULL || !sonde_execution_is_available (kept, value))
        continue;

      a = sonde_execution_read (kept, value, &error);
      g_assert_no_error (error);
      b = sonde_execution_read (planned, sonde_graph_find_value (planned_graph, value->name),
                                &error);
      g_assert_no_error (error);
      if (same_bits && !sonde_tensor_equal (a, b))
        g_error ("value “%s” has other bits in the planned run", value->name);
      compare (b, a, 2e-6, value->name);
    }
}

static void
check_device (const Model *model, SondeGraph *original, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (name, 2, &error);
  g_autoptr (SondeTensor) input = load_input (model);
  g_autoptr (SondeGraph) kept_graph = sonde_prepare_inference (original, &error);
  g_autoptr (SondeGraph) planned_graph = NULL;
  g_autoptr (SondeExecution) kept = NULL, planned = NULL;
  guint compared;

  g_assert_no_error (error);
  planned_graph = sonde_prepare_inference (original, &error);
  g_assert_no_error (error);
  kept = start (model, kept_graph, device, SONDE_MEMORY_KEEP, input);
  planned = start (model, planned_graph, device, SONDE_MEMORY_PLAN, input);
  check_output (model, kept, kept_graph);
  check_output (model, planned, planned_graph);
  compared = check_intermediates (model, kept, kept_graph);
  g_assert_cmpuint (check_intermediates (model, planned, planned_graph), ==, compared);
  check_agreement (kept, kept_graph, planned, planned_graph, g_str_equal (name, "reference"));
  g_test_message ("%s on %s: %u of %u nodes compared, %u steps", model->name, name, compared,
                  sonde_graph_count_nodes (original),
                  sonde_plan_get_n_steps (sonde_execution_get_plan (planned)));
  g_assert_cmpuint (compared, >, 0);
}

static void
test_model (gconstpointer data)
{
  const Model *model = data;
  g_autofree char *file = g_strconcat (model->name, ".onnx", NULL);
  g_autofree char *path = shared_file (model->name, file);
  g_autoptr (SondeGraph) original = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the reference folder is not there");
      return;
    }

  original = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  check_device (model, original, "reference");
  check_device (model, original, "cpu");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/plan/models/", models[i].name, NULL);

      g_test_add_data_func (path, &models[i], test_model);
    }

  return g_test_run ();
}
