/* SPDX-License-Identifier: Apache-2.0
 * Element types and conversion between them. Float8, 4- and 2-bit types will be further rows of the
 * same table. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_DTYPE_INVALID,
  SONDE_DTYPE_F64,
  SONDE_DTYPE_F32,
  SONDE_DTYPE_F16,  /* IEEE binary16 */
  SONDE_DTYPE_BF16, /* upper half of a binary32 */
  SONDE_DTYPE_I8,
  SONDE_DTYPE_I16,
  SONDE_DTYPE_I32,
  SONDE_DTYPE_I64,
  SONDE_DTYPE_U8,
  SONDE_DTYPE_U16,
  SONDE_DTYPE_U32,
  SONDE_DTYPE_U64,
  SONDE_DTYPE_BOOL,   /* one byte, 0 or 1 */
  SONDE_DTYPE_STRING, /* char *, UTF-8 or any bytes without NUL, owned by the buffer; NULL is "" */
  SONDE_N_DTYPES
} SondeDtype;

/* Bytes of one element in memory; 0 for INVALID, sizeof (char *) for STRING. */
gsize sonde_dtype_size (SondeDtype dtype);

/* NumPy's name ("float32", "bfloat16", "int8", "bool", "string"); never NULL. */
const char *sonde_dtype_name (SondeDtype dtype);

/* @name: NumPy's name, or short as "f32". Returns SONDE_DTYPE_INVALID when unknown. */
SondeDtype sonde_dtype_from_name (const char *name);

gboolean sonde_dtype_is_float (SondeDtype dtype);
gboolean sonde_dtype_is_integer (SondeDtype dtype); /* not bool */
gboolean sonde_dtype_is_signed (SondeDtype dtype);

/* Single values; narrowing rounds to nearest even, NaN stays NaN. */
float sonde_f16_to_f32 (guint16 bits);
guint16 sonde_f16_from_f32 (float value);
float sonde_bf16_to_f32 (guint16 bits);
guint16 sonde_bf16_from_f32 (float value);

/**
 * sonde_dtype_convert:
 * @from_data: @n contiguous elements of @from
 * @to_data: (out): room for @n contiguous elements of @to; may not overlap
 *
 * Element-wise conversion as NumPy's astype: float to integer truncates toward zero (out of range
 * and NaN: saturates, NaN gives 0), integers wrap, anything to bool is != 0, to a narrower float
 * rounds to nearest even. Both must not be STRING. No detour through float32 for 64-bit types.
 */
void sonde_dtype_convert (SondeDtype  from,
                          const void *from_data,
                          SondeDtype  to,
                          void       *to_data,
                          gsize       n);

G_END_DECLS
