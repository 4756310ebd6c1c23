/* SPDX-License-Identifier: Apache-2.0
 * .keras archives and .h5 files. */
#include "data/models/keras/sonde-keras-file.h"

#include <string.h>

#include "data/arrays/sonde-zip.h"
#include "data/base/sonde-error.h"
#include "data/json/sonde-json-depth.h"

#define MAX_JSON ((gsize) 64 << 20)
#define MAX_DEPTH 200
#define MAX_FILE ((guint64) 1 << 30)
#define ZIP_MAGIC "PK\3\4"

/**
 * SondeKerasFile:
 * @config: @weights_bytes: members of an archive
 * @version: lent by what was parsed
 */
struct _SondeKerasFile
{
  char *path, *version;
  JsonParser *parser;
  SondeHdf5 *weights;
  GBytes *config, *metadata, *weights_bytes;
  gboolean by_layer, in_parts;
};

void
sonde_keras_file_free (SondeKerasFile *file)
{
  if (file == NULL)
    return;
  g_free (file->path);
  g_free (file->version);
  g_clear_object (&file->parser);
  sonde_hdf5_free (file->weights);
  g_clear_pointer (&file->config, g_bytes_unref);
  g_clear_pointer (&file->metadata, g_bytes_unref);
  g_clear_pointer (&file->weights_bytes, g_bytes_unref);
  g_free (file);
}

/* ---- JSON ---------------------------------------------------------------- */

/* An object, which @parser lends; NULL with @error */
static JsonObject *
parse_object (SondeKerasFile *file, JsonParser *parser, const char *text, gsize length,
              const char *what, GError **error)
{
  g_autoptr (GError) problem = NULL;
  JsonNode *root = NULL;

  if (length > MAX_JSON || !sonde_json_is_shallow ((const guint8 *) text, length, MAX_DEPTH))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "“%s”: the JSON “%s” is longer than %d MiB, or nested more than %d levels "
                       "deep",
                       file->path, what, (int) (MAX_JSON >> 20), MAX_DEPTH);
      return NULL;
    }
  if (json_parser_load_from_data (parser, text, (gssize) length, &problem))
    root = json_parser_get_root (parser);
  if (root != NULL && JSON_NODE_HOLDS_OBJECT (root))
    return json_node_get_object (root);
  if (problem != NULL)
    sonde_set_error_because (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, problem,
                             "“%s”: cannot read the JSON “%s”: ", file->path, what);
  else
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s”: the JSON “%s” is no object", file->path, what);
  return NULL;
}

static gboolean
parse_config (SondeKerasFile *file, const char *text, gsize length, const char *what,
              GError **error)
{
  file->parser = json_parser_new ();
  return parse_object (file, file->parser, text, length, what, error) != NULL;
}

/* ---- .keras -------------------------------------------------------------- */

static GBytes **
find_member (SondeKerasFile *file, const char *name)
{
  if (g_str_equal (name, "config.json"))
    return &file->config;
  if (g_str_equal (name, "metadata.json"))
    return &file->metadata;
  if (g_str_equal (name, "model.weights.h5"))
    return &file->weights_bytes;
  return NULL;
}

static gboolean
wants (gpointer data, const char *name)
{
  SondeKerasFile *file = data;

  if (g_str_equal (name, "model.weights.json"))
    file->in_parts = TRUE;
  return find_member (file, name) != NULL;
}

static gboolean
take (gpointer data, const char *name, guint8 *bytes, gsize length, GError **error)
{
  SondeKerasFile *file = data;
  GBytes **place = find_member (file, name);
  GBytes *member = g_bytes_new_take (bytes, length);

  if (*place == NULL)
    {
      *place = member;
      return TRUE;
    }
  g_bytes_unref (member);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "“%s” has two members “%s”",
                   file->path, name);
  return FALSE;
}

