/* SPDX-License-Identifier: Apache-2.0
 * Embeddings of the projector: the sample that PyTorch wrote, and configurations as people write
 * them. */
#include "data/records/sonde-record-format.h"

#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <unistd.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/records/tensorboard/sonde-projector-config-private.h"

static const SondeRecordFormat *const format = &sonde_record_format_tensorboard_projector;

typedef struct
{
  char *path;
  SondeRecordBatch batch;
  GArray *tags;
} Folder;

static void
folder_open (Folder *folder)
{
  g_autoptr (GPtrArray) damage
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  GError *error = NULL;
  gpointer source;
  guint64 position, n;

  g_assert_true (sonde_record_format_find (NULL, folder->path) == format);
  source = format->open (NULL, folder->path, 0, NULL, 0, &error);
  g_assert_no_error (error);
  sonde_record_batch_init (&folder->batch);
  g_assert_cmpint (format->next (source, &folder->batch, &position, &n, damage, &error), ==,
                   SONDE_FRAME_RECORD);
  g_assert_cmpuint (folder->batch.refs->len, ==, n);
  g_assert_cmpint (format->next (source, &folder->batch, &position, &n, damage, &error), ==,
                   SONDE_FRAME_WAITING);
  folder->tags = g_array_ref (format->get_tags (source));
  format->close (source);
  source = format->open (NULL, folder->path, position, NULL, 0, &error);
  g_assert_cmpint (format->next (source, &folder->batch, &position, &n, damage, &error), ==,
                   SONDE_FRAME_WAITING);
  format->close (source);
}

static gboolean
folder_read (Folder *folder, guint i, SondeRecord *record, GError **error)
{
  return sonde_record_format_read (
      format, NULL, folder->path, g_array_index (folder->batch.refs, SondeRecordRef, i).place,
      (const SondeRecordTag *) folder->tags->data, folder->tags->len, record, error);
}

static void
folder_clear (Folder *folder)
{
  sonde_record_batch_clear (&folder->batch);
  g_array_unref (folder->tags);
  g_free (folder->path);
}

/* ---- sample -------------------------------------------------------------- */

static JsonObject *
find_asset (JsonArray *assets, const char *path)
{
  for (guint i = 0; i < json_array_get_length (assets); i++)
    if (g_strcmp0 (json_object_get_string_member_with_default (
                       json_array_get_object_element (assets, i), "path", NULL),
                   path)
        == 0)
      return json_array_get_object_element (assets, i);
  g_assert_not_reached ();
}

static void
assert_points (SondeTensor *points, JsonObject *asset)
{
  g_auto (GStrv) first = g_strsplit (json_object_get_string_member (asset, "first_line"), "\t", -1);
  gint64 columns = json_object_get_int_member (asset, "columns");

  g_assert_cmpint (points->dtype, ==, SONDE_DTYPE_F32);
  g_assert_cmpint (points->shape.dims[0], ==, json_object_get_int_member (asset, "lines"));
  g_assert_cmpint (points->shape.dims[1], ==, columns);
  /* a long line is cut there, perhaps in a number */
  for (gint64 i = 0; i < MIN (columns, (gint64) g_strv_length (first) - 1); i++)
    g_assert_cmpfloat (sonde_tensor_get_double (points, i), ==,
                       (double) (float) g_ascii_strtod (first[i], NULL));
}

static void
test_sample (void)
{
  g_autofree char *base
      = g_build_filename (g_getenv ("SONDE_SHARED") != NULL ? g_getenv ("SONDE_SHARED") : "",
                          "samples", "tensorboard", "embeddings", NULL);
  g_autofree char *expected = g_build_filename (base, "expected.json", NULL), *digest = NULL;
  g_autoptr (JsonParser) parser = json_parser_new ();
  Folder folder = { .path = g_build_filename (base, "projector_config.pbtxt", NULL) };
  GError *error = NULL;
  SondeRecord record;
  JsonArray *assets;

  if (!json_parser_load_from_file (parser, expected, NULL))
    {
      g_test_skip ("the samples of SONDE_SHARED are not here");
      g_free (folder.path);
      return;
    }
  assets = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)),
                                         "assets");
  folder_open (&folder);
  g_assert_cmpuint (folder.batch.refs->len, ==, 2);
  g_assert_cmpint (g_array_index (folder.batch.refs, SondeRecordRef, 1).step, ==, 2);
  g_assert_true (folder_read (&folder, 0, &record, &error));
  g_assert_no_error (error);
  g_assert_cmpstr (record.tag, ==, "digits");
  g_assert_cmpint (record.step, ==, 1);
  assert_points (record.u.embedding.points, find_asset (assets, "00001/digits/tensors.tsv"));
  digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, record.u.embedding.sprite);
  g_assert_cmpstr (
      digest, ==,
      json_object_get_string_member (find_asset (assets, "00001/digits/sprite.png"), "sha256"));
  g_assert_cmpint (record.u.embedding.tile_width, ==, 28);
  /* one column has no header */
  g_assert_cmpint (record.u.embedding.labels->shape.dims[0], ==, 100);
  g_assert_cmpint (record.u.embedding.labels->shape.dims[1], ==, 1);
  g_assert_cmpstr (record.u.embedding.columns[0], ==, "label");
  g_assert_cmpstr (((char **) record.u.embedding.labels->data)[0], ==, "7");
  g_assert_cmpstr (((char **) record.u.embedding.labels->data)[99], ==, "9");
  sonde_record_clear (&record);
  g_assert_true (folder_read (&folder, 1, &record, &error));
  assert_points (record.u.embedding.points, find_asset (assets, "00002/two_columns/tensors.tsv"));
  g_assert_cmpint (record.u.embedding.labels->shape.dims[0], ==, 20);
  g_assert_cmpstr (record.u.embedding.columns[1], ==, "name");
  g_assert_cmpstr (((char **) record.u.embedding.labels->data)[39], ==, "name 19");
  sonde_record_clear (&record);
  folder_clear (&folder);
}

