/* SPDX-License-Identifier: Apache-2.0
 * `sonde convert` of models: the file runs and gives the same, the report has what it must have, and what
 * cannot be converted is not written. */
#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/wire/sonde-wire-emit.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

static char *
fixture_path (const char *net, const char *file)
{
  return g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures/mindir", net, file, NULL);
}

/* ---- a net with operators that nobody has -------------------------------- */

static void
emit_value (GByteArray *out, guint field, const char *name)
{
  gsize value = sonde_emit_begin (out, field), tensor;

  sonde_emit_text (out, 1, name);
  tensor = sonde_emit_begin (out, 2);
  sonde_emit_number (out, 1, 3);
  sonde_emit_number (out, 2, 1);
  sonde_emit_end (out, tensor);
  sonde_emit_end (out, value);
}

static void
emit_node (GByteArray *out, const char *op, const char *input, const char *output)
{
  gsize node = sonde_emit_begin (out, 1);

  sonde_emit_text (out, 1, input);
  sonde_emit_text (out, 2, output);
  sonde_emit_text (out, 3, output);
  sonde_emit_text (out, 4, op);
  sonde_emit_end (out, node);
}

static char *
write_strange_net (const char *folder)
{
  g_autoptr (GByteArray) out = g_byte_array_new ();
  char *path = g_build_filename (folder, "strange.mindir", NULL);
  gsize graph;

  sonde_emit_text (out, 1, "1.1");
  sonde_emit_text (out, 2, "MindSpore");
  graph = sonde_emit_begin (out, 7);
  emit_node (out, "Wobble", "g:x", "g:a");
  emit_node (out, "ReLU", "g:a", "g:b");
  emit_node (out, "Wobble", "g:b", "g:c");
  emit_node (out, "Quiver", "g:c", "g:d");
  sonde_emit_text (out, 2, "g");
  emit_value (out, 5, "g:x");
  emit_value (out, 6, "g:d");
  sonde_emit_end (out, graph);
  g_assert_true (g_file_set_contents (path, (const char *) out->data, (gssize) out->len, NULL));
  return path;
}

static gboolean
exists (const char *folder, const char *file)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* All are told at once, with count and first place; nothing is written. */
static void
test_incomplete (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = write_strange_net (folder);
  g_autoptr (SondeTestProgram) refused
      = sonde_test_run (folder, NULL, "convert", model, "out.onnx", "--json");
  g_autoptr (SondeTestProgram) partial
      = sonde_test_run (folder, NULL, "convert", model, "part.onnx", "--partial", "--json");
  g_autoptr (SondeTestProgram) run = NULL;
  g_autoptr (JsonNode) root = NULL;

  sonde_test_assert_status (refused, 1);
  sonde_test_assert_contains (refused->err, "Wobble (2×, first “a”)");
  sonde_test_assert_contains (refused->err, "Quiver (1×, first “d”)");
  g_assert_false (exists (folder, "out.onnx"));
  root = sonde_test_parse_json (refused->out);
  g_assert_true (json_object_get_null_member (json_node_get_object (root), "output"));
  g_assert_false (json_object_get_boolean_member (json_node_get_object (root), "complete"));
  sonde_test_assert_status (partial, 0);
  g_assert_true (exists (folder, "part.onnx"));
  run = sonde_test_run (folder, NULL, "infer", "part.onnx");
  sonde_test_assert_status (run, 1);
  sonde_test_assert_contains (run->err, "Wobble");
  sonde_test_folder_free (folder);
}

/* ---- a net that fits ----------------------------------------------------- */

