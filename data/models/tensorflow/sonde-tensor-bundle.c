/* SPDX-License-Identifier: Apache-2.0
 * Entries of a checkpoint and the bytes they stand for. */
#include "data/models/tensorflow/sonde-tensor-bundle.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-path-gate.h"
#include "data/models/tensorflow/sonde-sorted-table.h"
#include "data/models/tensorflow/sonde-tensorflow-type.h"
#include "data/wire/sonde-wire-decode.h"

#define MAX_INDEX_BYTES ((guint64) 256 << 20)

/* @entries: key -> Tensorflow__BundleEntry, lent from @arena; @keys: of it, in order, but those of
 * slices */
struct _SondeTensorBundle
{
  const SondeIo *io;
  char *folder, *prefix, *path;
  GBytes *bytes;
  SondeWireArena arena;
  GHashTable *entries;
  GPtrArray *keys;
  int n_shards;
};

/* ---- the index ----------------------------------------------------------- */

static gboolean
read_header (SondeTensorBundle *bundle, const guint8 *value, gsize length, GError **error)
{
  const Tensorflow__BundleHeader *header = sonde_wire_decode (
      &tensorflow__bundle_header__descriptor, value, length, NULL, NULL, &bundle->arena, error);

  if (header == NULL)
    return FALSE;
  bundle->n_shards = SONDE_WIRE_OR (header, num_shards, 1);
  if (header->has_endianness && header->endianness != 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” has its numbers in big-endian order", bundle->path);
      return FALSE;
    }
  return TRUE;
}

static gboolean
add_entry (const char *key, gsize key_length, const guint8 *value, gsize length, gpointer data,
           GError **error)
{
  SondeTensorBundle *bundle = data;
  Tensorflow__BundleEntry *entry;

  if (key_length == 0)
    return read_header (bundle, value, length, error);
  entry = sonde_wire_decode (&tensorflow__bundle_entry__descriptor, value, length, NULL, NULL,
                             &bundle->arena, error);
  if (entry == NULL)
    {
      sonde_prefix_error (error, "“%s”: ", bundle->path);
      return FALSE;
    }
  if (*key == '\0' || !g_utf8_validate (key, (gssize) key_length, NULL))
    return TRUE; /* a slice of a partitioned variable: its name is no text */
  g_ptr_array_add (bundle->keys, g_strdup (key));
  g_hash_table_replace (bundle->entries, bundle->keys->pdata[bundle->keys->len - 1], entry);
  return TRUE;
}

SondeTensorBundle *
sonde_tensor_bundle_open (const SondeIo *io, const char *folder, const char *prefix, GError **error)
{
  g_autoptr (SondeTensorBundle) bundle = g_new0 (SondeTensorBundle, 1);
  g_autofree char *index = g_strconcat (prefix, ".index", NULL);

  bundle->io = io;
  bundle->folder = g_strdup (folder);
  bundle->prefix = g_strdup (prefix);
  bundle->path = g_build_filename (folder, index, NULL);
  bundle->entries = g_hash_table_new (g_str_hash, g_str_equal);
  bundle->keys = g_ptr_array_new_with_free_func (g_free);
  bundle->n_shards = 1;
  bundle->bytes = sonde_path_gate_read (io, folder, index, MAX_INDEX_BYTES, error);
  if (bundle->bytes == NULL
      || !sonde_sorted_table_foreach (bundle->bytes, bundle->path, add_entry, bundle, error))
    return NULL;
  return g_steal_pointer (&bundle);
}

void
sonde_tensor_bundle_free (SondeTensorBundle *bundle)
{
  if (bundle == NULL)
    return;
  g_clear_pointer (&bundle->entries, g_hash_table_unref);
  g_clear_pointer (&bundle->keys, g_ptr_array_unref);
  g_clear_pointer (&bundle->bytes, g_bytes_unref);
  sonde_wire_arena_clear (&bundle->arena);
  g_free (bundle->folder);
  g_free (bundle->prefix);
  g_free (bundle->path);
  g_free (bundle);
}

guint
sonde_tensor_bundle_get_size (const SondeTensorBundle *bundle)
{
  return bundle->keys->len;
}

const char *
sonde_tensor_bundle_get_key (const SondeTensorBundle *bundle, guint index)
{
  return bundle->keys->pdata[index];
}

gboolean
sonde_tensor_bundle_is_text (const SondeTensorBundle *bundle, const char *key)
{
  const Tensorflow__BundleEntry *entry = g_hash_table_lookup (bundle->entries, key);

  return entry != NULL
         && sonde_tensorflow_dtype (SONDE_WIRE_OR (entry, dtype, 0)) == SONDE_DTYPE_STRING;
}

/* ---- tensors ------------------------------------------------------------- */

static gboolean G_GNUC_PRINTF (5, 6)
    bundle_fail (const SondeTensorBundle *bundle, const char *key, SondeDataError code,
                 GError **error, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, (int) code, format, arguments);
  va_end (arguments);
  sonde_prefix_error (error, "“%s”: variable “%s” ", bundle->path, key);
  return FALSE;
}

