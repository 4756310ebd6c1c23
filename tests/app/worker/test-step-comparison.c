/* SPDX-License-Identifier: Apache-2.0
 * Steps that PyTorch ran (tests/fixtures/torch-step) against the models that its exporters wrote: the
 * same net, one with another weight, a wrong gradient, and files that do not fit. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app/worker/steps/sonde-step-comparison.h"
#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"

/* @folder: of files that a test makes */
typedef struct
{
  char *folder;
  GPtrArray *files;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("sonde-step-XXXXXX", NULL);
  fixture->files = g_ptr_array_new_with_free_func (g_free);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < fixture->files->len; i++)
    g_remove (fixture->files->pdata[i]);
  g_rmdir (fixture->folder);
  g_ptr_array_unref (fixture->files);
  g_free (fixture->folder);
}

static char *
sample (const char *name)
{
  return g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures", "torch-step", name,
                           NULL);
}

static SondeNamedTensors *
read_sample (const char *name)
{
  g_autofree char *path = sample (name);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *tensors = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensors;
}

/* (transfer none) */
static const char *
write_npz (Fixture *fixture, const char *name, const SondeNamedTensors *tensors)
{
  char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_true (sonde_npz_write (NULL, path, tensors, NULL));
  g_ptr_array_add (fixture->files, path);
  return path;
}

/* A copy of the sample with one element of @tensor further by @change. */
static const char *
write_changed (Fixture *fixture, const char *name, const char *tensor, float change)
{
  g_autoptr (SondeNamedTensors) tensors = read_sample (name);
  g_autoptr (SondeTensor) copy = sonde_tensor_copy (sonde_named_tensors_lookup (tensors, tensor));

  g_assert_cmpint (copy->dtype, ==, SONDE_DTYPE_F32);
  ((float *) copy->data)[0] += change;
  sonde_named_tensors_set (tensors, tensor, copy);
  return write_npz (fixture, name, tensors);
}

static SondeDivergence *
compare (const char *model, const char *values, const char *weights, GError **error)
{
  SondeStepComparisonRequest asked
      = { .model_path = model, .values_path = values, .weights_path = weights, .gradients = TRUE };

  return sonde_step_comparison_run (&asked, NULL, NULL, error);
}

static const SondeDivergedValue *
find_module (const SondeDivergence *found, const char *name)
{
  for (guint i = 0; i < found->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (found->values, i);

      if (g_strcmp0 (value->reference, name) == 0)
        return value;
    }
  return NULL;
}

static const SondeDivergedValue *
first_of (const SondeDivergence *found)
{
  g_assert_cmpint (found->first, >=, 0);
  return g_ptr_array_index (found->values, found->first);
}

/* ---- the same net -------------------------------------------------------- */

static const char *const attention[]
    = { "q",           "k",           "v",           "norm",    "mlp.0",   "mlp.1",
        "mlp.2",       "out",         "grad(q)",     "grad(k)", "grad(v)", "grad(norm)",
        "grad(mlp.0)", "grad(mlp.1)", "grad(mlp.2)", NULL };
static const char *const folded[]
    = { "stem.1", "stem.2", "bn2", "fc", "grad(stem.1)", "grad(stem.2)", "grad(bn2)", NULL };
static const char *const training[]
    = { "stem.0",       "stem.1",       "stem.2",       "conv2",       "bn2",       "fc",
        "grad(stem.0)", "grad(stem.1)", "grad(stem.2)", "grad(conv2)", "grad(bn2)", NULL };

/* @step, @weights: without ".npz"; @modules: all that must have been compared; @n_file: weights that the
 * exporter changed so that they are the file's */
typedef struct
{
  const char *model, *step, *weights;
  const char *const *modules;
  guint n_file;
} Equal;

