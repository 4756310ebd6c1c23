/* SPDX-License-Identifier: Apache-2.0
 * Whole models, node by node: every intermediate value against ONNX Runtime's (models/README.md of
 * the shared folder), after legalise, infer, fold. */
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const char *name;
  double rtol, atol;
} ModelCase;

/* Tolerances as models/README.md advises: rounding of sums differs between kernels. */
static const ModelCase models[] = {
  { "lenet-mnist", 1e-4, 1e-5 },
  { "mlp", 1e-4, 1e-5 },
  { "bn-resnet", 1e-4, 1e-5 },
  { "bn-resnet-opset9", 1e-4, 1e-5 },
  { "dwnet", 1e-4, 1e-5 },
  { "external-data", 1e-4, 1e-5 },
  { "transformer", 1e-4, 1e-5 },
  { "transformer-opset20", 1e-4, 1e-5 },
  { "fp16-resnet", 0, 5e-3 },
  { "local-functions", 1e-4, 1e-5 },
  { "module-functions", 1e-4, 1e-5 },
};

static char *
model_path (const char *model, const char *file)
{
  g_autofree char *relative = g_build_filename ("models", model, file, NULL);

  return sonde_test_shared_path (relative);
}

static SondeNamedTensors *
read_arrays (const char *model, const char *file)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = model_path (model, file);
  SondeNamedTensors *tensors = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensors;
}

static GHashTable *
read_feeds (SondeGraph *graph, const char *model)
{
  g_autofree char *single = model_path (model, "inputs.npy");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, single, &error);
  GHashTable *feeds = sonde_test_feeds_new ();

  g_assert_no_error (error);
  sonde_test_feeds_set (feeds, ((SondeGraphValue *) graph->inputs->pdata[0])->name, tensor);
  return feeds;
}

/* Lines of the listing: key, node index, operator, node, value, … */
static guint
compare_intermediates (SondeGraph *graph, GHashTable *values, const ModelCase *row)
{
  g_autofree char *path = model_path (row->name, "intermediates.tsv");
  g_autoptr (SondeNamedTensors) wanted = read_arrays (row->name, "intermediates.npz");
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint compared = 0;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 1; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);
      SondeGraphValue *value = sonde_graph_find_value (graph, fields[4]);
      SondeTensor *want = sonde_named_tensors_lookup (wanted, fields[0]);
      gboolean exact = !sonde_dtype_is_float (want->dtype);

      g_assert_nonnull (value);
      sonde_test_assert_close (g_hash_table_lookup (values, value), want, exact ? 0 : row->rtol,
                               exact ? 0 : row->atol, value->name);
      compared++;
    }
  return compared;
}

/* What inference said must be what came out. */
static void
compare_types (SondeGraph *graph, GHashTable *values)
{
  GHashTableIter iter;
  gpointer key, tensor;

  g_hash_table_iter_init (&iter, values);
  while (g_hash_table_iter_next (&iter, &key, &tensor))
    {
      SondeGraphValue *value = key;
      SondeShape shape;

      if (!sonde_type_get_shape (&value->type, &shape))
        {
          g_test_message ("the shape of “%s” is not inferred", value->name);
          g_test_fail ();
          continue;
        }
      g_assert_true (sonde_shape_equal (&shape, &((SondeTensor *) tensor)->shape));
      g_assert_cmpint (value->type.dtype, ==, ((SondeTensor *) tensor)->dtype);
    }
}

static void
test_model (gconstpointer data)
{
  const ModelCase *row = data;
  g_autofree char *file = g_strconcat (row->name, ".onnx", NULL);
  g_autofree char *path = model_path (row->name, file);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = NULL, graph = NULL;
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  g_autoptr (GHashTable) feeds = NULL, values = NULL;
  SondeBinding binding;

  if (path == NULL)
    return;
  original = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  graph = sonde_graph_copy (original, TRUE);
  sonde_pass_check (graph, problems);
  for (guint i = 0; i < problems->len; i++)
    {
      g_autofree char *text = sonde_message_dup_english (problems->pdata[i]);

      g_test_message ("%s", text);
    }
  g_assert_cmpuint (problems->len, ==, 0);

  sonde_pass_inline (graph, &error);
  g_assert_no_error (error);
  sonde_pass_legalise (graph, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_pass_check (graph, problems));
  sonde_pass_fold (graph, &error);
  g_assert_no_error (error);
  feeds = read_feeds (graph, row->name);
  binding.name = ((SondeGraphValue *) graph->inputs->pdata[0])->name;
  {
    SondeTensor *input = g_hash_table_lookup (feeds, binding.name);

    binding.type = sonde_type_tensor (input->dtype, &input->shape);
  }
  sonde_pass_infer (graph, &binding, 1, &error);
  g_assert_no_error (error);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  compare_types (graph, values);
  g_assert_cmpuint (compare_intermediates (graph, values, row), >=, 3);
}

