/* SPDX-License-Identifier: Apache-2.0
 * TensorProto of MindSpore's summaries and graphs. */
#include "data/records/mindspore/sonde-mindspore-tensor-private.h"

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-format.h"
#include "data/wire/sonde-wire-cursor.h"

/* Numbers of anf_ir.proto. */
static const struct
{
  gint64 data_type;
  SondeDtype dtype;
} dtypes[] = {
  { 1, SONDE_DTYPE_BOOL },    { 2, SONDE_DTYPE_I8 },   { 3, SONDE_DTYPE_I16 },
  { 4, SONDE_DTYPE_I32 },     { 5, SONDE_DTYPE_I64 },  { 6, SONDE_DTYPE_U8 },
  { 7, SONDE_DTYPE_U16 },     { 8, SONDE_DTYPE_U32 },  { 9, SONDE_DTYPE_U64 },
  { 10, SONDE_DTYPE_F16 },    { 11, SONDE_DTYPE_F32 }, { 12, SONDE_DTYPE_F64 },
  { 13, SONDE_DTYPE_STRING },
};

SondeDtype
sonde_mindspore_dtype (gint64 data_type)
{
  for (gsize i = 0; i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].data_type == data_type)
      return dtypes[i].dtype;
  return SONDE_DTYPE_INVALID;
}

/* The data fields, best first; @dtype: of their elements in the file, INVALID: the tensor's own. */
static const struct
{
  guint32 number;
  SondeWireType type;
  gsize bytes; /* of a fixed one */
  SondeDtype dtype;
} fields[] = {
  { 8, SONDE_WIRE_BYTES, 0, SONDE_DTYPE_INVALID }, /* raw_data */
  { 3, SONDE_WIRE_FIXED32, 4, SONDE_DTYPE_F32 },   /* float_data */
  { 4, SONDE_WIRE_VARINT, 0, SONDE_DTYPE_I64 },    /* int32_data */
  { 5, SONDE_WIRE_VARINT, 0, SONDE_DTYPE_I64 },    /* int64_data */
  { 6, SONDE_WIRE_FIXED64, 8, SONDE_DTYPE_F64 },   /* double_data */
  { 7, SONDE_WIRE_VARINT, 0, SONDE_DTYPE_U64 },    /* uint64_data */
};

/**
 * Content:
 * @counts: elements of each of fields[]; of raw data, whose last copy wins, bytes
 */
typedef struct
{
  SondeMindsporeNumbering numbering;
  gint64 data_type;
  SondeShape shape;
  SondeWireItem raw;
  gsize counts[G_N_ELEMENTS (fields)];
} Content;

/* The debugger's copy of the message begins with two texts and has dims and type as 4 and 5. */
static SondeMindsporeNumbering
guess_numbering (ProtobufCBinaryData message)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.data, message.len);
  SondeWireItem item;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number <= 2)
      return item.type == SONDE_WIRE_BYTES ? SONDE_MINDSPORE_TENSOR_DEBUGGER
                                           : SONDE_MINDSPORE_TENSOR_SUMMARY;
    else if ((item.number == 4 || item.number == 5) && item.type == SONDE_WIRE_VARINT)
      return SONDE_MINDSPORE_TENSOR_DEBUGGER;
  return SONDE_MINDSPORE_TENSOR_SUMMARY;
}

static gsize
count_varints (const SondeWireItem *item)
{
  gsize n = 0;

  for (gsize i = 0; i < item->length; i++)
    n += item->bytes[i] < 0x80;
  return n;
}

static gboolean
add_dimension (Content *content, guint64 size, GError **error)
{
  if (content->shape.rank == SONDE_MAX_RANK)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "the tensor has more than %d dimensions", SONDE_MAX_RANK);
      return FALSE;
    }
  if (size > G_MAXINT64)
    return sonde_record_damaged (error, "the tensor has a negative dimension");
  content->shape.dims[content->shape.rank++] = (gint64) size;
  return TRUE;
}

static gboolean
add_dimensions (Content *content, const SondeWireItem *item, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (item);
  guint64 size;

  if (item->type == SONDE_WIRE_VARINT)
    return add_dimension (content, item->value, error);
  if (item->type != SONDE_WIRE_BYTES)
    return sonde_record_damaged (error, "TensorProto.dims has the wrong wire type");
  while (cursor.at != cursor.end)
    if (!sonde_wire_take_varint (&cursor, &size))
      return sonde_record_damaged (error, "TensorProto.dims ends inside an element");
    else if (!add_dimension (content, size, error))
      return FALSE;
  return TRUE;
}

static gboolean
count_data (Content *content, const SondeWireItem *item, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      if (fields[i].number != item->number)
        continue;
      if (i == 0)
        {
          content->raw = *item;
          content->counts[0] = item->length;
        }
      else if (item->type == fields[i].type)
        content->counts[i]++;
      else if (item->type == SONDE_WIRE_BYTES
               && (fields[i].bytes == 0 || item->length % fields[i].bytes == 0))
        content->counts[i]
            += fields[i].bytes == 0 ? count_varints (item) : item->length / fields[i].bytes;
      else
        return sonde_record_damaged (error,
                                     "a data field of TensorProto is not a list of its type");
      if (i == 0 && item->type != SONDE_WIRE_BYTES)
        return sonde_record_damaged (error, "TensorProto.raw_data has the wrong wire type");
    }
  return TRUE;
}

