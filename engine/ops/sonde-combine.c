/* SPDX-License-Identifier: Apache-2.0
 * One loop for each way and type. Half precision is computed in float and rounded at every step, as the
 * elements are stored. */
#include "engine/ops/sonde-combine.h"

#include <string.h>

#define LOOP(name, T, expression)                                 \
  static void name (gint64 n, const void *from, void *to)         \
  {                                                               \
    const T *x_ = from;                                           \
    T *y_ = to;                                                   \
    for (gint64 i = 0; i < n; i++)                                \
      {                                                           \
        const T x = x_[i], y = y_[i];                             \
        y_[i] = (T) (expression);                                 \
      }                                                           \
  }

#define REPLACE(bits)                                                          \
  static void replace_##bits (gint64 n, const void *from, void *to)            \
  {                                                                            \
    memcpy (to, from, (gsize) n * sizeof (guint##bits));                       \
  }
REPLACE (8)
REPLACE (16)
REPLACE (32)
REPLACE (64)

#define FLOATS(suffix, T)                                         \
  LOOP (add_##suffix, T, y + x)                                   \
  LOOP (multiply_##suffix, T, y * x)                              \
  LOOP (maximum_##suffix, T, y > x || y != y ? y : x)             \
  LOOP (minimum_##suffix, T, y < x || y != y ? y : x)
FLOATS (f32, float)
FLOATS (f64, double)

#define INTEGERS(suffix, T)                                       \
  LOOP (add_##suffix, T, (guint64) y + (guint64) x)               \
  LOOP (multiply_##suffix, T, (guint64) y * (guint64) x)          \
  LOOP (maximum_##suffix, T, y > x ? y : x)                       \
  LOOP (minimum_##suffix, T, y < x ? y : x)
INTEGERS (i8, gint8)
INTEGERS (i16, gint16)
INTEGERS (i32, gint32)
INTEGERS (i64, gint64)
INTEGERS (u8, guint8)
INTEGERS (u16, guint16)
INTEGERS (u32, guint32)
INTEGERS (u64, guint64)

LOOP (either, guint8, x || y)
LOOP (both, guint8, x && y)

#define HALF_LOOP(name, loop, format)                             \
  static void name##_##format (gint64 n, const void *from, void *to) \
  {                                                               \
    const guint16 *x = from;                                      \
    guint16 *y = to;                                              \
    for (gint64 i = 0; i < n; i++)                                \
      {                                                           \
        float a = sonde_##format##_to_f32 (x[i]);                 \
        float b = sonde_##format##_to_f32 (y[i]);                 \
        loop (1, &a, &b);                                         \
        y[i] = sonde_##format##_from_f32 (b);                     \
      }                                                           \
  }
#define HALVES(name)                                              \
  HALF_LOOP (name, name##_f32, f16)                               \
  HALF_LOOP (name, name##_f32, bf16)
HALVES (add)
HALVES (multiply)
HALVES (maximum)
HALVES (minimum)

#define NUMBERS(name)                                                                                     \
  [SONDE_DTYPE_F64] = name##_f64, [SONDE_DTYPE_F32] = name##_f32, [SONDE_DTYPE_F16] = name##_f16,         \
  [SONDE_DTYPE_BF16] = name##_bf16, [SONDE_DTYPE_I8] = name##_i8, [SONDE_DTYPE_I16] = name##_i16,         \
  [SONDE_DTYPE_I32] = name##_i32, [SONDE_DTYPE_I64] = name##_i64, [SONDE_DTYPE_U8] = name##_u8,           \
  [SONDE_DTYPE_U16] = name##_u16, [SONDE_DTYPE_U32] = name##_u32, [SONDE_DTYPE_U64] = name##_u64

static const SondeCombineLoop loops[SONDE_N_COMBINES][SONDE_N_DTYPES] = {
  [SONDE_COMBINE_ADD] = { NUMBERS (add), [SONDE_DTYPE_BOOL] = either },
  [SONDE_COMBINE_MULTIPLY] = { NUMBERS (multiply), [SONDE_DTYPE_BOOL] = both },
  [SONDE_COMBINE_MAXIMUM] = { NUMBERS (maximum), [SONDE_DTYPE_BOOL] = either },
  [SONDE_COMBINE_MINIMUM] = { NUMBERS (minimum), [SONDE_DTYPE_BOOL] = both },
};

const char *const sonde_combine_names[] = { "none", "add", "mul", "max", "min", NULL };

SondeCombineLoop
sonde_combine_find (SondeCombine how,
                    SondeDtype   dtype)
{
  static const SondeCombineLoop by_size[] = { [1] = replace_8, [2] = replace_16, [4] = replace_32, [8] = replace_64 };

  return how == SONDE_COMBINE_NONE ? by_size[sonde_dtype_size (dtype)] : loops[how][dtype];
}

gboolean
sonde_combine_from_name (const char   *name,
                         SondeCombine *how)
{
  for (int i = 0; i < SONDE_N_COMBINES; i++)
    if (strcmp (sonde_combine_names[i], name) == 0)
      {
        *how = (SondeCombine) i;
        return TRUE;
      }
  return FALSE;
}