/* ---- own ----------------------------------------------------------------- */

static const char config[]
    = "# all that the format allows\n"
      "model_checkpoint_path: \"x\"\n"
      "embeddings: { tensor_name : 'npy:3', tensor_path: 'poi' \"nts\\x2enpy\", unknown { a: 1 b { "
      "c: [1, 2] } } }\n"
      "embeddings < tensor_name: \"raw\"; tensor_path: \"raw.bin\" tensor_shape: [ 2, 3 ] >\n"
      "embeddings { tensor_name: \"out\" tensor_path: \"../secret.tsv\" }\n"
      "embeddings { tensor_name: \"link\" tensor_path: \"link.tsv\" }\n"
      "embeddings { tensor_name: \"checkpoint\" }\n"
      "embeddings { tensor_name: \"ragged\" tensor_path: \"ragged.tsv\" }\n";

static void
test_forms (void)
{
  static const float raw[] = { 1, 2, 3, 4, 5, 6 };
  static const int codes[] = { -1,
                               -1,
                               SONDE_DATA_ERROR_FORBIDDEN,
                               SONDE_DATA_ERROR_FORBIDDEN,
                               SONDE_DATA_ERROR_UNSUPPORTED,
                               SONDE_DATA_ERROR_DAMAGED };
  g_autofree char *base = g_dir_make_tmp ("sonde-projector-XXXXXX", NULL);
  g_autofree char *run = g_build_filename (base, "run", NULL),
                  *secret = g_build_filename (base, "secret.tsv", NULL);
  g_autofree char *npy = g_build_filename (run, "points.npy", NULL),
                  *bin = g_build_filename (run, "raw.bin", NULL);
  g_autofree char *link = g_build_filename (run, "link.tsv", NULL),
                  *ragged = g_build_filename (run, "ragged.tsv", NULL);
  Folder folder = { .path = g_build_filename (run, "projector_config.pbtxt", NULL) };
  SondeShape shape = sonde_shape_make (2, 2, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, raw);

  g_assert_cmpint (g_mkdir (run, 0700), ==, 0);
  g_assert_true (g_file_set_contents (secret, "1\t2\n", -1, NULL));
  g_assert_true (g_file_set_contents (ragged, "1\t2\n3\n", -1, NULL));
  g_assert_true (g_file_set_contents (bin, (const char *) raw, sizeof raw, NULL));
  g_assert_true (sonde_npy_write (NULL, npy, tensor, NULL));
  g_assert_cmpint (symlink (secret, link), ==, 0);
  g_assert_true (g_file_set_contents (folder.path, config, -1, NULL));
  folder_open (&folder);
  g_assert_cmpuint (folder.batch.refs->len, ==, G_N_ELEMENTS (codes));
  g_assert_cmpint (g_array_index (folder.batch.refs, SondeRecordRef, 0).step, ==, 3);
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    {
      g_autoptr (GError) error = NULL;
      SondeRecord record;
      gboolean right = folder_read (&folder, i, &record, &error);

      if (codes[i] >= 0)
        {
          g_assert_error (error, SONDE_DATA_ERROR, codes[i]);
          continue;
        }
      g_assert_no_error (error);
      g_assert_true (right);
      g_assert_true (sonde_tensor_equal (record.u.embedding.points, tensor));
      sonde_record_clear (&record);
    }
  for (guint i = 0; i < 6; i++)
    g_remove ((const char *[]){ npy, bin, link, ragged, secret, folder.path }[i]);
  g_rmdir (run);
  g_rmdir (base);
  folder_clear (&folder);
}

/* Any cut of the configuration is an error with its line, or whole. */
static void
test_cut (void)
{
  g_autoptr (GString) deep = g_string_new (NULL);
  guint n_wrong = 0;

  for (gsize n = 0; n < sizeof config - 1; n++)
    {
      g_autofree char *cut = g_memdup2 (config, n);
      g_autoptr (GError) error = NULL;
      g_autoptr (GArray) embeddings = sonde_projector_config_parse (cut, n, &error);

      g_assert_true ((embeddings == NULL) == (error != NULL));
      n_wrong += embeddings == NULL;
    }
  g_assert_cmpuint (n_wrong, >, sizeof config / 2);
  for (guint i = 0; i < 100000; i++)
    g_string_append (deep, "a{");
  g_assert_null (sonde_projector_config_parse (deep->str, deep->len, NULL));
}

static void
test_run (void)
{
  g_autofree char *asset
      = format->dup_run ("/logs/run/plugins/org_tensorflow_tensorboard_projector");
  g_autofree char *beside = format->dup_run ("/logs/run");

  g_assert_cmpstr (asset, ==, "/logs/run");
  g_assert_cmpstr (beside, ==, "/logs/run");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/tensorboard-projector/sample", test_sample);
  g_test_add_func ("/tensorboard-projector/forms", test_forms);
  g_test_add_func ("/tensorboard-projector/cut", test_cut);
  g_test_add_func ("/tensorboard-projector/run", test_run);
  return g_test_run ();
}
