/* SPDX-License-Identifier: Apache-2.0
 * Source of the numbers: tensorflow/tensorflow tensorflow/core/framework/tensor.proto,
 * types.proto. */
#include "data/records/tensorboard/sonde-tensor-proto.h"

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/wire/sonde-wire-cursor.h"
#include "data/records/sonde-record-text.h"

enum
{
  FIELD_DTYPE = 1,
  FIELD_SHAPE = 2,
  FIELD_CONTENT = 4,
  FIELD_FLOAT = 5,
  FIELD_DOUBLE = 6,
  FIELD_INT = 7,
  FIELD_STRING = 8,
  FIELD_COMPLEX64 = 9,
  FIELD_INT64 = 10,
  FIELD_BOOL = 11,
  FIELD_COMPLEX128 = 12,
  FIELD_HALF = 13,
  FIELD_UINT32 = 16,
  FIELD_UINT64 = 17,
  FIELD_FLOAT8 = 18,
  N_FIELDS = 19,
};

#define DTYPE_STRING 7
#define REFERENCE 100

/* By TensorFlow's number. */
static const struct
{
  SondeDtype dtype;
  guint8 field;
  gboolean is_complex;
} dtypes[] = {
  [1] = { SONDE_DTYPE_F32, FIELD_FLOAT },
  [2] = { SONDE_DTYPE_F64, FIELD_DOUBLE },
  [3] = { SONDE_DTYPE_I32, FIELD_INT },
  [4] = { SONDE_DTYPE_U8, FIELD_INT },
  [5] = { SONDE_DTYPE_I16, FIELD_INT },
  [6] = { SONDE_DTYPE_I8, FIELD_INT },
  [DTYPE_STRING] = { SONDE_DTYPE_STRING, FIELD_STRING },
  [8] = { SONDE_DTYPE_F32, FIELD_COMPLEX64, TRUE },
  [9] = { SONDE_DTYPE_I64, FIELD_INT64 },
  [10] = { SONDE_DTYPE_BOOL, FIELD_BOOL },
  [11] = { SONDE_DTYPE_I8, FIELD_INT }, /* quantised: the stored integers */
  [12] = { SONDE_DTYPE_U8, FIELD_INT },
  [13] = { SONDE_DTYPE_I32, FIELD_INT },
  [14] = { SONDE_DTYPE_BF16, FIELD_HALF },
  [15] = { SONDE_DTYPE_I16, FIELD_INT },
  [16] = { SONDE_DTYPE_U16, FIELD_INT },
  [17] = { SONDE_DTYPE_U16, FIELD_INT },
  [18] = { SONDE_DTYPE_F64, FIELD_COMPLEX128, TRUE },
  [19] = { SONDE_DTYPE_F16, FIELD_HALF },
  [22] = { SONDE_DTYPE_U32, FIELD_UINT32 },
  [23] = { SONDE_DTYPE_U64, FIELD_UINT64 },
  [24] = { SONDE_DTYPE_F8E5M2, FIELD_FLOAT8 },
  [25] = { SONDE_DTYPE_F8E4M3FN, FIELD_FLOAT8 },
  [26] = { SONDE_DTYPE_F8E4M3FNUZ, FIELD_FLOAT8 },
  [28] = { SONDE_DTYPE_F8E5M2FNUZ, FIELD_FLOAT8 },
  [29] = { SONDE_DTYPE_I4, FIELD_INT },
  [30] = { SONDE_DTYPE_U4, FIELD_INT },
  [31] = { SONDE_DTYPE_I2, FIELD_INT },
  [32] = { SONDE_DTYPE_U2, FIELD_INT },
  [33] = { SONDE_DTYPE_F4E2M1, FIELD_FLOAT8 },
};

