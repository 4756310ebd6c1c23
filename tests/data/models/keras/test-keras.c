/* SPDX-License-Identifier: Apache-2.0
 * Models of Keras: archives and configurations that are damaged or made to harm, what is refused and
 * why; files of weights. What layers compute is compared in tests/app/worker. */
#include <archive.h>
#include <archive_entry.h>
#include <glib/gstdio.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/keras/sonde-keras-weights-file.h"
#include "data/models/sonde-model-file.h"

typedef struct
{
  char *folder, *path;
  struct archive *archive;
} File;

static void
set_up (File *file, gconstpointer data)
{
  file->folder = g_dir_make_tmp ("sonde-keras-XXXXXX", NULL);
  file->path = g_build_filename (file->folder, "model.keras", NULL);
}

static void
tear_down (File *file, gconstpointer data)
{
  g_unlink (file->path);
  g_rmdir (file->folder);
  g_free (file->folder);
  g_free (file->path);
}

static void
begin (File *file)
{
  file->archive = archive_write_new ();
  archive_write_set_format_zip (file->archive);
  g_assert_cmpint (archive_write_open_filename (file->archive, file->path), ==, ARCHIVE_OK);
}

static void
add (File *file, const char *name, const void *bytes, gsize length)
{
  struct archive_entry *entry = archive_entry_new ();

  archive_entry_set_pathname (entry, name);
  archive_entry_set_size (entry, (gint64) length);
  archive_entry_set_filetype (entry, AE_IFREG);
  archive_entry_set_perm (entry, 0644);
  g_assert_cmpint (archive_write_header (file->archive, entry), ==, ARCHIVE_OK);
  archive_write_data (file->archive, bytes, length);
  archive_entry_free (entry);
}

static void
end (File *file)
{
  archive_write_close (file->archive);
  archive_write_free (file->archive);
}

static char *
fixture (const char *name)
{
  return g_build_filename (g_getenv ("SONDE_SOURCE"), "tests/fixtures", name, NULL);
}

static void
add_weights (File *file, const char *name)
{
  g_autofree char *path = fixture (name), *bytes = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
  add (file, "model.weights.h5", bytes, length);
}

/* An archive of @config and weights that no layer finds its own in. */
static void
write_model (File *file, const char *config)
{
  begin (file);
  add (file, "metadata.json", "{\"keras_version\": \"3.15.1\"}",
       strlen ("{\"keras_version\": \"3.15.1\"}"));
  add (file, "config.json", config, strlen (config));
  add_weights (file, "hdf5/latest.h5");
  end (file);
}

static void
check_refused (const char *path, SondeDataError code, const char *words)
{
  gint64 start = g_get_monotonic_time ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_load (NULL, path, &error);

  g_assert_null (graph);
  g_test_message ("%s", error->message);
  g_assert_error (error, SONDE_DATA_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, words));
  g_assert_cmpuint (strlen (error->message), <=, 2000);
  g_test_message ("%g s", (double) (g_get_monotonic_time () - start) / 1e6);
}

#define INPUT                                                                                      \
  "{\"class_name\": \"InputLayer\", \"config\": {\"name\": \"x\", \"batch_shape\": [null, 4]}, "   \
  "\"name\": \"x\", \"inbound_nodes\": []}"
#define FROM(layer, call)                                                                          \
  "[{\"args\": [{\"class_name\": \"__keras_tensor__\", \"config\": {\"keras_history\": [\"" layer  \
  "\", " call ", 0]}}], \"kwargs\": {}}]"
#define LAYER(class_name, name, config, from)                                                      \
  "{\"module\": \"keras.layers\", \"class_name\": \"" class_name "\", \"config\": {" config        \
  "}, \"name\": \"" name "\", \"inbound_nodes\": " from "}"
#define MODEL(layers, output)                                                                      \
  "{\"class_name\": \"Functional\", \"config\": {\"name\": \"m\", \"layers\": [" INPUT ", " layers \
  "], \"input_layers\": [\"x\", 0, 0], \"output_layers\": [\"" output "\", 0, 0]}}"

