/* SPDX-License-Identifier: Apache-2.0
 * A file is 8 bytes of magic, the SHA-256 of the rest, and the rest: a GVariant (a{sv},
 * tensors). */
#include "explain/session/sonde-explain-cache.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <string.h>
#include <utime.h>

#include "data/base/sonde-checked.h"
#include "data/base/sonde-io.h"
#include "data/values/sonde-tensor.h"
#include "explain/sonde-note.h"

#define MAGIC "SNDSTDY1"
#define MAGIC_BYTES 8
#define DIGEST_BYTES 32
#define MAX_FILE_BYTES ((guint64) 1 << 30)
#define LOOKS 32 /* room is looked for each time that this part of the budget was written */
#define PAYLOAD_TYPE "(a{sv}a(saxay))"

struct _SondeExplainCache
{
  char *root, *folder; /* NULL: keeps nothing */
  GPtrArray *notes;
  guint64 most, written; /* the latter since room was looked for */
  gboolean told;         /* that nothing more is kept */
};

/* ---- room ---------------------------------------------------------------- */

typedef struct
{
  char *path;
  guint64 bytes;
  gint64 used;
} Folder;

static void
folder_free (void *data)
{
  g_free (((Folder *) data)->path);
  g_free (data);
}

static int
compare_used (gconstpointer a, gconstpointer b)
{
  const Folder *one = *(Folder *const *) a, *other = *(Folder *const *) b;

  return one->used < other->used ? -1 : one->used > other->used;
}

static Folder *
measure_folder (const char *path)
{
  Folder *folder = g_new0 (Folder, 1);
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  GStatBuf status;

  folder->path = g_strdup (path);
  if (g_stat (path, &status) == 0)
    folder->used = status.st_mtime;
  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      if (g_stat (file, &status) == 0)
        folder->bytes += (guint64) status.st_size;
    }
  return folder;
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *file = g_build_filename (path, name, NULL);

      g_unlink (file);
    }
  g_rmdir (path);
}

/* The sessions used least recently go, but for @keep. FALSE: it takes all of @most by itself. */
static gboolean
make_room (const char *root, const char *keep, guint64 most)
{
  g_autoptr (GDir) dir = g_dir_open (root, 0, NULL);
  g_autoptr (GPtrArray) folders = g_ptr_array_new_with_free_func (folder_free);
  guint64 total = 0;

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (root, name, NULL);

      if (strlen (name) != 64 || strspn (name, "0123456789abcdef") != 64)
        continue; /* not ours */
      g_ptr_array_add (folders, measure_folder (path));
      total += ((Folder *) g_ptr_array_index (folders, folders->len - 1))->bytes;
    }
  g_ptr_array_sort (folders, compare_used);
  for (guint i = 0; i < folders->len && total > most; i++)
    {
      const Folder *folder = g_ptr_array_index (folders, i);

      if (g_str_equal (folder->path, keep))
        continue;
      remove_folder (folder->path);
      total -= folder->bytes;
    }
  return total <= most;
}

static void
look_for_room (SondeExplainCache *cache)
{
  cache->written = 0;
  if (make_room (cache->root, cache->folder, cache->most))
    return;
  cache->told = TRUE;
  g_ptr_array_add (cache->notes,
                   sonde_message_new ("This session alone takes the %" PRIu64
                                      " MiB that all sessions share, so no further results are "
                                      "cached. Delete “%s” to make room.",
                                      cache->most >> 20, cache->folder));
}

/* ---- life ---------------------------------------------------------------- */

char *
sonde_explain_cache_dup_root (void)
{
  return g_build_filename (g_get_user_cache_dir (), "sonde", "studies", NULL);
}

SondeExplainCache *
sonde_explain_cache_open (const char *root, const char *digest, guint64 most)
{
  SondeExplainCache *cache = g_new0 (SondeExplainCache, 1);
  g_autoptr (GError) error = NULL;

  cache->notes = sonde_notes_new ();
  cache->root = g_strdup (root);
  cache->folder = g_build_filename (root, digest, NULL);
  cache->most = most;
  if (sonde_io_make_directories (NULL, cache->folder, &error))
    {
      utime (cache->folder, NULL);
      look_for_room (cache);
      return cache;
    }
  sonde_notes_add_because (cache->notes, error, "Results are not cached: ");
  g_clear_pointer (&cache->folder, g_free);
  return cache;
}

void
sonde_explain_cache_free (SondeExplainCache *cache)
{
  if (cache == NULL)
    return;
  g_free (cache->root);
  g_free (cache->folder);
  g_ptr_array_unref (cache->notes);
  g_free (cache);
}

GPtrArray *
sonde_explain_cache_get_notes (SondeExplainCache *cache)
{
  return cache->notes;
}

guint
sonde_explain_cache_count (const SondeExplainCache *cache, const char *prefix)
{
  g_autoptr (GDir) dir = cache->folder != NULL ? g_dir_open (cache->folder, 0, NULL) : NULL;
  guint n = 0;

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    n += g_str_has_prefix (name, prefix) && g_str_has_suffix (name, ".study");
  return n;
}

static char *
make_path (const SondeExplainCache *cache, const char *key)
{
  g_autofree char *file = g_strconcat (key, ".study", NULL);

  return g_build_filename (cache->folder, file, NULL);
}

/* ---- writing ------------------------------------------------------------- */

static void
hash (const guint8 *data, gsize length, guint8 digest[DIGEST_BYTES])
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  gsize n = DIGEST_BYTES;

  g_checksum_update (checksum, data, (gssize) length);
  g_checksum_get_digest (checksum, digest, &n);
}