/* Bytes of a value on the wire by field: 0 a varint, 1 a byte string that is the values. */
static const struct
{
  SondeWireType type;
  guint8 bytes;
} fields[N_FIELDS] = {
  [FIELD_FLOAT] = { SONDE_WIRE_FIXED32, 4 },     [FIELD_DOUBLE] = { SONDE_WIRE_FIXED64, 8 },
  [FIELD_INT] = { SONDE_WIRE_VARINT, 0 },        [FIELD_STRING] = { SONDE_WIRE_BYTES, 0 },
  [FIELD_COMPLEX64] = { SONDE_WIRE_FIXED32, 4 }, [FIELD_INT64] = { SONDE_WIRE_VARINT, 0 },
  [FIELD_BOOL] = { SONDE_WIRE_VARINT, 0 },       [FIELD_COMPLEX128] = { SONDE_WIRE_FIXED64, 8 },
  [FIELD_HALF] = { SONDE_WIRE_VARINT, 0 },       [FIELD_UINT32] = { SONDE_WIRE_VARINT, 0 },
  [FIELD_UINT64] = { SONDE_WIRE_VARINT, 0 },     [FIELD_FLOAT8] = { SONDE_WIRE_BYTES, 1 },
};

static inline gboolean
is_value_field (guint32 number)
{
  return number >= FIELD_FLOAT && number <= FIELD_FLOAT8 && number != 14 && number != 15;
}

SondeDtype
sonde_tensor_proto_get_dtype (guint32 number, gboolean *is_complex)
{
  number = number > REFERENCE ? number - REFERENCE : number;
  if (is_complex != NULL)
    *is_complex = number < G_N_ELEMENTS (dtypes) && dtypes[number].is_complex;
  return number < G_N_ELEMENTS (dtypes) ? dtypes[number].dtype : SONDE_DTYPE_INVALID;
}

/* ---- view ---------------------------------------------------------------- */

gboolean
sonde_tensor_proto_view_shape (const guint8 *bytes, gsize length, int *rank, gint64 *dims,
                               const guint8 **at)
{
  SondeWireCursor shape = sonde_wire_cursor (bytes, length), dim;
  SondeWireItem item, part;
  SondeWireStep step;
  gboolean unknown = FALSE;

  *rank = 0;
  while ((step = sonde_wire_next (&shape, &item)) == SONDE_WIRE_ITEM)
    {
      gint64 size = 0;

      if (item.number == 3 && item.type == SONDE_WIRE_VARINT)
        unknown = item.value != 0;
      *at = shape.at;
      if (item.number != 2)
        continue;
      if (item.type != SONDE_WIRE_BYTES)
        return FALSE;
      dim = sonde_wire_item_cursor (&item);
      while ((step = sonde_wire_next (&dim, &part)) == SONDE_WIRE_ITEM)
        if (part.number == 1 && part.type == SONDE_WIRE_VARINT)
          size = (gint64) part.value;
      if (step == SONDE_WIRE_BROKEN)
        return FALSE;
      if (*rank < SONDE_MAX_RANK)
        dims[*rank] = MAX (size, -1);
      *rank = MIN (*rank + 1, SONDE_MAX_RANK + 1);
    }
  if (unknown)
    *rank = -1;
  *at = shape.at;
  return step == SONDE_WIRE_END;
}

/* Values of one occurrence of a field, packed or not. FALSE: they are none. */
static gboolean
count_values (const SondeWireItem *item, guint64 *n, guint64 *first)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  guint64 value;
  guint bytes = fields[item->number].bytes;

  *n = 1;
  *first = item->value;
  if (item->type != SONDE_WIRE_BYTES)
    return item->type == fields[item->number].type;
  if (item->number == FIELD_STRING)
    return TRUE;
  *n = 0;
  if (bytes > 0)
    {
      *n = item->length / bytes;
      return item->length % bytes == 0
             && (*n == 0 || sonde_wire_take_fixed (&cursor, bytes, first));
    }
  for (; cursor.at != cursor.end; ++*n)
    {
      if (!sonde_wire_take_varint (&cursor, &value))
        return FALSE;
      *first = *n == 0 ? value : *first;
    }
  return TRUE;
}

/* More than one field has values: those of the type's own one count, or else the first. */
static void
choose_field (SondeTensorProto *proto)
{
  guint own = proto->dtype < G_N_ELEMENTS (dtypes) ? dtypes[proto->dtype].field : 0;
  guint64 n[N_FIELDS] = { 0 }, first[N_FIELDS] = { 0 };
  SondeWireCursor cursor = proto->message;
  SondeWireItem item;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (is_value_field (item.number))
      {
        guint64 more, number;

        count_values (&item, &more, &number);
        first[item.number] = n[item.number] == 0 ? number : first[item.number];
        n[item.number] += more;
      }
  proto->field = own;
  for (guint i = FIELD_FLOAT; i < N_FIELDS && n[proto->field] == 0; i++)
    if (n[i] > 0)
      proto->field = i;
  proto->n = n[proto->field];
  proto->first = first[proto->field];
}

