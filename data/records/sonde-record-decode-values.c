/* SPDX-License-Identifier: Apache-2.0
 * What the contents of records are made of: texts, bytes, tensors, hyper-parameters. */
#include <limits.h>
#include <string.h>
#include <zstd.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-text.h"
#include "data/records/sonde-record-decode-private.h"

gboolean
sonde_decode_fail (GError **error, SondeDataError code, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  sonde_set_error_va (error, SONDE_DATA_ERROR, code, format, arguments);
  va_end (arguments);
  return FALSE;
}

/* ---- text and bytes ------------------------------------------------------ */

gboolean
sonde_decode_int (guint32 number, const char *what, int *result, GError **error)
{
  if (number > INT_MAX)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "%s: %u is not a valid value", what,
                              number);
  *result = (int) number;
  return TRUE;
}

gboolean
sonde_decode_check_version (guint64 format_version, GError **error)
{
  return format_version <= SONDE_RECORD_FORMAT_VERSION
         || sonde_decode_fail (error, SONDE_DATA_ERROR_UNSUPPORTED,
                               "the file has format version %" PRIu64
                               ", but this version of Sonde reads version %d: update Sonde",
                               format_version, SONDE_RECORD_FORMAT_VERSION);
}

/* Exactly @length bytes into @room. */
static gboolean
expand (ProtobufCBinaryData data, guint32 compression, void *room, guint64 length, const char *what,
        GError **error)
{
  gsize got;

  if (compression == SONDE_COMPRESSION_NONE)
    {
      if (data.len != length)
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "%s has %zu bytes, its size says %" PRIu64, what, data.len,
                                  length);
      if (length > 0)
        memcpy (room, data.data, length);
      return TRUE;
    }
  if (compression != SONDE_COMPRESSION_ZSTD)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_UNSUPPORTED, "%s uses unknown compression %u",
                              what, compression);
  if (data.len == 0 || ZSTD_getFrameContentSize (data.data, data.len) != length)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "%s does not unpack to the %" PRIu64 " bytes that its size says",
                              what, length);
  got = ZSTD_decompress (room, length, data.data, data.len);
  if (ZSTD_isError (got) || got != length)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "cannot decompress %s: %-s", what,
                              ZSTD_isError (got) ? ZSTD_getErrorName (got) : N_ ("too short"));
  return TRUE;
}

/* Size before compression, bounded. */
static gboolean
expanded_size (ProtobufCBinaryData data, guint32 compression, const char *what, guint64 *length,
               GError **error)
{
  *length = compression == SONDE_COMPRESSION_ZSTD && data.len > 0
                ? ZSTD_getFrameContentSize (data.data, data.len)
                : data.len;
  if (*length == ZSTD_CONTENTSIZE_ERROR || *length == ZSTD_CONTENTSIZE_UNKNOWN)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "%s is not valid zstd data", what);
  if (*length > SONDE_BUDGET_RECORD_BYTES)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_LIMIT,
                              "%s has %" PRIu64 " bytes, the limit is %" PRIu64, what, *length,
                              SONDE_BUDGET_RECORD_BYTES);
  return TRUE;
}

GBytes *
sonde_decode_bytes (ProtobufCBinaryData data, guint32 compression, const char *what, GError **error)
{
  guint64 length;
  guint8 *room;

  if (!expanded_size (data, compression, what, &length, error)
      || (room = sonde_try_alloc (NULL, length, what, error)) == NULL)
    return NULL;
  if (expand (data, compression, room, length, what, error))
    return g_bytes_new_take (room, length);
  g_free (room);
  return NULL;
}

/* ---- tensors ------------------------------------------------------------- */

SondeDtype
sonde_decode_dtype (guint32 number)
{
  for (gsize i = 0; i < G_N_ELEMENTS (sonde_record_dtypes); i++)
    if (sonde_record_dtypes[i].number == number)
      return sonde_record_dtypes[i].dtype;
  return SONDE_DTYPE_INVALID;
}

static gboolean
read_shape (const Sonde__Records__Tensor *message, const char *what, SondeShape *shape,
            GError **error)
{
  if (message->n_dims > SONDE_MAX_RANK)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_LIMIT,
                              "%s has %zu dimensions, the limit is %d", what, message->n_dims,
                              SONDE_MAX_RANK);
  *shape = sonde_shape_scalar ();
  shape->rank = (int) message->n_dims;
  for (int i = 0; i < shape->rank; i++)
    shape->dims[i] = message->dims[i] > G_MAXINT64 ? -1 : (gint64) message->dims[i];
  if (sonde_shape_n_elements (shape) < 0)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_LIMIT, "%s has an invalid number of elements",
                              what);
  return TRUE;
}

