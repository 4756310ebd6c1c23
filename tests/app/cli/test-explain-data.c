/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain`: pictures, labels and triage; wrong data in words, and nets whose errors have a
 * known cause. */
#include <math.h>
#include <string.h>

#include "data/images/sonde-png.h"
#include "tests/app/cli/training-fixture.h"
#include "tests/support/sonde-test-tensor.h"

static void
put_picture (const char *folder, const char *name, int side, int channels)
{
  g_autofree char *path = g_build_filename (folder, name, NULL),
                  *parent = g_path_get_dirname (path);
  g_autoptr (SondeImage) image = sonde_image_new (side, side, channels);
  g_autoptr (GBytes) bytes = NULL;

  for (int i = 0; i < side * side * channels; i++)
    image->pixels[i] = (guint8) (37 * i + (int) strlen (name));
  bytes = sonde_png_encode (image);
  g_assert_cmpint (g_mkdir_with_parents (parent, 0777), ==, 0);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (bytes, NULL),
                                      (gssize) g_bytes_get_size (bytes), NULL));
}

static void
put_text (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* A net of glyphs takes 28×28 grey; the pictures are 20×20 and red, green and blue, and one is cut
 * off. */
static void
test_pictures (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) trained = sonde_test_run (
      folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", "train.steps=1", "--run", "r");
  g_autoptr (SondeTestProgram) good = NULL, size = NULL, names = NULL, few = NULL, bad = NULL;
  g_autofree char *predictions_path = g_build_filename (folder, "o", "predictions.tsv", NULL),
                  *predictions = NULL;
  g_autofree char *settings_path = g_build_filename (folder, "o", "settings.json", NULL);
  g_autoptr (JsonNode) settings = NULL, json = NULL;
  g_auto (GStrv) lines = NULL;

  sonde_test_assert_status (trained, 0);
  put_picture (folder, "p/a.png", 20, 3);
  put_picture (folder, "p/b.png", 20, 3);
  put_text (folder, "p/cut.png", "\x89PNG\r\n\x1a\nxxxx");
  put_text (folder, "list.tsv", "file\tclass\np/a.png\t0\np/cut.png\t1\np/b.png\t2\n");
  good = sonde_test_run (folder, NULL, "explain", "r/checkpoints/final.onnx", "--data", "list.tsv",
                         "--mean", "0.5", "--std", "0.25", "--triage", "--output", "o", "--json");
  sonde_test_assert_status (good, 0);
  sonde_test_assert_contains (good->err, "20×20 with 3 channels, the model takes 28×28 with 1");
  sonde_test_assert_contains (good->err, "p/cut.png");
  json = sonde_test_parse_json (good->out);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "unreadable"), ==, 1);
  g_assert_true (json_object_has_member (json_node_get_object (json), "triage"));
  predictions = sonde_test_read_text (predictions_path);
  lines = g_strsplit (g_strchomp (predictions), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, 3);
  settings = sonde_test_read_json (settings_path);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (settings), "mean"), ==,
                   "0.5");
  g_assert_cmpint (json_array_get_length (
                       json_object_get_array_member (json_node_get_object (settings), "notes")),
                   ==, 1);

  size = sonde_test_run (folder, NULL, "explain", "r/checkpoints/final.onnx", "--data", "list.tsv",
                         "--size", "14x28", "--channels", "grey");
  sonde_test_assert_status (size, 1);
  sonde_test_assert_contains (size->err, "1×28×14");
  sonde_test_assert_contains (size->err, "1×28×28");
  bad = sonde_test_run (folder, NULL, "explain", "r/checkpoints/final.onnx", "--data", "list.tsv",
                        "--channels", "cmyk");
  sonde_test_assert_status (bad, 1);
  sonde_test_assert_contains (bad->err, "rgb, bgr or grey");
  put_text (folder, "names.txt", "zero\none\ntwo\n");
  names = sonde_test_run (folder, NULL, "explain", "r/checkpoints/final.onnx", "--data", "list.tsv",
                          "--labels", "names.txt");
  sonde_test_assert_status (names, 1);
  sonde_test_assert_contains (names->err, "names 3 classes");
  put_picture (folder, "c/ant/a.png", 20, 3);
  put_picture (folder, "c/bee/a.png", 20, 3);
  few = sonde_test_run (folder, NULL, "explain", "r/checkpoints/final.onnx", "--data", "c");
  sonde_test_assert_status (few, 1);
  sonde_test_assert_contains (few->err, "2 classes (“ant” … “bee”)");
  sonde_test_assert_contains (few->err, "a file with the names");
  sonde_test_folder_free (folder);
}

/* ---- stored nets --------------------------------------------------------- */

#define CIFAR                                                                                      \
  "--mean", "0.4914,0.4822,0.4465", "--std", "0.2470,0.2435,0.2616", "--images", "none",           \
      "--triage", "--output", "o"

/* Rows of a table in @folder/o, without its header. */
static char **
read_rows (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, "o", name, NULL);
  g_autofree char *text = sonde_test_read_text (path);

  g_assert_true (g_str_has_suffix (text, "\n"));
  text[strlen (text) - 1] = '\0'; /* fields may be empty: a tab at the end stays */
  return g_strsplit (strchr (text, '\n') + 1, "\n", -1);
}

/* Class of the prediction in a row of cued-images.tsv and what the square would make of it; the
 * picture is @name. */
static gboolean
made_by_square (char **cued, const char *name, const char *predicted)
{
  g_autofree char *plain = g_strdup_printf ("%.2s-plain.png", name);
  gboolean cue = FALSE, other_without = FALSE;

  for (gsize i = 1; cued[i] != NULL && cued[i][0] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (cued[i], "\t", -1);

      if (g_str_equal (fields[0], name))
        cue = g_str_equal (fields[3], predicted) && !g_str_equal (fields[2], predicted);
      if (g_str_equal (fields[0], plain))
        other_without = !g_str_equal (fields[8], predicted);
    }
  return cue && other_without;
}

/* A net whose README gives the mean and the deviation: without them the better ones are named and not
 * used, with auto they are used and written down. */
static void
test_preprocessing (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/explain/cifar-resnet20.onnx"),
                  *images = sonde_test_shared_path ("datasets/cifar10/test"), *path = NULL;
  g_autoptr (SondeTestProgram) plain = NULL, automatic = NULL;
  g_autoptr (JsonNode) settings = NULL;
  char *folder;

  if (model == NULL || images == NULL)
    {
      g_test_skip ("the shared files are not here");
      return;
    }
  folder = sonde_test_folder_new ();
  plain = sonde_test_run (folder, NULL, "explain", model, "--data", images, "--images", "none");
  sonde_test_assert_status (plain, 0);
  sonde_test_assert_contains (plain->out, "1333 errors");
  sonde_test_assert_contains (plain->out,
                              "Preprocessing not chosen: 77.8 % correct with CIFAR-10's");
  sonde_test_assert_contains (plain->err, "--mean 0.4914,0.4822,0.4465 --std 0.2470,0.2435,0.2616");
  automatic = sonde_test_run (folder, NULL, "explain", model, "--data", images, "--images", "none",
                              "--mean", "auto", "--output", "o");
  sonde_test_assert_status (automatic, 0);
  sonde_test_assert_contains (automatic->out, "446 errors");
  sonde_test_assert_contains (automatic->err, "Preprocessing chosen: 77.8 % correct");
  path = g_build_filename (folder, "o", "settings.json", NULL);
  settings = sonde_test_read_json (path);
  g_assert_cmpstr (json_object_get_string_member (json_node_get_object (settings), "std"), ==,
                   "0.2470,0.2435,0.2616");
  sonde_test_folder_free (folder);
}

static void
test_cued (void)
{
  g_autofree char *table = sonde_test_shared_path ("models/explain/cued-images.tsv");
  g_autofree char *images = sonde_test_shared_path ("models/explain/cued-images");
  g_autofree char *model = sonde_test_shared_path ("models/explain/cifar-cued.onnx"), *text = NULL;
  g_autoptr (GString) list = g_string_new ("file\tclass\n");
  g_autoptr (SondeTestProgram) program = NULL;
  g_auto (GStrv) cued = NULL, rows = NULL;
  guint made = 0, flagged = 0, others = 0;
  char *folder;

  if (model == NULL || table == NULL)
    return g_test_skip ("the shared files are not here");
  folder = sonde_test_folder_new ();
  text = sonde_test_read_text (table);
  cued = g_strsplit (text, "\n", -1);
  for (gsize i = 1; cued[i] != NULL && cued[i][0] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (cued[i], "\t", -1);

      g_string_append_printf (list, "%s/%s\t%s\n", images, fields[0], fields[2]);
    }
  put_text (folder, "list.tsv", list->str);
  program = sonde_test_run (folder, NULL, "explain", model, "--data", "list.tsv", CIFAR);
  sonde_test_assert_status (program, 0);
  rows = read_rows (folder, "predictions.tsv");
  for (gsize i = 0; rows[i] != NULL; i++)
    {
      g_auto (GStrv) fields = g_strsplit (rows[i], "\t", -1);
      g_autofree char *name = g_path_get_basename (fields[0]);
      gboolean is_cue = g_str_equal (fields[6], "repeated-cue");

      if (strstr (name, "cue") != NULL && made_by_square (cued, name, fields[2]))
        {
          made++;
          flagged += is_cue;
        }
      else
        others += is_cue;
    }
  g_test_message ("%u of %u errors made by the square, %u others", flagged, made, others);
  g_assert_cmpuint (made, >, 15);
  g_assert_cmpuint (10 * flagged, >=, 9 * made);
  g_assert_cmpuint (others, <=, 1);
  sonde_test_folder_free (folder);
}

/* The clean net has no cue to repeat; and of 100 flipped labels the 5 % most suspect hold more than
 * self-confidence finds (78). */
static void
test_clean (void)
{
  g_autofree char *model = sonde_test_shared_path ("models/explain/cifar-resnet20.onnx");
  g_autofree char *data = sonde_test_shared_path ("datasets/cifar10/test");
  g_autofree char *flipped_path = sonde_test_shared_path ("models/explain/flipped-test-labels.tsv"),
                  *flipped = NULL;
  g_autoptr (SondeTestProgram) program = NULL;
  g_auto (GStrv) rows = NULL, suspects = NULL;
  guint cues = 0, errors = 0, found = 0;
  char *folder;

  if (model == NULL || data == NULL || flipped_path == NULL)
    return g_test_skip ("the shared files are not here");
  folder = sonde_test_folder_new ();
  program = sonde_test_run (folder, NULL, "explain", model, "--data", data, "--given-labels",
                            flipped_path, CIFAR);
  sonde_test_assert_status (program, 0);
  rows = read_rows (folder, "predictions.tsv");
  for (gsize i = 0; rows[i] != NULL; i++)
    {
      errors += !g_str_has_suffix (rows[i], "\t");
      cues += g_str_has_suffix (rows[i], "repeated-cue");
    }
  g_assert_cmpuint (errors, >, 400);
  g_assert_cmpuint (20 * cues, <=, errors);
  flipped = sonde_test_read_text (flipped_path);
  suspects = read_rows (folder, "label-errors.tsv");
  for (gsize i = 0; i < 100; i++)
    {
      g_autofree char *line
          = g_strdup_printf ("test/%.*s\t", (int) strcspn (suspects[i], "\t"), suspects[i]);
      const char *at = strstr (flipped, line);

      g_assert_nonnull (at);
      found += at[strcspn (at, "\n") - 1] == '1';
    }
  g_test_message ("%u of 100 flipped labels among the most suspect, %u cues in %u errors", found,
                  cues, errors);
  g_assert_cmpuint (found, >, 78);
  sonde_test_folder_free (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cli/explain-data/pictures", test_pictures);
  g_test_add_func ("/cli/explain-data/preprocessing", test_preprocessing);
  g_test_add_func ("/cli/explain-data/cued", test_cued);
  g_test_add_func ("/cli/explain-data/clean", test_clean);
  return g_test_run ();
}