static gboolean
read_metadata (SondeKerasFile *file, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonObject *metadata = NULL;

  if (file->metadata == NULL)
    return TRUE;
  metadata = parse_object (file, parser, g_bytes_get_data (file->metadata, NULL),
                           g_bytes_get_size (file->metadata), "metadata.json", error);
  file->version = g_strdup (sonde_json_member_text (metadata, "keras_version"));
  return metadata != NULL;
}

static gboolean
check_members (const SondeKerasFile *file, GError **error)
{
  if (file->in_parts && file->weights_bytes == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "“%s” has its weights in parts (model.weights.json), which is not read. Save "
                     "it again without max_shard_size",
                     file->path);
  else if (file->config == NULL || file->weights_bytes == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                     "“%s” has no member “%s”, which a model of Keras has", file->path,
                     file->config == NULL ? "config.json" : "model.weights.h5");
  else
    return TRUE;
  return FALSE;
}

static gboolean
open_archive (SondeKerasFile *file, const SondeIo *io, GError **error)
{
  static const SondeZipTaker taker = { wants, take };
  g_autofree char *name = g_strconcat (file->path, "/model.weights.h5", NULL);

  if (!sonde_zip_read (io, file->path, ".keras", &taker, file, error)
      || !check_members (file, error) || !read_metadata (file, error)
      || !parse_config (file, g_bytes_get_data (file->config, NULL),
                        g_bytes_get_size (file->config), "config.json", error))
    return FALSE;
  file->weights = sonde_hdf5_read (file->weights_bytes, name, error);
  return file->weights != NULL;
}

/* ---- .h5 ----------------------------------------------------------------- */

static gboolean
open_hdf5 (SondeKerasFile *file, const SondeIo *io, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, file->path, MAX_FILE, error);
  const SondeHdf5Object *root = NULL;
  const char *config = NULL;

  file->by_layer = TRUE;
  file->weights = bytes != NULL ? sonde_hdf5_read (bytes, file->path, error) : NULL;
  if (file->weights == NULL)
    return FALSE;
  root = sonde_hdf5_find (file->weights, "/");
  config = root != NULL ? sonde_hdf5_object_get_text (root, "model_config") : NULL;
  if (config == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” holds weights, but no model. Give the model and this file as "
                       "--weights, or save it in Keras with model.save (\"model.keras\")",
                       file->path);
      return FALSE;
    }
  file->version = g_strdup (sonde_hdf5_object_get_text (root, "keras_version"));
  return parse_config (file, config, strlen (config), "model_config", error);
}

/* ---- the file ------------------------------------------------------------ */

static gboolean
is_archive (const SondeIo *io, const char *path)
{
  char start[4] = { 0 };
  int fd = sonde_io_open_regular (io, path, NULL, NULL);

  if (fd < 0)
    return FALSE;
  if (sonde_io_pread_full (io, fd, path, start, sizeof start, 0, NULL) < 0)
    start[0] = '\0';
  sonde_io_close (io, fd);
  return memcmp (start, ZIP_MAGIC, sizeof start) == 0;
}

SondeKerasFile *
sonde_keras_file_open (const SondeIo *io, const char *path, GError **error)
{
  g_autoptr (SondeKerasFile) file = g_new0 (SondeKerasFile, 1);

  file->path = g_strdup (path);
  if (is_archive (io, path) ? !open_archive (file, io, error) : !open_hdf5 (file, io, error))
    return NULL;
  return g_steal_pointer (&file);
}

const char *
sonde_keras_file_get_path (const SondeKerasFile *file)
{
  return file->path;
}

JsonObject *
sonde_keras_file_get_config (SondeKerasFile *file)
{
  return json_node_get_object (json_parser_get_root (file->parser));
}

const char *
sonde_keras_file_get_version (const SondeKerasFile *file)
{
  return file->version;
}

const SondeHdf5 *
sonde_keras_file_get_weights (const SondeKerasFile *file)
{
  return file->weights;
}

gboolean
sonde_keras_file_is_by_layer (const SondeKerasFile *file)
{
  return file->by_layer;
}