static void
check_report (const char *text)
{
  g_autoptr (JsonNode) root = sonde_test_parse_json (text);
  JsonObject *report = json_node_get_object (root);
  JsonObject *input
      = json_array_get_object_element (json_object_get_array_member (report, "inputs"), 0);
  JsonObject *node
      = json_array_get_object_element (json_object_get_array_member (report, "nodes"), 0);

  sonde_test_assert_members (report,
                             "format format_version producer path signature signatures to opset "
                             "output complete bytes parameters nodes_in nodes_out inputs outputs "
                             "operators nodes notes check verify weights milliseconds");
  sonde_test_assert_members (input, "name dtype shape layout scale zero_point");
  sonde_test_assert_members (node, "node op how to");
  g_assert_cmpstr (json_object_get_string_member (report, "format"), ==, "mindir");
  g_assert_cmpstr (json_object_get_string_member (report, "to"), ==, "onnx");
  g_assert_cmpint (json_object_get_int_member (report, "opset"), ==, 21);
  g_assert_true (json_object_get_boolean_member (report, "complete"));
  g_assert_cmpfloat (json_object_get_double_member (json_object_get_object_member (report, "check"),
                                                    "max_relative_error"),
                     ==, 0);
}

static void
test_net (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = fixture_path ("loops", "model.mindir");
  g_autoptr (SondeTestProgram) program = sonde_test_run (
      folder, NULL, "convert", model, "loops.onnx", "--json", "--report", "report.html");
  g_autofree char *page_path = g_build_filename (folder, "report.html", NULL);
  g_autofree char *page = NULL;

  sonde_test_assert_status (program, 0);
  check_report (program->out);
  page = sonde_test_read_text (page_path);
  g_assert_true (g_str_has_prefix (page, "<!DOCTYPE html>"));
  g_assert_nonnull (strstr (page, "Loop"));
  g_assert_null (strstr (page, "http"));
  g_assert_null (strstr (page, "<script"));
  sonde_test_folder_free (folder);
}

/* Whatever the outputs were made from, and whichever of two ways: as ONNX they are the same. */
static void
test_same_outputs (void)
{
  static const char *const nets[] = { "breaks", "pairs", "recurrent" };

  for (guint i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      char *folder = sonde_test_folder_new ();
      g_autofree char *model = fixture_path (nets[i], "model.mindir");
      g_autofree char *inputs = fixture_path (nets[i], "inputs.npz");
      g_autofree char *outputs = fixture_path (nets[i], "outputs.npz");
      g_autoptr (SondeTestProgram) program
          = sonde_test_run (folder, NULL, "convert", model, "net.onnx", "--verify", inputs,
                            "--reference", outputs, "--json");
      g_autoptr (JsonNode) root = sonde_test_parse_json (program->out);
      JsonObject *verify = json_object_get_object_member (json_node_get_object (root), "verify");

      sonde_test_assert_status (program, 0);
      g_assert_cmpint (json_object_get_int_member (verify, "values"), >, 1);
      g_assert_true (json_object_get_null_member (verify, "first"));
      sonde_test_folder_free (folder);
    }
}

/* A reference that is wrong in one output: it is named, the file stays. */
static void
test_difference (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = fixture_path ("loops", "model.mindir");
  g_autofree char *inputs = fixture_path ("loops", "inputs.npz");
  g_autofree char *outputs = fixture_path ("loops", "outputs.npz");
  g_autofree char *wrong = g_build_filename (folder, "wrong.npz", NULL);
  g_autoptr (SondeNamedTensors) tensors = sonde_npz_read (NULL, outputs, NULL);
  g_autoptr (SondeTensor) changed
      = sonde_tensor_copy (sonde_named_tensors_lookup (tensors, "output_0"));
  g_autoptr (SondeTestProgram) program = NULL;

  sonde_tensor_set_double (changed, 0, 100);
  sonde_named_tensors_set (tensors, "output_0", changed);
  g_assert_true (sonde_npz_write (NULL, wrong, tensors, NULL));
  program = sonde_test_run (folder, NULL, "convert", model, "loops.onnx", "--verify", inputs,
                            "--reference", wrong);
  sonde_test_assert_status (program, 1);
  sonde_test_assert_contains (program->err, "“output_0”");
  g_assert_true (exists (folder, "loops.onnx"));
  sonde_test_folder_free (folder);
}

/* MindIR has names of its own for what nodes make: its outputs and inner values are found all the
 * same. */
