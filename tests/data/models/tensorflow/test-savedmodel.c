/* SPDX-License-Identifier: Apache-2.0
 * SavedModels: signatures, what a folder may hold, and damage to the table of variables. */
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "data/models/tensorflow/sonde-tensorflow-checkpoint.h"

/* A copy of a small model as TensorFlow wrote it. */
typedef struct
{
  char *folder, *variables, *saved, *index, *shard;
} Model;

static void
copy_file (const char *from, const char *name, const char *to)
{
  g_autofree char *source = g_build_filename (from, name, NULL), *content = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (source, &content, &length, NULL));
  g_assert_true (g_file_set_contents (to, content, (gssize) length, NULL));
}

static void
set_up (Model *model, gconstpointer data)
{
  g_autofree char *from = g_build_filename (g_getenv ("SONDE_SOURCE"),
                                            "tests/fixtures/models/savedmodel/session/model", NULL);

  model->folder = g_dir_make_tmp ("sonde-savedmodel-XXXXXX", NULL);
  model->variables = g_build_filename (model->folder, "variables", NULL);
  model->saved = g_build_filename (model->folder, "saved_model.pb", NULL);
  model->index = g_build_filename (model->variables, "variables.index", NULL);
  model->shard = g_build_filename (model->variables, "variables.data-00000-of-00001", NULL);
  g_mkdir (model->variables, 0700);
  copy_file (from, "saved_model.pb", model->saved);
  copy_file (from, "variables/variables.index", model->index);
  copy_file (from, "variables/variables.data-00000-of-00001", model->shard);
}

static void
tear_down (Model *model, gconstpointer data)
{
  g_unlink (model->saved);
  g_unlink (model->index);
  g_unlink (model->shard);
  g_rmdir (model->variables);
  g_rmdir (model->folder);
  g_free (model->saved);
  g_free (model->index);
  g_free (model->shard);
  g_free (model->variables);
  g_free (model->folder);
}

static void
check_fails (const Model *model, int code, const char *part)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_model_load (NULL, model->folder, &error));
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, part));
}

/* Changes the byte at @at, counted from the end when negative. */
static void
flip (const char *path, gssize at)
{
  g_autofree char *content = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  content[at < 0 ? (gssize) length + at : at] ^= 0x40;
  g_assert_true (g_file_set_contents (path, content, (gssize) length, NULL));
}

static void
cut (const char *path, gsize by)
{
  g_autofree char *content = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (path, &content, &length, NULL));
  g_assert_true (g_file_set_contents (path, content, (gssize) (length - by), NULL));
}

/* The folder is the model, and so is its file; variables keep their names. */
static void
test_folder (Model *model, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeConversion) conversion = NULL;
  g_autoptr (SondeGraph) graph = sonde_model_read (NULL, model->saved, NULL, &conversion, &error);
  SondeGraphValue *weights;

  g_assert_no_error (error);
  g_assert_cmpstr (sonde_model_sniff (NULL, model->folder, NULL), ==, "savedmodel");
  g_assert_cmpstr (conversion->format, ==, "savedmodel");
  g_assert_cmpstr (conversion->signature, ==, "serving_default");
  g_assert_cmpuint (conversion->signatures->len, ==, 1);
  g_assert_true (g_str_has_prefix (conversion->producer, "TensorFlow 2."));
  g_assert_cmpuint (graph->outputs->len, ==, 2);
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[0])->name, ==, "again");
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[1])->name, ==, "y");
  weights = sonde_graph_find_value (graph, "layer/w");
  g_assert_nonnull (weights);
  g_assert_cmpint (weights->role, ==, SONDE_ROLE_PARAMETER);
}

static void
test_signature (Model *model, gconstpointer data)
{
  const SondeModelOptions options = { .signature = "other" };
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_model_read (NULL, model->folder, &options, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "there are: serving_default"));
}

static void
test_element (Model *model, gconstpointer data)
{
  flip (model->shard, 5);
  check_fails (model, SONDE_DATA_ERROR_DAMAGED, "variable “layer/b” has a wrong checksum");
}

