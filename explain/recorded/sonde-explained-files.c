/* SPDX-License-Identifier: Apache-2.0
 * Workers get files and decoder, which do not change; the queue and what is kept are the main
 * thread's. */
#include "explain/recorded/sonde-explained-files.h"

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-path-gate.h"
#include "data/images/sonde-image-decoder.h"

#define MAX_FILE_BYTES (64 << 20)
#define MAX_KEPT_BYTES (64 << 20)
#define AT_ONCE 2 /* one reads and converts while the helper decodes for the other */

/* What was decoded: one of the two. */
typedef struct
{
  char *key;
  SondeImage *image;
  SondeTensor *map;
  gsize n_bytes;
} Decoded;

/* One question. */
typedef struct
{
  char *path;
  GBytes *encoded; /* (nullable) */
  gboolean is_map;
} Question;

struct _SondeExplainedFiles
{
  GObject parent_instance;

  char *folder;
  SondeImageDecoder *decoder;
  GQueue *waiting;    /* (element-type GTask): owned */
  GQueue *kept;       /* (element-type Decoded): owned; tail: used last */
  GHashTable *places; /* key → link of kept */
  gsize n_kept;
  guint n_running, n_decoded;
};

G_DEFINE_FINAL_TYPE (SondeExplainedFiles, sonde_explained_files, G_TYPE_OBJECT)

static void
decoded_free (void *data)
{
  Decoded *decoded = data;

  g_free (decoded->key);
  sonde_image_unref (decoded->image);
  if (decoded->map != NULL)
    sonde_tensor_unref (decoded->map);
  g_free (decoded);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Decoded, decoded_free)

static void
question_free (void *data)
{
  Question *question = data;

  g_free (question->path);
  if (question->encoded != NULL)
    g_bytes_unref (question->encoded);
  g_free (question);
}

/* What a caller owns of it. */
static Decoded *
copy_decoded (const Decoded *decoded)
{
  Decoded *copy = g_new0 (Decoded, 1);

  copy->image = sonde_image_ref (decoded->image);
  copy->map = decoded->map != NULL ? sonde_tensor_ref (decoded->map) : NULL;
  return copy;
}

/* ---- decoding ------------------------------------------------------------ */

/* The first channel in [0, 1]. */
static SondeTensor *
map_of_image (const SondeImage *image)
{
  SondeShape shape = sonde_shape_make (2, image->height, image->width);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gsize i = 0; i < (gsize) image->width * (gsize) image->height; i++)
    ((float *) map->data)[i] = image->pixels[i * (gsize) image->channels] / 255.0f;
  return map;
}

/* (transfer full) */
static SondeTensor *
map_of_array (GBytes *bytes, const char *path, GError **error)
{
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);
  g_autoptr (SondeTensor) array = sonde_npy_parse (data, n, path, error);
  SondeTensor *map;

  if (array == NULL)
    return NULL;
  if (array->shape.rank != 2 || array->shape.dims[0] < 1 || array->shape.dims[1] < 1
      || array->dtype == SONDE_DTYPE_STRING)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "%s has %d dimensions instead of one number per pixel; maps of channels "
                       "(--map-channels) cannot be shown.",
                       path, array->shape.rank);
      return NULL;
    }
  if (array->dtype == SONDE_DTYPE_F32)
    return g_steal_pointer (&array);
  map = sonde_tensor_new (SONDE_DTYPE_F32, &array->shape);
  for (gint64 i = 0; i < array->shape.dims[0] * array->shape.dims[1]; i++)
    ((float *) map->data)[i] = (float) sonde_tensor_get_double (array, i);
  return map;
}

static Decoded *
decode (SondeExplainedFiles *self, const Question *question, GError **error)
{
  g_autoptr (GBytes) bytes
      = question->encoded != NULL
            ? g_bytes_ref (question->encoded)
            : sonde_path_gate_read (NULL, self->folder, question->path, MAX_FILE_BYTES, error);
  gboolean is_array = question->is_map && g_str_has_suffix (question->path, ".npy");
  g_autoptr (Decoded) decoded = g_new0 (Decoded, 1);

  if (bytes == NULL)
    return NULL;
  if (is_array)
    decoded->map = map_of_array (bytes, question->path, error);
  else
    decoded->image = sonde_image_decoder_decode (self->decoder, bytes, question->path, error);
  if (decoded->map == NULL && decoded->image == NULL)
    return NULL;
  if (question->is_map && !is_array)
    {
      decoded->map = map_of_image (decoded->image);
      g_clear_pointer (&decoded->image, sonde_image_unref);
    }
  decoded->n_bytes = decoded->map != NULL
                         ? sonde_tensor_n_bytes (decoded->map)
                         : (gsize) decoded->image->width * (gsize) decoded->image->height
                               * (gsize) decoded->image->channels;
  return g_steal_pointer (&decoded);
}

static void
decode_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const Question *question = g_task_get_task_data (task_data);
  GError *error = NULL;
  Decoded *decoded = decode (SONDE_EXPLAINED_FILES (source), question, &error);

  if (decoded != NULL)
    g_task_return_pointer (task, decoded, decoded_free);
  else
    g_task_return_error (task, error);
}

/* ---- what is kept -------------------------------------------------------- */

/* Bytes that somebody holds anyway are not kept a second time. (transfer full) (nullable) */
static char *
make_key (const Question *question)
{
  return question->encoded != NULL
             ? NULL
             : g_strconcat (question->is_map ? "map " : "image ", question->path, NULL);
}

