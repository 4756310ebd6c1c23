/* SPDX-License-Identifier: Apache-2.0
 * Running sums and products of one type; included once a type with T, W (the wider type that
 * carries) and S (suffix) defined. */

/* Columns of [n, inner]: @n steps of @stride (negative: backwards) for each of @columns that lie
 * together. */
#define SCAN(name, first, expression)                                                              \
  static void SONDE_PASTE (name, S) (const void *from, void *to, gint64 n, gint64 stride,          \
                                     gint64 columns, gboolean exclusive, void *carry)              \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    T *y_ = to;                                                                                    \
    W *c_ = carry;                                                                                 \
    if (columns == 1)                                                                              \
      {                                                                                            \
        W c = (first);                                                                             \
        for (gint64 k = 0; k < n; k++)                                                             \
          {                                                                                        \
            const W x = (W) x_[k * stride], next = (expression);                                   \
            y_[k * stride] = (T) (exclusive ? c : next);                                           \
            c = next;                                                                              \
          }                                                                                        \
        return;                                                                                    \
      }                                                                                            \
    for (gint64 i = 0; i < columns; i++)                                                           \
      c_[i] = (first);                                                                             \
    for (gint64 k = 0; k < n; k++, x_ += stride, y_ += stride)                                     \
      for (gint64 i = 0; i < columns; i++)                                                         \
        {                                                                                          \
          const W x = (W) x_[i], c = c_[i], next = (expression);                                   \
          y_[i] = (T) (exclusive ? c : next);                                                      \
          c_[i] = next;                                                                            \
        }                                                                                          \
  }

SCAN (running_sum, 0, c + x)
SCAN (running_product, 1, c *x)

#undef SCAN
#undef T
#undef W
#undef S
