/* SPDX-License-Identifier: Apache-2.0
 * TensorProto <-> tensor. Sizes are compared with the bytes really present before memory is
 * taken. */
#include "data/models/onnx/sonde-onnx-tensor.h"

#include <string.h>

#include "data/base/sonde-message-nest.h"
#include "data/models/onnx/sonde-onnx-external.h"
#include "data/models/onnx/sonde-onnx-file.h"
#include "data/models/onnx/sonde-onnx-packed.h"
#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/models/onnx/sonde-onnx-type.h"
#include "data/models/onnx/sonde-onnx-writer.h"

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
#error "raw_data is little-endian and copied as it is"
#endif

static const char *const payload_names[] = {
  [SONDE_ONNX_FLOAT_DATA] = "float_data",   [SONDE_ONNX_INT32_DATA] = "int32_data",
  [SONDE_ONNX_INT64_DATA] = "int64_data",   [SONDE_ONNX_DOUBLE_DATA] = "double_data",
  [SONDE_ONNX_UINT64_DATA] = "uint64_data", [SONDE_ONNX_STRING_DATA] = "string_data",
};

/* What is known before any element is touched. */
typedef struct
{
  SondeOnnxReader *reader;
  Onnx__TensorProto *proto;
  const char *what; /* "tensor “w1”" */
  const SondeOnnxElement *element;
  SondeShape shape;
  gint64 n;
} TensorRead;

static gsize
count_payload (const Onnx__TensorProto *proto, SondeOnnxPayload payload)
{
  const gsize counts[] = {
    [SONDE_ONNX_FLOAT_DATA] = proto->n_float_data,
    [SONDE_ONNX_INT32_DATA] = proto->n_int32_data,
    [SONDE_ONNX_INT64_DATA] = proto->n_int64_data,
    [SONDE_ONNX_DOUBLE_DATA] = proto->n_double_data,
    [SONDE_ONNX_UINT64_DATA] = proto->n_uint64_data,
    [SONDE_ONNX_STRING_DATA] = proto->n_string_data,
  };

  return counts[payload];
}

/* ---- checks -------------------------------------------------------------- */

static gboolean
read_element_type (TensorRead *read, GError **error)
{
  int number = read->proto->data_type;

  read->element = sonde_onnx_element (number);
  if (number == 0)
    return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "%-s has no element type", read->what);
  if (read->element == NULL)
    return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                            "%-s has the element type number %d, which this version does not know",
                            read->what, number);
  if (read->element->dtype == SONDE_DTYPE_INVALID)
    return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                            "%-s has the element type %s, which this version does not support",
                            read->what, read->element->name);
  return TRUE;
}

static gboolean
read_tensor_shape (TensorRead *read, GError **error)
{
  const Onnx__TensorProto *proto = read->proto;

  if (proto->n_dims > SONDE_MAX_RANK)
    return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_LIMIT,
                            "%-s has %zu dimensions; at most %d are supported", read->what,
                            proto->n_dims, SONDE_MAX_RANK);
  for (gsize i = 0; i < proto->n_dims; i++)
    if (proto->dims[i] < 0)
      return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                              "%-s has the size %" PRIi64 " in dimension %zu", read->what,
                              proto->dims[i], i);

  read->shape = sonde_shape_from_array ((int) proto->n_dims, proto->dims);
  read->n = sonde_shape_n_elements (&read->shape);
  if (read->n < 0)
    {
      g_autofree char *shape = sonde_shape_to_string (&read->shape);

      return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_LIMIT,
                              "%-s has the shape %s, more elements than can be", read->what, shape);
    }
  return TRUE;
}

/* At most one payload, and the one of the element type. */
static gboolean
check_payloads (TensorRead *read, GError **error)
{
  const Onnx__TensorProto *proto = read->proto;
  gboolean strings = read->element->dtype == SONDE_DTYPE_STRING;

  for (int i = 0; i < SONDE_ONNX_N_PAYLOADS; i++)
    if (count_payload (proto, i) > 0 && i != (int) read->element->payload)
      return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                              "%-s of type %s has entries in %s; they belong into %s", read->what,
                              read->element->name, payload_names[i],
                              payload_names[read->element->payload]);
  if (proto->raw_data.len > 0 && strings)
    return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "%-s of strings has raw_data, which cannot hold strings", read->what);
  if (proto->raw_data.len > 0 && count_payload (proto, read->element->payload) > 0)
    return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "%-s has both raw_data and %s", read->what,
                            payload_names[read->element->payload]);
  return TRUE;
}