gboolean
sonde_tensor_proto_view (SondeTensorProto *proto, const guint8 *bytes, gsize length,
                         const guint8 **at)
{
  SondeWireCursor cursor = sonde_wire_cursor (bytes, length);
  gboolean mixed = FALSE;
  SondeWireItem item;
  SondeWireStep step;

  proto->message = cursor;
  proto->dtype = 0;
  proto->rank = 0;
  proto->content_length = 0;
  proto->field = 0;
  proto->n = 0;
  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      *at = item.bytes != NULL ? item.bytes : cursor.at;
      if (item.number == FIELD_DTYPE)
        {
          if (item.type != SONDE_WIRE_VARINT)
            return FALSE;
          proto->dtype = item.value > G_MAXUINT32 ? G_MAXUINT32 : (guint32) item.value;
          if (proto->dtype > REFERENCE && proto->dtype < REFERENCE + G_N_ELEMENTS (dtypes))
            proto->dtype -= REFERENCE;
        }
      else if (item.number == FIELD_SHAPE)
        {
          if (item.type != SONDE_WIRE_BYTES
              || (item.length > 0
                  && !sonde_tensor_proto_view_shape (item.bytes, item.length, &proto->rank,
                                                     proto->dims, at)))
            return FALSE;
        }
      else if (item.number == FIELD_CONTENT)
        {
          if (item.type != SONDE_WIRE_BYTES)
            return FALSE;
          proto->content = item.bytes;
          proto->content_length = item.length;
        }
      else if (is_value_field (item.number))
        {
          guint64 n, first;

          if (!count_values (&item, &n, &first))
            return FALSE;
          mixed = mixed || (proto->field != 0 && proto->field != item.number);
          proto->first = proto->n == 0 ? first : proto->first;
          proto->n += n;
          proto->field = item.number;
        }
    }
  if (step == SONDE_WIRE_BROKEN)
    {
      *at = cursor.at;
      return FALSE;
    }
  if (mixed)
    choose_field (proto);
  return TRUE;
}

/* ---- one number ---------------------------------------------------------- */

static double
number_of_wire (guint32 field, guint64 bits)
{
  const SondeWireItem item = { .value = bits };

  switch (field)
    {
    case FIELD_FLOAT:
    case FIELD_COMPLEX64:
      return (double) sonde_wire_item_float (&item);
    case FIELD_DOUBLE:
    case FIELD_COMPLEX128:
      return sonde_wire_item_double (&item);
    case FIELD_INT:
      return (double) (gint32) bits;
    case FIELD_BOOL:
      return bits != 0;
    case FIELD_UINT32:
      return (double) (guint32) bits;
    case FIELD_UINT64:
      return (double) bits;
    default:
      return (double) (gint64) bits;
    }
}

gboolean
sonde_tensor_proto_get_number (const SondeTensorProto *proto, double *value)
{
  g_autoptr (SondeTensor) tensor = NULL;

  if (proto->rank < 0 || proto->rank > SONDE_MAX_RANK)
    return FALSE;
  for (int i = 0; i < proto->rank; i++)
    if (proto->dims[i] != 1)
      return FALSE;
  /* the two that are written */
  if (proto->dtype == 1 && proto->content_length == 4)
    {
      float number;

      memcpy (&number, proto->content, sizeof number);
      *value = (double) number;
      return TRUE;
    }
  if (proto->dtype <= 2 && proto->dtype > 0 && proto->content_length == 0 && proto->n > 0
      && proto->field == dtypes[proto->dtype].field)
    {
      *value = number_of_wire (proto->field, proto->first);
      return TRUE;
    }
  if (proto->dtype >= G_N_ELEMENTS (dtypes) || dtypes[proto->dtype].is_complex
      || proto->dtype == DTYPE_STRING || proto->field == FIELD_STRING)
    return FALSE;
  tensor = sonde_tensor_proto_to_tensor (proto, NULL, N_ ("number"), NULL);
  if (tensor == NULL)
    return FALSE;
  *value = sonde_tensor_get_double (tensor, 0);
  return TRUE;
}