static void
test_configurations (File *file, gconstpointer data)
{
  static const struct
  {
    const char *config, *words;
    SondeDataError code;
  } rows[] = {
    { "[]", "is no object", SONDE_DATA_ERROR_DAMAGED },
    { "{", "cannot read the JSON “config.json”", SONDE_DATA_ERROR_DAMAGED },
    { "{}", "holds a model of the class “?”", SONDE_DATA_ERROR_UNSUPPORTED },
    { "{\"class_name\": \"MyNet\", \"config\": {}}",
      "of the class “MyNet”, whose layers only its code", SONDE_DATA_ERROR_UNSUPPORTED },
    { "{\"class_name\": \"Sequential\", \"config\": {\"layers\": []}}", "has no layers",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL ("{}", "x"), "no class_name or no config", SONDE_DATA_ERROR_DAMAGED },
    { MODEL (INPUT, "x"), "two layers are called “x”", SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("ReLU", "r", "", FROM ("y", "0")), "r"),
      "call 0 of the layer “y”, which is not there", SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("ReLU", "r", "", FROM ("x", "7")), "r"), "call 7 of the layer “x”",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("ReLU", "r", "", FROM ("x", "-1")), "r"), "it reads 0 tensors",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("ReLU", "r", "", FROM ("r", "0")), "r"), "read each other in a circle",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("ReLU", "r", "", FROM ("x", "0")), "s"), "the layer “s”",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("Dense", "d", "\"units\": 3", FROM ("x", "0")), "d"), "no weights “d/kernel”",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("Lambda", "l", "", FROM ("x", "0")), "l"), "code of a file is never run",
      SONDE_DATA_ERROR_UNSUPPORTED },
    { MODEL (LAYER ("TextVectorization", "t", "", FROM ("x", "0")), "t"),
      "the class “TextVectorization” are not read", SONDE_DATA_ERROR_UNSUPPORTED },
    { MODEL (LAYER ("Conv2D", "c", "", FROM ("x", "0")), "c"), "a tensor of 2 dimensions",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("Reshape", "r", "\"target_shape\": 3", FROM ("x", "0")), "r"),
      "no target_shape", SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("Permute", "p", "\"dims\": [3]", FROM ("x", "0")), "p"), "no order of 1",
      SONDE_DATA_ERROR_DAMAGED },
    { MODEL (LAYER ("Activation", "a", "\"activation\": \"own\"", FROM ("x", "0")), "a"),
      "activation “own”", SONDE_DATA_ERROR_UNSUPPORTED },
    { MODEL (LAYER ("Concatenate", "c", "\"axis\": 9", FROM ("x", "0")), "c"), "axis 9",
      SONDE_DATA_ERROR_DAMAGED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      write_model (file, rows[i].config);
      check_refused (file->path, rows[i].code, rows[i].words);
    }
}

/* All that is missing at once, each class with its count. */
static void
test_all_missing (File *file, gconstpointer data)
{
  write_model (file, MODEL (LAYER ("Lambda", "l", "", FROM ("x", "0")) ", " LAYER (
                                "Hashing", "h", "", FROM ("l", "0")) ", " LAYER ("Lambda", "k", "",
                                                                                 FROM ("h", "0")),
                            "k"));
  check_refused (file->path, SONDE_DATA_ERROR_UNSUPPORTED, "Lambda (2×, first “l”)");
  check_refused (file->path, SONDE_DATA_ERROR_UNSUPPORTED, "Hashing (1×, first “h”)");
}

static void
test_nesting (File *file, gconstpointer data)
{
  GString *config = g_string_new ("{\"class_name\": ");

  for (guint i = 0; i < 100000; i++)
    g_string_append_c (config, '[');
  write_model (file, config->str);
  g_string_free (config, TRUE);
  check_refused (file->path, SONDE_DATA_ERROR_LIMIT, "nested more than 200 levels deep");
}

/* Zeros that pack into a few bytes. */
static void
test_bomb (File *file, gconstpointer data)
{
  g_autofree guint8 *zeros = g_malloc0 (1 << 20);
  struct archive_entry *entry = archive_entry_new ();

  begin (file);
  archive_entry_set_pathname (entry, "config.json");
  archive_entry_set_size (entry, (gint64) 80 << 20);
  archive_entry_set_filetype (entry, AE_IFREG);
  g_assert_cmpint (archive_write_header (file->archive, entry), ==, ARCHIVE_OK);
  for (guint i = 0; i < 80; i++)
    archive_write_data (file->archive, zeros, 1 << 20);
  archive_entry_free (entry);
  add_weights (file, "hdf5/latest.h5");
  end (file);
  check_refused (file->path, SONDE_DATA_ERROR_LIMIT, "“config.json” is longer than 64 MiB");
}

