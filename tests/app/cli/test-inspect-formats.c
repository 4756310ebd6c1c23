/* SPDX-License-Identifier: Apache-2.0
 * `sonde inspect` of models in other formats than ONNX: their own operators, and what the file says of
 * itself. */
#include <string.h>

#include "tests/support/sonde-test-program.h"

static char *
fixture_path (const char *relative)
{
  return g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures", relative, NULL);
}

static JsonNode *
inspect (const char *folder, const char *path)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "inspect", path, "--json");

  sonde_test_assert_status (program, 0);
  return sonde_test_parse_json (program->out);
}

/* Each with an operator that only its format calls so. */
static void
test_formats (void)
{
  const struct
  {
    const char *path, *format, *op;
    gboolean has_signature;
  } cases[] = {
    { "tflite/window.tflite", "tflite", "CONV_2D", TRUE },
    { "mindir/convolutions/model.mindir", "mindir", "Conv2D", FALSE },
    { "models/pt2/unary/model.pt2", "pt2", "aten.tanh.default", TRUE },
    { "models/caffe/layers/deploy.prototxt", "caffe", "Convolution", FALSE },
  };
  char *folder = sonde_test_folder_new ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = fixture_path (cases[i].path);
      g_autoptr (JsonNode) root = inspect (folder, path);
      JsonObject *object = json_node_get_object (root);
      JsonObject *ops = json_object_get_object_member (object, "ops");
      JsonArray *signatures = json_object_get_array_member (object, "signatures");

      sonde_test_assert_members (object,
                                 "path format ir_version opsets format_version producer signature "
                                 "signatures inputs outputs parameters nodes ops unsupported "
                                 "executed");
      g_assert_cmpstr (json_object_get_string_member (object, "format"), ==, cases[i].format);
      g_assert_true (json_object_get_null_member (object, "ir_version"));
      g_assert_cmpint (json_object_get_int_member (ops, cases[i].op), >, 0);
      g_assert_cmpuint (
          json_array_get_length (json_object_get_array_member (object, "unsupported")), ==, 0);
      g_assert_cmpuint (json_array_get_length (signatures), ==, cases[i].has_signature ? 1 : 0);
    }
  sonde_test_folder_free (folder);
}

static void
test_text (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = fixture_path ("models/caffe/layers/deploy.prototxt");
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "inspect", path);

  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->out, "caffe model, ");
  g_assert_null (strstr (program->out, "IR "));
  sonde_test_folder_free (folder);
}

/* The layers and their weights are one model. */
static void
test_folder (void)
{
  char *folder = sonde_test_folder_new ();
  static const char *const files[] = { "deploy.prototxt", "model.caffemodel" };
  g_autoptr (JsonNode) root = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *relative = g_strconcat ("models/caffe/layers/", files[i], NULL);
      g_autofree char *from = fixture_path (relative);
      g_autofree char *to = g_build_filename (folder, "nets", files[i], NULL);
      g_autofree char *parent = g_path_get_dirname (to);
      g_autofree char *content = NULL;
      gsize length;

      g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
      g_assert_true (g_file_get_contents (from, &content, &length, NULL));
      g_assert_true (g_file_set_contents (to, content, (gssize) length, NULL));
    }
  root = inspect (folder, "nets");
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (root), "path"), ==,
                   "nets/deploy.prototxt");
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/inspect-formats/formats", test_formats);
  g_test_add_func ("/app/cli/inspect-formats/text", test_text);
  g_test_add_func ("/app/cli/inspect-formats/folder", test_folder);
  return g_test_run ();
}
