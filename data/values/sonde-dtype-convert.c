/* SPDX-License-Identifier: Apache-2.0
 * Conversion of arrays. A block goes through the widest type of the source's kind (double, gint64
 * or guint64), so that a reader and three writers a type make all pairs and nothing is lost on the
 * way. */
#include "data/values/sonde-dtype.h"

#include "data/values/sonde-dtype-private.h"

#include <math.h>
#include <string.h>

#define BLOCK 512

typedef union
{
  double f[BLOCK];
  gint64 i[BLOCK];
  guint64 u[BLOCK];
} Wide;

typedef void (*Read) (const void *from, Wide *wide, gsize n);
typedef void (*Write) (const Wide *wide, void *to, gsize n);
typedef void (*Direct) (const void *from, void *to, gsize n);

float
sonde_f16_to_f32 (guint16 bits)
{
  return f32_of_f16 (bits);
}

guint16
sonde_f16_from_f32 (float value)
{
  return f16_of_f32 (value);
}

float
sonde_bf16_to_f32 (guint16 bits)
{
  return f32_of_bf16 (bits);
}

guint16
sonde_bf16_from_f32 (float value)
{
  return bf16_of_f32 (value);
}

/* Saturates, NaN gives 0. The limits are powers of two, exact in double. */
static inline gint64
signed_of_double (double value, gint64 min, gint64 max)
{
  double limit = -(double) min;

  if (value >= limit)
    return max;
  if (value < -limit)
    return min;
  return value == value ? (gint64) value : 0;
}

static inline guint64
unsigned_of_double (double value, guint64 max)
{
  double limit = 2.0 * (double) (max / 2 + 1);

  if (value >= limit)
    return max;
  return value > 0 ? (guint64) value : 0;
}

/* A double that rounds to any float as the integer itself does: all that lies beyond 53 bits is
 * kept as one sticky bit. */
static inline double
double_sticky_of_unsigned (guint64 value)
{
  guint64 high = value & ~G_GUINT64_CONSTANT (0x7ff);

  if (value >> 53 == 0)
    return (double) value;
  return (double) (high | ((value != high) ? G_GUINT64_CONSTANT (0x800) : 0));
}

static inline double
double_sticky_of_signed (gint64 value)
{
  return value < 0 ? -double_sticky_of_unsigned (0 - (guint64) value)
                   : double_sticky_of_unsigned ((guint64) value);
}

#define DEFINE_READ(name, type, member, expression)                                                \
  static void read_##name (const void *from, Wide *wide, gsize n)                                  \
  {                                                                                                \
    const type *in = from;                                                                         \
    for (gsize k = 0; k < n; k++)                                                                  \
      wide->member[k] = (expression);                                                              \
  }

DEFINE_READ (f64, double, f, in[k])
DEFINE_READ (f32, float, f, in[k])
DEFINE_READ (f16, guint16, f, f32_of_f16 (in[k]))
DEFINE_READ (bf16, guint16, f, f32_of_bf16 (in[k]))
DEFINE_READ (i8, gint8, i, in[k])
DEFINE_READ (i16, gint16, i, in[k])
DEFINE_READ (i32, gint32, i, in[k])
DEFINE_READ (i64, gint64, i, in[k])
DEFINE_READ (u8, guint8, u, in[k])
DEFINE_READ (u16, guint16, u, in[k])
DEFINE_READ (u32, guint32, u, in[k])
DEFINE_READ (u64, guint64, u, in[k])
DEFINE_READ (bool, guint8, u, in[k] != 0)
DEFINE_READ (e4m3fn, guint8, f, f32_of_narrow (in[k], &narrow_e4m3fn))
DEFINE_READ (e4m3fnuz, guint8, f, f32_of_narrow (in[k], &narrow_e4m3fnuz))
DEFINE_READ (e5m2, guint8, f, f32_of_narrow (in[k], &narrow_e5m2))
DEFINE_READ (e5m2fnuz, guint8, f, f32_of_narrow (in[k], &narrow_e5m2fnuz))
DEFINE_READ (e2m1, guint8, f, f32_of_narrow (in[k], &narrow_e2m1))
DEFINE_READ (e8m0, guint8, f, f32_of_e8m0 (in[k]))
/* Bytes from foreign memory may hold more bits than the type has. */
DEFINE_READ (i4, guint8, i, (in[k] & 15) - ((in[k] & 8) << 1))
DEFINE_READ (u4, guint8, u, in[k] & 15)
DEFINE_READ (i2, guint8, i, (in[k] & 3) - ((in[k] & 2) << 1))
DEFINE_READ (u2, guint8, u, in[k] & 3)