static gboolean
check_count (TensorRead *read, guint64 present, guint64 wanted, const char *unit, GError **error)
{
  g_autofree char *shape = NULL;

  if (present == wanted)
    return TRUE;
  shape = sonde_shape_to_string (&read->shape);
  return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                          "%-s of type %s and shape %s needs %" PRIu64 " %-s, but %" PRIu64
                          " are there",
                          read->what, read->element->name, shape, wanted, unit, present);
}

/* ---- payloads ------------------------------------------------------------ */

static void
make_bools (SondeTensor *tensor, gint64 n)
{
  if (tensor->dtype == SONDE_DTYPE_BOOL)
    for (gint64 i = 0; i < n; i++)
      tensor->data[i] = tensor->data[i] != 0;
}

/* raw_data to where it is wanted, out of the file if it is not in memory. */
static gboolean
copy_raw (TensorRead *read, void *to, GError **error)
{
  const ProtobufCBinaryData *raw = &read->proto->raw_data;
  const SondeOnnxFile *source = read->reader->source;

  if (source != NULL && raw->len > 0 && sonde_onnx_file_has_gap (source, raw->data))
    return sonde_onnx_file_read (source, raw->data, raw->len, to, error);
  if (raw->len > 0)
    memcpy (to, raw->data, raw->len);
  return TRUE;
}

/* Elements of 4 or 2 bits; that their bytes are there was seen to. */
static SondeTensor *
unpack (TensorRead *read, const guint8 *bytes, GError **error)
{
  SondeTensor *tensor
      = sonde_tensor_try_new (read->element->dtype, &read->shape, NULL, read->what, error);

  if (tensor != NULL)
    sonde_onnx_unpack (tensor->dtype, bytes, read->n, tensor->data);
  return tensor;
}

static SondeTensor *
unpack_raw (TensorRead *read, GError **error)
{
  SondeShape shape = sonde_shape_make (1, (gint64) read->proto->raw_data.len);
  g_autoptr (SondeTensor) bytes
      = sonde_tensor_try_new (SONDE_DTYPE_U8, &shape, NULL, read->what, error);

  if (bytes == NULL || !copy_raw (read, bytes->data, error))
    return NULL;
  return unpack (read, bytes->data, error);
}

static SondeTensor *
read_raw (TensorRead *read, GError **error)
{
  SondeDtype dtype = read->element->dtype;
  guint64 wanted = sonde_onnx_packed_bytes (dtype, read->n);
  g_autoptr (SondeTensor) tensor = NULL;

  if (!check_count (read, read->proto->raw_data.len, wanted, N_ ("bytes"), error))
    return NULL;
  if (sonde_dtype_bits (dtype) < 8)
    return unpack_raw (read, error);
  tensor = sonde_tensor_try_new (dtype, &read->shape, NULL, read->what, error);
  if (tensor == NULL || !copy_raw (read, tensor->data, error))
    return NULL;
  make_bools (tensor, read->n);
  return g_steal_pointer (&tensor);
}

/* 8- and 16-bit types, one an entry of int32_data; the bits of floats are zero-extended. @n:
 * entries */
static gboolean
narrow_int32 (TensorRead *read, SondeTensor *tensor, gint64 n, GError **error)
{
  const gint32 *from = read->proto->int32_data;
  gboolean one_byte = sonde_dtype_size (tensor->dtype) == 1;

  for (gint64 i = 0; i < n; i++)
    {
      if (from[i] < read->element->min || from[i] > read->element->max)
        return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "%-s of type %s holds %d at element %" PRIi64
                                ", which does not fit",
                                read->what, read->element->name, from[i], i);
      if (one_byte)
        ((guint8 *) tensor->data)[i] = (guint8) from[i];
      else
        ((guint16 *) (void *) tensor->data)[i] = (guint16) from[i];
    }
  return TRUE;
}

static gboolean
narrow_uint64 (TensorRead *read, SondeTensor *tensor, gint64 n, GError **error)
{
  const guint64 *from = read->proto->uint64_data;
  guint32 *to = (guint32 *) (void *) tensor->data;

  for (gint64 i = 0; i < n; i++)
    {
      if (from[i] > G_MAXUINT32)
        return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "%-s of type UINT32 holds %" PRIu64 " at element %" PRIi64
                                ", which does not fit",
                                read->what, from[i], i);
      to[i] = (guint32) from[i];
    }
  return TRUE;
}

