/* SPDX-License-Identifier: Apache-2.0
 * Element types by their numbers, and shapes. */
#include "data/models/tensorflow/sonde-tensorflow-type.h"

#define REFERENCE 100 /* added to the type that a variable of version 1 holds */

/* By the number on the wire. */
static const struct
{
  const char *name;
  SondeDtype dtype;
} dtypes[] = {
  { "DT_INVALID", SONDE_DTYPE_INVALID },
  { "DT_FLOAT", SONDE_DTYPE_F32 },
  { "DT_DOUBLE", SONDE_DTYPE_F64 },
  { "DT_INT32", SONDE_DTYPE_I32 },
  { "DT_UINT8", SONDE_DTYPE_U8 },
  { "DT_INT16", SONDE_DTYPE_I16 },
  { "DT_INT8", SONDE_DTYPE_I8 },
  { "DT_STRING", SONDE_DTYPE_STRING },
  { "DT_COMPLEX64", SONDE_DTYPE_INVALID },
  { "DT_INT64", SONDE_DTYPE_I64 },
  { "DT_BOOL", SONDE_DTYPE_BOOL },
  { "DT_QINT8", SONDE_DTYPE_INVALID },
  { "DT_QUINT8", SONDE_DTYPE_INVALID },
  { "DT_QINT32", SONDE_DTYPE_INVALID },
  { "DT_BFLOAT16", SONDE_DTYPE_BF16 },
  { "DT_QINT16", SONDE_DTYPE_INVALID },
  { "DT_QUINT16", SONDE_DTYPE_INVALID },
  { "DT_UINT16", SONDE_DTYPE_U16 },
  { "DT_COMPLEX128", SONDE_DTYPE_INVALID },
  { "DT_HALF", SONDE_DTYPE_F16 },
  { "DT_RESOURCE", SONDE_DTYPE_INVALID },
  { "DT_VARIANT", SONDE_DTYPE_INVALID },
  { "DT_UINT32", SONDE_DTYPE_U32 },
  { "DT_UINT64", SONDE_DTYPE_U64 },
};

SondeDtype
sonde_tensorflow_dtype (int number)
{
  number -= number > REFERENCE ? REFERENCE : 0;
  return number > 0 && number < (int) G_N_ELEMENTS (dtypes) ? dtypes[number].dtype
                                                            : SONDE_DTYPE_INVALID;
}

const char *
sonde_tensorflow_dtype_name (int number)
{
  number -= number > REFERENCE ? REFERENCE : 0;
  return number > 0 && number < (int) G_N_ELEMENTS (dtypes) ? dtypes[number].name : "DT_INVALID";
}

SondeType
sonde_tensorflow_type (SondeDtype dtype, const Tensorflow__TensorShapeProto *shape)
{
  SondeType type = sonde_type_unknown ();

  type.kind = SONDE_VALUE_TENSOR;
  type.dtype = dtype;
  if (shape == NULL || (shape->has_unknown_rank && shape->unknown_rank)
      || shape->n_dim > SONDE_MAX_RANK)
    return type;
  type.rank = (int) shape->n_dim;
  for (int i = 0; i < type.rank; i++)
    type.dims[i]
        = (SondeDimension){ .size = MAX (shape->dim[i]->has_size ? shape->dim[i]->size : 0, -1) };
  return type;
}
