/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain`: on a run of ours, and on a stored net whose maps another library has made. */
#include <math.h>
#include <string.h>

#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

/* ---- a run of ours ------------------------------------------------------- */

static void
check_predictions (const char *folder, guint n, guint n_errors)
{
  g_autofree char *path = g_build_filename (folder, "out", "predictions.tsv", NULL);
  g_autofree char *text = sonde_test_read_text (path);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint wrong = 0, n_lines = g_strv_length (lines) - 1; /* the last one ends */

  g_assert_cmpstr (lines[0], ==, "file\ttrue\tpredicted\tp_true\tp_predicted\tmargin\treason");
  g_assert_cmpuint (n_lines, ==, n + 1);
  for (gsize i = 1; i < n_lines; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);
      double p_true, p_predicted;

      g_assert_cmpuint (g_strv_length (fields), ==, 7);
      p_true = g_ascii_strtod (fields[3], NULL);
      p_predicted = g_ascii_strtod (fields[4], NULL);
      g_assert_cmpfloat (p_predicted, >=, p_true);
      g_assert_cmpfloat (p_predicted, <=, 1);
      wrong += !g_str_equal (fields[1], fields[2]);
    }
  g_assert_cmpuint (wrong, ==, n_errors);
}

/* Files below a folder that end in .npy; each is a finite map of the picture's size. */
static guint
check_maps (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_str_has_suffix (name, ".npy"))
        {
          g_autoptr (SondeTensor) map = sonde_npy_read (NULL, child, NULL);

          g_assert_nonnull (map);
          g_assert_cmpint (map->dtype, ==, SONDE_DTYPE_F32);
          g_assert_cmpint (map->shape.rank, ==, 2);
          g_assert_cmpint (map->shape.dims[0], ==, 28);
          for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
            g_assert_true (isfinite (sonde_tensor_get_double (map, i)));
          n++;
        }
      else
        n += check_maps (child);
    }
  return n;
}

static gboolean
has_kind (const char *folder, const char *kind)
{
  g_autoptr (JsonNode) json = NULL;
  JsonArray *tags = json_object_get_array_member (training_inspect (folder, "r", &json), "tags");

  for (guint i = 0; i < json_array_get_length (tags); i++)
    if (g_str_equal (
            json_object_get_string_member (json_array_get_object_element (tags, i), "kind"), kind))
      return TRUE;
  return FALSE;
}

static void
test_run (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) trained
      = sonde_test_run (folder, NULL, "train", "lenet", TRAINING_SMALL, "--set", "train.epochs=1",
                        "--run", "r", "--json");
  g_autoptr (SondeTestProgram) explained = NULL;
  g_autoptr (JsonNode) train_json = NULL, json = NULL, metrics = NULL;
  g_autofree char *metrics_path = g_build_filename (folder, "out", "metrics.json", NULL);
  g_autofree char *report_path = g_build_filename (folder, "out", "report.html", NULL);
  g_autofree char *maps_path = g_build_filename (folder, "out", "maps", NULL);
  g_autofree char *report = NULL;
  double accuracy, trained_accuracy;
  guint n_errors;

  sonde_test_assert_status (trained, 0);
  explained = sonde_test_run (folder, NULL, "explain", "r", "--output", "out", "--report",
                              "out/report.html", "--run", "r", "--json");
  sonde_test_assert_status (explained, 0);
  g_assert_cmpstr (explained->err, ==, "");
  json = sonde_test_parse_json (explained->out);
  metrics = sonde_test_read_json (metrics_path);
  g_assert_true (json_node_equal (json, metrics));
  train_json = sonde_test_parse_json (trained->out);
  accuracy = json_object_get_double_member (json_node_get_object (json), "accuracy");
  trained_accuracy = json_object_get_double_member (
      json_object_get_object_member (json_node_get_object (train_json), "metrics"), "accuracy");
  g_assert_cmpfloat_with_epsilon (accuracy, trained_accuracy, 1e-9);
  n_errors = (guint) json_object_get_int_member (json_node_get_object (json), "errors");
  g_assert_cmpuint (n_errors, ==, (guint) lround ((1 - accuracy) * 80));
  g_assert_cmpuint (n_errors, >, 0);
  check_predictions (folder, 80, n_errors);
  g_assert_cmpuint (check_maps (maps_path), ==, 2 * n_errors); /* predicted and true */
  report = sonde_test_read_text (report_path);
  g_assert_true (g_str_has_prefix (report, "<!DOCTYPE html>"));
  g_assert_true (g_str_has_suffix (g_strchomp (report), "</html>"));
  sonde_test_assert_contains (report, "data:image/png;base64,"); /* the page needs no other file */
  g_assert_null (strstr (report, "http://"));
  g_assert_true (has_kind (folder, "saliency"));
  sonde_test_folder_free (folder);
}

static void
test_wrong (void)
{
  static const struct
  {
    const char *option, *value, *part;
  } cases[] = {
    { "--method", "crystal-ball", "saliency" },
    { "--target", "unicorn", "unicorn" },
    { "--data", "images:missing", "missing" },
  };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) trained = sonde_test_run (
      folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=1", "--run", "r");
  g_autoptr (SondeTestProgram) missing = sonde_test_run (folder, NULL, "explain", "nothing-here");

  sonde_test_assert_status (trained, 0);
  sonde_test_assert_status (missing, 1);
  sonde_test_assert_contains (missing->err, "nothing-here");
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTestProgram) program = sonde_test_run (
          folder, NULL, "explain", "r", cases[i].option, cases[i].value, "--json");

      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, cases[i].part);
      g_assert_cmpstr (program->out, ==, "");
    }
  sonde_test_folder_free (folder);
}

/* ---- raw tensors --------------------------------------------------------- */

static void
write_tensor (const char *folder, const char *name, SondeDtype dtype, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (SondeTensor) tensor = sonde_test_tensor (dtype, text);
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_npy_write (NULL, path, tensor, &error));
}

static void
check_shape (const char *folder, const char *name, const char *shape)
{
  g_autofree char *path = g_build_filename (folder, "out", "maps", name, NULL), *text = NULL;
  g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, path, NULL);

  g_assert_nonnull (tensor);
  text = sonde_shape_to_string (&tensor->shape);
  g_assert_cmpstr (text, ==, shape);
}

static void
test_batch (void)
{
  static const struct
  {
    const char *input, *targets, *method, *parts[2];
  } wrong[] = {
    { "x.npy", "short.npy", "saliency", { "2×1×28×28", "3" } },
    { "flat.npy", "t.npy", "saliency", { "2×784", "[N, C, H, W]" } },
    { "small.npy", "t.npy", "saliency", { "2×1×8×8", "28" } },
    { "x.npy", "high.npy", "saliency", { "99", "10" } },
    { "x.npy", "one.npy", "contrast-gradient", { "contrast-gradient", "one.npy" } },
    { "x.npy", "missing.npy", "saliency", { "missing.npy", "missing.npy" } },
    { "x.npy", "t.npy", "a=saliency:layer=nowhere", { "nowhere", "a:" } },
  };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) trained = sonde_test_run (
      folder, NULL, "train", "lenet", TRAINING_SMALL, "--set", "train.steps=1", "--run", "r");
  g_autoptr (SondeTestProgram) good = NULL, twice = NULL;
  g_autofree char *settings_path = g_build_filename (folder, "out", "settings.json", NULL);
  g_autoptr (JsonNode) settings = NULL;
  const char *model = "r/checkpoints/final.onnx";

  sonde_test_assert_status (trained, 0);
  write_tensor (folder, "x.npy", SONDE_DTYPE_F32, "2x1x28x28: 0.5 0.25 1 0.125");
  write_tensor (folder, "flat.npy", SONDE_DTYPE_F32, "2x784: 1");
  write_tensor (folder, "small.npy", SONDE_DTYPE_F32, "2x1x8x8: 1");
  write_tensor (folder, "t.npy", SONDE_DTYPE_I64, "2x3: 1 2 3 4 5 6");
  write_tensor (folder, "one.npy", SONDE_DTYPE_I64, "2: 1 2");
  write_tensor (folder, "short.npy", SONDE_DTYPE_I64, "3: 1 2 3");
  write_tensor (folder, "high.npy", SONDE_DTYPE_I64, "2: 1 99");
  good = sonde_test_run (folder, NULL, "explain", model, "--input", "x.npy", "--targets", "t.npy",
                         "--output", "out", "--method", "a=saliency", "--method",
                         "contrast-gradient", "--seed", "7");
  sonde_test_assert_status (good, 0);
  check_shape (folder, "a.npy", "2×3×1×28×28");
  check_shape (folder, "contrast-gradient.npy", "2×1×28×28");
  settings = sonde_test_read_json (settings_path);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (settings), "seed"), ==, 7);
  g_assert_cmpint (json_array_get_length (
                       json_object_get_array_member (json_node_get_object (settings), "methods")),
                   ==, 2);
  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (SondeTestProgram) program
          = sonde_test_run (folder, NULL, "explain", model, "--input", wrong[i].input, "--targets",
                            wrong[i].targets, "--method", wrong[i].method, "--output", "out2");

      sonde_test_assert_status (program, 1);
      sonde_test_assert_contains (program->err, wrong[i].parts[0]);
      sonde_test_assert_contains (program->err, wrong[i].parts[1]);
    }
  twice = sonde_test_run (folder, NULL, "explain", model, "--input", "x.npy", "--targets",
                          "one.npy", "--method", "saliency", "--method",
                          "saliency:score=probability", "--output", "out2");
  sonde_test_assert_status (twice, 1);
  sonde_test_assert_contains (twice->err, "LABEL=");
  sonde_test_folder_free (folder);
}

/* A method that the network forbids is named; the others go on, of raw tensors and of pictures. */
static void
test_goes_on (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) trained = sonde_test_run (
      folder, NULL, "train", "lenet", TRAINING_SMALL, "--set", "train.steps=1", "--run", "r");
  g_autofree char *settings_path = g_build_filename (folder, "out", "settings.json", NULL);
  g_autofree char *metrics_path = g_build_filename (folder, "out2", "metrics.json", NULL);
  g_autofree char *maps = g_build_filename (folder, "out2", "maps", "saliency", NULL);
  g_autofree char *none = g_build_filename (folder, "out2", "maps", "lost", NULL);
  g_autoptr (SondeTestProgram) batch = NULL, pictures = NULL;
  g_autoptr (JsonNode) settings = NULL, metrics = NULL;
  JsonArray *methods, *failed;

  sonde_test_assert_status (trained, 0);
  write_tensor (folder, "x.npy", SONDE_DTYPE_F32, "2x1x28x28: 0.5 0.25 1 0.125");
  write_tensor (folder, "t.npy", SONDE_DTYPE_I64, "2: 1 2");
  batch = sonde_test_run (folder, NULL, "explain", "r/checkpoints/final.onnx", "--input", "x.npy",
                          "--targets", "t.npy", "--output", "out", "--method",
                          "lost=gradcam:layer=nowhere", "--method", "saliency");
  sonde_test_assert_status (batch, 1);
  sonde_test_assert_contains (batch->err, "lost: The model has no value or node “nowhere”");
  sonde_test_assert_contains (batch->err, "1 of 2 methods failed (“lost”)");
  check_shape (folder, "saliency.npy", "2×1×28×28");
  settings = sonde_test_read_json (settings_path);
  methods = json_object_get_array_member (json_node_get_object (settings), "methods");
  g_assert_cmpint (json_array_get_length (methods), ==, 2);
  g_assert_true (json_object_has_member (json_array_get_object_element (methods, 0), "failed"));
  g_assert_false (json_object_has_member (json_array_get_object_element (methods, 1), "failed"));
  pictures
      = sonde_test_run (folder, NULL, "explain", "r", "--output", "out2", "--method",
                        "lost=gradcam:layer=nowhere", "--method", "saliency", "--metrics", "gini");
  sonde_test_assert_status (pictures, 1);
  sonde_test_assert_contains (pictures->err, "1 of 2 methods failed (“lost”)");
  metrics = sonde_test_read_json (metrics_path);
  failed = json_object_get_array_member (json_node_get_object (metrics), "failed_methods");
  g_assert_cmpint (json_array_get_length (failed), ==, 1);
  g_assert_cmpuint (check_maps (maps), >, 0);
  g_assert_false (g_file_test (none, G_FILE_TEST_EXISTS));
  sonde_test_folder_free (folder);
}

/* ---- a stored net and its stored maps ------------------------------------ */

/* One of index.tsv's misclassified rows: target 0 is the predicted class, target 1 the true one. */
static void
compare_map (const char *folder, SondeTensor *stored, gint64 row, gint64 target, const char *file)
{
  static const char *const target_names[] = { "predicted", "true" };
  g_autofree char *class_folder = g_path_get_dirname (file),
                  *class_name = g_path_get_basename (class_folder);
  g_autofree char *base = g_path_get_basename (file);
  g_autofree char *stem = g_strndup (base, strcspn (base, "."));
  g_autofree char *path = g_strdup_printf ("%s/out/maps/saliency/%s/%s/%s.npy", folder,
                                           target_names[target], class_name, stem);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) map = sonde_npy_read (NULL, path, &error);
  gint64 n = 3 * 32 * 32, first = (row * 2 + target) * n;
  double worst = 0, largest = 0;

  g_assert_no_error (error);
  g_assert_cmpint (sonde_tensor_n_elements (map), ==, n);
  for (gint64 i = 0; i < n; i++)
    {
      double want = sonde_tensor_get_double (stored, first + i);

      worst = fmax (worst, fabs (sonde_tensor_get_double (map, i) - want));
      largest = fmax (largest, fabs (want));
    }
  g_test_message ("%s, %s: %.2e of the largest", file, target_names[target], worst / largest);
  g_assert_cmpfloat (worst, <=, 1e-5 * largest);
}

static void
test_stored_maps (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/explain/cifar-resnet20.onnx");
  g_autofree char *data = sonde_test_shared_path ("datasets/cifar10");
  g_autofree char *maps = sonde_test_shared_path ("golden/explain/maps/saliency.npy");
  g_autofree char *index = sonde_test_shared_path ("golden/explain/maps/index.tsv");
  g_autofree char *source = NULL, *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (SondeTensor) stored = NULL;
  g_autoptr (JsonNode) json = NULL;
  char *folder;
  guint n = 0;

  if (model == NULL || data == NULL || index == NULL)
    return;
  folder = sonde_test_folder_new ();
  source = g_strconcat ("cifar10:", data, NULL);
  program = sonde_test_run (folder, NULL, "explain", model, "--data", source, "--method",
                            "saliency", "--map-channels", "--output", "out", "--json");
  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "pictures"), ==, 2000);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "errors"), ==, 446);
  g_assert_cmpfloat_with_epsilon (
      json_object_get_double_member (json_node_get_object (json), "accuracy"), 0.777, 1e-12);
  stored = sonde_npy_read (NULL, maps, NULL);
  text = sonde_test_read_text (index);
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  for (gsize i = 1; lines[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);

      if (g_str_equal (fields[2], fields[3])) /* right ones are not explained */
        continue;
      compare_map (folder, stored, (gint64) i - 1, 0, fields[1]);
      compare_map (folder, stored, (gint64) i - 1, 1, fields[1]);
      n++;
    }
  g_assert_cmpuint (n, ==, 8);
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/explain/run", test_run);
  g_test_add_func ("/app/cli/explain/wrong", test_wrong);
  g_test_add_func ("/app/cli/explain/batch", test_batch);
  g_test_add_func ("/app/cli/explain/goes-on", test_goes_on);
  g_test_add_func ("/app/cli/explain/stored-maps", test_stored_maps);
  return g_test_run ();
}
