/* SPDX-License-Identifier: Apache-2.0
 * Embeddings of TensorBoard's projector: projector_config.pbtxt and the files beside it that it
 * names. All those paths go through the path gate. An embedding's place is its number in the
 * configuration. */
#include "data/records/sonde-record-format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-path-gate.h"
#include "data/records/tensorboard/sonde-projector-config-private.h"
#include "data/records/sonde-record-text.h"

#define FILE_NAME "projector_config.pbtxt"
#define ASSET_FOLDER "/plugins/org_tensorflow_tensorboard_projector"
#define MAX_CONFIG_BYTES ((guint64) 16 << 20)
#define MAX_COLUMNS 65536u

typedef struct
{
  GArray *embeddings; /* of SondeProjectorEmbedding */
  GArray *tags;       /* of SondeRecordTag, by embedding */
  gint64 wall_time_ns;
  guint64 size;
  gboolean delivered;
} Source;

/* "digits:00001" is the tag "digits" at step 1. */
static char *
split_name (const char *name, gint64 *step)
{
  const char *colon = name != NULL ? strrchr (name, ':') : NULL;
  guint64 number;

  *step = 0;
  if (colon == NULL || !g_ascii_string_to_unsigned (colon + 1, 10, 0, G_MAXINT64, &number, NULL))
    return g_strdup (name != NULL ? name : "embedding");
  *step = (gint64) number;
  return g_strndup (name, (gsize) (colon - name));
}

static GArray *
read_config (const SondeIo *io, const char *path, guint64 *size, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (io, path, MAX_CONFIG_BYTES, error);
  const char *text;
  gsize length;
  GArray *embeddings;

  if (bytes == NULL)
    return NULL;
  text = g_bytes_get_data (bytes, &length);
  *size = length;
  embeddings = sonde_projector_config_parse (text != NULL ? text : "", length, error);
  if (embeddings == NULL)
    sonde_prefix_error (error, "“%s”: ", path);
  return embeddings;
}

static gint64
time_of_file (const SondeIo *io, const char *path)
{
  struct stat status;

  io = io != NULL ? io : sonde_io_system ();
  if (io->stat (io, AT_FDCWD, path, &status, 0) != 0)
    return 0;
  return (gint64) status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
}

static void
source_close (gpointer data)
{
  Source *source = data;

  g_clear_pointer (&source->embeddings, g_array_unref);
  g_array_unref (source->tags);
  g_free (source);
}

static gpointer
source_open (const SondeIo *io, const char *path, guint64 position, const SondeRecordTag *tags,
             gsize n_tags, GError **error)
{
  Source *source = g_new0 (Source, 1);

  source->tags = g_array_new (FALSE, TRUE, sizeof (SondeRecordTag));
  source->embeddings = read_config (io, path, &source->size, error);
  if (source->embeddings == NULL)
    {
      source_close (source);
      return NULL;
    }
  source->delivered = position >= source->size;
  source->wall_time_ns = time_of_file (io, path);
  for (guint i = 0; i < source->embeddings->len; i++)
    {
      gint64 step;
      g_autofree char *name = split_name (
          g_array_index (source->embeddings, SondeProjectorEmbedding, i).tensor_name, &step);
      SondeRecordTag tag = { g_intern_string (name), NULL };

      g_array_append_val (source->tags, tag);
    }
  return source;
}

static SondeFrameResult
source_next (gpointer data, SondeRecordBatch *batch, guint64 *position, guint64 *n_records,
             GPtrArray *damage, GError **error)
{
  Source *source = data;

  *position = source->size;
  *n_records = 0;
  if (source->delivered)
    return SONDE_FRAME_WAITING;
  source->delivered = TRUE;
  for (guint i = 0; i < source->embeddings->len; i++)
    {
      SondeRecordRef ref = { .tag = i,
                             .kind = SONDE_RECORD_EMBEDDING,
                             .wall_time_ns = source->wall_time_ns,
                             .place = i,
                             .session = 1 };

      g_free (split_name (
          g_array_index (source->embeddings, SondeProjectorEmbedding, i).tensor_name, &ref.step));
      sonde_record_batch_add_ref (batch, &ref);
    }
  sonde_record_batch_note_time (batch, source->wall_time_ns);
  *n_records = source->embeddings->len;
  return SONDE_FRAME_RECORD;
}

