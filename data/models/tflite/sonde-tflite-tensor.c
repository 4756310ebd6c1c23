/* SPDX-License-Identifier: Apache-2.0
 * Types, sizes, constants and quantisation of tensors. */
#include "data/models/tflite/sonde-tflite-tensor.h"

#include <string.h>

#include "data/base/sonde-message-nest.h"

enum
{
  TENSOR_SHAPE = 0,
  TENSOR_TYPE = 1,
  TENSOR_BUFFER = 2,
  TENSOR_NAME = 3,
  TENSOR_QUANTISATION = 4,
  TENSOR_IS_VARIABLE = 5,
  TENSOR_SPARSITY = 6,
  TENSOR_SIGNATURE = 7,
  TENSOR_HAS_RANK = 8,

  BUFFER_DATA = 0,
  BUFFER_OFFSET = 1,
  BUFFER_SIZE = 2,

  QUANTISATION_SCALE = 2,
  QUANTISATION_ZERO_POINT = 3,
  QUANTISATION_DIMENSION = 6,
};

/* By the numbers of TensorType; @bits: of an element in the file, 0 where it is no plain number. */
static const struct
{
  SondeDtype dtype;
  guint bits;
} types[] = {
  { SONDE_DTYPE_F32, 32 },  { SONDE_DTYPE_F16, 16 },    { SONDE_DTYPE_I32, 32 },
  { SONDE_DTYPE_U8, 8 },    { SONDE_DTYPE_I64, 64 },    { SONDE_DTYPE_STRING, 0 },
  { SONDE_DTYPE_BOOL, 8 },  { SONDE_DTYPE_I16, 16 },    { SONDE_DTYPE_INVALID, 64 },
  { SONDE_DTYPE_I8, 8 },    { SONDE_DTYPE_F64, 64 },    { SONDE_DTYPE_INVALID, 128 },
  { SONDE_DTYPE_U64, 64 },  { SONDE_DTYPE_INVALID, 0 }, { SONDE_DTYPE_INVALID, 0 },
  { SONDE_DTYPE_U32, 32 },  { SONDE_DTYPE_U16, 16 },    { SONDE_DTYPE_I4, 4 },
  { SONDE_DTYPE_BF16, 16 }, { SONDE_DTYPE_I2, 2 },      { SONDE_DTYPE_U4, 4 },
};

/* What is being read, and how messages call it. */
typedef struct
{
  SondeFlatBuffer *buffer;
  SondeTfliteTensor *tensor;
  const char *where; /* nested message */
} Place;

/* ---- sizes --------------------------------------------------------------- */

/* −1 is an unknown size; the shape then has 1. */
static gboolean
read_sizes (const Place *place, const SondeFlatVector *sizes, SondeShape *shape,
            SondeShape *signature)
{
  if (sizes->count > SONDE_MAX_RANK)
    {
      sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_LIMIT,
                              "%-s has %" PRIu32 " dimensions; at most %d are supported",
                              place->where, sizes->count, SONDE_MAX_RANK);
      return FALSE;
    }
  shape->rank = signature->rank = (int) sizes->count;
  for (guint32 i = 0; i < sizes->count; i++)
    {
      gint32 size = sonde_flat_vector_get_i32 (sizes, i);

      if (size < -1)
        {
          sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                                  "dimension %u of %-s has the size %d", (guint) i, place->where,
                                  size);
          return FALSE;
        }
      shape->dims[i] = size < 0 ? 1 : size;
      signature->dims[i] = size;
    }
  return TRUE;
}