static void
test_other_names (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = sonde_test_shared_path ("samples/convert/pt2/cnn/model.pt2");
  g_autofree char *input = sonde_test_shared_path ("samples/convert/pt2/cnn/input_image.npy");
  g_autofree char *values = sonde_test_shared_path ("samples/convert/pt2/cnn/values.npz");
  g_autofree char *inputs = g_build_filename (folder, "inputs.npz", NULL);
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (SondeTensor) image = NULL;
  const char *const references[] = { NULL, values };

  if (model == NULL || input == NULL || values == NULL)
    return sonde_test_folder_free (folder);
  image = sonde_npy_read (NULL, input, NULL);
  sonde_named_tensors_set (tensors, "image", image);
  g_assert_true (sonde_npz_write (NULL, inputs, tensors, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (references); i++)
    {
      g_autoptr (SondeTestProgram) program
          = sonde_test_run (folder, NULL, "convert", model, "net.mindir", "--json", "--verify",
                            inputs, references[i] != NULL ? "--reference" : NULL, references[i]);
      g_autoptr (JsonNode) root = sonde_test_parse_json (program->out);
      JsonObject *verify = json_object_get_object_member (json_node_get_object (root), "verify");

      sonde_test_assert_status (program, 0);
      g_assert_cmpint (json_object_get_int_member (verify, "values"), >=, 8);
      g_assert_true (json_object_get_null_member (verify, "first"));
    }
  sonde_test_folder_free (folder);
}

/* Of a quantised net two steps are allowed, three are not; what the user asks of floats has nothing
 * to do with it. */
static void
test_steps (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = sonde_test_shared_path ("samples/convert/tflite/cnn-int8/model.tflite");
  g_autofree char *input
      = sonde_test_shared_path ("samples/convert/tflite/cnn-int8/input_image.npy");
  g_autofree char *output
      = sonde_test_shared_path ("samples/convert/tflite/cnn-int8/output_output_0.npy");
  g_autofree char *inputs = g_build_filename (folder, "inputs.npz", NULL);
  g_autofree char *wanted = g_build_filename (folder, "wanted.npz", NULL);
  g_autoptr (SondeTensor) image = NULL, result = NULL;
  g_autoptr (SondeNamedTensors) tensors = sonde_named_tensors_new ();
  g_autoptr (SondeTestProgram) converted = NULL, ran = NULL;
  g_autofree char *made = g_build_filename (folder, "o", "output_0.npy", NULL);

  if (model == NULL || input == NULL || output == NULL)
    return sonde_test_folder_free (folder);
  image = sonde_npy_read (NULL, input, NULL);
  sonde_named_tensors_set (tensors, "image", image);
  g_assert_true (sonde_npz_write (NULL, inputs, tensors, NULL));
  converted = sonde_test_run (folder, NULL, "convert", model, "net.onnx", "--json");
  ran = sonde_test_run (folder, NULL, "infer", "net.onnx", "--input", input, "--output", "o");
  sonde_test_assert_status (converted, 0);
  sonde_test_assert_contains (converted->out, "\"how\" : \"approximate\"");
  sonde_test_assert_contains (converted->out, "at most a step a layer apart");
  sonde_test_assert_contains (converted->out, " steps at an output)");
  sonde_test_assert_status (ran, 0);
  result = sonde_npy_read (NULL, made, NULL);
  for (int steps = 2; steps <= 3; steps++)
    {
      g_autoptr (SondeNamedTensors) reference = sonde_named_tensors_new ();
      g_autoptr (SondeTensor) moved = sonde_tensor_copy (result);
      g_autoptr (SondeTestProgram) program = NULL;

      sonde_tensor_set_double (moved, 0, sonde_tensor_get_double (result, 0) + steps);
      sonde_named_tensors_set (reference, "output_0", moved);
      g_assert_true (sonde_npz_write (NULL, wanted, reference, NULL));
      program = sonde_test_run (folder, NULL, "convert", model, "net.onnx", "--verify", inputs,
                                "--reference", wanted, "--tolerance", "1e-9");
      sonde_test_assert_status (program, steps == 2 ? 0 : 1);
    }
  sonde_test_folder_free (folder);
}

/* ---- two files ----------------------------------------------------------- */

static SondeTensor *
run_model (const char *folder, const char *model, const char *output)
{
  g_autofree char *made = g_build_filename (folder, "o", output, NULL);
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "infer", model, "--input", "random", "--output", "o");
  SondeTensor *tensor;

  sonde_test_assert_status (program, 0);
  tensor = sonde_npy_read (NULL, made, NULL);
  g_assert_nonnull (tensor);
  return tensor;
}