/* ---- strings ------------------------------------------------------------- */

/* In tensor_content: as many varints of lengths as the shape has elements, then the bytes. */
static guint64
count_packed_strings (const SondeTensorProto *proto)
{
  SondeShape shape = { .rank = proto->rank };
  gint64 n;

  if (proto->rank < 0 || proto->rank > SONDE_MAX_RANK)
    return 0;
  memcpy (shape.dims, proto->dims, sizeof shape.dims);
  n = sonde_shape_n_elements (&shape);
  return n < 0 || (guint64) n > proto->content_length ? 0 : (guint64) n;
}

guint64
sonde_tensor_proto_count_strings (const SondeTensorProto *proto)
{
  if (proto->dtype != DTYPE_STRING)
    return 0;
  if (proto->content_length > 0)
    return count_packed_strings (proto);
  return proto->field == FIELD_STRING ? proto->n : 0;
}

void
sonde_tensor_strings_init (SondeTensorStrings *strings, const SondeTensorProto *proto)
{
  guint64 n, length;

  *strings = (SondeTensorStrings){ .lengths = proto->message, .packed = proto->content_length > 0 };
  if (!strings->packed)
    return;
  strings->lengths = strings->bytes = sonde_wire_cursor (proto->content, proto->content_length);
  n = count_packed_strings (proto);
  while (n > 0 && sonde_wire_take_varint (&strings->bytes, &length))
    n--;
  strings->lengths.end = strings->bytes.at;
}

gboolean
sonde_tensor_strings_next (SondeTensorStrings *strings, const guint8 **bytes, gsize *length)
{
  SondeWireItem item;
  guint64 wanted;

  if (strings->packed)
    {
      if (strings->lengths.at == strings->lengths.end
          || !sonde_wire_take_varint (&strings->lengths, &wanted)
          || wanted > (guint64) (strings->bytes.end - strings->bytes.at))
        return FALSE;
      *bytes = strings->bytes.at;
      *length = (gsize) wanted;
      strings->bytes.at += wanted;
      return TRUE;
    }
  while (sonde_wire_next (&strings->lengths, &item) == SONDE_WIRE_ITEM)
    if (item.number == FIELD_STRING && item.type == SONDE_WIRE_BYTES)
      {
        *bytes = item.bytes;
        *length = item.length;
        return TRUE;
      }
  return FALSE;
}

/* ---- tensor -------------------------------------------------------------- */

/* The values of the file are the elements as they are. */
static gboolean
is_same (guint32 field, SondeDtype dtype)
{
  return (dtype == SONDE_DTYPE_F32 && (field == FIELD_FLOAT || field == FIELD_COMPLEX64))
         || (dtype == SONDE_DTYPE_F64 && (field == FIELD_DOUBLE || field == FIELD_COMPLEX128))
         || (field == FIELD_FLOAT8 && sonde_dtype_size (dtype) == 1);
}

/* Puts the value of a field at @data as an element of @dtype. */
static void
put (guint32 field, guint64 bits, SondeDtype dtype, guint8 *data)
{
  const gsize size = sonde_dtype_size (dtype);
  double number;

  /* the same bits, cut */
  if ((fields[field].type == SONDE_WIRE_VARINT && !sonde_dtype_has_fractions (dtype))
      || field == FIELD_HALF || is_same (field, dtype))
    {
      bits = dtype == SONDE_DTYPE_BOOL ? bits != 0 : bits;
      memcpy (data, &bits, size);
      return;
    }
  number = number_of_wire (field, bits);
  sonde_dtype_convert (SONDE_DTYPE_F64, &number, dtype, data, 1);
}

