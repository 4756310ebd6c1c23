/* SPDX-License-Identifier: Apache-2.0
 * Pooling of one float type, one plane at a time; included once a type with T and S (suffix)
 * defined. As in convolution each tap is one pass over rows of outputs, so nothing is tested per
 * element. */

/* y = maximum, at = its place in the plane; the first of several, row-major. NaN wins. */
static void
SONDE_PASTE (max_plane, S) (const PoolSizes *sizes, const T *x, T *restrict y, gint32 *restrict at)
{
  const SondeWindowGeometry *window = &sizes->window;
  const gint64 step = window->stride[2];

  for (gint64 i = 0; i < sizes->y_plane; i++)
    {
      y[i] = -INFINITY;
      at[i] = -1;
    }
  for (gint64 t = 0; t < sizes->taps; t++)
    {
      const SondeTap *tap = &sizes->tap[t];

      for (gint64 i = tap->low[0]; i < tap->high[0]; i++)
        for (gint64 j = tap->low[1]; j < tap->high[1]; j++)
          {
            const gint32 first = (gint32) sonde_tap_row (window, tap, i, j);
            const T *from = x + first;
            T *restrict best = y + (i * window->out[1] + j) * window->out[2];
            gint32 *restrict place = at + (i * window->out[1] + j) * window->out[2];

            for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
              {
                const T v = from[k * step];
                const int take = (v > best[k]) | (place[k] < 0) | ((v != v) & (best[k] == best[k]));

                best[k] = take ? v : best[k];
                place[k] = take ? first + (gint32) (k * step) : place[k];
              }
          }
    }
}

/* The same without places. */
static void
SONDE_PASTE (max_only, S) (const PoolSizes *sizes, const T *x, T *restrict y)
{
  const SondeWindowGeometry *window = &sizes->window;
  const gint64 step = window->stride[2];

  for (gint64 i = 0; i < sizes->y_plane; i++)
    y[i] = -INFINITY;
  for (gint64 t = 0; t < sizes->taps; t++)
    {
      const SondeTap *tap = &sizes->tap[t];

      for (gint64 i = tap->low[0]; i < tap->high[0]; i++)
        for (gint64 j = tap->low[1]; j < tap->high[1]; j++)
          {
            const T *from = x + sonde_tap_row (window, tap, i, j);
            T *restrict best = y + (i * window->out[1] + j) * window->out[2];

            for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
              {
                const T v = from[k * step];

                best[k] = (v > best[k]) | (v != v) ? v : best[k];
              }
          }
    }
}

/* Planes @begin to before @end. @indices: (nullable): places in the whole tensor; @at: room for one
 * plane */
static void
SONDE_PASTE (max_pool, S) (const PoolSizes *sizes, gint64 begin, gint64 end, const void *from,
                           void *to, gint64 *indices, gint32 *at)
{
  for (gint64 p = begin; p < end; p++)
    {
      const T *x = (const T *) from + p * sizes->x_plane;
      T *y = (T *) to + p * sizes->y_plane;

      if (indices == NULL)
        {
          SONDE_PASTE (max_only, S) (sizes, x, y);
          continue;
        }
      SONDE_PASTE (max_plane, S) (sizes, x, y, at);
      for (gint64 i = 0; i < sizes->y_plane; i++)
        indices[p * sizes->y_plane + i] = p * sizes->x_plane + place_in_order (sizes, at[i]);
    }
}

/* @best, @at: room for one plane of outputs */
static void
SONDE_PASTE (max_pool_grad, S) (const PoolSizes *sizes, gint64 begin, gint64 end,
                                const void *gradient, const void *input, void *to, void *best,
                                gint32 *at)
{
  for (gint64 p = begin; p < end; p++)
    {
      const T *dy = (const T *) gradient + p * sizes->y_plane;
      T *dx = (T *) to + p * sizes->x_plane;

      memset (dx, 0, (gsize) sizes->x_plane * sizeof (T));
      SONDE_PASTE (max_plane, S) (sizes, (const T *) input + p * sizes->x_plane, best, at);
      for (gint64 i = 0; i < sizes->y_plane; i++)
        if (at[i] >= 0)
          dx[at[i]] += dy[i];
    }
}

