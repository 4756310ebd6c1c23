/* SPDX-License-Identifier: Apache-2.0
 * `sonde infer` of MindIR nets against what MindSpore computed of them: the samples, and the nets of
 * tests/fixtures/mindir, one output an operator. */
#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

#define TOLERANCE 1e-4 /* of the largest element */

static void
assert_alike (SondeTensor *got, SondeTensor *want, const char *what)
{
  double largest = 1e-3;

  if (!sonde_dtype_is_float (want->dtype))
    {
      sonde_test_assert_close (got, want, 0, 0, what);
      return;
    }
  for (gint64 i = 0; i < sonde_tensor_n_elements (want); i++)
    largest = MAX (largest, ABS (sonde_tensor_get_double (want, i)));
  sonde_test_assert_close (got, want, 0, TOLERANCE * largest, what);
}

static SondeTensor *
read_output (const char *folder, const char *name)
{
  g_autofree char *file = g_strconcat (name, ".npy", NULL);
  g_autofree char *path = g_build_filename (folder, "out", file, NULL);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_npy_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensor;
}

/* @inputs: (element-type utf8): "NAME=FILE" */
static void
run_net (const char *folder, const char *model, GPtrArray *inputs)
{
  g_autoptr (GPtrArray) arguments = g_ptr_array_new ();
  g_autoptr (SondeTestProgram) program = NULL;

  g_ptr_array_add (arguments, (char *) "infer");
  g_ptr_array_add (arguments, (char *) model);
  for (guint i = 0; i < inputs->len; i++)
    {
      g_ptr_array_add (arguments, (char *) "--input");
      g_ptr_array_add (arguments, inputs->pdata[i]);
    }
  g_ptr_array_add (arguments, (char *) "--output");
  g_ptr_array_add (arguments, (char *) "out");
  g_ptr_array_add (arguments, NULL);
  program = sonde_test_run_strv (folder, NULL, (const char *const *) arguments->pdata);
  sonde_test_assert_status (program, 0);
}

/* ---- samples ------------------------------------------------------------- */

static GPtrArray *
list_inputs (const char *sample, JsonObject *run)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);
  JsonObject *files = json_object_get_object_member (run, "inputs");
  g_autoptr (GList) names = json_object_get_members (files);

  for (GList *l = names; l != NULL; l = l->next)
    g_ptr_array_add (inputs, g_strdup_printf ("%s=%s/%s", (const char *) l->data, sample,
                                              json_object_get_string_member (files, l->data)));
  return inputs;
}

static void
check_run (const char *sample, const char *model, JsonObject *run)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (GPtrArray) inputs = list_inputs (sample, run);
  JsonObject *files = json_object_get_object_member (run, "outputs");
  g_autoptr (GList) names = json_object_get_members (files);

  run_net (folder, model, inputs);
  for (GList *l = names; l != NULL; l = l->next)
    {
      g_autofree char *path
          = g_build_filename (sample, json_object_get_string_member (files, l->data), NULL);
      g_autoptr (SondeTensor) want = sonde_npy_read (NULL, path, NULL);
      g_autoptr (SondeTensor) got = read_output (folder, l->data);

      assert_alike (got, want, path);
    }
  sonde_test_folder_free (folder);
}

static void
test_sample (gconstpointer name)
{
  g_autofree char *relative = g_build_filename ("samples/convert/mindir", name, NULL);
  g_autofree char *sample = sonde_test_shared_path (relative);
  g_autofree char *model = NULL, *path = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonArray *runs;

  if (sample == NULL)
    return;
  path = g_build_filename (sample, "case.json", NULL);
  model = g_build_filename (sample, "model.mindir", NULL);
  root = sonde_test_read_json (path);
  runs = json_object_get_array_member (json_node_get_object (root), "runs");
  g_assert_cmpuint (json_array_get_length (runs), >, 0);
  for (guint i = 0; i < json_array_get_length (runs); i++)
    check_run (sample, model, json_array_get_object_element (runs, i));
}