#define DEFINE_WRITE(name, type, from_double, from_signed, from_unsigned)                          \
  static void write_##name##_f (const Wide *wide, void *to, gsize n)                               \
  {                                                                                                \
    type *out = to;                                                                                \
    for (gsize k = 0; k < n; k++)                                                                  \
      {                                                                                            \
        double x = wide->f[k];                                                                     \
        out[k] = (type) (from_double);                                                             \
      }                                                                                            \
  }                                                                                                \
  static void write_##name##_i (const Wide *wide, void *to, gsize n)                               \
  {                                                                                                \
    type *out = to;                                                                                \
    for (gsize k = 0; k < n; k++)                                                                  \
      {                                                                                            \
        gint64 x = wide->i[k];                                                                     \
        out[k] = (type) (from_signed);                                                             \
      }                                                                                            \
  }                                                                                                \
  static void write_##name##_u (const Wide *wide, void *to, gsize n)                               \
  {                                                                                                \
    type *out = to;                                                                                \
    for (gsize k = 0; k < n; k++)                                                                  \
      {                                                                                            \
        guint64 x = wide->u[k];                                                                    \
        out[k] = (type) (from_unsigned);                                                           \
      }                                                                                            \
  }

#define DEFINE_WRITE_SIGNED(name, type, min, max)                                                  \
  DEFINE_WRITE (name, type, signed_of_double (x, min, max), x, x)
#define DEFINE_WRITE_UNSIGNED(name, type, max)                                                     \
  DEFINE_WRITE (name, type, unsigned_of_double (x, max), x, x)

DEFINE_WRITE (f64, double, x, x, x)
DEFINE_WRITE (f32, float, x, x, x)
DEFINE_WRITE (f16, guint16, f16_of_f32 (f32_odd_of_f64 (x)),
              f16_of_f32 (f32_odd_of_f64 (double_sticky_of_signed (x))),
              f16_of_f32 (f32_odd_of_f64 (double_sticky_of_unsigned (x))))
DEFINE_WRITE (bf16, guint16, bf16_of_f32 (f32_odd_of_f64 (x)),
              bf16_of_f32 (f32_odd_of_f64 (double_sticky_of_signed (x))),
              bf16_of_f32 (f32_odd_of_f64 (double_sticky_of_unsigned (x))))
DEFINE_WRITE_SIGNED (i8, gint8, G_MININT8, G_MAXINT8)
DEFINE_WRITE_SIGNED (i16, gint16, G_MININT16, G_MAXINT16)
DEFINE_WRITE_SIGNED (i32, gint32, G_MININT32, G_MAXINT32)
DEFINE_WRITE_SIGNED (i64, gint64, G_MININT64, G_MAXINT64)
DEFINE_WRITE_UNSIGNED (u8, guint8, G_MAXUINT8)
DEFINE_WRITE_UNSIGNED (u16, guint16, G_MAXUINT16)
DEFINE_WRITE_UNSIGNED (u32, guint32, G_MAXUINT32)
DEFINE_WRITE_UNSIGNED (u64, guint64, G_MAXUINT64)
DEFINE_WRITE (bool, guint8, x != 0, x != 0, x != 0)
DEFINE_WRITE (i4, gint8, signed_of_double (x, -8, 7), (x & 15) - ((x & 8) << 1),
              (gint64) (x & 15) - (gint64) ((x & 8) << 1))
DEFINE_WRITE (u4, guint8, unsigned_of_double (x, 15), x & 15, x & 15)
DEFINE_WRITE (i2, gint8, signed_of_double (x, -2, 1), (x & 3) - ((x & 2) << 1),
              (gint64) (x & 3) - (gint64) ((x & 2) << 1))
DEFINE_WRITE (u2, guint8, unsigned_of_double (x, 3), x & 3, x & 3)

#define DEFINE_WRITE_NARROW(name, narrow)                                                          \
  DEFINE_WRITE (name, guint8, narrow (f32_odd_of_f64 (x)),                                         \
                narrow (f32_odd_of_f64 (double_sticky_of_signed (x))),                             \
                narrow (f32_odd_of_f64 (double_sticky_of_unsigned (x))))