static const Equal equals[] = {
  { "attention.onnx", "attention.npz", "attention-weights.npz", attention, 0 },
  { "attention-training.onnx", "attention.npz", "attention-weights.npz", attention, 0 },
  { "attention-scopes.onnx", "attention.npz", "attention-weights.npz", attention, 0 },
  { "convolutions.onnx", "convolutions.npz", "convolutions-weights.npz", folded, 4 },
  { "convolutions-scopes.onnx", "convolutions.npz", "convolutions-weights.npz", folded, 4 },
  { "convolutions-training.onnx", "convolutions-training.npz", "convolutions-weights.npz", training,
    0 },
};

static void
test_equal (Fixture *fixture, gconstpointer data)
{
  const Equal *row = data;
  g_autofree char *model = sample (row->model), *values = sample (row->step),
                  *weights = sample (row->weights);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDivergence) found = compare (model, values, weights, &error);
  double largest = 0;

  g_assert_no_error (error);
  g_assert_true (found->is_step);
  if (found->first >= 0)
    g_test_message ("%s: %g", first_of (found)->reference, first_of (found)->own_error);
  g_assert_cmpint (found->first, ==, -1);
  g_assert_cmpuint (found->n_weights, >, 0);
  g_assert_cmpuint (found->file_weights->len, ==, row->n_file);
  for (gsize i = 0; row->modules[i] != NULL; i++)
    {
      const SondeDivergedValue *value = find_module (found, row->modules[i]);

      if (value == NULL)
        g_test_message ("%s", row->modules[i]);
      g_assert_nonnull (value);
      largest = MAX (largest, value->own_error);
      g_assert_cmpfloat (value->inherited_error, <, 1e-5);
    }
  g_assert_cmpuint (found->values->len, ==, g_strv_length ((char **) row->modules));
  for (guint i = 0; i < found->unused->len; i++) /* folded in */
    g_assert_true (g_str_equal (found->unused->pdata[i], "stem.0")
                   || g_str_equal (found->unused->pdata[i], "conv2"));
  g_assert_cmpuint (found->unused->len, ==, row->n_file / 2);
  g_test_message ("largest own error %g", largest);
  g_assert_cmpfloat (largest, <, 1e-5);
  g_assert_cmpfloat (largest, >, 0); /* another library: not the same bits everywhere */
}

/* ---- other nets ---------------------------------------------------------- */

static void
test_weight (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample (data), *values = sample ("attention.npz");
  const char *weights = write_changed (fixture, "attention-weights.npz", "v.weight", 0.01f);
  g_autoptr (SondeDivergence) found = compare (model, values, weights, NULL);

  g_assert_cmpstr (first_of (found)->reference, ==, "v");
  g_assert_cmpfloat (find_module (found, "norm")->inherited_error, >, 1e-4);
  for (guint i = 0; i < found->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (found->values, i);

      g_assert_true (value->phase != SONDE_PHASE_FORWARD
                     || value->over == g_str_equal (value->reference, "v"));
    }
}

/* The gradient that mlp.1 hands on is another than its formula says. */
static void
test_gradient (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample (data), *weights = sample ("attention-weights.npz");
  const char *values = write_changed (fixture, "attention.npz", "grad(mlp.0)", 0.01f);
  g_autoptr (SondeDivergence) found = compare (model, values, weights, NULL);
  const SondeDivergedValue *first = first_of (found);

  g_assert_cmpstr (first->reference, ==, "grad(mlp.0)");
  g_assert_cmpint (first->phase, ==, SONDE_PHASE_BACKWARD);
  g_assert_cmpstr (first->made_by[0], ==, "mlp.1");
  g_assert_null (first->made_by[1]);
}

/* ---- files that do not fit ----------------------------------------------- */

static void
check_refused (const char *model, const char *values, const char *weights, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDivergence) found = compare (model, values, weights, &error);

  g_assert_null (found);
  g_assert_nonnull (error);
  if (strstr (error->message, words) == NULL)
    g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
}

static void
test_other_net (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample ("convolutions.onnx"), *values = sample ("attention.npz"),
                  *weights = sample ("attention-weights.npz");

  check_refused (model, values, weights, "modules of this step");
}