static void
keep (SondeExplainedFiles *self, const Question *question, const Decoded *decoded)
{
  g_autofree char *key = make_key (question);
  Decoded *copy;

  if (key == NULL || decoded->n_bytes > MAX_KEPT_BYTES || g_hash_table_contains (self->places, key))
    return;
  copy = copy_decoded (decoded);
  copy->key = g_steal_pointer (&key);
  copy->n_bytes = decoded->n_bytes;
  self->n_kept += copy->n_bytes;
  g_queue_push_tail (self->kept, copy);
  g_hash_table_insert (self->places, copy->key, self->kept->tail);
  while (self->n_kept > MAX_KEPT_BYTES)
    {
      Decoded *oldest = g_queue_pop_head (self->kept);

      self->n_kept -= oldest->n_bytes;
      g_hash_table_remove (self->places, oldest->key);
      decoded_free (oldest);
    }
}

/* (transfer full) (nullable) */
static Decoded *
find_kept (SondeExplainedFiles *self, const Question *question)
{
  g_autofree char *key = make_key (question);
  GList *link = key != NULL ? g_hash_table_lookup (self->places, key) : NULL;

  if (link == NULL)
    return NULL;
  g_queue_unlink (self->kept, link);
  g_queue_push_tail_link (self->kept, link);
  return copy_decoded (link->data);
}

/* ---- questions ----------------------------------------------------------- */

static void run (SondeExplainedFiles *self);

static void
on_decoded (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeExplainedFiles *self = SONDE_EXPLAINED_FILES (source);
  g_autoptr (GTask) asked = data;
  GError *error = NULL;
  Decoded *decoded = g_task_propagate_pointer (G_TASK (result), &error);

  self->n_running--;
  if (decoded != NULL)
    {
      self->n_decoded++;
      keep (self, g_task_get_task_data (asked), decoded);
      g_task_return_pointer (asked, decoded, decoded_free);
    }
  else
    g_task_return_error (asked, error);
  run (self);
}

static void
run (SondeExplainedFiles *self)
{
  while (self->n_running < AT_ONCE && !g_queue_is_empty (self->waiting))
    {
      GTask *asked = g_queue_pop_head (self->waiting);
      g_autoptr (GTask) task = NULL;

      if (g_task_return_error_if_cancelled (asked))
        {
          g_object_unref (asked);
          continue;
        }
      self->n_running++;
      task = g_task_new (self, NULL, on_decoded, asked);
      g_task_set_task_data (task, asked, NULL);
      g_task_run_in_thread (task, decode_in_thread);
    }
}

static void
ask (SondeExplainedFiles *self, const char *path, GBytes *encoded, gboolean is_map,
     GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, data);
  Question *question = g_new0 (Question, 1);
  Decoded *kept;

  question->path = g_strdup (path);
  question->encoded = encoded != NULL ? g_bytes_ref (encoded) : NULL;
  question->is_map = is_map;
  g_task_set_task_data (task, question, question_free);
  kept = find_kept (self, question);
  if (kept != NULL)
    {
      g_task_return_pointer (task, kept, decoded_free);
      return;
    }
  g_queue_push_tail (self->waiting, g_steal_pointer (&task));
  run (self);
}

void
sonde_explained_files_read_image_async (SondeExplainedFiles *files, const char *path,
                                        GBytes *encoded, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer data)
{
  g_return_if_fail (SONDE_IS_EXPLAINED_FILES (files));
  ask (files, path, encoded, FALSE, cancellable, callback, data);
}

SondeImage *
sonde_explained_files_read_image_finish (SondeExplainedFiles *files, GAsyncResult *result,
                                         GError **error)
{
  g_autoptr (Decoded) decoded = g_task_propagate_pointer (G_TASK (result), error);

  return decoded != NULL ? g_steal_pointer (&decoded->image) : NULL;
}

void
sonde_explained_files_read_map_async (SondeExplainedFiles *files, const char *path,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data)
{
  g_return_if_fail (SONDE_IS_EXPLAINED_FILES (files));
  ask (files, path, NULL, TRUE, cancellable, callback, data);
}

SondeTensor *
sonde_explained_files_read_map_finish (SondeExplainedFiles *files, GAsyncResult *result,
                                       GError **error)
{
  g_autoptr (Decoded) decoded = g_task_propagate_pointer (G_TASK (result), error);

  return decoded != NULL ? g_steal_pointer (&decoded->map) : NULL;
}

guint
sonde_explained_files_get_n_decoded (SondeExplainedFiles *files)
{
  return files->n_decoded;
}

gsize
sonde_explained_files_get_n_kept (SondeExplainedFiles *files)
{
  return files->n_kept;
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_explained_files_finalize (GObject *object)
{
  SondeExplainedFiles *self = SONDE_EXPLAINED_FILES (object);

  /* Whoever waits holds a reference: nobody does. */
  g_queue_free_full (self->waiting, g_object_unref);
  g_hash_table_unref (self->places);
  g_queue_free_full (self->kept, decoded_free);
  sonde_image_decoder_free (self->decoder);
  g_free (self->folder);
  G_OBJECT_CLASS (sonde_explained_files_parent_class)->finalize (object);
}

static void
sonde_explained_files_class_init (SondeExplainedFilesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_explained_files_finalize;
}

static void
sonde_explained_files_init (SondeExplainedFiles *self)
{
  self->waiting = g_queue_new ();
  self->kept = g_queue_new ();
  self->places = g_hash_table_new (g_str_hash, g_str_equal);
}

SondeExplainedFiles *
sonde_explained_files_new (const char *folder, const char *program)
{
  const char *arguments[] = { program, "image-helper", NULL };
  SondeExplainedFiles *self = g_object_new (SONDE_TYPE_EXPLAINED_FILES, NULL);

  self->folder = g_strdup (folder);
  self->decoder = sonde_image_decoder_new (arguments);
  return self;
}
