/* SPDX-License-Identifier: Apache-2.0
 * `sonde scan` as a user runs it, on a sample project and on a model. */
#include <string.h>

#include <json-glib/json-glib.h>

#include "tests/support/sonde-test-program.h"

static char *
dup_shared (const char *name)
{
  return g_build_filename (g_getenv ("SONDE_SHARED"), name, NULL);
}

static void
test_text (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *source = dup_shared ("samples/scan/whisper/src");
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "scan", source);
  g_autoptr (SondeTestProgram) other
      = sonde_test_run (folder, NULL, "scan", source, "--to", "sonde", "--possible");

  sonde_test_assert_status (program, 0);
  g_assert_nonnull (strstr (program->out, "same     torch.zeros_like → mindspore.mint.zeros_like"));
  g_assert_nonnull (strstr (program->out, "timing.py:121"));
  g_assert_nonnull (strstr (program->out, "VERDICT"));
  sonde_test_assert_status (other, 0);
  g_assert_nonnull (strstr (other->out, "BLOCKS MOST"));
  g_assert_nonnull (strstr (other->out, "Methods that are perhaps a tensor's"));
  sonde_test_folder_free (folder);
}

static void
test_files (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *source = dup_shared ("samples/scan/corner/src");
  g_autofree char *csv = g_build_filename (folder, "uses.csv", NULL), *rows = NULL;
  g_autofree char *html = g_build_filename (folder, "page.html", NULL), *page = NULL;
  g_autoptr (SondeTestProgram) program = sonde_test_run (
      folder, NULL, "scan", source, "--json", "--csv", "uses.csv", "--html", "page.html");
  g_autoptr (JsonNode) json = json_from_string (program->out, NULL);

  sonde_test_assert_status (program, 0);
  g_assert_cmpuint (json_array_get_length (
                        json_object_get_array_member (json_node_get_object (json), "references")),
                    >, 500);
  g_assert_true (g_file_get_contents (csv, &rows, NULL, NULL));
  g_assert_nonnull (strstr (rows, "\nscopes.py,13,12,torch.fft.rfft,call,import,yes,"));
  g_assert_true (g_file_get_contents (html, &page, NULL, NULL));
  g_assert_nonnull (strstr (page, "<a href=\"#f11-13\">scopes.py:13</a>"));
  g_assert_nonnull (strstr (page, "id=\"f11-13\""));
  g_assert_nonnull (strstr (page, "f&quot;{torch.arange(3)} and {nn.Linear(1, 2)"));
  g_assert_null (strstr (page, "<script"));
  sonde_test_folder_free (folder);
}

static void
test_model (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *model = dup_shared ("models/lenet-mnist/lenet-mnist.onnx");
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "scan", model, "--json");

  sonde_test_assert_status (program, 0);
  g_assert_nonnull (
      strstr (program->out, "{\"op\":\"Conv\",\"count\":2,\"devices\":{\"cpu\":\"runs\"}}"));
  sonde_test_folder_free (folder);
}

static void
test_errors (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) missing = sonde_test_run (folder, NULL, "scan", "nowhere");
  g_autoptr (SondeTestProgram) target
      = sonde_test_run (folder, NULL, "scan", ".", "--to", "nowhere");

  sonde_test_assert_status (missing, 1);
  g_assert_nonnull (strstr (missing->err, "cannot read “nowhere”"));
  sonde_test_assert_status (target, 2);
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/scan/text", test_text);
  g_test_add_func ("/app/cli/scan/files", test_files);
  g_test_add_func ("/app/cli/scan/model", test_model);
  g_test_add_func ("/app/cli/scan/errors", test_errors);
  return g_test_run ();
}