static GVariant *
pack_tensors (GPtrArray *tensors)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(saxay)"));

  for (guint i = 0; tensors != NULL && i < tensors->len; i++)
    {
      g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (g_ptr_array_index (tensors, i));
      GVariant *dims = g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, plain->shape.dims,
                                                  (gsize) plain->shape.rank, sizeof (gint64));
      GVariant *bytes = g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, plain->data,
                                                   sonde_tensor_n_bytes (plain), 1);

      g_variant_builder_add (&builder, "(s@ax@ay)", sonde_dtype_name (plain->dtype), dims, bytes);
    }
  return g_variant_builder_end (&builder);
}

void
sonde_explain_cache_store (SondeExplainCache *cache, const char *key, GVariant *value,
                           GPtrArray *tensors)
{
  g_autoptr (GVariant) payload
      = g_variant_ref_sink (g_variant_new ("(@a{sv}@a(saxay))", value, pack_tensors (tensors)));
  gsize length = g_variant_get_size (payload);
  g_autofree guint8 *data = NULL;
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;

  if (cache->folder == NULL || cache->told || length > MAX_FILE_BYTES)
    return;
  data = g_malloc (MAGIC_BYTES + DIGEST_BYTES + length);
  memcpy (data, MAGIC, MAGIC_BYTES);
  g_variant_store (payload, data + MAGIC_BYTES + DIGEST_BYTES);
  hash (data + MAGIC_BYTES + DIGEST_BYTES, length, data + MAGIC_BYTES);
  path = make_path (cache, key);
  /* renamed into place, without waiting for the disk: the digest tells what a loss of power left */
  if (sonde_io_replace_file (sonde_io_hasty (), path, data, MAGIC_BYTES + DIGEST_BYTES + length,
                             &error))
    {
      cache->written += MAGIC_BYTES + DIGEST_BYTES + length;
      if (cache->written > cache->most / LOOKS)
        look_for_room (cache);
      return;
    }
  cache->told = TRUE;
  sonde_notes_add_because (cache->notes, error, "No further results are cached: ");
}

/* ---- reading ------------------------------------------------------------- */

static SondeTensor *
unpack_tensor (GVariant *variant)
{
  g_autoptr (GVariant) dims = NULL, bytes = NULL;
  const char *name;
  const gint64 *sizes;
  const guint8 *data;
  gsize rank, length, wanted;
  SondeDtype dtype;
  SondeShape shape;
  guint8 *copy;

  g_variant_get (variant, "(&s@ax@ay)", &name, &dims, &bytes);
  sizes = g_variant_get_fixed_array (dims, &rank, sizeof (gint64));
  data = g_variant_get_fixed_array (bytes, &length, 1);
  dtype = sonde_dtype_from_name (name);
  if (dtype == SONDE_DTYPE_INVALID || dtype == SONDE_DTYPE_STRING || rank > SONDE_MAX_RANK)
    return NULL;
  shape = sonde_shape_from_array ((int) rank, sizes);
  if (sonde_shape_n_elements (&shape) < 0
      || !sonde_checked_mul (&wanted, (gsize) sonde_shape_n_elements (&shape),
                             sonde_dtype_size (dtype))
      || wanted != length)
    return NULL;
  copy = g_malloc (MAX (length, 1));
  if (length > 0)
    memcpy (copy, data, length);
  return sonde_tensor_new_take (dtype, &shape, copy, g_free, copy);
}

static gboolean
unpack (GBytes *bytes, GVariant **value, GPtrArray **tensors)
{
  gsize length;
  const guint8 *data = g_bytes_get_data (bytes, &length);
  guint8 digest[DIGEST_BYTES];
  g_autoptr (GBytes) rest = NULL;
  g_autoptr (GVariant) payload = NULL, list = NULL;
  g_autoptr (GPtrArray) found
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  if (length < MAGIC_BYTES + DIGEST_BYTES || memcmp (data, MAGIC, MAGIC_BYTES) != 0)
    return FALSE;
  hash (data + MAGIC_BYTES + DIGEST_BYTES, length - MAGIC_BYTES - DIGEST_BYTES, digest);
  if (memcmp (digest, data + MAGIC_BYTES, DIGEST_BYTES) != 0)
    return FALSE;
  rest = g_bytes_new_from_bytes (bytes, MAGIC_BYTES + DIGEST_BYTES,
                                 length - MAGIC_BYTES - DIGEST_BYTES);
  payload
      = g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (PAYLOAD_TYPE), rest, FALSE));
  if (!g_variant_is_normal_form (payload))
    return FALSE;
  list = g_variant_get_child_value (payload, 1);
  for (gsize i = 0; i < g_variant_n_children (list); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (list, i);
      SondeTensor *tensor = unpack_tensor (child);

      if (tensor == NULL)
        return FALSE;
      g_ptr_array_add (found, tensor);
    }
  *value = g_variant_get_child_value (payload, 0);
  *tensors = g_steal_pointer (&found);
  return TRUE;
}

gboolean
sonde_explain_cache_load (SondeExplainCache *cache, const char *key, GVariant **value,
                          GPtrArray **tensors)
{
  g_autofree char *path = cache->folder != NULL ? make_path (cache, key) : NULL;
  g_autoptr (GBytes) bytes = path != NULL && g_file_test (path, G_FILE_TEST_EXISTS)
                                 ? sonde_io_read_file (NULL, path, MAX_FILE_BYTES + 4096, NULL)
                                 : NULL;

  *value = NULL;
  *tensors = NULL;
  if (bytes == NULL)
    return FALSE;
  if (unpack (bytes, value, tensors))
    return TRUE;
  g_ptr_array_add (
      cache->notes,
      sonde_message_new ("The cache file “%s” is damaged; its results are recomputed.", path));
  g_unlink (path);
  return FALSE;
}
