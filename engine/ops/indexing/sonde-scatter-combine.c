/* SPDX-License-Identifier: Apache-2.0
 * One loop for each way and type. Half precision is computed in float and rounded at every step, as
 * the elements are stored. */
#include "engine/ops/indexing/sonde-scatter-combine.h"

#include <string.h>

#define LOOP(name, T, expression)                                                                  \
  static void name (gint64 n, const void *from, void *to)                                          \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    T *y_ = to;                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const T x = x_[i], y = y_[i];                                                              \
        y_[i] = (T) (expression);                                                                  \
      }                                                                                            \
  }                                                                                                \
  static void name##_at (gint64 n, const void *from, const gint64 *places, void *to)               \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    T *y_ = to;                                                                                    \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        const T x = x_[i], y = y_[places[i]];                                                      \
        y_[places[i]] = (T) (expression);                                                          \
      }                                                                                            \
  }

#define REPLACE(bits)                                                                              \
  static void replace_##bits (gint64 n, const void *from, void *to)                                \
  {                                                                                                \
    memcpy (to, from, (gsize) n * sizeof (guint##bits));                                           \
  }                                                                                                \
  static void replace_##bits##_at (gint64 n, const void *from, const gint64 *places, void *to)     \
  {                                                                                                \
    const guint##bits *x = from;                                                                   \
    guint##bits *y = to;                                                                           \
    for (gint64 i = 0; i < n; i++)                                                                 \
      y[places[i]] = x[i];                                                                         \
  }
REPLACE (8)
REPLACE (16)
REPLACE (32)
REPLACE (64)

#define FLOATS(suffix, T)                                                                          \
  LOOP (add_##suffix, T, y + x)                                                                    \
  LOOP (multiply_##suffix, T, y *x)                                                                \
  LOOP (maximum_##suffix, T, y > x || y != y ? y : x)                                              \
  LOOP (minimum_##suffix, T, y < x || y != y ? y : x)
FLOATS (f32, float)
FLOATS (f64, double)

#define INTEGERS(suffix, T)                                                                        \
  LOOP (add_##suffix, T, (guint64) y + (guint64) x)                                                \
  LOOP (multiply_##suffix, T, (guint64) y *(guint64) x)                                            \
  LOOP (maximum_##suffix, T, y > x ? y : x)                                                        \
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
LOOP (both, guint8, x &&y)

#define HALF_LOOP(name, loop, format)                                                              \
  static void name##_##format (gint64 n, const void *from, void *to)                               \
  {                                                                                                \
    const guint16 *x = from;                                                                       \
    guint16 *y = to;                                                                               \
    for (gint64 i = 0; i < n; i++)                                                                 \
      {                                                                                            \
        float a = sonde_##format##_to_f32 (x[i]);                                                  \
        float b = sonde_##format##_to_f32 (y[i]);                                                  \
        loop (1, &a, &b);                                                                          \
        y[i] = sonde_##format##_from_f32 (b);                                                      \
      }                                                                                            \
  }                                                                                                \
  static void name##_##format##_at (gint64 n, const void *from, const gint64 *places, void *to)    \
  {                                                                                                \
    for (gint64 i = 0; i < n; i++)                                                                 \
      name##_##format (1, (const guint16 *) from + i, (guint16 *) to + places[i]);                 \
  }
#define HALVES(name)                                                                               \
  HALF_LOOP (name, name##_f32, f16)                                                                \
  HALF_LOOP (name, name##_f32, bf16)
HALVES (add)
HALVES (multiply)
HALVES (maximum)
HALVES (minimum)

#define PAIR(name)                                                                                 \
  {                                                                                                \
    name, name##_at                                                                                \
  }
#define NUMBERS(name)                                                                              \
  [SONDE_DTYPE_F64] = PAIR (name##_f64), [SONDE_DTYPE_F32] = PAIR (name##_f32),                    \
  [SONDE_DTYPE_F16] = PAIR (name##_f16), [SONDE_DTYPE_BF16] = PAIR (name##_bf16),                  \
  [SONDE_DTYPE_I8] = PAIR (name##_i8), [SONDE_DTYPE_I16] = PAIR (name##_i16),                      \
  [SONDE_DTYPE_I32] = PAIR (name##_i32), [SONDE_DTYPE_I64] = PAIR (name##_i64),                    \
  [SONDE_DTYPE_U8] = PAIR (name##_u8), [SONDE_DTYPE_U16] = PAIR (name##_u16),                      \
  [SONDE_DTYPE_U32] = PAIR (name##_u32), [SONDE_DTYPE_U64] = PAIR (name##_u64)

typedef struct
{
  SondeCombineLoop run;
  SondeCombineAtLoop at;
} Loops;

static const Loops loops[SONDE_N_COMBINES][SONDE_N_DTYPES] = {
  [SONDE_COMBINE_ADD] = { NUMBERS (add), [SONDE_DTYPE_BOOL] = PAIR (either) },
  [SONDE_COMBINE_MULTIPLY] = { NUMBERS (multiply), [SONDE_DTYPE_BOOL] = PAIR (both) },
  [SONDE_COMBINE_MAXIMUM] = { NUMBERS (maximum), [SONDE_DTYPE_BOOL] = PAIR (either) },
  [SONDE_COMBINE_MINIMUM] = { NUMBERS (minimum), [SONDE_DTYPE_BOOL] = PAIR (both) },
};

static const Loops replacements[] = {
  [1] = PAIR (replace_8),
  [2] = PAIR (replace_16),
  [4] = PAIR (replace_32),
  [8] = PAIR (replace_64),
};

static const Loops *
find (SondeCombine how, SondeDtype dtype)
{
  return how == SONDE_COMBINE_NONE ? &replacements[sonde_dtype_size (dtype)] : &loops[how][dtype];
}

SondeCombineLoop
sonde_combine_find (SondeCombine how, SondeDtype dtype)
{
  return find (how, dtype)->run;
}

SondeCombineAtLoop
sonde_combine_find_at (SondeCombine how, SondeDtype dtype)
{
  return find (how, dtype)->at;
}

const char *const sonde_combine_names[] = { "none", "add", "mul", "max", "min", NULL };

gboolean
sonde_combine_from_name (const char *name, SondeCombine *how)
{
  for (int i = 0; i < SONDE_N_COMBINES; i++)
    if (strcmp (sonde_combine_names[i], name) == 0)
      {
        *how = (SondeCombine) i;
        return TRUE;
      }
  return FALSE;
}
