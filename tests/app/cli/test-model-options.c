/* SPDX-License-Identifier: Apache-2.0
 * --signature, --weights and --shape: the same in every command that takes a model. */
#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

static char *
dup_model (const char *name)
{
  g_autofree char *relative = g_strdup_printf ("models/%s/%s.onnx", name, name);

  return sonde_test_shared_path (relative);
}

/* The weights of the model with all numbers doubled, under names of another framework, and one that
 * nobody asked for. */
static void
write_doubled (const char *folder, const char *model)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "convert", model, "own.npz");
  g_autofree char *from = g_build_filename (folder, "own.npz", NULL);
  g_autofree char *to = g_build_filename (folder, "doubled.npz", NULL);
  g_autoptr (SondeNamedTensors) own = sonde_npz_read (NULL, from, NULL),
                                doubled = sonde_named_tensors_new ();
  const SondeShape one = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) more = sonde_tensor_new (SONDE_DTYPE_F32, &one);

  sonde_test_assert_status (program, 0);
  for (gsize i = 0; i < sonde_named_tensors_get_size (own); i++)
    {
      g_autofree char *name = g_strconcat ("module/", sonde_named_tensors_get_name (own, i), NULL);
      g_autoptr (SondeTensor) tensor = sonde_tensor_copy (sonde_named_tensors_get_tensor (own, i));

      for (gint64 k = 0; k < sonde_tensor_n_elements (tensor); k++)
        sonde_tensor_set_double (tensor, k, 2 * sonde_tensor_get_double (tensor, k));
      sonde_named_tensors_set (doubled, g_strdelimit (name, ".", '/'), tensor);
    }
  sonde_named_tensors_set (doubled, "module/more", more);
  g_assert_true (sonde_npz_write (NULL, to, doubled, NULL));
}

static SondeTensor *
read_output (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  SondeTensor *tensor = sonde_npy_read (NULL, path, NULL);

  g_assert_nonnull (tensor);
  return tensor;
}

/* A net with biases of zero and ReLUs is linear in each of its three matrices. */
static void
test_weights (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = dup_model ("mlp");
  g_autoptr (SondeTestProgram) with = NULL, converted = NULL, of_converted = NULL, unread = NULL;
  g_autoptr (SondeTensor) a = NULL, b = NULL;
  g_autoptr (JsonNode) root = NULL;
  JsonObject *weights;

  if (model == NULL)
    return sonde_test_folder_free (folder);
  write_doubled (folder, model);
  with = sonde_test_run (folder, NULL, "infer", model, "--input", "random", "--weights",
                         "doubled.npz", "--output", "a", "--json");
  sonde_test_assert_status (with, 0);
  root = sonde_test_parse_json (with->out);
  weights = json_object_get_object_member (json_node_get_object (root), "weights");
  sonde_test_assert_members (weights, "from by parameters unused");
  g_assert_cmpint (
      json_object_get_int_member (json_object_get_object_member (weights, "by"), "name"), ==, 6);
  g_assert_cmpstr (json_object_get_string_member (
                       json_object_get_object_member (weights, "parameters"), "fc.0.weight"),
                   ==, "module/fc/0/weight");
  g_assert_cmpstr (
      json_array_get_string_element (json_object_get_array_member (weights, "unused"), 0), ==,
      "module/more");

  converted = sonde_test_run (folder, NULL, "convert", model, "new.mindir", "--weights",
                              "doubled.npz", "--json");
  sonde_test_assert_status (converted, 0);
  sonde_test_assert_contains (converted->out, "\"from\" : \"doubled.npz\"");
  of_converted
      = sonde_test_run (folder, NULL, "infer", "new.mindir", "--input", "random", "--output", "b");
  sonde_test_assert_status (of_converted, 0);
  a = read_output (folder, "a/y.npy");
  b = read_output (folder, "b/output_0.npy");
  sonde_test_assert_close (b, a, 1e-5, 1e-6, "converted");

  unread = sonde_test_run (folder, NULL, "infer", model, "--weights", "nowhere.npz");
  sonde_test_assert_status (unread, 1);
  sonde_test_assert_contains (unread->err, "nowhere.npz");
  sonde_test_folder_free (folder);
}

