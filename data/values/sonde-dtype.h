/* SPDX-License-Identifier: Apache-2.0
 * Element types and conversion between them.
 *
 * The narrow types (float8, float4, 4- and 2-bit integers) are stored, moved and converted, never
 * calculated with. In memory every element of them has a byte of its own: float4 in the low four
 * bits, the integers as the number itself (int4 and int2 sign-extended); only files pack them. */
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
  SONDE_DTYPE_F8E4M3FN,   /* no infinities, largest 448 */
  SONDE_DTYPE_F8E4M3FNUZ, /* neither infinities nor -0, largest 240 */
  SONDE_DTYPE_F8E5M2,     /* largest 57344 */
  SONDE_DTYPE_F8E5M2FNUZ, /* neither infinities nor -0, largest 57344 */
  SONDE_DTYPE_F8E8M0,     /* powers of two from 2^-127 to 2^127 and NaN */
  SONDE_DTYPE_F4E2M1,     /* 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives */
  SONDE_DTYPE_I4,
  SONDE_DTYPE_U4,
  SONDE_DTYPE_I2,
  SONDE_DTYPE_U2,
  SONDE_N_DTYPES
} SondeDtype;

/* Bytes of one element in memory; 0 for INVALID, sizeof (char *) for STRING. */
gsize sonde_dtype_size (SondeDtype dtype);

/* Bits of one element in a packed file: 2, 4, or 8 × the size; 0 for INVALID and STRING. */
guint sonde_dtype_bits (SondeDtype dtype);

/* NumPy's name ("float32", "float8_e4m3fn", "bfloat16", "int8", "bool", "string"); never NULL. */
const char *sonde_dtype_name (SondeDtype dtype);

/* @name: NumPy's name, or short as "f32". Returns SONDE_DTYPE_INVALID when unknown. */
SondeDtype sonde_dtype_from_name (const char *name);

/* What kernels calculate with: FALSE for the narrow types. */
gboolean sonde_dtype_is_float (SondeDtype dtype);
gboolean sonde_dtype_is_integer (SondeDtype dtype); /* not bool */
gboolean sonde_dtype_is_signed (SondeDtype dtype);

/* float8, float4, 4- and 2-bit integers. */
gboolean sonde_dtype_is_narrow (SondeDtype dtype);
/* May hold fractions and NaN: all floats, the narrow ones too. */
gboolean sonde_dtype_has_fractions (SondeDtype dtype);
/* Smallest and largest number of an integer type, also a narrow one or bool; FALSE for others. @max
 * of U64 is cut. */
gboolean sonde_dtype_get_range (SondeDtype dtype, gint64 *min, gint64 *max);

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
 * rounds to nearest even. To a narrow float it saturates, as sonde_dtype_convert_narrow() does by
 * default. Both must not be STRING. No detour through float32 for 64-bit types.
 */
void sonde_dtype_convert (SondeDtype from, const void *from_data, SondeDtype to, void *to_data,
                          gsize n);

/* For F8E8M0 alone: to the power of two that is not smaller, not greater, or nearest (ties up). */
typedef enum
{
  SONDE_ROUND_NEAREST,
  SONDE_ROUND_UP,
  SONDE_ROUND_DOWN,
} SondeRounding;

/**
 * sonde_dtype_convert_narrow:
 * @to: a narrow float
 * @saturate: numbers beyond the largest become the largest, infinities too; else infinity where the
 *   type has it (F8E5M2), NaN where not. F4E2M1 always saturates
 *
 * NaN stays NaN; in F4E2M1, which has none, it becomes -0 as in NumPy's ml_dtypes. F8E8M0 has no
 * sign and takes the magnitude; numbers below 2^-127 become that, without @saturate NaN.
 */
void sonde_dtype_convert_narrow (SondeDtype from, const void *from_data, SondeDtype to,
                                 void *to_data, gsize n, gboolean saturate, SondeRounding rounding);

G_END_DECLS
