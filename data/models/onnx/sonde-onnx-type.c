/* SPDX-License-Identifier: Apache-2.0
 * ONNX's element types and value types, and ours. */
#include "data/models/onnx/sonde-onnx-type.h"

#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/models/onnx/sonde-onnx-writer.h"

/* Indexed by TensorProto.DataType. A further supported type is a dtype in its row. */
static const SondeOnnxElement elements[] = {
  { NULL, SONDE_DTYPE_INVALID, 0, 0, 0 },
  { "FLOAT", SONDE_DTYPE_F32, SONDE_ONNX_FLOAT_DATA, 0, 0 },
  { "UINT8", SONDE_DTYPE_U8, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8 },
  { "INT8", SONDE_DTYPE_I8, SONDE_ONNX_INT32_DATA, G_MININT8, G_MAXINT8 },
  { "UINT16", SONDE_DTYPE_U16, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT16 },
  { "INT16", SONDE_DTYPE_I16, SONDE_ONNX_INT32_DATA, G_MININT16, G_MAXINT16 },
  { "INT32", SONDE_DTYPE_I32, SONDE_ONNX_INT32_DATA, G_MININT32, G_MAXINT32 },
  { "INT64", SONDE_DTYPE_I64, SONDE_ONNX_INT64_DATA, 0, 0 },
  { "STRING", SONDE_DTYPE_STRING, SONDE_ONNX_STRING_DATA, 0, 0 },
  { "BOOL", SONDE_DTYPE_BOOL, SONDE_ONNX_INT32_DATA, 0, 1 },
  { "FLOAT16", SONDE_DTYPE_F16, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT16 },
  { "DOUBLE", SONDE_DTYPE_F64, SONDE_ONNX_DOUBLE_DATA, 0, 0 },
  { "UINT32", SONDE_DTYPE_U32, SONDE_ONNX_UINT64_DATA, 0, 0 },
  { "UINT64", SONDE_DTYPE_U64, SONDE_ONNX_UINT64_DATA, 0, 0 },
  { "COMPLEX64", SONDE_DTYPE_INVALID, SONDE_ONNX_FLOAT_DATA, 0, 0 },
  { "COMPLEX128", SONDE_DTYPE_INVALID, SONDE_ONNX_DOUBLE_DATA, 0, 0 },
  { "BFLOAT16", SONDE_DTYPE_BF16, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT16 },
  { "FLOAT8E4M3FN", SONDE_DTYPE_F8E4M3FN, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 9 },
  { "FLOAT8E4M3FNUZ", SONDE_DTYPE_F8E4M3FNUZ, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 9 },
  { "FLOAT8E5M2", SONDE_DTYPE_F8E5M2, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 9 },
  { "FLOAT8E5M2FNUZ", SONDE_DTYPE_F8E5M2FNUZ, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 9 },
  { "UINT4", SONDE_DTYPE_U4, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 10 },
  { "INT4", SONDE_DTYPE_I4, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 10 },
  { "FLOAT4E2M1", SONDE_DTYPE_F4E2M1, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 11 },
  { "FLOAT8E8M0", SONDE_DTYPE_F8E8M0, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 12 },
  { "UINT2", SONDE_DTYPE_U2, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 13 },
  { "INT2", SONDE_DTYPE_I2, SONDE_ONNX_INT32_DATA, 0, G_MAXUINT8, 13 },
};

const SondeOnnxElement *
sonde_onnx_element (int data_type)
{
  return data_type > 0 && data_type < (int) G_N_ELEMENTS (elements) ? &elements[data_type] : NULL;
}

int
sonde_onnx_data_type (SondeDtype dtype)
{
  for (guint i = 1; i < G_N_ELEMENTS (elements); i++)
    if (elements[i].dtype == dtype && dtype != SONDE_DTYPE_INVALID)
      return (int) i;
  return 0;
}

/* ---- reading ------------------------------------------------------------- */

/* Exporters that have no name for a size write one all the same ("?" of Paddle, "unk__12" of
 * TensorFlow's): two of them being equal means nothing. */
static gboolean
names_size (const char *name)
{
  static const char unknown[] = "unk__";

  if (name == NULL || *name == '\0' || g_str_equal (name, "?"))
    return FALSE;
  if (!g_str_has_prefix (name, unknown))
    return TRUE;
  name += strlen (unknown);
  return *name == '\0' || name[strspn (name, "0123456789")] != '\0';
}

static gboolean
read_shape (const SondeOnnxReader *reader, const Onnx__TensorShapeProto *proto, const char *what,
            SondeType *type, GError **error)
{
  if (proto->n_dim > SONDE_MAX_RANK)
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_LIMIT,
                            "%-s has %zu dimensions; at most %d are supported", what, proto->n_dim,
                            SONDE_MAX_RANK);

  type->rank = (int) proto->n_dim;
  for (gsize i = 0; i < proto->n_dim; i++)
    {
      const Onnx__TensorShapeProto__Dimension *dim = proto->dim[i];

      if (!sonde_onnx_check_text (reader, N_ ("the name of a dimension"), dim->dim_param, error))
        return FALSE;
      /* Some exporters write -1 for a size that is not known. */
      type->dims[i].size = dim->has_dim_value && dim->dim_value >= 0 ? dim->dim_value : -1;
      if (type->dims[i].size < 0 && names_size (dim->dim_param))
        type->dims[i].symbol = g_intern_string (dim->dim_param);
    }
  return TRUE;
}