static gboolean
look (ProtobufCBinaryData message, Content *content, GError **error)
{
  const gboolean debugger = content->numbering == SONDE_MINDSPORE_TENSOR_DEBUGGER;
  SondeWireCursor cursor = sonde_wire_cursor (message.data, message.len);
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == (debugger ? 4u : 1u))
      {
        if (!add_dimensions (content, &item, error))
          return FALSE;
      }
    else if (item.number == (debugger ? 5u : 2u) && item.type == SONDE_WIRE_VARINT)
      content->data_type = (gint64) item.value;
    else if (debugger && item.number == 3 && item.type == SONDE_WIRE_BYTES)
      {
        content->raw = item;
        content->counts[0] = item.length;
      }
    else if (!debugger && !count_data (content, &item, error))
      return FALSE;
  return step == SONDE_WIRE_END
         || sonde_record_damaged (error, "TensorProto is not a valid message");
}

/* ---- elements ------------------------------------------------------------ */

/* All elements of the data field @number, one behind the other, into @data of 4 or 8 bytes each. */
static gboolean
copy_elements (ProtobufCBinaryData message, gsize field, guint8 *data, gsize size, gsize n)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.data, message.len), list;
  SondeWireItem item;
  gsize at = 0;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      if (item.number != fields[field].number)
        continue;
      if (item.type != SONDE_WIRE_BYTES)
        memcpy (data + size * at++, &item.value, size);
      else if (fields[field].bytes > 0)
        {
          if (item.length > 0)
            memcpy (data + size * at, item.bytes, item.length);
          at += item.length / size;
        }
      else
        for (list = sonde_wire_item_cursor (&item); list.at != list.end && at < n; at++)
          {
            guint64 value;

            if (!sonde_wire_take_varint (&list, &value))
              return FALSE;
            memcpy (data + 8 * at, &value, 8);
          }
    }
  return at == n;
}

static SondeTensor *
make_tensor (ProtobufCBinaryData message, const Content *content, gsize field, SondeDtype dtype,
             GError **error)
{
  SondeDtype stored = fields[field].dtype != SONDE_DTYPE_INVALID ? fields[field].dtype : dtype;
  SondeBudget budget;
  g_autoptr (SondeTensor) tensor = NULL, cast = NULL;
  gboolean right;

  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, N_ ("tensor of a record"));
  tensor = sonde_tensor_try_new (stored == SONDE_DTYPE_BOOL ? SONDE_DTYPE_U8 : stored,
                                 &content->shape, &budget, N_ ("its elements"), error);
  if (tensor == NULL)
    return NULL;
  if (field == 0)
    {
      right = sonde_tensor_n_bytes (tensor) == content->raw.length;
      if (right && content->raw.length > 0)
        memcpy (tensor->data, content->raw.bytes, content->raw.length);
    }
  else
    right = copy_elements (message, field, tensor->data, sonde_dtype_size (stored),
                           (gsize) sonde_tensor_n_elements (tensor));
  if (!right)
    {
      sonde_record_damaged (error,
                            "the number of elements of the tensor does not match its dimensions");
      return NULL;
    }
  if (tensor->dtype == dtype)
    return g_steal_pointer (&tensor);
  cast = sonde_tensor_try_new (dtype, &content->shape, &budget, N_ ("its elements"), error);
  if (cast != NULL)
    sonde_dtype_convert (tensor->dtype, tensor->data, dtype, cast->data,
                         (gsize) sonde_tensor_n_elements (tensor));
  return g_steal_pointer (&cast);
}

SondeTensor *
sonde_mindspore_tensor (ProtobufCBinaryData message, SondeMindsporeNumbering numbering,
                        GError **error)
{
  Content content = { .numbering = numbering };
  SondeDtype dtype;
  gsize field = 0;
  gint64 n;

  if (numbering == SONDE_MINDSPORE_TENSOR_GUESS)
    content.numbering = guess_numbering (message);
  if (!look (message, &content, error))
    return NULL;
  while (field < G_N_ELEMENTS (fields) - 1 && content.counts[field] == 0)
    field++;
  dtype = sonde_mindspore_dtype (content.data_type);
  if (dtype == SONDE_DTYPE_INVALID && field == 1)
    dtype = SONDE_DTYPE_F32;
  if (dtype == SONDE_DTYPE_INVALID || dtype == SONDE_DTYPE_STRING)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "unknown element type %" PRIi64, content.data_type);
      return NULL;
    }
  /* a list without a shape is one dimension */
  if (content.shape.rank == 0 && field > 0 && content.counts[field] > 1)
    content.shape = sonde_shape_make (1, (gint64) content.counts[field]);
  n = sonde_shape_n_elements (&content.shape);
  if (n < 0 || (field > 0 && (guint64) n != content.counts[field]))
    {
      if (n < 0)
        sonde_record_damaged (error, "the dimensions of the tensor are more elements than can be");
      else
        sonde_record_damaged (error, "the tensor has %zu elements, but its dimensions are %" PRIi64,
                              content.counts[field], n);
      return NULL;
    }
  return make_tensor (message, &content, field, dtype, error);
}