static gboolean
read_shape (const Place *place, const SondeFlatTable *table)
{
  SondeTfliteTensor *tensor = place->tensor;
  SondeFlatVector shape = sonde_flat_table_get_vector (table, TENSOR_SHAPE, 4);
  SondeFlatVector signature = sonde_flat_table_get_vector (table, TENSOR_SIGNATURE, 4);
  SondeShape concrete;

  tensor->has_shape = shape.count > 0 || sonde_flat_table_get_bool (table, TENSOR_HAS_RANK);
  if (!read_sizes (place, &shape, &tensor->shape, &tensor->signature))
    return FALSE;
  if (sonde_shape_n_elements (&tensor->shape) < 0)
    {
      sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_LIMIT,
                              "the sizes of %-s come to more elements than can be held",
                              place->where);
      return FALSE;
    }
  if (signature.count == 0)
    return TRUE;
  if (signature.count == shape.count)
    return read_sizes (place, &signature, &concrete, &tensor->signature);
  sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                          "%-s has %" PRIu32 " dimensions and a signature of %" PRIu32,
                          place->where, shape.count, signature.count);
  return FALSE;
}

/* ---- constants ----------------------------------------------------------- */

/* Bytes of all elements; only for types of plain numbers. */
static guint64
count_bytes (const SondeTfliteTensor *tensor)
{
  guint64 bits = (guint64) sonde_shape_n_elements (&tensor->shape) * types[tensor->type].bits;

  return bits / 8 + (bits % 8 != 0);
}

/* Large files have their weights behind the tables, at an offset from the start. */
static gboolean
find_bytes (const Place *place, const SondeFlatTable *buffer)
{
  SondeTfliteTensor *tensor = place->tensor;
  SondeFlatVector data = sonde_flat_table_get_vector (buffer, BUFFER_DATA, 1);
  guint64 offset = sonde_flat_table_get_u64 (buffer, BUFFER_OFFSET, 0);
  guint64 size = sonde_flat_table_get_u64 (buffer, BUFFER_SIZE, 0);

  tensor->data = data.count > 0 ? sonde_flat_vector_get_bytes (&data) : NULL;
  tensor->n_bytes = data.count;
  if (offset <= 1)
    return TRUE;
  if (offset > place->buffer->length || size > place->buffer->length - offset)
    {
      sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                              "the data of %-s lies at %" PRIu64 " and has %" PRIu64
                              " bytes; the file ends at %zu",
                              place->where, offset, size, place->buffer->length);
      return FALSE;
    }
  tensor->data = size > 0 ? place->buffer->data + offset : NULL;
  tensor->n_bytes = (gsize) size;
  return TRUE;
}

static gboolean
read_data (const Place *place, const SondeFlatVector *buffers, guint32 index)
{
  SondeTfliteTensor *tensor = place->tensor;
  SondeFlatTable buffer;

  if (index == 0)
    return TRUE;
  if (index >= buffers->count)
    {
      sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                              "%-s has buffer %" PRIu32 "; there are %" PRIu32, place->where, index,
                              buffers->count);
      return FALSE;
    }
  buffer = sonde_flat_vector_get_table (buffers, index);
  if (!find_bytes (place, &buffer))
    return FALSE;
  if (tensor->data == NULL || tensor->sparse || types[tensor->type].bits == 0
      || count_bytes (tensor) == tensor->n_bytes)
    return TRUE;
  sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                          "%-s needs %" PRIu64 " bytes; its buffer %" PRIu32 " has %zu",
                          place->where, count_bytes (tensor), index, tensor->n_bytes);
  return FALSE;
}

/* ---- quantisation -------------------------------------------------------- */

static gboolean
check_scales (const Place *place, guint32 n_scales, guint32 n_zero_points, int dimension)
{
  const SondeShape *shape = &place->tensor->shape;

  if (n_zero_points > 1 && n_zero_points != n_scales)
    {
      sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                              "%-s has %" PRIu32 " scales and %" PRIu32 " zero points",
                              place->where, n_scales, n_zero_points);
      return FALSE;
    }
  if (n_scales <= 1)
    return TRUE;
  if (dimension >= 0 && dimension < shape->rank && shape->dims[dimension] == n_scales)
    return TRUE;
  sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                          "%-s has %" PRIu32 " scales along dimension %d, which has not that size",
                          place->where, n_scales, dimension);
  return FALSE;
}

