/* SPDX-License-Identifier: Apache-2.0
 * Reductions of one type; included once a type with T, A (what sums and products are made in), M
 * (what extremes are kept in) and S (suffix) defined, for floats EXPONENTIAL, too. A and M have
 * eight bytes. Several lanes at a time, so that rows vectorise.
 * @rows: operand 0 is x, operand 1 the results so far; its stride is 0 along reduced dimensions */
#define LANES 32
#define REDUCE(name, R, L, identity, step, join)                                                   \
  static void SONDE_PASTE (name, S) (const SondeStrided *rows, const void *from, void *to)         \
  {                                                                                                \
    const int last = rows->rank - 1;                                                               \
    const gint64 n = rows->dims[last];                                                             \
    SondeCursor cursor;                                                                            \
                                                                                                   \
    if (!sonde_strided_start (rows, &cursor))                                                      \
      return;                                                                                      \
    do                                                                                             \
      {                                                                                            \
        const T *x_ = (const T *) from + cursor.offsets[0];                                        \
        R *y_ = (R *) to + cursor.offsets[1];                                                      \
        L total = (L) *y_;                                                                         \
        const L start G_GNUC_UNUSED = total;                                                       \
        L lanes[LANES];                                                                            \
        gint64 i = 0;                                                                              \
                                                                                                   \
        if (rows->strides[1][last] != 0)                                                           \
          {                                                                                        \
            _Pragma ("GCC ivdep") for (i = 0; i < n; i++)                                          \
            {                                                                                      \
              const L a = (L) y_[i];                                                               \
              const T x = x_[i];                                                                   \
              y_[i] = (step);                                                                      \
            }                                                                                      \
            continue;                                                                              \
          }                                                                                        \
        for (int k = 0; k < LANES; k++)                                                            \
          lanes[k] = (identity);                                                                   \
        for (; i + LANES <= n; i += LANES)                                                         \
          _Pragma ("GCC unroll 1") for (int k = 0; k < LANES; k++)                                 \
          {                                                                                        \
            const L a = lanes[k];                                                                  \
            const T x = x_[i + k];                                                                 \
            lanes[k] = (step);                                                                     \
          }                                                                                        \
        for (; i < n; i++)                                                                         \
          {                                                                                        \
            const L a = total;                                                                     \
            const T x = x_[i];                                                                     \
            total = (step);                                                                        \
          }                                                                                        \
        for (int k = 0; k < LANES; k++)                                                            \
          {                                                                                        \
            const L a = total, b = lanes[k];                                                       \
            total = (join);                                                                        \
          }                                                                                        \
        *y_ = total;                                                                               \
      }                                                                                            \
    while (sonde_strided_next (rows, &cursor));                                                    \
  }

REDUCE (add, A, A, 0, a + (A) x, a + b)
REDUCE (add_absolute, A, A, 0, x > 0 ? a + (A) x : a - (A) x, a + b)
REDUCE (add_square, A, A, 0, a + (A) x * (A) x, a + b)
REDUCE (multiply, A, A, 1, a *(A) x, a *b)
/* NaN wins. */
REDUCE (maximum, M, T, start, (x > a) | (x != x) ? x : a, b > a || b != b ? b : a)
REDUCE (minimum, M, T, start, (x < a) | (x != x) ? x : a, b < a || b != b ? b : a)

#ifdef EXPONENTIAL
/* Adds exp (x − m), m the entry of @largest where the result goes. */
static void
SONDE_PASTE (add_exponentials, S) (const SondeStrided *rows, const void *from,
                                   const double *largest, double *sums)
{
  const int last = rows->rank - 1;
  const gint64 n = rows->dims[last], step = rows->strides[1][last];
  SondeCursor cursor;

  if (!sonde_strided_start (rows, &cursor))
    return;
  do
    {
      const T *x = (const T *) from + cursor.offsets[0];
      const double *m = largest + cursor.offsets[1];
      double *sum = sums + cursor.offsets[1];

      for (gint64 i = 0; i < n; i++)
        sum[i * step] += (double) EXPONENTIAL ((T) ((double) x[i] - m[i * step]));
    }
  while (sonde_strided_next (rows, &cursor));
}
#undef EXPONENTIAL
#endif

#undef REDUCE
#undef LANES
#undef T
#undef A
#undef M
#undef S