static GArray *
source_get_tags (gpointer data)
{
  return ((Source *) data)->tags;
}

/* ---- contents ------------------------------------------------------------ */

/* Lines of numbers, as many in each. NULL without an error: it is no such text. */
static SondeTensor *
parse_points (const char *text, gsize length, GError **error)
{
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (float));
  const char *at = text, *end = text + length;
  guint rows = 0, columns = 0;
  SondeShape shape;

  while (at < end)
    {
      guint n = 0;

      while (at < end && *at != '\n')
        {
          char *after;
          float number = (float) g_ascii_strtod (at, &after);

          if (after == at || n >= MAX_COLUMNS)
            return NULL;
          g_array_append_val (numbers, number);
          n++;
          for (at = after; at < end && (*at == '\t' || *at == ' ' || *at == '\r'); at++)
            ;
        }
      at += at < end;
      if (n == 0)
        continue;
      if (rows > 0 && n != columns)
        return NULL;
      columns = n;
      rows++;
    }
  if (rows == 0)
    return NULL;
  shape = sonde_shape_make (2, rows, columns);
  return sonde_tensor_try_new_from_data (SONDE_DTYPE_F32, &shape, numbers->data,
                                         N_ ("table of points"), error);
}

static SondeTensor *
make_points (GBytes *bytes, const SondeProjectorEmbedding *embedding, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autoptr (SondeTensor) points = NULL;
  g_autoptr (GError) failure = NULL;
  gint64 n;

  if (length > 6 && memcmp (data, "\x93NUMPY", 6) == 0)
    {
      points = sonde_npy_parse ((const guint8 *) data, length, embedding->tensor_path, error);
      if (points == NULL || points->shape.rank == 2)
        return points != NULL
                   ? sonde_tensor_try_cast (points, SONDE_DTYPE_F32, N_ ("table of points"), error)
                   : NULL;
    }
  else if (memchr (data, '\0', length) == NULL)
    points = parse_points (data, length, &failure);
  if (failure != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&failure));
      return NULL;
    }
  if (points != NULL && points->shape.rank == 2)
    return g_steal_pointer (&points);
  if (embedding->n_shape == 2 && embedding->shape[0] > 0 && embedding->shape[1] > 0
      && sonde_checked_mul (&n, embedding->shape[0], embedding->shape[1])
      && (guint64) n == length / sizeof (float) && length % sizeof (float) == 0)
    {
      SondeShape shape = sonde_shape_make (2, embedding->shape[0], embedding->shape[1]);

      return sonde_tensor_try_new_from_data (SONDE_DTYPE_F32, &shape, data, N_ ("table of points"),
                                             error);
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "“%s” does not contain a table of numbers", embedding->tensor_path);
  return NULL;
}

/* A table of labels; the first line is a header only when it has a tab. */
static gboolean
read_labels (GBytes *bytes, SondeRecord *record, GError **error)
{
  gsize length;
  const char *data = g_bytes_get_data (bytes, &length);
  g_autofree char *text = sonde_record_dup_text (data, length);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1), header = NULL;
  guint n = g_strv_length (lines), columns, first;
  SondeShape shape;

  while (n > 0 && lines[n - 1][0] == '\0')
    n--;
  for (guint i = 0; i < n; i++)
    g_strchomp (lines[i]);
  if (n == 0)
    return TRUE;
  first = strchr (lines[0], '\t') != NULL;
  header
      = first ? g_strsplit (lines[0], "\t", -1) : g_strdupv ((char *[]){ (char *) "label", NULL });
  columns = g_strv_length (header);
  if (columns > MAX_COLUMNS || (guint64) columns * n > length + n)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "The labels have %u columns and %u rows, too many", columns, n);
      return FALSE;
    }
  shape = sonde_shape_make (2, n - first, columns);
  record->u.embedding.labels
      = sonde_tensor_try_new (SONDE_DTYPE_STRING, &shape, NULL, N_ ("table of labels"), error);
  if (record->u.embedding.labels == NULL)
    return FALSE;
  for (guint i = first; i < n; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], "\t", (gint) columns);

      for (guint k = 0; cells[k] != NULL; k++)
        ((char **) record->u.embedding.labels->data)[(gsize) (i - first) * columns + k]
            = g_strdup (cells[k]);
    }
  record->u.embedding.columns = g_steal_pointer (&header);
  return TRUE;
}