/* All occurrences of the field, up to @capacity. Returns how many there were. */
static gint64
put_values (const SondeTensorProto *proto, SondeDtype dtype, guint8 *data, gint64 capacity)
{
  const gsize size = sonde_dtype_size (dtype);
  const guint bytes = fields[proto->field].bytes;
  SondeWireCursor cursor = proto->message, values;
  SondeWireItem item;
  gint64 n = 0;

  while (n < capacity && sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      guint64 bits;

      if (item.number != proto->field)
        continue;
      if (item.type != SONDE_WIRE_BYTES)
        {
          put (proto->field, item.value, dtype, data + (gsize) n++ * size);
          continue;
        }
      values = sonde_wire_item_cursor (&item);
      if (is_same (proto->field, dtype))
        {
          gsize whole = MIN (item.length / size, (gsize) (capacity - n));

          memcpy (data + (gsize) n * size, item.bytes, whole * size);
          n += (gint64) whole;
          continue;
        }
      while (n < capacity && values.at != values.end
             && (bytes > 0 ? sonde_wire_take_fixed (&values, bytes, &bits)
                           : sonde_wire_take_varint (&values, &bits)))
        put (proto->field, bits, dtype, data + (gsize) n++ * size);
    }
  return n;
}

/* PyTorch's half and bfloat16 are float32 bits; a number of 16 bits that was extended by its sign
 * is not. */
static gboolean
half_is_float (const SondeTensorProto *proto)
{
  SondeWireCursor cursor = proto->message, values;
  SondeWireItem item;
  gboolean wide = FALSE;

  while (!wide && sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      guint64 bits = item.value;

      if (item.number != FIELD_HALF)
        continue;
      values = sonde_wire_item_cursor (&item);
      do
        {
          if (item.type == SONDE_WIRE_BYTES && !sonde_wire_take_varint (&values, &bits))
            break;
          wide = wide || ((guint32) bits >> 16 != 0 && (guint32) bits >> 16 != 0xffff);
        }
      while (values.at != values.end);
    }
  return wide;
}

static gboolean
get_shape (const SondeTensorProto *proto, gboolean is_complex, gsize size, SondeShape *shape,
           const char *what, GError **error)
{
  const gint64 width = is_complex ? 2 : 1;

  shape->rank = proto->rank;
  memcpy (shape->dims, proto->dims, sizeof shape->dims);
  if (proto->rank < 0)
    {
      shape->rank = 1;
      shape->dims[0]
          = (gint64) (proto->content_length > 0 ? proto->content_length / (size * (gsize) width)
                                                : proto->n / (guint64) width);
    }
  if (shape->rank + is_complex > SONDE_MAX_RANK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "%-s has more than %d dimensions", what, SONDE_MAX_RANK);
      return FALSE;
    }
  if (is_complex)
    shape->dims[shape->rank++] = 2;
  if (sonde_shape_n_elements (shape) >= 0)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "%-s has an invalid shape",
                   what);
  return FALSE;
}

/* More elements than bytes are only believed as a repetition, and that within bounds. */
static gboolean
check_room (const SondeTensorProto *proto, gint64 n, gsize size, const char *what, GError **error)
{
  gint64 bytes;

  if ((guint64) n <= proto->n
      || (sonde_checked_mul (&bytes, n, (gint64) size)
          && bytes <= SONDE_TENSOR_PROTO_MAX_REPEATED_BYTES))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "%-s has %" PRIi64 " elements but only %" PRIu64 " values", what, n, proto->n);
  return FALSE;
}

static SondeTensor *
make_strings (const SondeTensorProto *proto, const SondeShape *shape, SondeBudget *budget,
              const char *what, GError **error)
{
  gint64 n = sonde_shape_n_elements (shape), i = 0;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeTensorStrings strings;
  const guint8 *bytes;
  gsize length;

  if (proto->content_length > 0 ? (guint64) n > proto->content_length
                                : !check_room (proto, n, sizeof (char *), what, error))
    {
      if (error != NULL && *error == NULL)
        sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                         "%-s has fewer bytes than strings", what);
      return NULL;
    }
  tensor = sonde_tensor_try_new (SONDE_DTYPE_STRING, shape, budget, what, error);
  if (tensor == NULL)
    return NULL;
  sonde_tensor_strings_init (&strings, proto);
  for (; i < n && sonde_tensor_strings_next (&strings, &bytes, &length); i++)
    ((char **) tensor->data)[i] = sonde_record_dup_text (bytes, length);
  /* one string stands for all, as one number does */
  for (; i == 1 && i < n && proto->n == 1 && n <= 4096; n--)
    ((char **) tensor->data)[n - 1] = g_strdup (((char **) tensor->data)[0]);
  return g_steal_pointer (&tensor);
}