#define DEFINE_WRITE_FLOAT8(name)                                                                  \
  static inline guint8 name##_of_f32 (float value)                                                 \
  {                                                                                                \
    return narrow_of_f32 (value, &narrow_##name, TRUE);                                            \
  }                                                                                                \
  DEFINE_WRITE_NARROW (name, name##_of_f32)

DEFINE_WRITE_FLOAT8 (e4m3fn)
DEFINE_WRITE_FLOAT8 (e4m3fnuz)
DEFINE_WRITE_FLOAT8 (e5m2)
DEFINE_WRITE_FLOAT8 (e5m2fnuz)
DEFINE_WRITE_FLOAT8 (e2m1)

static inline guint8
e8m0_nearest_of_f32 (float value)
{
  return e8m0_of_f32 (value, TRUE, SONDE_ROUND_NEAREST);
}

DEFINE_WRITE_NARROW (e8m0, e8m0_nearest_of_f32)

#define DEFINE_DIRECT(name, from_type, to_type, expression)                                        \
  static void name (const void *from, void *to, gsize n)                                           \
  {                                                                                                \
    const from_type *in = from;                                                                    \
    to_type *out = to;                                                                             \
    for (gsize k = 0; k < n; k++)                                                                  \
      out[k] = (to_type) (expression);                                                             \
  }

/* The pairs that training and images use all the time. */
DEFINE_DIRECT (f32_of_f64_array, double, float, in[k])
DEFINE_DIRECT (f64_of_f32_array, float, double, in[k])
DEFINE_DIRECT (f32_of_f16_array, guint16, float, f32_of_f16 (in[k]))
DEFINE_DIRECT (f32_of_bf16_array, guint16, float, f32_of_bf16 (in[k]))
DEFINE_DIRECT (f16_of_f32_array, float, guint16, f16_of_f32 (in[k]))
DEFINE_DIRECT (bf16_of_f32_array, float, guint16, bf16_of_f32 (in[k]))
DEFINE_DIRECT (f32_of_u8_array, guint8, float, in[k])
DEFINE_DIRECT (f32_of_i8_array, gint8, float, in[k])
DEFINE_DIRECT (f32_of_i16_array, gint16, float, in[k])
DEFINE_DIRECT (f32_of_u16_array, guint16, float, in[k])
DEFINE_DIRECT (f32_of_bool_array, guint8, float, in[k] != 0)

static const struct
{
  SondeDtype from, to;
  Direct convert;
} directs[] = {
  { SONDE_DTYPE_F64, SONDE_DTYPE_F32, f32_of_f64_array },
  { SONDE_DTYPE_F32, SONDE_DTYPE_F64, f64_of_f32_array },
  { SONDE_DTYPE_F16, SONDE_DTYPE_F32, f32_of_f16_array },
  { SONDE_DTYPE_BF16, SONDE_DTYPE_F32, f32_of_bf16_array },
  { SONDE_DTYPE_F32, SONDE_DTYPE_F16, f16_of_f32_array },
  { SONDE_DTYPE_F32, SONDE_DTYPE_BF16, bf16_of_f32_array },
  { SONDE_DTYPE_U8, SONDE_DTYPE_F32, f32_of_u8_array },
  { SONDE_DTYPE_I8, SONDE_DTYPE_F32, f32_of_i8_array },
  { SONDE_DTYPE_I16, SONDE_DTYPE_F32, f32_of_i16_array },
  { SONDE_DTYPE_U16, SONDE_DTYPE_F32, f32_of_u16_array },
  { SONDE_DTYPE_BOOL, SONDE_DTYPE_F32, f32_of_bool_array },
};

typedef enum
{
  WIDE_DOUBLE,
  WIDE_SIGNED,
  WIDE_UNSIGNED,
} WideKind;

static const struct
{
  Read read;
  WideKind kind;  /* what read makes */
  Write write[3]; /* by WideKind */
} converters[SONDE_N_DTYPES] = {
#define ROW(name, kind)                                                                            \
  {                                                                                                \
    read_##name, kind, { write_##name##_f, write_##name##_i, write_##name##_u }                    \
  }
  [SONDE_DTYPE_F64] = ROW (f64, WIDE_DOUBLE),
  [SONDE_DTYPE_F32] = ROW (f32, WIDE_DOUBLE),
  [SONDE_DTYPE_F16] = ROW (f16, WIDE_DOUBLE),
  [SONDE_DTYPE_BF16] = ROW (bf16, WIDE_DOUBLE),
  [SONDE_DTYPE_I8] = ROW (i8, WIDE_SIGNED),
  [SONDE_DTYPE_I16] = ROW (i16, WIDE_SIGNED),
  [SONDE_DTYPE_I32] = ROW (i32, WIDE_SIGNED),
  [SONDE_DTYPE_I64] = ROW (i64, WIDE_SIGNED),
  [SONDE_DTYPE_U8] = ROW (u8, WIDE_UNSIGNED),
  [SONDE_DTYPE_U16] = ROW (u16, WIDE_UNSIGNED),
  [SONDE_DTYPE_U32] = ROW (u32, WIDE_UNSIGNED),
  [SONDE_DTYPE_U64] = ROW (u64, WIDE_UNSIGNED),
  [SONDE_DTYPE_BOOL] = ROW (bool, WIDE_UNSIGNED),
  [SONDE_DTYPE_F8E4M3FN] = ROW (e4m3fn, WIDE_DOUBLE),
  [SONDE_DTYPE_F8E4M3FNUZ] = ROW (e4m3fnuz, WIDE_DOUBLE),
  [SONDE_DTYPE_F8E5M2] = ROW (e5m2, WIDE_DOUBLE),
  [SONDE_DTYPE_F8E5M2FNUZ] = ROW (e5m2fnuz, WIDE_DOUBLE),
  [SONDE_DTYPE_F8E8M0] = ROW (e8m0, WIDE_DOUBLE),
  [SONDE_DTYPE_F4E2M1] = ROW (e2m1, WIDE_DOUBLE),
  [SONDE_DTYPE_I4] = ROW (i4, WIDE_SIGNED),
  [SONDE_DTYPE_U4] = ROW (u4, WIDE_UNSIGNED),
  [SONDE_DTYPE_I2] = ROW (i2, WIDE_SIGNED),
  [SONDE_DTYPE_U2] = ROW (u2, WIDE_UNSIGNED),
#undef ROW
};

void
sonde_dtype_convert (SondeDtype from, const void *from_data, SondeDtype to, void *to_data, gsize n)
{
  gsize from_size = sonde_dtype_size (from), to_size = sonde_dtype_size (to);
  Wide wide;

  g_return_if_fail ((guint) from < SONDE_N_DTYPES && converters[from].read != NULL);
  g_return_if_fail ((guint) to < SONDE_N_DTYPES && converters[to].read != NULL);

  if (from == to && from != SONDE_DTYPE_BOOL)
    {
      if (n > 0)
        memcpy (to_data, from_data, n * from_size);
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (directs); i++)
    {
      if (directs[i].from == from && directs[i].to == to)
        {
          directs[i].convert (from_data, to_data, n);
          return;
        }
    }
  for (gsize start = 0; start < n; start += BLOCK)
    {
      gsize part = MIN (n - start, BLOCK);

      converters[from].read ((const guint8 *) from_data + start * from_size, &wide, part);
      converters[to].write[converters[from].kind](&wide, (guint8 *) to_data + start * to_size,
                                                  part);
    }
}

/* ---- narrow floats with a choice ----------------------------------------- */

static const SondeNarrowFloat *const narrow_types[SONDE_N_DTYPES] = {
  [SONDE_DTYPE_F8E4M3FN] = &narrow_e4m3fn, [SONDE_DTYPE_F8E4M3FNUZ] = &narrow_e4m3fnuz,
  [SONDE_DTYPE_F8E5M2] = &narrow_e5m2,     [SONDE_DTYPE_F8E5M2FNUZ] = &narrow_e5m2fnuz,
  [SONDE_DTYPE_F4E2M1] = &narrow_e2m1,
};

/* A block in a float that rounds once more to what the elements themselves round to. */
static void
odd_of_wide (WideKind kind, const Wide *wide, float *to, gsize n)
{
  for (gsize k = 0; k < n; k++)
    to[k] = f32_odd_of_f64 (kind == WIDE_DOUBLE   ? wide->f[k]
                            : kind == WIDE_SIGNED ? double_sticky_of_signed (wide->i[k])
                                                  : double_sticky_of_unsigned (wide->u[k]));
}

void
sonde_dtype_convert_narrow (SondeDtype from, const void *from_data, SondeDtype to, void *to_data,
                            gsize n, gboolean saturate, SondeRounding rounding)
{
  gsize from_size = sonde_dtype_size (from);
  guint8 *out = to_data;
  float block[BLOCK];
  Wide wide;

  g_return_if_fail ((guint) from < SONDE_N_DTYPES && converters[from].read != NULL);
  g_return_if_fail ((guint) to < SONDE_N_DTYPES
                    && (to == SONDE_DTYPE_F8E8M0 || narrow_types[to] != NULL));

  for (gsize start = 0; start < n; start += BLOCK)
    {
      gsize part = MIN (n - start, BLOCK);

      converters[from].read ((const guint8 *) from_data + start * from_size, &wide, part);
      odd_of_wide (converters[from].kind, &wide, block, part);
      for (gsize k = 0; k < part; k++)
        out[start + k] = to == SONDE_DTYPE_F8E8M0
                             ? e8m0_of_f32 (block[k], saturate, rounding)
                             : narrow_of_f32 (block[k], narrow_types[to], saturate);
    }
}
