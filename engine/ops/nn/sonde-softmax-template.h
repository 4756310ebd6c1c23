/* SPDX-License-Identifier: Apache-2.0
 * Softmax of one float type; included once a type with T and S (suffix) defined. x is
 * [outer, n, inner]; the lines along n lie @inner elements apart. */

/* y = exp (x − max) / Σ, or x − max − ln Σ. */
static void
SONDE_PASTE (softmax, S) (gint64 outer, gint64 n, gint64 inner, const void *from, void *to,
                          gboolean logarithm)
{
  for (gint64 line = 0; line < outer * inner; line++)
    {
      const gint64 offset = line / inner * n * inner + line % inner;
      const T *x = (const T *) from + offset;
      T *y = (T *) to + offset;
      T top = n > 0 ? x[0] : 0;
      double sum = 0;

      for (gint64 i = 1; i < n; i++)
        top = x[i * inner] > top ? x[i * inner] : top;
      for (gint64 i = 0; i < n; i++)
        {
          const T e = exp (x[i * inner] - top);

          sum += (double) e;
          y[i * inner] = logarithm ? x[i * inner] - top : e;
        }
      if (logarithm)
        {
          const T shift = (T) log (sum);

          for (gint64 i = 0; i < n; i++)
            y[i * inner] -= shift;
        }
      else
        {
          const T scale = (T) (1 / sum);

          for (gint64 i = 0; i < n; i++)
            y[i * inner] *= scale;
        }
    }
}

/* dx = y·(dy − Σ dy·y); of the logarithm: dx = dy − exp (y)·Σ dy. */
static void
SONDE_PASTE (softmax_grad, S) (gint64 outer, gint64 n, gint64 inner, const void *gradient,
                               const void *output, void *to, gboolean logarithm)
{
  for (gint64 line = 0; line < outer * inner; line++)
    {
      const gint64 offset = line / inner * n * inner + line % inner;
      const T *dy = (const T *) gradient + offset;
      const T *y = (const T *) output + offset;
      T *dx = (T *) to + offset;
      double sum = 0;

      for (gint64 i = 0; i < n; i++)
        sum += (double) dy[i * inner] * (logarithm ? 1 : (double) y[i * inner]);
      for (gint64 i = 0; i < n; i++)
        dx[i * inner] = logarithm ? dy[i * inner] - exp (y[i * inner]) * (T) sum
                                  : y[i * inner] * (dy[i * inner] - (T) sum);
    }
}

#undef T
#undef S
