/* SPDX-License-Identifier: Apache-2.0
 * The bit arithmetic of the short floats, inline so that loops over them vectorise. Branches here
 * are selects: no table, no dependence on the processor's denormal flags. */
#pragma once

#include "data/values/sonde-dtype.h"

static inline float
float_of_bits (guint32 bits)
{
  union
  {
    guint32 u;
    float f;
  } both = { .u = bits };

  return both.f;
}

static inline guint32
bits_of_float (float value)
{
  union
  {
    float f;
    guint32 u;
  } both = { .f = value };

  return both.u;
}

static inline float
f32_of_f16 (guint16 bits)
{
  guint32 sign = (guint32) (bits & 0x8000) << 16;
  guint32 magnitude = (guint32) (bits & 0x7fff) << 13;
  guint32 exponent = magnitude & (0x7c00u << 13);
  guint32 normal = magnitude + (112u << 23);
  guint32 special = normal + (112u << 23);
  /* a subnormal m is m * 2^-24, got exactly as (2^-14 + m * 2^-24) - 2^-14 */
  guint32 subnormal
      = bits_of_float (float_of_bits (normal + (1u << 23)) - float_of_bits (113u << 23));
  guint32 result = exponent == (0x7c00u << 13) ? special : normal;

  result = exponent == 0 ? subnormal : result;
  return float_of_bits (result | sign);
}

static inline guint16
f16_of_f32 (float value)
{
  guint32 bits = bits_of_float (value);
  guint32 sign = (bits >> 16) & 0x8000;
  guint32 magnitude = bits & 0x7fffffff;
  guint32 rounded = magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1);
  /* adding 0.5 (ulp 2^-24) lets the processor round a subnormal to nearest even */
  guint32 subnormal = bits_of_float (float_of_bits (magnitude) + 0.5f) - bits_of_float (0.5f);
  guint32 nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  guint32 result = rounded >> 13;

  result = magnitude < (113u << 23) ? subnormal : result;
  result = magnitude >= (143u << 23) ? 0x7c00 : result;
  result = magnitude > 0x7f800000 ? nan : result;
  return (guint16) (result | sign);
}

static inline float
f32_of_bf16 (guint16 bits)
{
  return float_of_bits ((guint32) bits << 16);
}

