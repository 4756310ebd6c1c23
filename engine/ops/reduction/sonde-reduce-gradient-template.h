/* SPDX-License-Identifier: Apache-2.0
 * Gradients of reductions in one float type; included once a type with T and S (suffix) defined. In
 * @rows operand 0 is x or dx, operand 1 what was reduced; its stride is 0 along reduced
 * dimensions. */

/* @rows: x, y and count by the output's element. Counts how many of x are the extreme. */
static void
SONDE_PASTE (count_equal, S) (const SondeStrided *rows, const void *from, const void *extreme,
                              double *counts)
{
  const int last = rows->rank - 1;
  SondeCursor cursor;

  if (!sonde_strided_start (rows, &cursor))
    return;
  do
    for (gint64 i = 0; i < rows->dims[last]; i++)
      {
        const gint64 at = cursor.offsets[1] + i * rows->strides[1][last];

        counts[at] += ((const T *) from)[cursor.offsets[0] + i] == ((const T *) extreme)[at];
      }
  while (sonde_strided_next (rows, &cursor));
}

static void
SONDE_PASTE (share_extreme, S) (const SondeStrided *rows, const void *from, const void *extreme,
                                const double *counts, const void *gradient, void *to)
{
  const int last = rows->rank - 1;
  SondeCursor cursor;

  if (!sonde_strided_start (rows, &cursor))
    return;
  do
    for (gint64 i = 0; i < rows->dims[last]; i++)
      {
        const gint64 x = cursor.offsets[0] + i;
        const gint64 y = cursor.offsets[1] + i * rows->strides[1][last];

        ((T *) to)[x] = ((const T *) from)[x] == ((const T *) extreme)[y]
                            ? (T) ((double) ((const T *) gradient)[y] / counts[y])
                            : 0;
      }
  while (sonde_strided_next (rows, &cursor));
}

/* dx = dy · scale, dy read along stride 0 where it was reduced. */
static void
SONDE_PASTE (spread, S) (const SondeStrided *rows, const void *from, double scale, void *to)
{
  const int last = rows->rank - 1;
  const gint64 n = rows->dims[last];
  SondeCursor cursor;

  if (!sonde_strided_start (rows, &cursor))
    return;
  do
    {
      const T *dy = (const T *) from + cursor.offsets[1];
      T *restrict dx = (T *) to + cursor.offsets[0];

      if (rows->strides[1][last] == 0)
        {
          const T value = (T) ((double) *dy * scale);

          for (gint64 i = 0; i < n; i++)
            dx[i] = value;
        }
      else
        for (gint64 i = 0; i < n; i++)
          dx[i] = (T) ((double) dy[i] * scale);
    }
  while (sonde_strided_next (rows, &cursor));
}

#undef T
#undef S