/* What @other has where x has its maxima. */
static void
SONDE_PASTE (max_pool_pick, S) (const PoolSizes *sizes, gint64 begin, gint64 end, const void *other,
                                const void *input, void *to, gint32 *at)
{
  for (gint64 p = begin; p < end; p++)
    {
      const T *d = (const T *) other + p * sizes->x_plane;
      T *y = (T *) to + p * sizes->y_plane;

      SONDE_PASTE (max_plane, S) (sizes, (const T *) input + p * sizes->x_plane, y, at);
      for (gint64 i = 0; i < sizes->y_plane; i++)
        y[i] = at[i] >= 0 ? d[at[i]] : 0;
    }
}

static void
SONDE_PASTE (average_pool, S) (const PoolSizes *sizes, gint64 begin, gint64 end,
                               const double *shares, const void *from, void *to)
{
  const SondeWindowGeometry *window = &sizes->window;
  const gint64 step = window->stride[2];

  for (gint64 p = begin; p < end; p++)
    {
      const T *x = (const T *) from + p * sizes->x_plane;
      T *y = (T *) to + p * sizes->y_plane;

      memset (y, 0, (gsize) sizes->y_plane * sizeof (T));
      for (gint64 t = 0; t < sizes->taps; t++)
        {
          const SondeTap *tap = &sizes->tap[t];

          for (gint64 i = tap->low[0]; i < tap->high[0]; i++)
            for (gint64 j = tap->low[1]; j < tap->high[1]; j++)
              {
                const T *in = x + sonde_tap_row (window, tap, i, j);
                T *restrict sum = y + (i * window->out[1] + j) * window->out[2];

                for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
                  sum[k] += in[k * step];
              }
        }
      for (gint64 i = 0; i < sizes->y_plane; i++)
        y[i] *= (T) shares[i];
    }
}

/* @part: room for one plane of outputs */
static void
SONDE_PASTE (average_pool_grad, S) (const PoolSizes *sizes, gint64 begin, gint64 end,
                                    const double *shares, const void *gradient, void *to,
                                    void *part)
{
  const SondeWindowGeometry *window = &sizes->window;
  const gint64 step = window->stride[2];
  T *restrict share = part;

  for (gint64 p = begin; p < end; p++)
    {
      const T *dy = (const T *) gradient + p * sizes->y_plane;
      T *dx = (T *) to + p * sizes->x_plane;

      memset (dx, 0, (gsize) sizes->x_plane * sizeof (T));
      for (gint64 i = 0; i < sizes->y_plane; i++)
        share[i] = dy[i] * (T) shares[i];
      for (gint64 t = 0; t < sizes->taps; t++)
        {
          const SondeTap *tap = &sizes->tap[t];

          for (gint64 i = tap->low[0]; i < tap->high[0]; i++)
            for (gint64 j = tap->low[1]; j < tap->high[1]; j++)
              {
                T *restrict out = dx + sonde_tap_row (window, tap, i, j);
                const T *from = share + (i * window->out[1] + j) * window->out[2];

                for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
                  out[k * step] += from[k];
              }
        }
    }
}

/* Mean (or maximum) of each plane of @n elements. */
static void
SONDE_PASTE (global_pool, S) (gint64 planes, gint64 n, const void *from, void *to, gboolean mean)
{
  for (gint64 p = 0; p < planes; p++)
    {
      const T *x = (const T *) from + p * n;
      double lanes[8] = { 0 };
      T best = -INFINITY;
      gint64 i = 0;

      if (!mean)
        {
          for (; i < n; i++)
            best = x[i] > best || x[i] != x[i] ? x[i] : best;
          ((T *) to)[p] = best;
          continue;
        }
      for (; i + 8 <= n; i += 8)
        for (int k = 0; k < 8; k++)
          lanes[k] += (double) x[i + k];
      for (; i < n; i++)
        lanes[0] += (double) x[i];
      for (int k = 1; k < 8; k++)
        lanes[0] += lanes[k];
      ((T *) to)[p] = (T) (lanes[0] / (double) n);
    }
}

#undef T
#undef S
