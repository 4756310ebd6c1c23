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
  KIND_NARROW_FLOAT,
  KIND_NARROW_SIGNED,
  KIND_NARROW_UNSIGNED,
} DtypeKind;

static const struct
{
  guint8 size, bits;
  DtypeKind kind;
  const char *name;
  const char *short_name;
} dtypes[SONDE_N_DTYPES] = {
  [SONDE_DTYPE_INVALID] = { 0, 0, KIND_NONE, "invalid", "" },
  [SONDE_DTYPE_F64] = { 8, 64, KIND_FLOAT, "float64", "f64" },
  [SONDE_DTYPE_F32] = { 4, 32, KIND_FLOAT, "float32", "f32" },
  [SONDE_DTYPE_F16] = { 2, 16, KIND_FLOAT, "float16", "f16" },
  [SONDE_DTYPE_BF16] = { 2, 16, KIND_FLOAT, "bfloat16", "bf16" },
  [SONDE_DTYPE_I8] = { 1, 8, KIND_SIGNED, "int8", "i8" },
  [SONDE_DTYPE_I16] = { 2, 16, KIND_SIGNED, "int16", "i16" },
  [SONDE_DTYPE_I32] = { 4, 32, KIND_SIGNED, "int32", "i32" },
  [SONDE_DTYPE_I64] = { 8, 64, KIND_SIGNED, "int64", "i64" },
  [SONDE_DTYPE_U8] = { 1, 8, KIND_UNSIGNED, "uint8", "u8" },
  [SONDE_DTYPE_U16] = { 2, 16, KIND_UNSIGNED, "uint16", "u16" },
  [SONDE_DTYPE_U32] = { 4, 32, KIND_UNSIGNED, "uint32", "u32" },
  [SONDE_DTYPE_U64] = { 8, 64, KIND_UNSIGNED, "uint64", "u64" },
  [SONDE_DTYPE_BOOL] = { 1, 8, KIND_NONE, "bool", "bool" },
  [SONDE_DTYPE_STRING] = { sizeof (char *), 0, KIND_NONE, "string", "str" },
  [SONDE_DTYPE_F8E4M3FN] = { 1, 8, KIND_NARROW_FLOAT, "float8_e4m3fn", "f8e4m3fn" },
  [SONDE_DTYPE_F8E4M3FNUZ] = { 1, 8, KIND_NARROW_FLOAT, "float8_e4m3fnuz", "f8e4m3fnuz" },
  [SONDE_DTYPE_F8E5M2] = { 1, 8, KIND_NARROW_FLOAT, "float8_e5m2", "f8e5m2" },
  [SONDE_DTYPE_F8E5M2FNUZ] = { 1, 8, KIND_NARROW_FLOAT, "float8_e5m2fnuz", "f8e5m2fnuz" },
  [SONDE_DTYPE_F8E8M0] = { 1, 8, KIND_NARROW_FLOAT, "float8_e8m0fnu", "f8e8m0" },
  [SONDE_DTYPE_F4E2M1] = { 1, 4, KIND_NARROW_FLOAT, "float4_e2m1fn", "f4e2m1" },
  [SONDE_DTYPE_I4] = { 1, 4, KIND_NARROW_SIGNED, "int4", "i4" },
  [SONDE_DTYPE_U4] = { 1, 4, KIND_NARROW_UNSIGNED, "uint4", "u4" },
  [SONDE_DTYPE_I2] = { 1, 2, KIND_NARROW_SIGNED, "int2", "i2" },
  [SONDE_DTYPE_U2] = { 1, 2, KIND_NARROW_UNSIGNED, "uint2", "u2" },
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

guint
sonde_dtype_bits (SondeDtype dtype)
{
  return dtypes[known (dtype)].bits;
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

gboolean
sonde_dtype_is_narrow (SondeDtype dtype)
{
  return dtypes[known (dtype)].kind >= KIND_NARROW_FLOAT;
}

gboolean
sonde_dtype_has_fractions (SondeDtype dtype)
{
  DtypeKind kind = dtypes[known (dtype)].kind;

  return kind == KIND_FLOAT || kind == KIND_NARROW_FLOAT;
}

gboolean
sonde_dtype_get_range (SondeDtype dtype, gint64 *min, gint64 *max)
{
  DtypeKind kind = dtypes[known (dtype)].kind;
  gboolean is_signed = kind == KIND_SIGNED || kind == KIND_NARROW_SIGNED;
  guint bits = dtype == SONDE_DTYPE_BOOL ? 1 : sonde_dtype_bits (dtype);

  *min = *max = 0;
  if (!is_signed && kind != KIND_UNSIGNED && kind != KIND_NARROW_UNSIGNED
      && dtype != SONDE_DTYPE_BOOL)
    return FALSE;
  *max = is_signed || bits == 64 ? G_MAXINT64 >> (64 - bits) : (G_GINT64_CONSTANT (1) << bits) - 1;
  *min = is_signed ? -*max - 1 : 0;
  return TRUE;
}
