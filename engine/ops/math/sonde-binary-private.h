/* SPDX-License-Identifier: Apache-2.0
 * Rows of two broadcast operands: the loops that arithmetic and comparison share. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* One row: strides of a and b are in elements, c's is 1. */
typedef void (*SondeBinaryLoop) (gint64 n, const void *a, gint64 a_step, const void *b,
                                 gint64 b_step, void *c);

/* One loop a dtype of the operands; NULL where the operator does not take it. */
typedef const SondeBinaryLoop SondeBinaryLoops[SONDE_N_DTYPES];

/* c = a ∘ b, broadcast; c may share the memory of an operand of its own shape. */
void sonde_binary_run (SondeTensor *a, SondeTensor *b, SondeTensor *c, SondeBinaryLoops loops);

/* The same in parts: items are rows, or elements where there is one row only. */
gint64 sonde_binary_count (const SondeTensor *a, const SondeTensor *b, const SondeTensor *c,
                           gint64 *cost);
void sonde_binary_part (SondeTensor *a, SondeTensor *b, SondeTensor *c, SondeBinaryLoops loops,
                        gint64 begin, gint64 end);

static inline gint64
sonde_binary_kernel_count (const SondeKernelContext *context, gint64 *cost)
{
  return sonde_binary_count (context->inputs[0], context->inputs[1], context->outputs[0], cost);
}

/* compute_NAME and NAME_part of an operator with two operands. */
#define SONDE_BINARY_KERNEL(name, loops)                                                           \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    sonde_binary_run (context->inputs[0], context->inputs[1], context->outputs[0], loops);         \
  }                                                                                                \
  static void name##_part (const SondeKernelContext *context, gint64 begin, gint64 end)            \
  {                                                                                                \
    sonde_binary_part (context->inputs[0], context->inputs[1], context->outputs[0], loops, begin,  \
                       end);                                                                       \
  }

/* c may be a's or b's memory, element for element: ivdep. */
#define SONDE_BINARY_LOOP(name, T, R, expression)                                                  \
  static void name (gint64 n, const void *a, gint64 a_step, const void *b, gint64 b_step, void *c) \
  {                                                                                                \
    const T *a_ = a, *b_ = b;                                                                      \
    R *c_ = c;                                                                                     \
    if (a_step == 1 && b_step == 1)                                                                \
      _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                         \
      {                                                                                            \
        const T x = a_[i], y = b_[i];                                                              \
        c_[i] = (R) (expression);                                                                  \
      }                                                                                            \
    else if (a_step == 1 && b_step == 0)                                                           \
      {                                                                                            \
        const T y = b_[0];                                                                         \
        _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                       \
        {                                                                                          \
          const T x = a_[i];                                                                       \
          c_[i] = (R) (expression);                                                                \
        }                                                                                          \
      }                                                                                            \
    else                                                                                           \
      for (gint64 i = 0; i < n; i++)                                                               \
        {                                                                                          \
          const T x = a_[i * a_step], y = b_[i * b_step];                                          \
          c_[i] = (R) (expression);                                                                \
        }                                                                                          \
  }

/* The rows of a table for all numbers: NAME_f32 … NAME_u64. */
#define SONDE_BINARY_FLOATS(name) [SONDE_DTYPE_F32] = name##_f32, [SONDE_DTYPE_F64] = name##_f64
#define SONDE_BINARY_INTEGERS(name)                                                                \
  [SONDE_DTYPE_I8] = name##_i8, [SONDE_DTYPE_I16] = name##_i16, [SONDE_DTYPE_I32] = name##_i32,    \
  [SONDE_DTYPE_I64] = name##_i64, [SONDE_DTYPE_U8] = name##_u8, [SONDE_DTYPE_U16] = name##_u16,    \
  [SONDE_DTYPE_U32] = name##_u32, [SONDE_DTYPE_U64] = name##_u64

/* MACRO (suffix, signed type, unsigned type of its width) for all integers. */
#define SONDE_FOR_INTEGERS(MACRO)                                                                  \
  MACRO (i8, gint8, guint8)                                                                        \
  MACRO (i16, gint16, guint16)                                                                     \
  MACRO (i32, gint32, guint32)                                                                     \
  MACRO (i64, gint64, guint64)                                                                     \
  MACRO (u8, guint8, guint8)                                                                       \
  MACRO (u16, guint16, guint16)                                                                    \
  MACRO (u32, guint32, guint32)                                                                    \
  MACRO (u64, guint64, guint64)

G_END_DECLS