static void
read_quantisation (const Place *place, const SondeFlatTable *table)
{
  SondeFlatTable from = sonde_flat_table_get_table (table, TENSOR_QUANTISATION);
  SondeFlatVector scales = sonde_flat_table_get_vector (&from, QUANTISATION_SCALE, 4);
  SondeFlatVector zeros = sonde_flat_table_get_vector (&from, QUANTISATION_ZERO_POINT, 8);
  int dimension = sonde_flat_table_get_i32 (&from, QUANTISATION_DIMENSION, 0);
  SondeTfliteQuantisation *to = &place->tensor->quantisation;

  if (scales.count == 0 || !check_scales (place, scales.count, zeros.count, dimension))
    return;
  to->n = scales.count;
  to->dimension = dimension;
  to->scales = g_new (float, to->n);
  to->zero_points = g_new0 (gint64, to->n);
  for (guint32 i = 0; i < to->n; i++)
    {
      to->scales[i] = sonde_flat_vector_get_f32 (&scales, i);
      if (zeros.count > 0)
        to->zero_points[i] = sonde_flat_vector_get_i64 (&zeros, zeros.count > 1 ? i : 0);
    }
}

/* ---- a tensor ------------------------------------------------------------ */

static gboolean
read_type (const Place *place, const SondeFlatTable *table)
{
  SondeTfliteTensor *tensor = place->tensor;

  tensor->type = sonde_flat_table_get_i8 (table, TENSOR_TYPE, 0);
  if (tensor->type >= 0 && tensor->type < (int) G_N_ELEMENTS (types))
    {
      tensor->dtype = types[tensor->type].dtype;
      return TRUE;
    }
  sonde_flat_buffer_fail (place->buffer, SONDE_DATA_ERROR_DAMAGED,
                          "%-s has the element type number %d; there are %zu", place->where,
                          tensor->type, G_N_ELEMENTS (types));
  tensor->type = 0;
  return FALSE;
}

void
sonde_tflite_tensor_read (SondeTfliteFile *file, const SondeFlatVector *buffers,
                          const SondeFlatTable *table, SondeTfliteTensor *tensor, guint subgraph,
                          guint index)
{
  g_autofree char *where = NULL;
  Place place = { .buffer = &file->buffer, .tensor = tensor };
  SondeFlatTable sparsity = sonde_flat_table_get_table (table, TENSOR_SPARSITY);

  tensor->name = sonde_flat_table_dup_string (table, TENSOR_NAME);
  if (tensor->name == NULL)
    tensor->name = g_strdup ("");
  where = sonde_message_nest ("tensor %u (“%s”) of subgraph %u", index, tensor->name, subgraph);
  place.where = where;
  tensor->is_variable = sonde_flat_table_get_bool (table, TENSOR_IS_VARIABLE);
  tensor->sparse = !sonde_flat_table_is_absent (&sparsity);
  if (read_type (&place, table) && read_shape (&place, table)
      && read_data (&place, buffers, sonde_flat_table_get_u32 (table, TENSOR_BUFFER, 0)))
    read_quantisation (&place, table);
}

void
sonde_tflite_tensor_clear (SondeTfliteTensor *tensor)
{
  g_free (tensor->name);
  g_free (tensor->quantisation.scales);
  g_free (tensor->quantisation.zero_points);
}

/* ---- constants as tensors ------------------------------------------------ */

static SondeTensor *
refuse_constant (SondeTfliteFile *file, const SondeTfliteTensor *tensor, int code,
                 const char *reason, GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, code, "“%s”: constant “%s” %-s", file->buffer.name,
                   tensor->name, reason);
  return NULL;
}

/* Elements below a byte: the first in the low bits. */
static SondeTensor *
unpack (SondeTfliteFile *file, const SondeTfliteTensor *tensor, GError **error)
{
  guint bits = types[tensor->type].bits, per_byte = 8 / bits;
  gboolean is_signed = sonde_dtype_is_signed (tensor->dtype);
  SondeTensor *result
      = sonde_tensor_try_new (tensor->dtype, &tensor->shape, NULL, tensor->name, error);
  gint64 n = sonde_shape_n_elements (&tensor->shape);

  for (gint64 i = 0; result != NULL && i < n; i++)
    {
      guint shift = bits * (guint) (i % per_byte);
      guint8 value = (guint8) (tensor->data[i / per_byte] >> shift) & (guint8) ((1u << bits) - 1);

      if (is_signed && (value >> (bits - 1)) != 0)
        value |= (guint8) (0xffu << bits);
      result->data[i] = value;
    }
  return result;
}