/* Each command says the same of a file of weights that does not fit. */
static void
test_every_command (void)
{
  const char *const calls[][8] = {
    { "infer", NULL },
    { "train", "--dry-run", NULL },
    { "train", "--run", "run", NULL },
    { "debug", "--check", "1", NULL },
    { "debug", "--repl", NULL },
    { "explain", "--data", "glyphs", NULL },
    { "profile", "--runs", "1", NULL },
    { "inspect", NULL },
    { "inspect", "--cost", NULL },
    { "scan", NULL },
  };
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = dup_model ("lenet-mnist"), *other = dup_model ("mlp");

  for (guint i = 0; model != NULL && i < G_N_ELEMENTS (calls); i++)
    {
      const char *arguments[12] = { calls[i][0], model, "--weights", other };
      g_autoptr (SondeTestProgram) program = NULL;

      for (guint k = 1; calls[i][k] != NULL; k++)
        arguments[3 + k] = calls[i][k];
      program = sonde_test_run_strv (folder, NULL, arguments);
      if (g_strcmp0 (calls[i][1], "--dry-run") == 0)
        continue; /* reads no weights */
      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, "does not match the model. Missing tensors: ");
    }
  sonde_test_folder_free (folder);
}

static void
test_shape (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = dup_model ("dynamic-shapes");
  const struct
  {
    const char *shape;
    int status;
    const char *says;
  } cases[] = {
    { "ids=2,5", 0, "2×5×8" },
    { "ids=3", 1, "input “ids” has 2 dimensions, the given shape has 1" },
    { "idx=2,5", 1, "a shape is given for “idx”, which is no input of the model" },
    { "ids=2,x", 1, "“ids=2,x” is not of that form" },
  };

  for (guint i = 0; model != NULL && i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTestProgram) infer
          = sonde_test_run (folder, NULL, "infer", model, "--shape", cases[i].shape);
      g_autoptr (SondeTestProgram) inspect
          = sonde_test_run (folder, NULL, "inspect", model, "--shape", cases[i].shape);

      sonde_test_assert_status (infer, cases[i].status);
      sonde_test_assert_status (inspect, cases[i].status);
      sonde_test_assert_contains (cases[i].status == 0 ? infer->out : infer->err, cases[i].says);
      sonde_test_assert_contains (cases[i].status == 0 ? inspect->out : inspect->err,
                                  cases[i].says);
    }
  sonde_test_folder_free (folder);
}

static void
test_signature (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = dup_model ("mlp");
  g_autofree char *lite = sonde_test_shared_path ("samples/convert/tflite/cnn/model.tflite");
  g_autoptr (SondeTestProgram) onnx = NULL, unknown = NULL, set = NULL;

  if (model == NULL || lite == NULL)
    return sonde_test_folder_free (folder);
  onnx = sonde_test_run (folder, NULL, "infer", model, "--signature", "train");
  sonde_test_assert_status (onnx, 1);
  sonde_test_assert_contains (onnx->err, "has no signatures to choose from");
  unknown = sonde_test_run (folder, NULL, "infer", lite, "--signature", "train");
  sonde_test_assert_status (unknown, 1);
  sonde_test_assert_contains (unknown->err, "serving_default");
  set = sonde_test_run (folder, "quit\n", "debug", lite, "--repl", "--set",
                        "model.signature=train");
  sonde_test_assert_status (set, 1);
  sonde_test_assert_contains (set->err, "serving_default");
  sonde_test_folder_free (folder);
}

/* A model that is a folder: no command takes it for a run, a dump or sources. */
static void
test_folder (void)
{
  static const char *const commands[] = { "infer", "inspect", "scan", "profile" };
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = g_build_filename (g_getenv ("SONDE_SOURCE"),
                                             "tests/fixtures/models/savedmodel/nested/model", NULL);
  g_autoptr (SondeTestProgram) debug = NULL, other = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, commands[i], model);

      sonde_test_assert_status (program, 0);
    }
  debug = sonde_test_run (folder, "step\nquit\n", "debug", "--repl", model);
  sonde_test_assert_status (debug, 0);
  sonde_test_assert_contains (debug->out, "node 2 of");
  other = sonde_test_run (folder, NULL, "infer", model, "--signature", "train");
  sonde_test_assert_status (other, 1);
  sonde_test_assert_contains (other->err, "there are: ");
  sonde_test_assert_contains (other->err, "look_up");
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/model-options/weights", test_weights);
  g_test_add_func ("/app/cli/model-options/every-command", test_every_command);
  g_test_add_func ("/app/cli/model-options/shape", test_shape);
  g_test_add_func ("/app/cli/model-options/signature", test_signature);
  g_test_add_func ("/app/cli/model-options/folder", test_folder);
  return g_test_run ();
}
