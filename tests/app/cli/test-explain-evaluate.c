/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain --hoc` and `--metrics` on a run of ours. */
#include <math.h>
#include <string.h>

#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

static JsonObject *
read_object (const char *folder, const char *path, JsonNode **json)
{
  g_autofree char *whole = g_build_filename (folder, path, NULL);

  *json = sonde_test_read_json (whole);
  return json_node_get_object (*json);
}

/* Every box of the layers of a result lies in the picture. */
static void
check_boxes (JsonObject *result)
{
  JsonArray *layers = json_object_get_array_member (result, "boxes");

  g_assert_cmpuint (json_array_get_length (layers), ==,
                    json_array_get_length (json_object_get_array_member (result, "layer_out")));
  for (guint l = 0; l < json_array_get_length (layers); l++)
    {
      JsonArray *boxes = json_array_get_array_element (layers, l);

      for (guint i = 0; i < json_array_get_length (boxes); i++)
        {
          JsonArray *box = json_array_get_array_element (boxes, i);

          for (guint side = 0; side < 2; side++)
            {
              g_assert_cmpint (json_array_get_int_element (box, side), >=, 0);
              g_assert_cmpint (json_array_get_int_element (box, side)
                                   + json_array_get_int_element (box, side + 2),
                               <=, 28);
            }
        }
    }
}

static void
test_hoc (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) trained = sonde_test_run (
      folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=30", "--run", "r");
  g_autoptr (SondeTestProgram) batch = NULL, pictures = NULL, wrong = NULL, inspected = NULL,
                               exported = NULL;
  g_autofree char *x = g_build_filename (folder, "x.npy", NULL),
                  *t = g_build_filename (folder, "t.npy", NULL);
  g_autoptr (SondeTensor) inputs
      = sonde_test_tensor (SONDE_DTYPE_F32, "2x1x28x28: 0.5 0.25 1 0.125"),
      targets
      = sonde_test_tensor (SONDE_DTYPE_I64, "2x10: 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9");
  const char *model = "r/checkpoints/final.onnx";
  guint answers = 0;

  sonde_test_assert_status (trained, 0);
  g_assert_true (sonde_npy_write (NULL, x, inputs, NULL)
                 && sonde_npy_write (NULL, t, targets, NULL));
  batch = sonde_test_run (
      folder, NULL, "explain", model, "--input", "x.npy", "--targets", "t.npy", "--output", "out",
      "--hoc", "by=masking:threshold=0.99p,0.9p:windows=14,7:strides=2,1:mask=1:prune=yes");
  sonde_test_assert_status (batch, 0);
  for (guint k = 0; k < 10; k++)
    {
      g_autofree char *path = g_strdup_printf ("out/hoc/1-%u.json", k);
      g_autoptr (JsonNode) json = NULL;
      JsonObject *result = read_object (folder, path, &json);

      g_assert_cmpint (json_object_get_int_member (result, "target"), ==, k);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (result, "thresholds")),
                        ==, 2);
      check_boxes (result);
      answers += g_str_equal (json_object_get_string_member (result, "result"), "ok");
    }
  g_assert_cmpuint (answers, >, 0);
  pictures = sonde_test_run (folder, NULL, "explain", "r", "--hoc", "auto", "--output", "all",
                             "--run", "r");
  sonde_test_assert_status (pictures, 0);
  inspected = sonde_test_run (folder, NULL, "inspect", "r"); /* and as records */
  sonde_test_assert_status (inspected, 0);
  sonde_test_assert_contains (inspected->out, "counterfactual");
  exported = sonde_test_run (folder, NULL, "export", "r", "--to", "json", "--output", "json");
  sonde_test_assert_status (exported, 0);
  {
    g_autofree char *flips = g_build_filename (folder, "all", "hoc", "flip", NULL);

    g_assert_true (g_file_test (flips, G_FILE_TEST_IS_DIR));
  }
  wrong = sonde_test_run (folder, NULL, "explain", model, "--input", "x.npy", "--targets", "t.npy",
                          "--output", "out", "--hoc", "windows=40:strides=4");
  sonde_test_assert_status (wrong, 1);
  sonde_test_assert_contains (wrong->err, "Window 40");
  sonde_test_folder_free (folder);
}

static void
test_metrics (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) trained = sonde_test_run (
      folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=60", "--run", "r");
  g_autoptr (SondeTestProgram) good = NULL, wrong = NULL;
  g_autoptr (JsonNode) json = NULL;
  JsonObject *metrics, *scores, *pointing, *row;
  guint n;

  sonde_test_assert_status (trained, 0);
  good = sonde_test_run (folder, NULL, "explain", "r", "--metrics",
                         "deletion,insertion=2,pointing,mass,gini,max-sensitivity,randomisation",
                         "--target", "predicted", "--output", "out");
  sonde_test_assert_status (good, 0);
  sonde_test_assert_contains (good->out, "insertion");
  metrics = read_object (folder, "out/metrics.json", &json);
  n = (guint) json_object_get_int_member (metrics, "errors");
  g_assert_cmpuint (n, >, 0);
  scores = json_object_get_object_member (metrics, "scores");
  row = json_object_get_object_member (scores, "saliency/predicted");
  g_assert_cmpuint (
      (guint) json_object_get_int_member (json_object_get_object_member (row, "deletion"), "n"), ==,
      n);
  pointing = json_object_get_object_member (row, "pointing");
  g_assert_cmpfloat (json_object_get_double_member (pointing, "low"), <=,
                     json_object_get_double_member (pointing, "mean"));
  g_assert_cmpfloat (json_object_get_double_member (pointing, "high"), >=,
                     json_object_get_double_member (pointing, "mean"));
  g_assert_true (json_object_has_member (row, "randomisation"));
  g_assert_true (json_object_has_member (scores, "random-map/predicted"));
  g_assert_true (json_object_has_member (scores, "centre-map/predicted"));
  g_assert_false (json_object_has_member (
      json_object_get_object_member (scores, "random-map/predicted"), "max-sensitivity"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (metrics, "samples")), ==,
                    n);
  g_assert_cmpfloat (json_object_get_double_member (
                         json_object_get_object_member (metrics, "weights"), "insertion"),
                     ==, 2);
  wrong = sonde_test_run (folder, NULL, "explain", "r", "--metrics", "deletion,beauty");
  sonde_test_assert_status (wrong, 1);
  sonde_test_assert_contains (wrong->err, "beauty");
  sonde_test_assert_contains (wrong->err, "faithfulness");
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/explain/hoc", test_hoc);
  g_test_add_func ("/app/cli/explain/metrics", test_metrics);
  return g_test_run ();
}