static gboolean
read_content (const SondeIo *io, const char *folder, const SondeProjectorEmbedding *embedding,
              SondeRecord *record, GError **error)
{
  g_autoptr (GBytes) points = NULL, labels = NULL;

  if (embedding->tensor_path == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "Embedding “%s” is in a TensorFlow checkpoint, which is not supported",
                       record->tag);
      return FALSE;
    }
  points
      = sonde_path_gate_read (io, folder, embedding->tensor_path, SONDE_BUDGET_RECORD_BYTES, error);
  if (points == NULL)
    return FALSE;
  record->u.embedding.points = make_points (points, embedding, error);
  if (record->u.embedding.points == NULL)
    return FALSE;
  if (embedding->metadata_path != NULL)
    {
      labels = sonde_path_gate_read (io, folder, embedding->metadata_path,
                                     SONDE_BUDGET_RECORD_BYTES, error);
      if (labels == NULL || !read_labels (labels, record, error))
        return FALSE;
    }
  if (embedding->sprite_path != NULL)
    {
      record->u.embedding.sprite = sonde_path_gate_read (io, folder, embedding->sprite_path,
                                                         SONDE_BUDGET_RECORD_BYTES, error);
      record->u.embedding.tile_width = (int) CLAMP (embedding->tile[0], 0, G_MAXINT);
      record->u.embedding.tile_height
          = (int) CLAMP (embedding->tile[embedding->n_tile > 1], 0, G_MAXINT);
    }
  return embedding->sprite_path == NULL || record->u.embedding.sprite != NULL;
}

static gboolean
read_place (const SondeIo *io, const char *path, guint64 place, const SondeRecordTag *tags,
            gsize n_tags, SondeRecord *record, GError **error)
{
  guint64 size;
  g_autoptr (GArray) embeddings = read_config (io, path, &size, error);
  g_autofree char *folder = g_path_get_dirname (path), *name = NULL;
  const SondeProjectorEmbedding *embedding;

  if (embeddings == NULL)
    return FALSE;
  if (place >= embeddings->len)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” has only %u embeddings: it has changed", path, embeddings->len);
      return FALSE;
    }
  embedding = &g_array_index (embeddings, SondeProjectorEmbedding, place);
  *record = (SondeRecord){ .kind = SONDE_RECORD_EMBEDDING,
                           .session = 1,
                           .wall_time_ns = time_of_file (io, path) };
  name = split_name (embedding->tensor_name, &record->step);
  record->tag = g_intern_string (name);
  if (read_content (io, folder, embedding, record, error))
    return TRUE;
  sonde_prefix_error (error, "“%s”: ", path);
  sonde_record_clear (record);
  return FALSE;
}

static gboolean
recognises (const char *file_name)
{
  return g_str_equal (file_name, FILE_NAME);
}

/* RUN/plugins/org_tensorflow_tensorboard_projector/projector_config.pbtxt, or beside the events. */
static char *
dup_run (const char *folder)
{
  return g_str_has_suffix (folder, ASSET_FOLDER)
             ? g_strndup (folder, strlen (folder) - strlen (ASSET_FOLDER))
             : g_strdup (folder);
}

const SondeRecordFormat sonde_record_format_tensorboard_projector = {
  .name = "tensorboard",
  .recognises = recognises,
  .dup_run = dup_run,
  .open = source_open,
  .next = source_next,
  .get_tags = source_get_tags,
  .close = source_close,
  .read_place = read_place,
};
