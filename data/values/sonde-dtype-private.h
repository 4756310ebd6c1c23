/* SPDX-License-Identifier: Apache-2.0
 * The bit arithmetic of the short floats, inline so that loops over them vectorise. Branches here
 * are selects: no table, no dependence on the processor's denormal flags. */
#pragma once

#include <glib.h>

static inline float
float_of_bits (guint32 bits)
{
  union { guint32 u; float f; } both = { .u = bits };

  return both.f;
}

static inline guint32
bits_of_float (float value)
{
  union { float f; guint32 u; } both = { .f = value };

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
  guint32 subnormal = bits_of_float (float_of_bits (normal + (1u << 23)) - float_of_bits (113u << 23));
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