static void
test_logits (gconstpointer name)
{
  g_autofree char *relative = g_build_filename ("samples/mindspore/models", name, NULL);
  g_autofree char *sample = sonde_test_shared_path (relative);
  g_autofree char *model = NULL, *logits = NULL;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (SondeTensor) want = NULL, got = NULL;
  char *folder;

  if (sample == NULL)
    return;
  folder = sonde_test_folder_new ();
  model = g_strdup_printf ("%s/%s_b16.mindir", sample, (const char *) name);
  logits = g_build_filename (sample, "logits_16x10.npy", NULL);
  g_ptr_array_add (inputs, g_strdup_printf ("x=%s/input_16x1x28x28.npy", sample));
  run_net (folder, model, inputs);
  want = sonde_npy_read (NULL, logits, NULL);
  got = read_output (folder, "output_0");
  assert_alike (got, want, logits);
  sonde_test_folder_free (folder);
}

/* ---- operators ----------------------------------------------------------- */

static SondeNamedTensors *
read_npz (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *tensors = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensors;
}

static GPtrArray *
write_inputs (const char *folder, const SondeNamedTensors *tensors)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < sonde_named_tensors_get_size (tensors); i++)
    {
      const char *name = sonde_named_tensors_get_name (tensors, i);
      g_autofree char *path = g_strdup_printf ("%s/in-%zu.npy", folder, i);

      g_assert_true (
          sonde_npy_write (NULL, path, sonde_named_tensors_get_tensor (tensors, i), NULL));
      g_ptr_array_add (inputs, g_strdup_printf ("%s=%s", name, path));
    }
  return inputs;
}

/* @model: with the inputs of the fixture gives its outputs. */
static void
check_outputs (const char *folder, const char *net, const char *model)
{
  g_autoptr (SondeNamedTensors) in = read_npz (net, "inputs.npz"),
                                want = read_npz (net, "outputs.npz");
  g_autoptr (GPtrArray) inputs = write_inputs (folder, in);

  run_net (folder, model, inputs);
  g_assert_cmpuint (sonde_named_tensors_get_size (want), >, 0);
  for (gsize i = 0; i < sonde_named_tensors_get_size (want); i++)
    {
      const char *output = sonde_named_tensors_get_name (want, i);
      g_autoptr (SondeTensor) got = read_output (folder, output);

      assert_alike (got, sonde_named_tensors_get_tensor (want, i), output);
    }
}

static char *
dup_net_path (const char *name)
{
  return g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/mindir", name, NULL);
}

static void
test_operators (gconstpointer name)
{
  g_autofree char *net = dup_net_path (name);
  g_autofree char *model = g_build_filename (net, "model.mindir", NULL);
  char *folder = sonde_test_folder_new ();

  check_outputs (folder, net, model);
  sonde_test_folder_free (folder);
}

/* ---- written ------------------------------------------------------------- */

/* As ONNX, and from there as MindIR again. MindSpore 2.10 loads these files, too: that is tried by hand. */
static void
test_back (gconstpointer name)
{
  g_autofree char *net = dup_net_path (name);
  g_autofree char *model = g_build_filename (net, "model.mindir", NULL);
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) there = sonde_test_run (folder, NULL, "convert", model, "net.onnx");
  g_autoptr (SondeTestProgram) back
      = sonde_test_run (folder, NULL, "convert", "net.onnx", "back.mindir");

  sonde_test_assert_status (there, 0);
  sonde_test_assert_status (back, 0);
  check_outputs (folder, net, "back.mindir");
  sonde_test_folder_free (folder);
}

