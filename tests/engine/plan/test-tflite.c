/* SPDX-License-Identifier: Apache-2.0
 * .tflite files, from file to outputs, against what TensorFlow's interpreter made of the same inputs:
 * nets of many operators (tests/fixtures/tflite), and samples with all their inner values. */
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/plan/sonde-execution.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-4 /* of the largest number of a value */

static char *
fixture (const char *name, const char *extension)
{
  g_autofree char *file = g_strconcat (name, extension, NULL);

  return g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/tflite", file, NULL);
}

static double
largest (const SondeTensor *tensor)
{
  double most = 1e-3;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      double value = fabs (sonde_tensor_get_double (tensor, i));

      most = isfinite (value) ? MAX (most, value) : most;
    }
  return most;
}

/* Floats within TOLERANCE, all else within @steps. */
static void
compare (const SondeTensor *ours, const SondeTensor *expected, double steps, const char *what)
{
  double limit = sonde_dtype_is_float (expected->dtype) ? TOLERANCE * largest (expected) : steps;

  g_assert_cmpint (ours->dtype, ==, expected->dtype);
  if (!sonde_shape_equal (&ours->shape, &expected->shape))
    g_error ("%s: another shape", what);
  for (gint64 i = 0; i < sonde_tensor_n_elements (expected); i++)
    {
      double a = sonde_tensor_get_double (ours, i), b = sonde_tensor_get_double (expected, i);

      if (!(fabs (a - b) <= limit) && a != b && !(isnan (a) && isnan (b)))
        g_error ("%s: element %" G_GINT64_FORMAT " is %.9g, stored is %.9g", what, i, a, b);
    }
}

static SondeExecution *
start (SondeGraph *graph)
{
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  SondeExecution *execution = NULL;

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  return execution;
}

static SondeGraph *
load (const char *path)
{
  g_autoptr (GError) error = NULL;
  SondeGraph *graph = sonde_model_load (NULL, path, &error);

  g_assert_no_error (error);
  return graph;
}

static void
set_input (SondeExecution *execution, const char *name, SondeTensor *tensor)
{
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (execution, name, tensor, &error);
  g_assert_no_error (error);
}

static void
run (SondeExecution *execution)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
}

/* Arrays "in:NAME" are inputs, "out:NAME" what comes out. */
static void
test_net (gconstpointer data)
{
  const char *name = data;
  g_autofree char *model = fixture (name, ".tflite");
  g_autofree char *values = fixture (name, ".npz");
  g_autoptr (SondeGraph) graph = load (model);
  g_autoptr (SondeExecution) execution = start (graph);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) stored = sonde_npz_read (NULL, values, &error);
  guint n_compared = 0;

  g_assert_no_error (error);
  for (gsize i = 0; i < sonde_named_tensors_get_size (stored); i++)
    if (g_str_has_prefix (sonde_named_tensors_get_name (stored, i), "in:"))
      set_input (execution, sonde_named_tensors_get_name (stored, i) + strlen ("in:"),
                 sonde_named_tensors_get_tensor (stored, i));
  run (execution);
  for (gsize i = 0; i < sonde_named_tensors_get_size (stored); i++)
    if (g_str_has_prefix (sonde_named_tensors_get_name (stored, i), "out:"))
      {
        const char *output = sonde_named_tensors_get_name (stored, i) + strlen ("out:");
        SondeGraphValue *value = sonde_graph_find_value (graph, output);
        g_autoptr (SondeTensor) ours = NULL;

        g_assert_nonnull (value);
        ours = sonde_execution_read (execution, value, &error);
        g_assert_no_error (error);
        compare (ours, sonde_named_tensors_get_tensor (stored, i), 0, output);
        n_compared++;
      }
  g_assert_cmpuint (n_compared, ==, graph->outputs->len);
}

/* As it is converted: no value has a shape without an element type, and no constant is left unread. */
static void
test_qdq (void)
{
  const SondeModelOptions options = { .quantised = SONDE_QUANTISED_QDQ };
  g_autofree char *path = fixture ("int8", ".tflite");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_read (NULL, path, &options, NULL, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = graph->values->pdata[i];

      if (value == NULL)
        continue;
      g_assert_true (value->type.kind == SONDE_VALUE_NONE
                     || value->type.dtype != SONDE_DTYPE_INVALID);
      g_assert_true (value->constant == NULL || value->users->len > 0);
    }
}

/* ---- samples ------------------------------------------------------------- */

static char *
sample (const char *name, const char *file)
{
  const char *shared = g_getenv ("SONDE_SHARED");

  return g_build_filename (shared != NULL ? shared : "", "samples/convert/tflite", name, file,
                           NULL);
}

/* All inner values have the names and layouts of the file. */
static void
test_sample (gconstpointer data)
{
  const char *name = data;
  g_autofree char *model = sample (name, "model.tflite");
  g_autofree char *input = sample (name, "input_image.npy");
  g_autofree char *values = sample (name, "values.npz");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeTensor) image = NULL;
  g_autoptr (SondeNamedTensors) stored = NULL;
  guint n_compared = 0;

  if (!g_file_test (model, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no samples");
      return;
    }
  graph = load (model);
  execution = start (graph);
  image = sonde_npy_read (NULL, input, &error);
  stored = sonde_npz_read (NULL, values, &error);
  g_assert_no_error (error);
  set_input (execution, "image", image);
  run (execution);
  for (gsize i = 0; i < sonde_named_tensors_get_size (stored); i++)
    {
      const char *tensor = sonde_named_tensors_get_name (stored, i);
      SondeGraphValue *value = sonde_graph_find_value (graph, tensor);
      g_autoptr (SondeTensor) ours
          = value != NULL ? sonde_execution_read (execution, value, &error) : NULL;

      g_assert_no_error (error);
      if (ours == NULL)
        continue;
      compare (ours, sonde_named_tensors_get_tensor (stored, i), 0, tensor);
      n_compared++;
    }
  g_assert_cmpuint (n_compared, >=, 10); /* five layers, and the weights */
}

static const char *const nets[]
    = { "window",    "elementwise", "move",  "index", "reduce",     "control",    "default",
        "recurrent", "int8",        "uint8", "int16", "functions8", "functions16" };
static const char *const samples[] = { "cnn", "cnn-int8" };

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/plan/tflite/net/", nets[i], NULL);

      g_test_add_data_func (path, nets[i], test_net);
    }
  g_test_add_func ("/engine/plan/tflite/qdq", test_qdq);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/plan/tflite/sample/", samples[i], NULL);

      g_test_add_data_func (path, samples[i], test_sample);
    }
  return g_test_run ();
}