static gboolean
copy_strings (TensorRead *read, SondeTensor *tensor, gint64 n, GError **error)
{
  char **to = (char **) (void *) tensor->data;

  for (gint64 i = 0; i < n; i++)
    {
      const ProtobufCBinaryData *from = &read->proto->string_data[i];

      if (!sonde_budget_take (&read->reader->strings, (guint64) from->len + 1, read->what, NULL))
        return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_LIMIT,
                                "%-s has strings of more than the %" PRIu64
                                " bytes that parsing may use",
                                read->what, SONDE_BUDGET_PARSE_BYTES);
      if (from->len > 0 && memchr (from->data, 0, from->len) != NULL)
        return sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                                "%-s has a string with a NUL byte at element %" PRIi64, read->what,
                                i);
      to[i] = g_strndup ((const char *) from->data, from->len);
    }
  return TRUE;
}

static gboolean
copy_typed (TensorRead *read, SondeTensor *tensor, GError **error)
{
  const Onnx__TensorProto *proto = read->proto;
  gsize size = sonde_dtype_size (tensor->dtype);
  const struct
  {
    const void *data;
    gsize size;
    gboolean (*convert) (TensorRead *read, SondeTensor *tensor, gint64 n, GError **error);
  } payloads[] = {
    [SONDE_ONNX_FLOAT_DATA] = { proto->float_data, 4, NULL },
    [SONDE_ONNX_INT32_DATA] = { proto->int32_data, 4, narrow_int32 },
    [SONDE_ONNX_INT64_DATA] = { proto->int64_data, 8, NULL },
    [SONDE_ONNX_DOUBLE_DATA] = { proto->double_data, 8, NULL },
    [SONDE_ONNX_UINT64_DATA] = { proto->uint64_data, 8, narrow_uint64 },
    [SONDE_ONNX_STRING_DATA] = { proto->string_data, 0, copy_strings },
  };
  SondeOnnxPayload payload = read->element->payload;

  if (payloads[payload].size != size)
    return payloads[payload].convert (read, tensor, read->n, error);
  memcpy (tensor->data, payloads[payload].data, (gsize) read->n * size);
  return TRUE;
}

/* An entry of int32_data holds a byte of 4- or 2-bit elements. */
static SondeTensor *
read_typed_packed (TensorRead *read, GError **error)
{
  gint64 n = (gint64) sonde_onnx_packed_bytes (read->element->dtype, read->n);
  SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) bytes = NULL;

  if (!check_count (read, read->proto->n_int32_data, (guint64) n, N_ ("entries"), error))
    return NULL;
  bytes = sonde_tensor_try_new (SONDE_DTYPE_U8, &shape, NULL, read->what, error);
  if (bytes == NULL || !narrow_int32 (read, bytes, n, error))
    return NULL;
  return unpack (read, bytes->data, error);
}

static SondeTensor *
read_typed (TensorRead *read, GError **error)
{
  g_autoptr (SondeTensor) tensor = NULL;

  if (sonde_dtype_bits (read->element->dtype) < 8 && read->element->dtype != SONDE_DTYPE_STRING)
    return read_typed_packed (read, error);

  if (!check_count (read, count_payload (read->proto, read->element->payload), (guint64) read->n,
                    N_ ("elements"), error))
    return NULL;
  tensor = sonde_tensor_try_new (read->element->dtype, &read->shape, NULL, read->what, error);
  if (tensor == NULL || (read->n > 0 && !copy_typed (read, tensor, error)))
    return NULL;
  return g_steal_pointer (&tensor);
}

static SondeTensor *
read_here (TensorRead *read, GError **error)
{
  if (!check_payloads (read, error))
    return NULL;
  if (count_payload (read->proto, read->element->payload) > 0
      || read->element->dtype == SONDE_DTYPE_STRING)
    return read_typed (read, error);
  return read_raw (read, error);
}

