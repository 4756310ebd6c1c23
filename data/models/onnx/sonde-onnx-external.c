/* SPDX-License-Identifier: Apache-2.0
 * Tensors whose bytes lie in another file. The file is opened through the path gate only; the size
 * comes from the opened file, never from the model. */
#include "data/models/onnx/sonde-onnx-external.h"

#include <errno.h>
#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/base/sonde-path-gate.h"
#include "data/models/onnx/sonde-onnx-reader.h"

/* One file may serve many tensors: the last one stays open, and each file widens the budget
 * once. */
struct _SondeOnnxExternal
{
  char *location;
  int fd;
  guint64 size;
  GHashTable *seen; /* "device:inode" */
};

typedef struct
{
  const char *location;
  guint64 offset;
  gboolean has_length;
  guint64 length;
} ExternalPlace;

void
sonde_onnx_external_free (SondeOnnxExternal *external, const SondeIo *io)
{
  if (external->fd >= 0)
    sonde_io_close (io, external->fd);
  g_hash_table_unref (external->seen);
  g_free (external->location);
  g_free (external);
}

/* ---- the entries --------------------------------------------------------- */

/* Digits and nothing else: no sign, no blank, no 0x. */
static gboolean
read_decimal (const SondeOnnxReader *reader, const char *what, const char *key, const char *text,
              guint64 *number, GError **error)
{
  guint64 result = 0;
  gboolean fits = *text != '\0';

  for (const char *p = text; *p != '\0' && fits; p++)
    fits = g_ascii_isdigit (*p) && sonde_checked_mul (&result, result, (guint64) 10)
           && sonde_checked_add (&result, result, (guint64) (*p - '0'));
  if (!fits || result > G_MAXINT64)
    {
      g_autofree char *shown = g_strescape (text, NULL);

      return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                              "external data of %-s: %s is “%s”, not a number of bytes", what, key,
                              shown);
    }
  *number = result;
  return TRUE;
}

static gboolean
read_entry (const SondeOnnxReader *reader, const Onnx__StringStringEntryProto *entry,
            const char *what, guint *seen, ExternalPlace *place, GError **error)
{
  static const char *const keys[] = { "location", "offset", "length", "checksum" };
  const char *key = entry->key ? entry->key : "", *value = entry->value ? entry->value : "";

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      if (strcmp (key, keys[i]) != 0)
        continue;
      if (*seen & 1u << i)
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "external data of %-s has the key “%s” twice", what, key);
      *seen |= 1u << i;
    }

  /* Others are set by tools for themselves; nothing in them may change what is read. */
  if (strcmp (key, "location") == 0)
    place->location = value;
  else if (strcmp (key, "offset") == 0)
    return read_decimal (reader, what, key, value, &place->offset, error);
  else if (strcmp (key, "length") == 0)
    {
      place->has_length = TRUE;
      return read_decimal (reader, what, key, value, &place->length, error);
    }
  return TRUE;
}

static gboolean
read_place (const SondeOnnxReader *reader, const Onnx__TensorProto *proto, const char *what,
            ExternalPlace *place, GError **error)
{
  guint seen = 0;

  for (gsize i = 0; i < proto->n_external_data; i++)
    if (!read_entry (reader, proto->external_data[i], what, &seen, place, error))
      return FALSE;
  if (place->location == NULL || *place->location == '\0')
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_FORBIDDEN,
                            "external data of %-s name no location", what);
  return TRUE;
}

/* ---- the file ------------------------------------------------------------ */

/* Bytes of a file may be read twice into tensors, not a thousand times. */
static gboolean
widen_budget (SondeOnnxReader *reader, GError **error)
{
  SondeOnnxExternal *external = reader->external;
  const SondeIo *io = reader->io ? reader->io : sonde_io_system ();
  struct stat status;

  if (io->fstat (io, external->fd, &status) != 0)
    {
      sonde_data_error_set_errno (error, errno, "“%s”: cannot look at “%s”", reader->name,
                                  external->location);
      return FALSE;
    }
  if (g_hash_table_add (external->seen,
                        g_strdup_printf ("%" PRIu64 ":%" PRIu64, (guint64) status.st_dev,
                                         (guint64) status.st_ino)))
    reader->tensors.limit += 2 * external->size;
  return TRUE;
}

static gboolean
open_location (SondeOnnxReader *reader, const char *what, const char *location, GError **error)
{
  SondeOnnxExternal *external = reader->external;

  if (external == NULL)
    {
      external = reader->external = g_new0 (SondeOnnxExternal, 1);
      external->fd = -1;
      external->seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
    }
  if (external->fd >= 0 && strcmp (external->location, location) == 0)
    return TRUE;

  if (external->fd >= 0)
    sonde_io_close (reader->io, external->fd);
  g_free (external->location);
  external->location = g_strdup (location);
  external->fd
      = sonde_path_gate_open (reader->io, reader->folder, location, &external->size, error);
  if (external->fd < 0)
    {
      sonde_prefix_error (error, "“%s”: external data of %-s: ", reader->name, what);
      return FALSE;
    }
  return widen_budget (reader, error);
}

static gboolean
check_place (const SondeOnnxReader *reader, const char *what, const ExternalPlace *place,
             guint64 wanted, GError **error)
{
  guint64 size = reader->external->size;
  guint64 length = place->has_length ? place->length : wanted;

  if (place->offset > size || length > size - place->offset)
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "external data of %-s: %" PRIu64 " bytes at offset %" PRIu64
                            " go past the %" PRIu64 " bytes of “%s”",
                            what, length, place->offset, size, place->location);
  if (length < wanted)
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "external data of %-s: its shape needs %" PRIu64
                            " bytes, but length is %" PRIu64,
                            what, wanted, length);
  return TRUE;
}

gboolean
sonde_onnx_read_external (SondeOnnxReader *reader, const Onnx__TensorProto *proto,
                          const char *where, SondeDtype dtype, const SondeShape *shape,
                          SondeTensor **tensor, GError **error)
{
  guint64 wanted = (guint64) sonde_shape_n_elements (shape) * sonde_dtype_size (dtype);
  ExternalPlace place = { 0 };
  g_autoptr (SondeTensor) made = NULL;
  gssize got = 0;

  if (reader->folder == NULL)
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_FORBIDDEN,
                            "%-s lies in another file, which is not allowed here", where);
  if (!read_place (reader, proto, where, &place, error)
      || !open_location (reader, where, place.location, error)
      || !check_place (reader, where, &place, wanted, error))
    return FALSE;

  made = sonde_tensor_try_new (dtype, shape, &reader->tensors, where, error);
  if (made == NULL)
    return FALSE;
  got = sonde_io_pread_full (reader->io, reader->external->fd, place.location, made->data, wanted,
                             place.offset, error);
  if (got < 0)
    return FALSE;
  if ((guint64) got < wanted)
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "external data of %-s: “%s” became shorter while it was read", where,
                            place.location);
  *tensor = g_steal_pointer (&made);
  return TRUE;
}