/* Bytes of the file that are not what the element may be in memory. */
static void
normalise (SondeTensor *tensor, gint64 n)
{
  const int unused = 8 - (int) sonde_dtype_bits (tensor->dtype);

  if (tensor->dtype == SONDE_DTYPE_BOOL)
    for (gint64 i = 0; i < n; i++)
      tensor->data[i] = tensor->data[i] != 0;
  else if (unused > 0 && unused < 8)
    for (gint64 i = 0; i < n; i++)
      tensor->data[i] = sonde_dtype_is_signed (tensor->dtype) && tensor->dtype != SONDE_DTYPE_F4E2M1
                            ? (guint8) ((gint8) (tensor->data[i] << unused) >> unused)
                            : (guint8) ((guint8) (tensor->data[i] << unused) >> unused);
}

static SondeTensor *
make_from_content (const SondeTensorProto *proto, SondeDtype dtype, const SondeShape *shape,
                   SondeBudget *budget, const char *what, GError **error)
{
  gint64 n = sonde_shape_n_elements (shape);
  SondeTensor *tensor;

  if ((guint64) n * sonde_dtype_size (dtype) != proto->content_length)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "%-s has %zu bytes for %" PRIi64 " elements of %s", what,
                       proto->content_length, n, sonde_dtype_name (dtype));
      return NULL;
    }
  tensor = sonde_tensor_try_new (dtype, shape, budget, what, error);
  if (tensor == NULL)
    return NULL;
  memcpy (tensor->data, proto->content, proto->content_length);
  normalise (tensor, n);
  return tensor;
}

static SondeTensor *
make_from_values (const SondeTensorProto *proto, SondeDtype dtype, gboolean is_complex,
                  const SondeShape *shape, SondeBudget *budget, const char *what, GError **error)
{
  gint64 n = sonde_shape_n_elements (shape), filled = 0;
  gsize size = sonde_dtype_size (dtype), unit = is_complex ? 2 * size : size;
  SondeTensor *tensor;

  if (!check_room (proto, n, size, what, error))
    return NULL;
  tensor = sonde_tensor_try_new (dtype, shape, budget, what, error);
  if (tensor == NULL || n == 0)
    return tensor;
  if (proto->field == FIELD_HALF && dtype == SONDE_DTYPE_F32)
    filled = put_values (proto, SONDE_DTYPE_U32, tensor->data, n);
  else if (proto->field != 0 && proto->field != FIELD_STRING)
    filled = put_values (proto, dtype, tensor->data, n);
  filled -= is_complex ? filled % 2 : 0;
  for (gsize at = (gsize) filled * size; filled > 0 && at < (gsize) n * size; at += unit)
    memcpy (tensor->data + at, tensor->data + (gsize) filled * size - unit, unit);
  normalise (tensor, n);
  return tensor;
}

SondeTensor *
sonde_tensor_proto_to_tensor (const SondeTensorProto *proto, SondeBudget *budget, const char *what,
                              GError **error)
{
  gboolean is_complex;
  SondeDtype dtype = sonde_tensor_proto_get_dtype (proto->dtype, &is_complex);
  SondeShape shape;

  if (dtype == SONDE_DTYPE_INVALID)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "%-s has elements of TensorFlow's type %u, which is not supported", what,
                       proto->dtype);
      return NULL;
    }
  if (proto->content_length == 0 && proto->field == FIELD_HALF
      && (dtype == SONDE_DTYPE_F16 || dtype == SONDE_DTYPE_BF16) && half_is_float (proto))
    dtype = SONDE_DTYPE_F32;
  if (!get_shape (proto, is_complex, MAX (sonde_dtype_size (dtype), 1), &shape, what, error))
    return NULL;
  if (dtype == SONDE_DTYPE_STRING)
    return make_strings (proto, &shape, budget, what, error);
  if (proto->content_length > 0)
    return make_from_content (proto, dtype, &shape, budget, what, error);
  return make_from_values (proto, dtype, is_complex, &shape, budget, what, error);
}