static void
test_broken_model (Fixture *fixture, gconstpointer data)
{
  char *path = g_build_filename (fixture->folder, "broken.onnx", NULL);
  g_autofree char *values = sample ("attention.npz");

  g_ptr_array_add (fixture->files, path);
  g_assert_true (g_file_set_contents (path, "\x08\x07\x3a\xff\xff\xff\xff\x0f", 8, NULL));
  check_refused (path, values, NULL, "broken.onnx");
}

static void
test_without_input (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample ("attention.onnx");
  g_autoptr (SondeNamedTensors) values = read_sample ("attention.npz"),
                                left = sonde_named_tensors_new ();

  for (gsize i = 0; i < sonde_named_tensors_get_size (values); i++)
    if (!g_str_equal (sonde_named_tensors_get_name (values, i), "input"))
      sonde_named_tensors_set (left, sonde_named_tensors_get_name (values, i),
                               sonde_named_tensors_get_tensor (values, i));
  check_refused (model, write_npz (fixture, "values.npz", left), NULL, "was called with 0 tensors");
}

static void
test_other_input (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample ("attention.onnx");
  g_autoptr (SondeNamedTensors) values = read_sample ("attention.npz");
  SondeTensor *input = sonde_named_tensors_lookup (values, "input");
  g_autoptr (SondeTensor) doubles = sonde_tensor_cast (input, SONDE_DTYPE_F64),
                          part = sonde_tensor_slice (input, ":1", NULL);

  sonde_named_tensors_set (values, "input", doubles);
  check_refused (model, write_npz (fixture, "type.npz", values), NULL, "float64 2×3×4");
  sonde_named_tensors_set (values, "input", part);
  check_refused (model, write_npz (fixture, "size.npz", values), NULL, "sizes that may change");
}

static void
test_other_weight (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample ("attention.onnx"), *values = sample ("attention.npz");
  g_autoptr (SondeNamedTensors) weights = read_sample ("attention-weights.npz");
  SondeShape shape = sonde_shape_make (1, 5);
  g_autoptr (SondeTensor) five = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  sonde_named_tensors_set (weights, "norm.weight", five);
  check_refused (model, values, write_npz (fixture, "weights.npz", weights),
                 "The weight “norm.weight” is float32 5 in the program");
}

static void
test_without_gradients (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample ("attention.onnx");
  g_autoptr (SondeNamedTensors) values = read_sample ("attention.npz"),
                                left = sonde_named_tensors_new ();

  for (gsize i = 0; i < sonde_named_tensors_get_size (values); i++)
    if (!g_str_has_prefix (sonde_named_tensors_get_name (values, i), "grad("))
      sonde_named_tensors_set (left, sonde_named_tensors_get_name (values, i),
                               sonde_named_tensors_get_tensor (values, i));
  check_refused (model, write_npz (fixture, "values.npz", left), NULL, "until phase:optimiser");
}

static void
add (const char *path, gconstpointer data, void (*test) (Fixture *fixture, gconstpointer data))
{
  g_test_add (path, Fixture, data, set_up, test, tear_down);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (equals); i++)
    {
      g_autofree char *path = g_strdup_printf ("/app/worker/step/equal/%s", equals[i].model);

      add (path, &equals[i], test_equal);
    }
  add ("/app/worker/step/weight/older", "attention.onnx", test_weight);
  add ("/app/worker/step/weight/newer", "attention-scopes.onnx", test_weight);
  add ("/app/worker/step/gradient/older", "attention.onnx", test_gradient);
  add ("/app/worker/step/gradient/newer", "attention-scopes.onnx", test_gradient);
  add ("/app/worker/step/other-net", NULL, test_other_net);
  add ("/app/worker/step/broken-model", NULL, test_broken_model);
  add ("/app/worker/step/without-input", NULL, test_without_input);
  add ("/app/worker/step/other-input", NULL, test_other_input);
  add ("/app/worker/step/other-weight", NULL, test_other_weight);
  add ("/app/worker/step/without-gradients", NULL, test_without_gradients);
  return g_test_run ();
}