static void
test_members (File *file, gconstpointer data)
{
  begin (file);
  add (file, "metadata.json", "{}", 2);
  add (file, "../config.json", "{}", 2);
  add (file, "/model.weights.h5", "", 0);
  end (file);
  check_refused (file->path, SONDE_DATA_ERROR_DAMAGED, "no member “config.json”");

  begin (file);
  add (file, "config.json", "{}", 2);
  add (file, "config.json", "{}", 2);
  end (file);
  check_refused (file->path, SONDE_DATA_ERROR_DAMAGED, "two members “config.json”");

  begin (file);
  add (file, "config.json", "{}", 2);
  add (file, "model.weights.json", "{}", 2);
  end (file);
  check_refused (file->path, SONDE_DATA_ERROR_UNSUPPORTED, "weights in parts");

  begin (file);
  add (file, "config.json", "{}", 2);
  add (file, "model.weights.h5", "no HDF5", 7);
  end (file);
  check_refused (file->path, SONDE_DATA_ERROR_DAMAGED, "is no HDF5 file");
}

/* Weights that lead out of the file. */
static void
test_weights_elsewhere (File *file, gconstpointer data)
{
  begin (file);
  add (file, "config.json", "{\"class_name\": \"Sequential\"}",
       strlen ("{\"class_name\": \"Sequential\"}"));
  add_weights (file, "hdf5/external-storage.h5");
  end (file);
  check_refused (file->path, SONDE_DATA_ERROR_UNSUPPORTED, "lies in another file");
}

static void
test_no_model (File *file, gconstpointer data)
{
  g_autofree char *path = fixture ("hdf5/latest.h5");

  check_refused (path, SONDE_DATA_ERROR_UNSUPPORTED, "holds weights, but no model");
}

/* ---- files of weights ---------------------------------------------------- */

static void
check_names (const char *name, const char *const *wanted)
{
  g_autofree char *path = fixture (name);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) tensors = sonde_keras_weights_read (NULL, path, &error);

  g_assert_no_error (error);
  for (gsize i = 0; wanted[i] != NULL; i++)
    {
      g_test_message ("%s: %s", name, wanted[i]);
      g_assert_nonnull (sonde_named_tensors_lookup (tensors, wanted[i]));
    }
}

static void
test_weights (void)
{
  static const char *const names[]
      = { "inner/first/kernel", "inner/norm/moving_variance", "deep/below/lowest/bias", NULL };
  static const char *const in_h5[]
      = { "inner/first/kernel", "inner/norm/moving_variance", "shared/bias", NULL };
  static const char *const old[] = { "first/kernel", "norm/moving_variance", "shared/bias", NULL };
  static const char *const recurrent[]
      = { "lstm/lstm_cell/recurrent_kernel", "both/forward_lstm/lstm_cell/bias",
          "both/backward_lstm/lstm_cell/kernel", "each/kernel", NULL };
  g_autofree char *nothing = fixture ("hdf5/latest.h5");
  g_autoptr (GError) error = NULL;

  check_names ("models/keras/nested/model.keras", names);
  check_names ("models/keras/nested-h5/model.h5", in_h5);
  check_names ("models/keras/nested-2/model.h5", old);
  check_names ("models/keras/recurrent-2/model.h5", recurrent);
  g_assert_null (sonde_keras_weights_read (NULL, nothing, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (File *file, gconstpointer data);
  } tests[] = {
    { "/keras/configurations", test_configurations },
    { "/keras/all-missing", test_all_missing },
    { "/keras/nesting", test_nesting },
    { "/keras/bomb", test_bomb },
    { "/keras/members", test_members },
    { "/keras/weights-elsewhere", test_weights_elsewhere },
    { "/keras/no-model", test_no_model },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].name, File, NULL, set_up, tests[i].test, tear_down);
  g_test_add_func ("/keras/weights", test_weights);
  return g_test_run ();
}