/* d(Σ first output)/d(input) of a picture net, through legalise, infer with a symbolic batch,
 * gradient. */
static SondeTensor *
input_gradient (const char *file, SondeTensor *picture, const float *weights) /* of the outputs */
{
  g_autofree char *path = model_path ("explain", file);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GHashTable) feeds = sonde_test_feeds_new ();
  g_autoptr (GHashTable) values = NULL;
  g_autoptr (SondeTensor) seed = NULL;
  SondeShape outputs = sonde_shape_make (2, 1, 10);
  SondeGraphValue *x = NULL, *gradient = NULL;

  if (path == NULL)
    return NULL;
  graph = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  sonde_pass_legalise (graph, &error);
  g_assert_no_error (error);
  sonde_pass_fold (graph, &error);
  g_assert_no_error (error);
  sonde_pass_infer (graph, NULL, 0, &error);
  g_assert_no_error (error);
  x = graph->inputs->pdata[0];
  seed = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &outputs, weights);
  sonde_pass_gradient (graph, graph->outputs->pdata[0],
                       sonde_graph_add_initialiser (graph, "seed", seed, SONDE_ROLE_CONSTANT), &x,
                       1, &gradient, &error);
  g_assert_no_error (error);
  sonde_test_feeds_set (feeds, x->name, picture);
  values = sonde_test_evaluate (graph, feeds, &error);
  g_assert_no_error (error);
  return sonde_tensor_ref (g_hash_table_lookup (values, gradient));
}

static const float class_weights[] = { 1, -2, 3, 0, 0, 0.5, 0, 0, -1, 4 };

/* The same net with its normalisations folded into the convolutions and with them kept: one
 * gradient. */
static void
test_saliency (void)
{
  SondeShape shape = sonde_shape_make (4, 1, 3, 32, 32);
  g_autoptr (SondeTensor) picture = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 5, -2, 2);
  g_autoptr (SondeTensor) folded = input_gradient ("cifar-resnet20.onnx", picture, class_weights);
  g_autoptr (SondeTensor) kept
      = folded ? input_gradient ("cifar-resnet20-bn.onnx", picture, class_weights) : NULL;
  double largest = 0;

  if (folded == NULL)
    return;
  for (gint64 i = 0; i < sonde_tensor_n_elements (kept); i++)
    largest = fmax (largest, fabs (sonde_tensor_get_double (kept, i)));
  g_assert_cmpfloat (largest, >, 1e-3);
  sonde_test_assert_close (folded, kept, 0, 1e-4 * largest, "grad(input)");
}

/* With AveragePool in front and Softmax behind; the probabilities sum to 1, so equal weights give
 * nothing. */
static void
test_saliency_of_probabilities (void)
{
  static const float ones[] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
  SondeShape shape = sonde_shape_make (4, 1, 3, 64, 64);
  g_autoptr (SondeTensor) picture = sonde_test_tensor_random (SONDE_DTYPE_F32, &shape, 6, -2, 2);
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) gradient = input_gradient ("cifar-resnet20-64.onnx", picture, ones);

  if (gradient != NULL)
    sonde_test_assert_close (gradient, zeros, 0, 1e-5, "grad(input)");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/passes/models/", models[i].name, NULL);

      g_test_add_data_func (path, &models[i], test_model);
    }
  g_test_add_func ("/engine/passes/models/cifar/saliency", test_saliency);
  g_test_add_func ("/engine/passes/models/cifar/saliency-of-probabilities",
                   test_saliency_of_probabilities);
  return g_test_run ();
}