static SondeTensor *
read_elsewhere (TensorRead *read, GError **error)
{
  SondeDtype dtype = read->element->dtype;
  SondeShape bytes = sonde_shape_make (1, (gint64) sonde_onnx_packed_bytes (dtype, read->n));
  gboolean packed = sonde_dtype_bits (dtype) < 8;
  SondeTensor *tensor = NULL;

  if (dtype == SONDE_DTYPE_STRING)
    {
      sonde_onnx_fail (read->reader, error, SONDE_DATA_ERROR_DAMAGED,
                       "%-s of strings cannot be external data", read->what);
      return NULL;
    }
  if (!sonde_onnx_read_external (read->reader, read->proto, read->what,
                                 packed ? SONDE_DTYPE_U8 : dtype, packed ? &bytes : &read->shape,
                                 &tensor, error))
    return NULL;
  if (packed)
    {
      g_autoptr (SondeTensor) file = tensor;

      return unpack (read, file->data, error);
    }
  make_bools (tensor, read->n);
  return tensor;
}

SondeTensor *
sonde_onnx_read_tensor (SondeOnnxReader *reader, Onnx__TensorProto *proto, const char *where,
                        GError **error)
{
  g_autofree char *what = NULL;
  TensorRead read = { .reader = reader, .proto = proto };

  if (!sonde_onnx_check_text (reader, N_ ("the name of a tensor"), proto->name, error))
    return NULL;
  what = proto->name && *proto->name ? sonde_message_nest ("%-s “%s”", where, proto->name)
                                     : g_strdup (where);
  read.what = what;
  if (proto->segment != NULL)
    {
      sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                       "%-s is stored in segments, which nobody writes any more", what);
      return NULL;
    }
  if (!read_element_type (&read, error) || !read_tensor_shape (&read, error))
    return NULL;
  if (proto->data_location == 1)
    return read_elsewhere (&read, error);
  if (proto->data_location == 0)
    return read_here (&read, error);
  sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_UNSUPPORTED,
                   "%-s lies in the location number %d, which this version does not know", what,
                   proto->data_location);
  return NULL;
}

/* ---- writing ------------------------------------------------------------- */

static void
write_strings (SondeOnnxWriter *writer, SondeTensor *tensor, Onnx__TensorProto *proto)
{
  gsize n = (gsize) sonde_tensor_n_elements (tensor);
  char **strings = (char **) (void *) tensor->data;

  proto->n_string_data = n;
  proto->string_data = sonde_onnx_alloc (writer, n * sizeof (ProtobufCBinaryData));
  for (gsize i = 0; i < n; i++)
    {
      proto->string_data[i].data = (guint8 *) strings[i];
      proto->string_data[i].len = strings[i] ? strlen (strings[i]) : 0;
    }
}

static void
write_packed (SondeOnnxWriter *writer, SondeTensor *tensor, Onnx__TensorProto *proto)
{
  gint64 n = sonde_tensor_n_elements (tensor);

  proto->raw_data.len = sonde_onnx_packed_bytes (tensor->dtype, n);
  proto->raw_data.data = sonde_onnx_alloc (writer, proto->raw_data.len);
  sonde_onnx_pack (tensor->dtype, tensor->data, n, proto->raw_data.data);
}

gboolean
sonde_onnx_write_tensor (SondeOnnxWriter *writer, SondeTensor *tensor, const char *name,
                         Onnx__TensorProto *proto, GError **error)
{
  SondeTensor *flat = sonde_tensor_contiguous (tensor);

  g_ptr_array_add (writer->kept, flat);
  proto->name = (char *) name;
  proto->n_dims = (gsize) flat->shape.rank;
  proto->dims = flat->shape.dims;
  proto->has_data_type = TRUE;
  proto->data_type = sonde_onnx_data_type (flat->dtype);
  if (proto->data_type == 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "tensor “%s” of type %s has no representation in ONNX", name ? name : "",
                       sonde_dtype_name (flat->dtype));
      return FALSE;
    }
  if (flat->dtype == SONDE_DTYPE_STRING)
    {
      write_strings (writer, flat, proto);
      return TRUE;
    }
  sonde_onnx_need_element (writer, flat->dtype);
  proto->has_raw_data = TRUE;
  if (sonde_dtype_bits (flat->dtype) < 8)
    {
      write_packed (writer, flat, proto);
      return TRUE;
    }
  proto->raw_data.data = flat->data;
  proto->raw_data.len = sonde_tensor_n_bytes (flat);
  return TRUE;
}