static SondeTensor *
read_strings (const Sonde__Records__Tensor *message, const SondeShape *shape, const char *what,
              GError **error)
{
  guint32 compression = SONDE_WIRE_OR (message, compression, 0);
  guint64 n = (guint64) sonde_shape_n_elements (shape), length, found = 0;
  g_autofree char *room = NULL;
  g_autofree const char **strings = NULL;

  if (!expanded_size (message->data, compression, what, &length, error))
    return NULL;
  /* A string in memory is a pointer and an allocation besides its bytes. */
  if (n > length || n > SONDE_BUDGET_RECORD_BYTES / 40)
    {
      sonde_decode_fail (error, n > length ? SONDE_DATA_ERROR_DAMAGED : SONDE_DATA_ERROR_LIMIT,
                         "%s says it has %" PRIu64 " strings in %" PRIu64 " bytes", what, n,
                         length);
      return NULL;
    }
  room = sonde_try_alloc (NULL, length, what, error);
  if (room == NULL || !expand (message->data, compression, room, length, what, error))
    return NULL;

  strings = g_new (const char *, n);
  for (gsize start = 0; start < length && found < n; found++)
    {
      const char *end = memchr (room + start, 0, length - start);

      if (end == NULL)
        break;
      strings[found] = room + start;
      start = (gsize) (end - room) + 1;
    }
  if (found == n
      && (n == 0 ? length == 0 : strings[n - 1] + strlen (strings[n - 1]) + 1 == room + length))
    return sonde_tensor_try_new_from_data (SONDE_DTYPE_STRING, shape, strings, what, error);
  sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                     "%s does not hold the %" PRIu64 " strings that its shape says", what, n);
  return NULL;
}

SondeTensor *
sonde_decode_tensor (const Sonde__Records__Tensor *message, const char *what, GError **error)
{
  g_autoptr (SondeTensor) tensor = NULL;
  SondeBudget budget;
  SondeShape shape;
  SondeDtype dtype;
  gsize length;

  if (message == NULL)
    {
      sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "%s is missing", what);
      return NULL;
    }
  dtype = sonde_decode_dtype (SONDE_WIRE_OR (message, dtype, 0));
  if (dtype == SONDE_DTYPE_INVALID)
    {
      sonde_decode_fail (error, SONDE_DATA_ERROR_UNSUPPORTED, "%s has unknown element type %u",
                         what, SONDE_WIRE_OR (message, dtype, 0));
      return NULL;
    }
  if (!read_shape (message, what, &shape, error))
    return NULL;
  if (dtype == SONDE_DTYPE_STRING)
    return read_strings (message, &shape, what, error);

  /* Uncompressed data is there already; compressed data may be small and claim much. */
  if (SONDE_WIRE_OR (message, compression, 0) == SONDE_COMPRESSION_NONE
      && message->data.len != (guint64) sonde_shape_n_elements (&shape) * sonde_dtype_size (dtype))
    {
      sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                         "%s has %zu bytes for %" PRIi64 " elements of %s", what, message->data.len,
                         sonde_shape_n_elements (&shape), sonde_dtype_name (dtype));
      return NULL;
    }
  sonde_budget_init (&budget, SONDE_BUDGET_RECORD_BYTES, N_ ("tensor of a record"));
  tensor = sonde_tensor_try_new (dtype, &shape, &budget, what, error);
  if (tensor == NULL)
    return NULL;
  length = sonde_tensor_n_bytes (tensor);
  if (!expand (message->data, SONDE_WIRE_OR (message, compression, 0), tensor->data, length, what,
               error))
    return NULL;
  if (dtype == SONDE_DTYPE_BOOL)
    for (gsize i = 0; i < length; i++)
      tensor->data[i] = tensor->data[i] != 0;
  return g_steal_pointer (&tensor);
}

gboolean
sonde_decode_optional_tensor (const Sonde__Records__Tensor *message, const char *what,
                              SondeTensor **tensor, GError **error)
{
  *tensor = NULL;
  return message == NULL || (*tensor = sonde_decode_tensor (message, what, error)) != NULL;
}

/* ---- hyper-parameters ---------------------------------------------------- */

SondeHparam *
sonde_decode_hparams (Sonde__Records__Hparam *const *messages, gsize n)
{
  SondeHparam *items = n > 0 ? g_new0 (SondeHparam, n) : NULL;

  for (gsize i = 0; i < n; i++)
    items[i] = (SondeHparam){ sonde_record_dup_bytes (messages[i]->key),
                              sonde_record_dup_bytes (messages[i]->text),
                              MIN (SONDE_WIRE_OR (messages[i], type, 0), SONDE_HPARAM_BOOL) };
  return items;
}