static guint32
load_u32 (const guint8 *at)
{
  guint32 value;

  memcpy (&value, at, sizeof value);
  return GUINT32_FROM_LE (value);
}

/* A count, as many offsets and one more, then the bytes of all. */
static SondeTensor *
read_strings (SondeTfliteFile *file, const SondeTfliteTensor *tensor, GError **error)
{
  gint64 n = sonde_shape_n_elements (&tensor->shape);
  g_autoptr (SondeTensor) result = NULL;
  char **strings;

  if (tensor->n_bytes < 4 || (guint64) n > tensor->n_bytes / 4 || load_u32 (tensor->data) != n
      || ((guint64) n + 2) * 4 > tensor->n_bytes)
    return refuse_constant (file, tensor, SONDE_DATA_ERROR_DAMAGED,
                            N_ ("has not as many texts as its shape says"), error);
  result = sonde_tensor_try_new (SONDE_DTYPE_STRING, &tensor->shape, NULL, tensor->name, error);
  if (result == NULL)
    return NULL;
  strings = (char **) (void *) result->data;
  for (gint64 i = 0; i < n; i++)
    {
      guint32 begin = load_u32 (tensor->data + 4 * (i + 1));
      guint32 end = load_u32 (tensor->data + 4 * (i + 2));

      if (begin > end || end > tensor->n_bytes)
        return refuse_constant (file, tensor, SONDE_DATA_ERROR_DAMAGED,
                                N_ ("has texts that lie outside of its buffer"), error);
      if (memchr (tensor->data + begin, 0, end - begin) != NULL)
        return refuse_constant (file, tensor, SONDE_DATA_ERROR_UNSUPPORTED,
                                N_ ("has a text with a NUL byte"), error);
      strings[i] = g_strndup ((const char *) tensor->data + begin, end - begin);
    }
  return g_steal_pointer (&result);
}

/* Only 0 and 1 are booleans here; TensorFlow takes every byte. */
static SondeTensor *
read_bools (const SondeTfliteTensor *tensor, GError **error)
{
  SondeTensor *result
      = sonde_tensor_try_new (tensor->dtype, &tensor->shape, NULL, tensor->name, error);

  for (gsize i = 0; result != NULL && i < tensor->n_bytes; i++)
    result->data[i] = tensor->data[i] != 0;
  return result;
}

SondeTensor *
sonde_tflite_file_dup_constant (SondeTfliteFile *file, const SondeTfliteTensor *tensor,
                                GError **error)
{
  gsize size = sonde_dtype_size (tensor->dtype);

  if (tensor->dtype == SONDE_DTYPE_INVALID)
    return refuse_constant (file, tensor, SONDE_DATA_ERROR_UNSUPPORTED,
                            N_ ("has a type that is not supported (complex numbers, resources and "
                                "variants are not)"),
                            error);
  if (tensor->sparse)
    return refuse_constant (file, tensor, SONDE_DATA_ERROR_UNSUPPORTED,
                            N_ ("is stored sparse, which is not read. Convert the model without "
                                "sparsity"),
                            error);
  if (tensor->dtype == SONDE_DTYPE_STRING)
    return read_strings (file, tensor, error);
  if (tensor->dtype == SONDE_DTYPE_BOOL)
    return read_bools (tensor, error);
  if (types[tensor->type].bits < 8)
    return unpack (file, tensor, error);
  if ((gsize) tensor->data % size != 0)
    return sonde_tensor_try_new_from_data (tensor->dtype, &tensor->shape, tensor->data,
                                           tensor->name, error);
  return sonde_tensor_new_take (tensor->dtype, &tensor->shape, (void *) tensor->data,
                                (GDestroyNotify) g_bytes_unref, g_bytes_ref (file->bytes));
}