static void
save_scattering_net (const char *folder)
{
  const SondeShape shape = { .rank = 2, .dims = { 3, 4 } };
  const SondeType floats = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("scattering");
  g_autofree char *path = g_build_filename (folder, "net.onnx", NULL);
  g_autoptr (SondeTensor) indices
      = sonde_test_tensor (SONDE_DTYPE_I64, "3x4: 1 0 3 2 0 1 2 3 3 2 1 0");
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &floats);
  SondeGraphValue *inputs[]
      = { x, sonde_graph_add_initialiser (graph, "places", indices, SONDE_ROLE_CONSTANT), x };
  SondeNode *node = sonde_graph_add_node (graph, "scatter", "", "ScatterElements", inputs, 3, 1);
  SondeGraphValue *y = sonde_node_get_output (node, 0);

  sonde_graph_set_opset (graph, "", 21);
  sonde_node_set_int (node, "axis", 1);
  sonde_node_set_string (node, "reduction", "add");
  sonde_graph_add_output (graph, y);
  sonde_graph_add_output (
      graph, sonde_node_get_output (
                 sonde_graph_add_node (graph, "places_of", "", "NonZero", &y, 1, 1), 0));
  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
}

/* The check of the conversion runs both files. */
static void
test_scattering (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *check;

  save_scattering_net (folder);
  program = sonde_test_run (folder, NULL, "convert", "net.onnx", "net.mindir", "--json");
  sonde_test_assert_status (program, 0);
  root = sonde_test_parse_json (program->out);
  check = json_object_get_object_member (json_node_get_object (root), "check");
  g_assert_nonnull (check);
  g_assert_cmpfloat (json_object_get_double_member (check, "max_relative_error"), ==, 0);
  sonde_test_folder_free (folder);
}

/* A bias behind a transposed convolution, whose node the file does not describe. */
static void
test_unet (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/unet/unet.onnx");
  char *folder;
  g_autoptr (SondeTestProgram) program = NULL;

  if (model == NULL)
    return;
  folder = sonde_test_folder_new ();
  program = sonde_test_run (folder, NULL, "convert", model, "unet.mindir");
  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->out, "checked by a run");
  sonde_test_folder_free (folder);
}

/* What MindIR has no form for is named, and nothing is written. */
static void
test_not_written (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/control-flow/control-flow.onnx");
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = g_build_filename (folder, "back.mindir", NULL);
  g_autoptr (SondeTestProgram) program = NULL;

  if (model == NULL)
    return sonde_test_folder_free (folder);
  program = sonde_test_run (folder, NULL, "convert", model, "back.mindir");
  sonde_test_assert_status (program, 1);
  sonde_test_assert_contains (program->err, "Loop (1×, first ");
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  static const char *const samples[] = { "control-flow", "transformer" };
  static const char *const models[] = { "lenet", "tinyresnet_bn" };
  static const char *const written[]
      = { "activations", "convolutions", "convolutions3d", "elementwise", "joining", "matrices",
          "norms",       "padding",      "pairs",          "reductions",  "shapes" };
  g_autofree char *nets
      = g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/mindir", NULL);
  g_autoptr (GDir) folder = g_dir_open (nets, 0, NULL);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      g_autofree char *path = g_strconcat ("/app/cli/mindir/sample/", samples[i], NULL);

      g_test_add_data_func (path, samples[i], test_sample);
    }
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    {
      g_autofree char *path = g_strconcat ("/app/cli/mindir/logits/", models[i], NULL);

      g_test_add_data_func (path, models[i], test_logits);
    }
  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (strchr (name, '.') == NULL)
      {
        g_autofree char *path = g_strconcat ("/app/cli/mindir/operators/", name, NULL);

        g_test_add_data_func_full (path, g_strdup (name), test_operators, g_free);
      }
  for (guint i = 0; i < G_N_ELEMENTS (written); i++)
    {
      g_autofree char *path = g_strconcat ("/app/cli/mindir/back/", written[i], NULL);

      g_test_add_data_func (path, written[i], test_back);
    }
  g_test_add_func ("/app/cli/mindir/unet", test_unet);
  g_test_add_func ("/app/cli/mindir/scattering", test_scattering);
  g_test_add_func ("/app/cli/mindir/not-written", test_not_written);
  return g_test_run ();
}
