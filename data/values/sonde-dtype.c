/* SPDX-License-Identifier: Apache-2.0
 * Element types: the table and the conversions of single values. */
#include "data/values/sonde-dtype.h"

#include <string.h>

typedef enum
{
  KIND_NONE,
  KIND_FLOAT,
  KIND_SIGNED,
  KIND_UNSIGNED,
} DtypeKind;

static const struct
{
  guint8 size;
  DtypeKind kind;
  const char *name;
  const char *short_name;
} dtypes[SONDE_N_DTYPES] = {
  [SONDE_DTYPE_INVALID] = { 0, KIND_NONE, "invalid", "" },
  [SONDE_DTYPE_F64] = { 8, KIND_FLOAT, "float64", "f64" },
  [SONDE_DTYPE_F32] = { 4, KIND_FLOAT, "float32", "f32" },
  [SONDE_DTYPE_F16] = { 2, KIND_FLOAT, "float16", "f16" },
  [SONDE_DTYPE_BF16] = { 2, KIND_FLOAT, "bfloat16", "bf16" },
  [SONDE_DTYPE_I8] = { 1, KIND_SIGNED, "int8", "i8" },
  [SONDE_DTYPE_I16] = { 2, KIND_SIGNED, "int16", "i16" },
  [SONDE_DTYPE_I32] = { 4, KIND_SIGNED, "int32", "i32" },
  [SONDE_DTYPE_I64] = { 8, KIND_SIGNED, "int64", "i64" },
  [SONDE_DTYPE_U8] = { 1, KIND_UNSIGNED, "uint8", "u8" },
  [SONDE_DTYPE_U16] = { 2, KIND_UNSIGNED, "uint16", "u16" },
  [SONDE_DTYPE_U32] = { 4, KIND_UNSIGNED, "uint32", "u32" },
  [SONDE_DTYPE_U64] = { 8, KIND_UNSIGNED, "uint64", "u64" },
  [SONDE_DTYPE_BOOL] = { 1, KIND_NONE, "bool", "bool" },
  [SONDE_DTYPE_STRING] = { sizeof (char *), KIND_NONE, "string", "str" },
};

/* An unknown number is treated as INVALID: it may have come out of a file. */
static SondeDtype
known (SondeDtype dtype)
{
  return (guint) dtype < SONDE_N_DTYPES ? dtype : SONDE_DTYPE_INVALID;
}

gsize
sonde_dtype_size (SondeDtype dtype)
{
  return dtypes[known (dtype)].size;
}

const char *
sonde_dtype_name (SondeDtype dtype)
{
  return dtypes[known (dtype)].name;
}

SondeDtype
sonde_dtype_from_name (const char *name)
{
  for (int i = SONDE_DTYPE_INVALID + 1; i < SONDE_N_DTYPES; i++)
    {
      if (g_strcmp0 (name, dtypes[i].name) == 0 || g_strcmp0 (name, dtypes[i].short_name) == 0)
        return (SondeDtype) i;
    }
  return SONDE_DTYPE_INVALID;
}

gboolean
sonde_dtype_is_float (SondeDtype dtype)
{
  return dtypes[known (dtype)].kind == KIND_FLOAT;
}

gboolean
sonde_dtype_is_integer (SondeDtype dtype)
{
  DtypeKind kind = dtypes[known (dtype)].kind;

  return kind == KIND_SIGNED || kind == KIND_UNSIGNED;
}

gboolean
sonde_dtype_is_signed (SondeDtype dtype)
{
  DtypeKind kind = dtypes[known (dtype)].kind;

  return kind == KIND_SIGNED || kind == KIND_FLOAT;
}
