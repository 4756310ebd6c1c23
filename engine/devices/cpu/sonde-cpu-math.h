/* SPDX-License-Identifier: Apache-2.0
 * Functions of one float without branches or calls, so that loops over them become vectors. They
 * use neither tables nor fused multiply-adds: the same bits on every instruction set. Bounds are of
 * all finite arguments; NaN stays NaN. Polynomials: weighted least squares on Chebyshev nodes,
 * reweighted towards the least largest error (Lawson 1961). */
#pragma once

#include <glib.h>
#include <math.h>
#include <string.h>

#define SONDE_CPU_MATH static inline __attribute__ ((always_inline))

SONDE_CPU_MATH float
sonde_cpu_float_from_bits (guint32 bits)
{
  float value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

SONDE_CPU_MATH guint32
sonde_cpu_float_to_bits (float value)
{
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  return bits;
}

/* bfloat16 and float32: to nearest even; NaN stays NaN. */
SONDE_CPU_MATH float
sonde_cpu_bf16_to_f32 (guint16 bf16)
{
  return sonde_cpu_float_from_bits ((guint32) bf16 << 16);
}

/* In the upper half of the word; the lower one has no meaning. */
SONDE_CPU_MATH guint32
sonde_cpu_round_to_bf16 (float value)
{
  const guint32 bits = sonde_cpu_float_to_bits (value),
                rounded = bits + 0x7fff + ((bits >> 16) & 1);

  return (bits & 0x7fffffff) > 0x7f800000 ? bits | 0x400000 : rounded;
}

SONDE_CPU_MATH guint16
sonde_cpu_f32_to_bf16 (float value)
{
  return (guint16) (sonde_cpu_round_to_bf16 (value) >> 16);
}

/* Two elements of bfloat16 as one word, wherever it lies: upcast and rounded so, nothing moves
 * between lanes. */
typedef guint32 __attribute__ ((aligned (2), may_alias)) SondeCpuPair;

SONDE_CPU_MATH float
sonde_cpu_pair_even (guint32 pair)
{
  return sonde_cpu_float_from_bits (pair << 16);
}

SONDE_CPU_MATH float
sonde_cpu_pair_odd (guint32 pair)
{
  return sonde_cpu_float_from_bits (pair & 0xffff0000u);
}

SONDE_CPU_MATH guint32
sonde_cpu_pair_join (float even, float odd)
{
  return sonde_cpu_round_to_bf16 (even) >> 16 | (sonde_cpu_round_to_bf16 (odd) & 0xffff0000u);
}

/**
 * SondeCpuPower: exp (x) = (1 + @fraction) · @low · @high, both powers of two
 */
typedef struct
{
  float fraction, low, high;
} SondeCpuPower;

/* x = n·ln 2 + r, n made by adding a number whose last bit is worth 1; |x| ≤ 104. */
SONDE_CPU_MATH SondeCpuPower
sonde_cpu_split_exp (float x)
{
  const float round = 12582912.0f; /* 1.5 · 2²³ */
  const float shifted = x * 1.44269502f + round;
  const float n = shifted - round;
  const float r = (x - n * 0.693145752f) - n * 1.42860677e-6f;
  const gint32 whole = (gint32) (sonde_cpu_float_to_bits (shifted) - 0x4b400000u);
  const gint32 half = whole >> 1;
  const float q
      = 0.5f + r * (0.166665188f + r * (0.0416662058f + r * (0.00836888937f + r * 0.0013950491f)));

  return (SondeCpuPower){
    r + r * r * q,
    sonde_cpu_float_from_bits ((guint32) (half + 127) << 23),
    sonde_cpu_float_from_bits ((guint32) (whole - half + 127) << 23),
  };
}

/* 2 units in the last place, overflow and underflow included. */
SONDE_CPU_MATH float
sonde_cpu_exp (float x)
{
  const float clamped = x > 89.0f ? 89.0f : x < -104.0f ? -104.0f : x;
  const SondeCpuPower power = sonde_cpu_split_exp (clamped);

  return (1 + power.fraction) * power.low * power.high;
}

/* exp (x) − 1 for x ≤ 88: 2 units in the last place. */
SONDE_CPU_MATH float
sonde_cpu_expm1 (float x)
{
  const float clamped = x > 88.0f ? 88.0f : x < -104.0f ? -104.0f : x;
  const SondeCpuPower power = sonde_cpu_split_exp (clamped);
  const float scale = power.low * power.high;

  return power.fraction * scale + (scale - 1);
}

/* 2 units in the last place; −∞ at 0, NaN below. */
SONDE_CPU_MATH float
sonde_cpu_log (float x)
{
  const gboolean tiny = x < 1.17549435e-38f;
  const guint32 bits = sonde_cpu_float_to_bits (tiny ? x * 8388608.0f : x);
  const guint32 above = bits - 0x3f3504f3u; /* √½: the mantissa lies in [√½, √2) */
  const float exponent = (float) ((gint32) above >> 23) - (tiny ? 23.0f : 0.0f);
  const float f = sonde_cpu_float_from_bits ((above & 0x007fffffu) + 0x3f3504f3u) - 1;
  const float p
      = 0.333333104f
        + f
              * (-0.249999866f
                 + f
                       * (0.200022266f
                          + f
                                * (-0.166692494f
                                   + f
                                         * (0.142186566f
                                            + f
                                                  * (-0.123843717f
                                                     + f
                                                           * (0.118730096f
                                                              + f
                                                                    * (-0.117896856f
                                                                       + f * 0.0691514908f)))))));
  const float square = f * f;
  const float result = (f - (0.5f * square - (f * square * p + exponent * 1.42860677e-6f)))
                       + exponent * 0.693145752f;
  const float limit = x == 0 ? -INFINITY : x > 0 ? x : NAN;

  return x > 0 && x < INFINITY ? result : limit;
}

/* log (1 + x) for 0 ≤ x ≤ 1: 2 units in the last place. The rounding of 1 + x is made good. */
SONDE_CPU_MATH float
sonde_cpu_log1p (float x)
{
  const float u = 1 + x;

  return sonde_cpu_log (u) + (x - (u - 1)) / u;
}

/* 3 units in the last place. */
SONDE_CPU_MATH float
sonde_cpu_sigmoid (float x)
{
  const float e = sonde_cpu_exp (-fabsf (x));

  return (x < 0 ? e : 1) / (1 + e);
}

/* 3 units in the last place. */
SONDE_CPU_MATH float
sonde_cpu_tanh (float x)
{
  const float a = fabsf (x);
  const float z = x * x;
  const float near
      = x
        + x * z
              * (-0.333332721f
                 + z
                       * (0.133311528f
                          + z * (-0.0537141073f + z * (0.0205517192f + z * -0.00560391379f))));
  const float far = 1 - 2 / (sonde_cpu_exp (2 * a) + 1);

  return copysignf (a < 0.625f ? near : far, x);
}

/* 3 units in the last place. From 1 on 1 − 1/p⁸, p a polynomial, whose error counts little as 1/p⁸
 * is small there. */
SONDE_CPU_MATH float
sonde_cpu_erf (float x)
{
  const float a = fabsf (x) > 4.0f ? 4.0f : fabsf (x);
  const float z = x * x;
  /* In pairs, which do not wait for each other. */
  const float z2 = z * z;
  const float near
      = x
        + x
              * ((0.128379166f + z * -0.376126258f)
                 + z2
                       * ((0.112835851f + z * -0.0268538119f)
                          + z2 * ((0.00518832767f + z * -0.000801019351f) + z2 * 7.85386097e-05f)));
  const float p = 0.99637677f
                  + a
                        * (0.15972456f
                           + a
                                 * (0.0484080504f
                                    + a
                                          * (0.0748163054f
                                             + a
                                                   * (-0.0337113271f
                                                      + a
                                                            * (0.0180027266f
                                                               + a
                                                                     * (-0.00405295645f
                                                                        + a * 0.000547964328f))))));
  const float p2 = p * p, p4 = p2 * p2, far = 1 - 1 / (p4 * p4);

  return copysignf (a < 1 ? near : far, x);
}
