/* SPDX-License-Identifier: Apache-2.0
 * float16 and bfloat16 to float32 and back, as sonde_dtype_convert() does it, in vectors. */
#include "engine/devices/cpu/elementwise/sonde-cpu-half.h"

#include "engine/devices/cpu/sonde-cpu-math.h"

/* The exponents differ by 112; infinities and NaN have the largest one in both, and a subnormal m,
 * which is m · 2⁻²⁴, is got exactly as (2⁻¹⁴ + m · 2⁻²⁴) − 2⁻¹⁴. */
SONDE_CPU_MATH float
f16_element_to_f32 (guint16 half)
{
  const guint32 magnitude = (guint32) (half & 0x7fff) << 13, exponent = magnitude & (0x7c00u << 13);
  const guint32 normal = magnitude + (112u << 23), special = normal + (112u << 23);
  const float above
      = sonde_cpu_float_from_bits (normal + (1u << 23)) - sonde_cpu_float_from_bits (113u << 23);
  const guint32 bits = exponent == 0               ? sonde_cpu_float_to_bits (above)
                       : exponent == 0x7c00u << 13 ? special
                                                   : normal;

  return sonde_cpu_float_from_bits (bits | (guint32) (half & 0x8000) << 16);
}

/* To nearest even: of a subnormal by adding ½, whose last bit is worth as much as the half's. */
SONDE_CPU_MATH guint16
narrow_half (float value)
{
  const guint32 bits = sonde_cpu_float_to_bits (value), magnitude = bits & 0x7fffffff;
  const guint32 normal = (magnitude - (112u << 23) + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  const guint32 below = sonde_cpu_float_to_bits (sonde_cpu_float_from_bits (magnitude) + 0.5f)
                        - sonde_cpu_float_to_bits (0.5f);
  const guint32 nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
  const guint32 result = magnitude > 0x7f800000      ? nan
                         : magnitude >= (143u << 23) ? 0x7c00
                         : magnitude < (113u << 23)  ? below
                                                     : normal;

  return (guint16) (result | ((bits >> 16) & 0x8000));
}

#define LOOP(name, From, To, function)                                                             \
  SONDE_CPU_CLONES static void name (gsize n, const void *from, void *to)                          \
  {                                                                                                \
    const From *x = from;                                                                          \
    To *y = to;                                                                                    \
    _Pragma ("GCC ivdep") for (gsize i = 0; i < n; i++) y[i] = function (x[i]);                    \
  }
LOOP (f16_to_f32, guint16, float, f16_element_to_f32)
LOOP (narrow_halves, float, guint16, narrow_half)
LOOP (bf16_to_f32, guint16, float, sonde_cpu_bf16_to_f32)
LOOP (f32_to_bf16, float, guint16, sonde_cpu_f32_to_bf16)

void
sonde_cpu_convert (SondeDtype from, const void *x, SondeDtype to, void *y, gsize n)
{
  if (from == SONDE_DTYPE_F16 && to == SONDE_DTYPE_F32)
    f16_to_f32 (n, x, y);
  else if (from == SONDE_DTYPE_F32 && to == SONDE_DTYPE_F16)
    narrow_halves (n, x, y);
  else if (from == SONDE_DTYPE_BF16 && to == SONDE_DTYPE_F32)
    bf16_to_f32 (n, x, y);
  else if (from == SONDE_DTYPE_F32 && to == SONDE_DTYPE_BF16)
    f32_to_bf16 (n, x, y);
  else
    sonde_dtype_convert (from, x, to, y, n);
}
