/* SPDX-License-Identifier: Apache-2.0
 * Constants as they stand on the wire. */
#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/models/tensorflow/sonde-tensorflow-file.h"

SondeType
sonde_tensorflow_type_of_placeholder (const Tensorflow__NodeDef *node)
{
  const Tensorflow__AttrValue *shape = sonde_tensorflow_attr (node, "shape");

  return sonde_tensorflow_type (sonde_tensorflow_attr_dtype (node, "dtype"),
                                shape != NULL ? shape->shape : NULL);
}

/* ---- lists of values ----------------------------------------------------- */

/* The list that holds elements of a type. @size: of one of them as it stands there */
typedef struct
{
  SondeDtype dtype;
  gsize n;
  const void *values;
} List;

static List
find_list (const Tensorflow__TensorProto *proto, SondeDtype dtype)
{
  switch (dtype)
    {
    case SONDE_DTYPE_F32:
      return (List){ dtype, proto->n_float_val, proto->float_val };
    case SONDE_DTYPE_F64:
      return (List){ dtype, proto->n_double_val, proto->double_val };
    case SONDE_DTYPE_I64:
      return (List){ dtype, proto->n_int64_val, proto->int64_val };
    case SONDE_DTYPE_U32:
      return (List){ dtype, proto->n_uint32_val, proto->uint32_val };
    case SONDE_DTYPE_U64:
      return (List){ dtype, proto->n_uint64_val, proto->uint64_val };
    case SONDE_DTYPE_BOOL:
      return (List){ SONDE_DTYPE_I32, proto->n_bool_val, proto->bool_val };
    case SONDE_DTYPE_F16:
    case SONDE_DTYPE_BF16:
      return (List){ SONDE_DTYPE_I32, proto->n_half_val, proto->half_val };
    default:
      return (List){ SONDE_DTYPE_I32, proto->n_int_val, proto->int_val };
    }
}

/* Bits of halves stand in integers. */
static void
convert_list (const List *list, SondeTensor *tensor, gsize n)
{
  gboolean halves = tensor->dtype == SONDE_DTYPE_F16 || tensor->dtype == SONDE_DTYPE_BF16;

  if (n > 0)
    sonde_dtype_convert (list->dtype, list->values, halves ? SONDE_DTYPE_U16 : tensor->dtype,
                         tensor->data, n);
}

/* The last value that is there comes again up to the end; none at all is 0. */
static gboolean
fill_from_list (const Tensorflow__TensorProto *proto, SondeTensor *tensor)
{
  const List list = find_list (proto, tensor->dtype);
  gsize all = (gsize) sonde_tensor_n_elements (tensor), size = sonde_dtype_size (tensor->dtype);

  if (list.n > all)
    return FALSE;
  convert_list (&list, tensor, list.n);
  for (gsize i = list.n; i < all && list.n > 0; i++)
    memcpy (tensor->data + i * size, tensor->data + (list.n - 1) * size, size);
  return TRUE;
}

static gboolean
fill_texts (const Tensorflow__TensorProto *proto, SondeTensor *tensor)
{
  gsize all = (gsize) sonde_tensor_n_elements (tensor);
  char **texts = (char **) (gpointer) tensor->data;

  if (proto->n_string_val > all)
    return FALSE;
  for (gsize i = 0; i < all && proto->n_string_val > 0; i++)
    {
      const ProtobufCBinaryData *text = &proto->string_val[MIN (i, proto->n_string_val - 1)];

      texts[i] = g_strndup ((const char *) text->data, text->len);
    }
  return TRUE;
}

/* ---- a constant ---------------------------------------------------------- */

static gboolean
fill (const Tensorflow__TensorProto *proto, SondeTensor *tensor, const char *what, GError **error)
{
  gsize bytes = sonde_tensor_n_bytes (tensor), there = proto->tensor_content.len;

  if (tensor->dtype == SONDE_DTYPE_STRING ? fill_texts (proto, tensor)
      : there == 0                        ? fill_from_list (proto, tensor)
                                          : there == bytes)
    {
      if (there > 0 && tensor->dtype != SONDE_DTYPE_STRING)
        memcpy (tensor->data, proto->tensor_content.data, there);
      for (gsize i = 0; tensor->dtype == SONDE_DTYPE_BOOL && i < bytes; i++)
        tensor->data[i] = tensor->data[i] != 0;
      return TRUE;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "%s has %zu bytes of elements; its shape needs %zu", what, there, bytes);
  return FALSE;
}

static gboolean
get_shape (const Tensorflow__TensorProto *proto, const SondeType *type, const char *what,
           SondeShape *shape, GError **error)
{
  const Tensorflow__TensorShapeProto *from = proto->tensor_shape;

  if (from == NULL)
    *shape = sonde_shape_scalar ();
  else if (!sonde_type_get_shape (type, shape) || sonde_shape_n_elements (shape) < 0)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                       "%s has a shape that no tensor has (%zu dimensions)", what, from->n_dim);
      return FALSE;
    }
  return TRUE;
}

SondeTensor *
sonde_tensorflow_read_tensor (SondeTensorflowFile *file, const Tensorflow__TensorProto *proto,
                              const char *what, GError **error)
{
  const SondeType type
      = sonde_tensorflow_type (sonde_tensorflow_dtype (proto->dtype), proto->tensor_shape);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;

  if (type.dtype == SONDE_DTYPE_INVALID)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "%s has elements of type %s (%d), which nothing is calculated with", what,
                       sonde_tensorflow_dtype_name (proto->dtype), proto->dtype);
      return NULL;
    }
  if (!get_shape (proto, &type, what, &shape, error))
    return NULL;
  tensor = sonde_tensor_try_new (type.dtype, &shape, &file->budget, what, error);
  if (tensor == NULL || !fill (proto, tensor, what, error))
    return NULL;
  return g_steal_pointer (&tensor);
}
