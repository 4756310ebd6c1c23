/* SPDX-License-Identifier: Apache-2.0
 * What the contents of records are made of: lists, compressed bytes, tensors, hyper-parameters. */
#include <zstd.h>

#include "data/records/sonde-record-encode-private.h"

void *
sonde_encode_hold (SondeRecordEncoder *encoder, void *memory)
{
  if (encoder->held == NULL)
    encoder->held = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (encoder->held, memory);
  return memory;
}

ProtobufCBinaryData
sonde_encode_compress (SondeRecordEncoder *encoder, const void *data, gsize length,
                       SondeCompression *compression)
{
  gsize bound = ZSTD_compressBound (length), packed;
  guint8 *room;

  *compression = SONDE_COMPRESSION_NONE;
  if (length <= SONDE_COMPRESSION_MIN_BYTES || (room = g_try_malloc (bound)) == NULL)
    return sonde_encode_binary (data, length);
  sonde_encode_hold (encoder, room);
  packed = ZSTD_compress (room, bound, data, length, SONDE_COMPRESSION_LEVEL);
  if (ZSTD_isError (packed) || packed >= length)
    return sonde_encode_binary (data, length);
  *compression = SONDE_COMPRESSION_ZSTD;
  return sonde_encode_binary (room, packed);
}

void *
sonde_encode_list (SondeRecordEncoder *encoder, gsize n, gsize bytes, void ***pointers)
{
  char *items = sonde_encode_hold (encoder, g_malloc0_n (MAX (n, 1), bytes));
  void **list = sonde_encode_hold (encoder, g_new (void *, MAX (n, 1)));

  for (gsize i = 0; i < n; i++)
    list[i] = items + i * bytes;
  *pointers = list;
  return items;
}

/* Strings one behind the other, each with its NUL. */
static void *
join_strings (const SondeTensor *tensor, gsize *length)
{
  GByteArray *joined = g_byte_array_new ();
  const char *const *strings = (const char *const *) (const void *) tensor->data;
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    {
      const char *text = strings[i] != NULL ? strings[i] : "";

      g_byte_array_append (joined, (const guint8 *) text, strlen (text) + 1);
    }
  *length = joined->len;
  return g_byte_array_free (joined, FALSE);
}

Sonde__Records__Tensor *
sonde_encode_tensor (SondeRecordEncoder *encoder, SondeTensor *tensor)
{
  Sonde__Records__Tensor *message;
  SondeTensor *contiguous;
  SondeCompression compression;
  const void *data;
  gsize length;

  if (tensor == NULL)
    return NULL;
  contiguous = sonde_tensor_contiguous (tensor);
  if (encoder->tensors == NULL)
    encoder->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_ptr_array_add (encoder->tensors, contiguous);
  length = sonde_tensor_n_bytes (contiguous);
  data = contiguous->data;

  message = sonde_encode_hold (encoder, g_new (Sonde__Records__Tensor, 1));
  sonde__records__tensor__init (message);
  for (gsize i = 0; i < G_N_ELEMENTS (sonde_record_dtypes); i++)
    if (sonde_record_dtypes[i].dtype == tensor->dtype)
      SET (message, dtype, sonde_record_dtypes[i].number);
  if (tensor->shape.rank > 0)
    {
      message->n_dims = (gsize) tensor->shape.rank;
      message->dims = sonde_encode_hold (
          encoder, g_memdup2 (tensor->shape.dims, message->n_dims * sizeof (guint64)));
    }
  if (tensor->dtype == SONDE_DTYPE_STRING)
    data = sonde_encode_hold (encoder, join_strings (contiguous, &length));
  SET (message, data, sonde_encode_compress (encoder, data, length, &compression));
  if (compression != SONDE_COMPRESSION_NONE)
    SET (message, compression, compression);
  return message;
}

Sonde__Records__Hparam **
sonde_encode_hparams (SondeRecordEncoder *encoder, const SondeHparam *items, gsize n)
{
  void **list;
  Sonde__Records__Hparam *messages = sonde_encode_list (encoder, n, sizeof *messages, &list);

  for (gsize i = 0; i < n; i++)
    {
      sonde__records__hparam__init (&messages[i]);
      SET_TEXT (&messages[i], key, items[i].key);
      SET_TEXT (&messages[i], text, items[i].text);
      if (items[i].type != SONDE_HPARAM_TEXT)
        SET (&messages[i], type, items[i].type);
    }
  return (Sonde__Records__Hparam **) list;
}
