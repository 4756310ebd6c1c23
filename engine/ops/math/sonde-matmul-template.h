/* SPDX-License-Identifier: Apache-2.0
 * Matrix product of one float type; included once a type with T and S (suffix) defined. */

/* c[j] += a·b[j] for four rows of b at once. */
static void
SONDE_PASTE (add_rows, S) (gint64 n, const T *a, const T *b0, const T *b1, const T *b2, const T *b3,
                           T *restrict c)
{
  for (gint64 j = 0; j < n; j++)
    c[j] += a[0] * b0[j] + a[1] * b1[j] + a[2] * b2[j] + a[3] * b3[j];
}

static T
SONDE_PASTE (dot, S) (gint64 n, const T *a, const T *b)
{
  T lanes[16] = { 0 };
  T sum = 0;
  gint64 i = 0;

  for (; i + 16 <= n; i += 16)
    for (int k = 0; k < 16; k++)
      lanes[k] += a[i + k] * b[i + k];
  for (; i < n; i++)
    sum += a[i] * b[i];
  for (int k = 0; k < 16; k++)
    sum += lanes[k];
  return sum;
}

/* One row of c += scale·(row of a)·b; b's rows are contiguous. */
static void
SONDE_PASTE (row_by_rows, S) (gint64 n, gint64 k, double scale, const T *a, gint64 a_step,
                              const T *b, gint64 b_row, T *c)
{
  gint64 p = 0;

  for (; p + 4 <= k; p += 4)
    {
      const T f[4] = { (T) scale * a[p * a_step], (T) scale * a[(p + 1) * a_step],
                       (T) scale * a[(p + 2) * a_step], (T) scale * a[(p + 3) * a_step] };

      SONDE_PASTE (add_rows, S)
      (n, f, b + p * b_row, b + (p + 1) * b_row, b + (p + 2) * b_row, b + (p + 3) * b_row, c);
    }
  for (; p < k; p++)
    {
      const T f = (T) scale * a[p * a_step];
      const T *row = b + p * b_row;
      T *restrict out = c;

      for (gint64 j = 0; j < n; j++)
        out[j] += f * row[j];
    }
}

/* c [m, n] += scale · a [m, k] · b [k, n]; a and b with any strides, c contiguous. */
static void
SONDE_PASTE (multiply, S) (gint64 m, gint64 n, gint64 k, double scale, const void *left,
                           gint64 a_row, gint64 a_step, const void *right, gint64 b_row,
                           gint64 b_step, void *to)
{
  const T *a = left, *b = right;
  T *c = to;

  for (gint64 i = 0; i < m; i++)
    if (b_step == 1)
      SONDE_PASTE (row_by_rows, S) (n, k, scale, a + i * a_row, a_step, b, b_row, c + i * n);
    else if (b_row == 1 && a_step == 1)
      for (gint64 j = 0; j < n; j++)
        c[i * n + j] += (T) scale * SONDE_PASTE (dot, S) (k, a + i * a_row, b + j * b_step);
    else
      for (gint64 j = 0; j < n; j++)
        {
          T sum = 0;

          for (gint64 p = 0; p < k; p++)
            sum += a[i * a_row + p * a_step] * b[p * b_row + j * b_step];
          c[i * n + j] += (T) scale * sum;
        }
}

/* c = scale · x, x broadcast. */
static void
SONDE_PASTE (fill_scaled, S) (const SondeStrided *rows, const void *from, double scale, void *to)
{
  const int last = rows->rank - 1;
  SondeCursor cursor;

  if (!sonde_strided_start (rows, &cursor))
    return;
  do
    for (gint64 i = 0; i < rows->dims[last]; i++)
      ((T *) to)[cursor.offsets[1] + i]
          = (T) scale * ((const T *) from)[cursor.offsets[0] + i * rows->strides[0][last]];
  while (sonde_strided_next (rows, &cursor));
}

#undef T
#undef S