static void
test_short_shard (Model *model, gconstpointer data)
{
  cut (model->shard, 7);
  check_fails (model, SONDE_DATA_ERROR_DAMAGED,
               "variable “layer/w” has 48 bytes at byte 12 of “variables/variables.data-00000-of-"
               "00001”, which has 53");
}

static void
test_missing_shard (Model *model, gconstpointer data)
{
  g_unlink (model->shard);
  check_fails (model, SONDE_DATA_ERROR_NOT_FOUND, "variables.data-00000-of-00001");
}

static void
test_linked_shard (Model *model, gconstpointer data)
{
  g_unlink (model->shard);
  g_assert_cmpint (symlink ("/etc/hostname", model->shard), ==, 0);
  check_fails (model, SONDE_DATA_ERROR_FORBIDDEN, "variables.data-00000-of-00001");
}

static void
test_missing_index (Model *model, gconstpointer data)
{
  g_unlink (model->index);
  check_fails (model, SONDE_DATA_ERROR_NOT_FOUND, "variables.index");
}

static void
test_block (Model *model, gconstpointer data)
{
  flip (model->index, 3);
  check_fails (model, SONDE_DATA_ERROR_DAMAGED, "the block at byte 0 has a wrong checksum");
}

static void
test_footer (Model *model, gconstpointer data)
{
  flip (model->index, -1);
  check_fails (model, SONDE_DATA_ERROR_DAMAGED, "does not end as a table of variables does");
}

static void
test_short_index (Model *model, gconstpointer data)
{
  g_assert_true (g_file_set_contents (model->index, "abc", 3, NULL));
  check_fails (model, SONDE_DATA_ERROR_DAMAGED, "has 3 bytes");
}

/* The handle of the index block is in the footer, which has no checksum. */
static void
test_handle (Model *model, gconstpointer data)
{
  g_autofree char *content = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (model->index, &content, &length, NULL));
  memset (content + length - 48, 0x7f, 40);
  g_assert_true (g_file_set_contents (model->index, content, (gssize) length, NULL));
  check_fails (model, SONDE_DATA_ERROR_DAMAGED, "goes past the end of the file");
}

/* Names without what is put behind them; a table of objects and counters is no weight. */
static void
test_checkpoint (void)
{
  g_autofree char *path = g_build_filename (
      g_getenv ("SONDE_SOURCE"),
      "tests/fixtures/models/savedmodel/nested/model/variables/variables.index", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeNamedTensors) tensors = sonde_tensorflow_checkpoint_read (NULL, path, &error);
  SondeTensor *mask;

  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (tensors), ==, 6);
  mask = sonde_named_tensors_lookup (tensors, "mask");
  g_assert_nonnull (mask);
  g_assert_cmpint (mask->dtype, ==, SONDE_DTYPE_BOOL);
  g_assert_nonnull (sonde_named_tensors_lookup (tensors, "weights/2"));
}

static void
test_cut (Model *model, gconstpointer data)
{
  cut (model->saved, 50);
  check_fails (model, SONDE_DATA_ERROR_DAMAGED, "saved_model.pb”: ");
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Model *model, gconstpointer data);
  } tests[] = {
    { "/savedmodel/folder", test_folder },
    { "/savedmodel/signature", test_signature },
    { "/savedmodel/element", test_element },
    { "/savedmodel/short-shard", test_short_shard },
    { "/savedmodel/missing-shard", test_missing_shard },
    { "/savedmodel/linked-shard", test_linked_shard },
    { "/savedmodel/missing-index", test_missing_index },
    { "/savedmodel/block", test_block },
    { "/savedmodel/footer", test_footer },
    { "/savedmodel/short-index", test_short_index },
    { "/savedmodel/handle", test_handle },
    { "/savedmodel/cut", test_cut },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Model, NULL, set_up, tests[i].run, tear_down);
  g_test_add_func ("/savedmodel/checkpoint", test_checkpoint);
  return g_test_run ();
}