static inline guint16
bf16_of_f32 (float value)
{
  guint32 bits = bits_of_float (value);
  guint32 rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  guint32 nan = (bits >> 16) | 0x40;

  return (guint16) ((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

/* The float next to @value with the last bit set when inexact (round to odd): rounding it once more
 * to a still shorter float gives what rounding @value itself gives. */
static inline float
f32_odd_of_f64 (double value)
{
  float nearest = (float) value;
  guint32 bits = bits_of_float (nearest);
  double back = nearest;
  gboolean exact = back == value || value != value;
  gboolean away = (back < 0 ? -back : back) > (value < 0 ? -value : value);

  return exact ? nearest : float_of_bits ((away ? bits - 1 : bits) | 1);
}

/**
 * SondeNarrowFloat: what tells one narrow float with a mantissa from another
 * @sign: its bit
 * @largest: code of the largest number
 * @overflow: @nan: codes for what is too large, when it does not saturate, and for NaN
 * @signed_nan: the sign bit goes into both
 * @unsigned_zero: -0 becomes 0, and the code of -0 is NaN
 */
typedef struct
{
  int mantissa, bias;
  guint8 sign, largest, overflow, nan;
  gboolean signed_nan, unsigned_zero;
} SondeNarrowFloat;

static const SondeNarrowFloat narrow_e4m3fn = { 3, 7, 0x80, 0x7e, 0x7f, 0x7f, TRUE, FALSE };
static const SondeNarrowFloat narrow_e4m3fnuz = { 3, 8, 0x80, 0x7f, 0x80, 0x80, FALSE, TRUE };
static const SondeNarrowFloat narrow_e5m2 = { 2, 15, 0x80, 0x7b, 0x7c, 0x7e, TRUE, FALSE };
static const SondeNarrowFloat narrow_e5m2fnuz = { 2, 16, 0x80, 0x7f, 0x80, 0x80, FALSE, TRUE };
static const SondeNarrowFloat narrow_e2m1 = { 1, 1, 0x08, 0x07, 0x07, 0x08, FALSE, FALSE };

static inline float
f32_of_narrow (guint8 code, const SondeNarrowFloat *type)
{
  guint32 magnitude = code & (type->sign - 1u);
  guint32 sign = (guint32) ((code & type->sign) != 0) << 31;
  guint32 normal = (magnitude << (23 - type->mantissa)) + ((guint32) (127 - type->bias) << 23);
  float unit = float_of_bits ((guint32) (128 - type->bias - type->mantissa) << 23);
  guint32 result = magnitude >> type->mantissa ? normal : bits_of_float ((float) magnitude * unit);

  result = magnitude > type->largest ? 0x7fc00000 : result;
  result = magnitude > type->largest && magnitude == type->overflow && type->overflow != type->nan
               ? 0x7f800000
               : result;
  result = type->unsigned_zero && code == type->nan ? 0x7fc00000 : result;
  return float_of_bits (result | sign);
}

static inline guint8
narrow_of_f32 (float value, const SondeNarrowFloat *type, gboolean saturate)
{
  guint32 bits = bits_of_float (value);
  guint32 magnitude = bits & 0x7fffffff;
  guint8 sign = bits >> 31 ? type->sign : 0;
  int shift = 23 - type->mantissa;
  guint32 smallest_normal = (guint32) (128 - type->bias) << 23;
  /* the processor rounds to nearest even where the unit of the sum is that of the subnormals */
  float unit = float_of_bits ((guint32) (128 - type->bias - type->mantissa + 23) << 23);
  guint32 subnormal = bits_of_float (float_of_bits (MIN (magnitude, smallest_normal)) + unit)
                      - bits_of_float (unit);
  guint32 normal = ((magnitude - ((guint32) (127 - type->bias) << 23)) + ((1u << (shift - 1)) - 1)
                    + ((magnitude >> shift) & 1))
                   >> shift;
  guint32 code = magnitude < smallest_normal ? subnormal : normal;
  guint8 special_sign = type->signed_nan ? sign : 0;

  if (magnitude > 0x7f800000)
    return (guint8) (type->nan | special_sign);
  if (magnitude == 0x7f800000 || code > type->largest)
    return (guint8) (saturate || type->overflow == type->largest ? type->largest | sign
                                                                 : type->overflow | special_sign);
  return (guint8) (code | (type->unsigned_zero && code == 0 ? 0 : sign));
}

/* 2^(code - 127) */
static inline float
f32_of_e8m0 (guint8 code)
{
  guint32 bits = code > 0 ? (guint32) code << 23 : 1u << 22;

  return float_of_bits (code == 0xff ? 0x7fc00000 : bits);
}

/* The magnitude as a power of two; see sonde_dtype_convert_narrow(). */
static inline guint8
e8m0_of_f32 (float value, gboolean saturate, SondeRounding rounding)
{
  guint32 magnitude = bits_of_float (value) & 0x7fffffff;
  gboolean subnormal = magnitude < 1u << 23;
  guint32 code = magnitude >> 23;
  guint32 fraction = (subnormal ? magnitude << 1 : magnitude) & 0x7fffff;

  if (magnitude > 0x7f800000)
    return 0xff;
  if (magnitude < 1u << 22)
    return saturate ? 0 : 0xff;
  code += rounding == SONDE_ROUND_UP ? fraction > 0
                                     : rounding == SONDE_ROUND_NEAREST && fraction >= 1u << 22;
  if (code > 254)
    return saturate ? 254 : 0xff;
  return (guint8) code;
}
