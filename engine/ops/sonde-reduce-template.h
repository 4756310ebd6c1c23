/* SPDX-License-Identifier: Apache-2.0
 * Reductions of one float type; included once a type with T and S (suffix) defined. Sums are made in
 * double, in several lanes so that they vectorise. */

/* Adds (or adds squares of) @n elements. */
static double
SONDE_PASTE (sum_row, S) (gint64   n,
                          const T *x)
{
  double lanes[8] = { 0 };
  double sum = 0;
  gint64 i = 0;

  for (; i + 8 <= n; i += 8)
    for (int k = 0; k < 8; k++)
      lanes[k] += (double) x[i + k];
  for (; i < n; i++)
    sum += (double) x[i];
  for (int k = 0; k < 8; k++)
    sum += lanes[k];
  return sum;
}

/* @rows: operand 0 is x, operand 1 the accumulator; its stride is 0 along reduced dimensions. */
static void
SONDE_PASTE (reduce_sum, S) (const SondeStrided *rows,
                             const void         *from,
                             double             *restrict accumulator)
{
  const int last = rows->rank - 1;
  const gint64 n = rows->dims[last];
  SondeCursor cursor;

  if (!sonde_strided_start (rows, &cursor))
    return;
  do
    {
      const T *x = (const T *) from + cursor.offsets[0];
      double *restrict a = accumulator + cursor.offsets[1];

      if (rows->strides[1][last] == 0)
        *a += SONDE_PASTE (sum_row, S) (n, x);
      else
        for (gint64 i = 0; i < n; i++)
          a[i] += (double) x[i];
    }
  while (sonde_strided_next (rows, &cursor));
}

/* The extreme under @sign 1 (maximum) or -1 (minimum); NaN wins. Starts from ∓Inf in @to. */
static void
SONDE_PASTE (reduce_extreme, S) (const SondeStrided *rows,
                                 const void         *from,
                                 void               *to,
                                 int                 sign)
{
  const int last = rows->rank - 1;
  const gint64 n = rows->dims[last];
  const T s = (T) sign;
  SondeCursor cursor;

  if (!sonde_strided_start (rows, &cursor))
    return;
  do
    {
      const T *x = (const T *) from + cursor.offsets[0];
      T *restrict y = (T *) to + cursor.offsets[1];

      if (rows->strides[1][last] == 0)
        {
          T best = *y;

          for (gint64 i = 0; i < n; i++)
            best = s * x[i] > s * best || x[i] != x[i] ? x[i] : best;
          *y = best;
        }
      else
        for (gint64 i = 0; i < n; i++)
          y[i] = s * x[i] > s * y[i] || x[i] != x[i] ? x[i] : y[i];
    }
  while (sonde_strided_next (rows, &cursor));
}

#undef T
#undef S