static guint
count_entries (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* The limit of a file is made small: weights lie beside the model, and come back with it. */
static void
test_split (void)
{
  const struct
  {
    const char *out, *model, *weights, *output;
  } cases[] = {
    { "m/net.onnx", "m/net.onnx", "m/net.onnx.data", "logits.npy" },
    { "m/net.mindir", "m/net_graph.mindir", "m/net_variables/data_0", "output_0.npy" },
  };
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = sonde_test_shared_path ("models/lenet-mnist/lenet-mnist.onnx");
  g_autofree char *inside = g_build_filename (folder, "m", NULL);
  g_autoptr (SondeTensor) want = NULL;

  if (model == NULL)
    return sonde_test_folder_free (folder);
  g_assert_cmpint (g_mkdir_with_parents (inside, 0700), ==, 0);
  want = run_model (folder, model, "logits.npy");
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTestProgram) program = sonde_test_run (
          folder, NULL, "convert", model, cases[i].out, "--split-above", "1000", "--json");
      g_autoptr (SondeTestProgram) lost = NULL;
      g_autoptr (JsonNode) root = NULL;
      g_autoptr (SondeTensor) got = NULL;
      g_autofree char *weights = g_build_filename (folder, cases[i].weights, NULL);

      sonde_test_assert_status (program, 0);
      root = sonde_test_parse_json (program->out);
      g_assert_cmpstr (json_object_get_string_member (json_node_get_object (root), "output"), ==,
                       cases[i].model);
      g_assert_cmpuint (count_entries (inside), ==, 2); /* nothing of the making */
      got = run_model (folder, cases[i].model, cases[i].output);
      g_assert_true (sonde_tensor_equal (got, want));
      sonde_test_remove (weights);
      lost = sonde_test_run (folder, NULL, "infer", cases[i].model);
      sonde_test_assert_status (lost, 1);
      sonde_test_assert_contains (lost->err, strrchr (cases[i].weights, '/') + 1);
      sonde_test_remove (inside);
      g_assert_cmpint (g_mkdir_with_parents (inside, 0700), ==, 0);
    }
  sonde_test_folder_free (folder);
}

/* ---- other outputs ------------------------------------------------------- */

static void
test_outputs (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = fixture_path ("convolutions", "model.mindir");
  g_autoptr (SondeTestProgram) weights
      = sonde_test_run (folder, NULL, "convert", model, "weights.npz");
  g_autoptr (SondeTestProgram) other
      = sonde_test_run (folder, NULL, "convert", model, "net.tflite");
  g_autofree char *path = g_build_filename (folder, "weights.npz", NULL);
  g_autoptr (SondeNamedTensors) tensors = NULL;

  sonde_test_assert_status (weights, 0);
  tensors = sonde_npz_read (NULL, path, NULL);
  g_assert_nonnull (sonde_named_tensors_lookup (tensors, "a.weight"));
  sonde_test_assert_status (other, 1);
  sonde_test_assert_contains (other->err, "is in no format that is written");
  g_assert_false (exists (folder, "net.tflite"));
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/convert-models/net", test_net);
  g_test_add_func ("/app/cli/convert-models/same-outputs", test_same_outputs);
  g_test_add_func ("/app/cli/convert-models/difference", test_difference);
  g_test_add_func ("/app/cli/convert-models/other-names", test_other_names);
  g_test_add_func ("/app/cli/convert-models/steps", test_steps);
  g_test_add_func ("/app/cli/convert-models/split", test_split);
  g_test_add_func ("/app/cli/convert-models/incomplete", test_incomplete);
  g_test_add_func ("/app/cli/convert-models/outputs", test_outputs);
  return g_test_run ();
}
