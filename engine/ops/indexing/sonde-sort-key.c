/* SPDX-License-Identifier: Apache-2.0
 * Keys of floats: the bits of IEEE numbers are ordered as magnitudes, so that negative ones are
 * turned round and the others are lifted above them. */
#include "engine/ops/indexing/sonde-sort-key.h"

#include <string.h>

#define FLOAT_KEY(name, U, sign_bit, infinity)                                                     \
  static inline guint64 name (U bits)                                                              \
  {                                                                                                \
    const U sign = (U) (sign_bit);                                                                 \
    const U magnitude = (U) (bits & (U) ~sign);                                                    \
    const U lifted = (U) (bits | sign);                                                            \
    const U turned = magnitude == 0 ? sign : (U) ~bits;                                            \
    const U key = bits >= sign ? turned : lifted;                                                  \
    return magnitude > (U) (infinity) ? (U) ~(U) 0 : key;                                          \
  }
FLOAT_KEY (key_f64, guint64, G_GUINT64_CONSTANT (1) << 63, G_GUINT64_CONSTANT (0x7ff) << 52)
FLOAT_KEY (key_f32, guint32, 0x80000000u, 0x7f800000u)
FLOAT_KEY (key_f16, guint16, 0x8000u, 0x7c00u)
FLOAT_KEY (key_bf16, guint16, 0x8000u, 0x7f80u)

#define KEY_LOOP(name, T, expression)                                                              \
  static void keys_##name (const void *from, gint64 n, gint64 step, guint64 *keys)                 \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    for (gint64 i = 0; i < n && step == 1; i++)                                                    \
      {                                                                                            \
        const T x = x_[i];                                                                         \
        keys[i] = (expression);                                                                    \
      }                                                                                            \
    for (gint64 i = 0; i < n && step != 1; i++)                                                    \
      {                                                                                            \
        const T x = x_[i * step];                                                                  \
        keys[i] = (expression);                                                                    \
      }                                                                                            \
  }
KEY_LOOP (f64, guint64, key_f64 (x))
KEY_LOOP (f32, guint32, key_f32 (x))
KEY_LOOP (f16, guint16, key_f16 (x))
KEY_LOOP (bf16, guint16, key_bf16 (x))
KEY_LOOP (i8, gint8, (guint64) ((gint64) x + 128))
KEY_LOOP (i16, gint16, (guint64) ((gint64) x + 32768))
KEY_LOOP (i32, gint32, (guint64) ((gint64) x - G_MININT32))
KEY_LOOP (i64, gint64, (guint64) x ^ (G_GUINT64_CONSTANT (1) << 63))
KEY_LOOP (u8, guint8, x)
KEY_LOOP (u16, guint16, x)
KEY_LOOP (u32, guint32, x)
KEY_LOOP (u64, guint64, x)
KEY_LOOP (bool, guint8, x != 0)

typedef void (*KeyLoop) (const void *from, gint64 n, gint64 step, guint64 *keys);

static const KeyLoop loops[SONDE_N_DTYPES] = {
  [SONDE_DTYPE_F64] = keys_f64,   [SONDE_DTYPE_F32] = keys_f32, [SONDE_DTYPE_F16] = keys_f16,
  [SONDE_DTYPE_BF16] = keys_bf16, [SONDE_DTYPE_I8] = keys_i8,   [SONDE_DTYPE_I16] = keys_i16,
  [SONDE_DTYPE_I32] = keys_i32,   [SONDE_DTYPE_I64] = keys_i64, [SONDE_DTYPE_U8] = keys_u8,
  [SONDE_DTYPE_U16] = keys_u16,   [SONDE_DTYPE_U32] = keys_u32, [SONDE_DTYPE_U64] = keys_u64,
  [SONDE_DTYPE_BOOL] = keys_bool,
};

void
sonde_sort_keys (SondeDtype dtype, const void *from, gint64 n, gint64 step, guint64 *keys)
{
  loops[dtype](from, n, step, keys);
}

gboolean
sonde_sort_key_knows (SondeDtype dtype)
{
  return (guint) dtype < SONDE_N_DTYPES && loops[dtype] != NULL;
}

#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)
#define FEW 64

static void
sort_few (SondeSortEntry *entries, gint64 n)
{
  for (gint64 i = 1; i < n; i++)
    {
      const SondeSortEntry moved = entries[i];
      gint64 at = i;

      for (; at > 0 && entries[at - 1].key > moved.key; at--)
        entries[at] = entries[at - 1];
      entries[at] = moved;
    }
}

/* One digit after the other from the lowest; digits that all keys share cost nothing. */
void
sonde_sort_entries (SondeSortEntry *entries, SondeSortEntry *scratch, gint64 n)
{
  SondeSortEntry *from = entries, *to = scratch;
  guint64 differing = 0;

  if (n <= FEW)
    {
      sort_few (entries, n);
      return;
    }
  for (gint64 i = 1; i < n; i++)
    differing |= entries[i].key ^ entries[0].key;
  for (int shift = 0; shift < 64; shift += DIGIT_BITS)
    {
      gint64 starts[DIGITS] = { 0 };
      SondeSortEntry *swap = from;
      gint64 sum = 0;

      if (((differing >> shift) & (DIGITS - 1)) == 0)
        continue;
      for (gint64 i = 0; i < n; i++)
        starts[(from[i].key >> shift) & (DIGITS - 1)]++;
      for (int d = 0; d < DIGITS; d++)
        {
          gint64 count = starts[d];

          starts[d] = sum;
          sum += count;
        }
      for (gint64 i = 0; i < n; i++)
        to[starts[(from[i].key >> shift) & (DIGITS - 1)]++] = from[i];
      from = to;
      to = swap;
    }
  if (from != entries)
    memcpy (entries, from, (gsize) n * sizeof *entries);
}