/* The file and, checked against it, the place of an entry's bytes. −1 with @error */
static int
open_shard (const SondeTensorBundle *bundle, const char *key, const Tensorflow__BundleEntry *entry,
            GError **error)
{
  int shard = SONDE_WIRE_OR (entry, shard_id, 0), fd;
  gint64 offset = SONDE_WIRE_OR (entry, offset, 0), size = SONDE_WIRE_OR (entry, size, 0);
  g_autofree char *name
      = g_strdup_printf ("%s.data-%05d-of-%05d", bundle->prefix, shard, bundle->n_shards);
  guint64 length = 0;

  if (shard < 0 || shard >= bundle->n_shards)
    {
      bundle_fail (bundle, key, SONDE_DATA_ERROR_DAMAGED, error, "is in file %d of %d", shard,
                   bundle->n_shards);
      return -1;
    }
  fd = sonde_path_gate_open (bundle->io, bundle->folder, name, &length, error);
  if (fd >= 0
      && (offset < 0 || size < 0 || (guint64) offset > length
          || (guint64) size > length - (guint64) offset))
    {
      sonde_io_close (bundle->io, fd);
      bundle_fail (bundle, key, SONDE_DATA_ERROR_DAMAGED, error,
                   "has %" PRIi64 " bytes at byte %" PRIi64 " of “%s”, which has %" PRIu64, size,
                   offset, name, length);
      return -1;
    }
  return fd;
}

static gboolean
read_bytes (const SondeTensorBundle *bundle, const char *key, const Tensorflow__BundleEntry *entry,
            int fd, SondeTensor *tensor, GError **error)
{
  gsize size = sonde_tensor_n_bytes (tensor);
  gssize there = sonde_io_pread_full (bundle->io, fd, bundle->path, tensor->data, size,
                                      (guint64) SONDE_WIRE_OR (entry, offset, 0), error);

  if (there < 0)
    return FALSE;
  if ((gsize) there != size)
    return bundle_fail (bundle, key, SONDE_DATA_ERROR_DAMAGED, error,
                        "ends behind %zi of %zu bytes", there, size);
  if (entry->has_crc32c
      && sonde_crc32c_mask (sonde_crc32c_extend (0, tensor->data, size)) != entry->crc32c)
    return bundle_fail (bundle, key, SONDE_DATA_ERROR_DAMAGED, error, "has a wrong checksum");
  for (gsize i = 0; tensor->dtype == SONDE_DTYPE_BOOL && i < size; i++)
    tensor->data[i] = tensor->data[i] != 0;
  return TRUE;
}

/* Type and sizes of an entry whose bytes are as many as they need. */
static gboolean
check_entry (const SondeTensorBundle *bundle, const char *key, const Tensorflow__BundleEntry *entry,
             SondeDtype *dtype, SondeShape *shape, GError **error)
{
  int number = SONDE_WIRE_OR (entry, dtype, 0);
  const SondeType type = sonde_tensorflow_type (sonde_tensorflow_dtype (number), entry->shape);
  gint64 n, size = SONDE_WIRE_OR (entry, size, 0);

  *shape = sonde_shape_scalar ();
  *dtype = type.dtype;
  if (type.dtype == SONDE_DTYPE_INVALID || type.dtype == SONDE_DTYPE_STRING)
    return bundle_fail (bundle, key, SONDE_DATA_ERROR_UNSUPPORTED, error,
                        "has elements of type %s, which nothing is calculated with",
                        sonde_tensorflow_dtype_name (number));
  if (entry->n_slices > 0)
    return bundle_fail (bundle, key, SONDE_DATA_ERROR_UNSUPPORTED, error,
                        "stands in %zu slices, which are not put together", entry->n_slices);
  if (entry->shape != NULL && !sonde_type_get_shape (&type, shape))
    return bundle_fail (bundle, key, SONDE_DATA_ERROR_DAMAGED, error,
                        "has sizes that no tensor has");
  n = sonde_shape_n_elements (shape);
  if (n < 0 || (guint64) n * sonde_dtype_size (type.dtype) != (guint64) size)
    return bundle_fail (bundle, key, SONDE_DATA_ERROR_DAMAGED, error,
                        "has %" PRIi64 " bytes; its shape needs %" PRIu64, size,
                        (guint64) MAX (n, 0) * sonde_dtype_size (type.dtype));
  return TRUE;
}

/* The bytes are known to be there before room is made for them. */
static SondeTensor *
read_tensor (const SondeTensorBundle *bundle, const char *key, const Tensorflow__BundleEntry *entry,
             SondeBudget *budget, GError **error)
{
  g_autoptr (SondeTensor) tensor = NULL;
  SondeDtype dtype;
  SondeShape shape;
  gboolean right;
  int fd;

  if (!check_entry (bundle, key, entry, &dtype, &shape, error))
    return NULL;
  fd = open_shard (bundle, key, entry, error);
  if (fd < 0)
    return NULL;
  tensor = sonde_tensor_try_new (dtype, &shape, budget, key, error);
  right = tensor != NULL && read_bytes (bundle, key, entry, fd, tensor, error);
  sonde_io_close (bundle->io, fd);
  return right ? g_steal_pointer (&tensor) : NULL;
}

SondeTensor *
sonde_tensor_bundle_read (SondeTensorBundle *bundle, const char *key, SondeBudget *budget,
                          GError **error)
{
  const Tensorflow__BundleEntry *entry = g_hash_table_lookup (bundle->entries, key);

  if (entry != NULL)
    return read_tensor (bundle, key, entry, budget, error);
  bundle_fail (bundle, key, SONDE_DATA_ERROR_NOT_FOUND, error, "is not in it");
  return NULL;
}