static gboolean
read_tensor_type (const SondeOnnxReader *reader, const Onnx__TypeProto__Tensor *proto,
                  const char *what, SondeType *type, GError **error)
{
  const SondeOnnxElement *element = sonde_onnx_element (proto->elem_type);

  type->dtype = element ? element->dtype : SONDE_DTYPE_INVALID;
  return proto->shape == NULL || read_shape (reader, proto->shape, what, type, error);
}

/* Our type knows one level: the kind outside, the tensor inside. */
gboolean
sonde_onnx_read_type (const SondeOnnxReader *reader, const Onnx__TypeProto *proto, const char *what,
                      SondeType *type, GError **error)
{
  *type = sonde_type_unknown ();
  while (proto != NULL)
    {
      SondeValueKind kind = SONDE_VALUE_NONE;
      const Onnx__TypeProto__Tensor *tensor = proto->tensor_type;
      const Onnx__TypeProto *inner = NULL;

      if (tensor != NULL)
        kind = SONDE_VALUE_TENSOR;
      else if (proto->sparse_tensor_type != NULL)
        kind = SONDE_VALUE_SPARSE, tensor = proto->sparse_tensor_type;
      else if (proto->sequence_type != NULL)
        kind = SONDE_VALUE_SEQUENCE, inner = proto->sequence_type->elem_type;
      else if (proto->optional_type != NULL)
        kind = SONDE_VALUE_OPTIONAL, inner = proto->optional_type->elem_type;
      else if (proto->map_type != NULL)
        kind = SONDE_VALUE_MAP, inner = proto->map_type->value_type;

      if (type->kind == SONDE_VALUE_NONE)
        type->kind = kind;
      if (tensor != NULL)
        return read_tensor_type (reader, tensor, what, type, error);
      proto = inner;
    }
  return TRUE;
}

void
sonde_onnx_need_element (SondeOnnxWriter *writer, SondeDtype dtype)
{
  const SondeOnnxElement *element = sonde_onnx_element (sonde_onnx_data_type (dtype));

  writer->ir_version = MAX (writer->ir_version, element ? element->ir_version : 0);
}

/* ---- writing ------------------------------------------------------------- */

static Onnx__TensorShapeProto *
write_shape (SondeOnnxWriter *writer, const SondeType *type)
{
  static const Onnx__TensorShapeProto shape_init = ONNX__TENSOR_SHAPE_PROTO__INIT;
  static const Onnx__TensorShapeProto__Dimension dim_init
      = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__INIT;
  Onnx__TensorShapeProto *shape = sonde_onnx_alloc (writer, sizeof *shape);

  *shape = shape_init;
  shape->n_dim = (gsize) type->rank;
  shape->dim = sonde_onnx_alloc_messages (writer, shape->n_dim, &dim_init, sizeof dim_init);
  for (gsize i = 0; i < shape->n_dim; i++)
    {
      shape->dim[i]->has_dim_value = type->dims[i].size >= 0;
      shape->dim[i]->dim_value = MAX (type->dims[i].size, 0);
      if (type->dims[i].size < 0)
        shape->dim[i]->dim_param = (char *) type->dims[i].symbol;
    }
  return shape;
}

static Onnx__TypeProto *
new_type (SondeOnnxWriter *writer)
{
  static const Onnx__TypeProto init = ONNX__TYPE_PROTO__INIT;
  Onnx__TypeProto *proto = sonde_onnx_alloc (writer, sizeof *proto);

  *proto = init;
  return proto;
}

static Onnx__TypeProto__Tensor *
write_tensor_type (SondeOnnxWriter *writer, const SondeType *type)
{
  static const Onnx__TypeProto__Tensor init = ONNX__TYPE_PROTO__TENSOR__INIT;
  Onnx__TypeProto__Tensor *tensor = sonde_onnx_alloc (writer, sizeof *tensor);

  *tensor = init;
  tensor->elem_type = sonde_onnx_data_type (type->dtype);
  sonde_onnx_need_element (writer, type->dtype);
  tensor->has_elem_type = TRUE;
  if (type->rank >= 0)
    tensor->shape = write_shape (writer, type);
  return tensor;
}

static Onnx__TypeProto *
write_inner (SondeOnnxWriter *writer, const SondeType *type)
{
  Onnx__TypeProto *inner = new_type (writer);

  inner->tensor_type = write_tensor_type (writer, type);
  return inner;
}

Onnx__TypeProto *
sonde_onnx_write_type (SondeOnnxWriter *writer, const SondeType *type)
{
  static const Onnx__TypeProto__Sequence sequence_init = ONNX__TYPE_PROTO__SEQUENCE__INIT;
  static const Onnx__TypeProto__Optional optional_init = ONNX__TYPE_PROTO__OPTIONAL__INIT;
  Onnx__TypeProto *proto = NULL;

  /* Of a map's key nothing is known here. */
  if (type->kind == SONDE_VALUE_NONE || type->kind == SONDE_VALUE_MAP)
    return NULL;

  proto = new_type (writer);
  if (type->kind == SONDE_VALUE_TENSOR)
    proto->tensor_type = write_tensor_type (writer, type);
  else if (type->kind == SONDE_VALUE_SPARSE)
    proto->sparse_tensor_type = write_tensor_type (writer, type);
  else if (type->kind == SONDE_VALUE_SEQUENCE)
    {
      proto->sequence_type = sonde_onnx_alloc (writer, sizeof sequence_init);
      *proto->sequence_type = sequence_init;
      proto->sequence_type->elem_type = write_inner (writer, type);
    }
  else
    {
      proto->optional_type = sonde_onnx_alloc (writer, sizeof optional_init);
      *proto->optional_type = optional_init;
      proto->optional_type->elem_type = write_inner (writer, type);
    }
  return proto;
}
