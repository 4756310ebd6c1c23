/* SPDX-License-Identifier: Apache-2.0
 * Convolution of one float type in three spatial dimensions (fewer are sizes of 1 in front);
 * included once a type with T and S (suffix) defined. Each tap of the kernel is one pass over rows
 * of the output, so the inner loops run over whole rows. x is one channel, y one filter's plane. */

/* y += w · x, shifted to the tap */
static void
SONDE_PASTE (tap_forward, S) (const SondeWindowGeometry *window, const SondeTap *tap, T w,
                              const T *x, T *y)
{
  const gint64 step = window->stride[2];

  for (gint64 i = tap->low[0]; i < tap->high[0]; i++)
    for (gint64 j = tap->low[1]; j < tap->high[1]; j++)
      {
        const T *from = x + sonde_tap_row (window, tap, i, j);
        T *restrict to = y + (i * window->out[1] + j) * window->out[2];

        if (step == 1)
          for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
            to[k] += w * from[k];
        else
          for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
            to[k] += w * from[k * step];
      }
}

/* dx += w · dy, shifted back */
static void
SONDE_PASTE (tap_input, S) (const SondeWindowGeometry *window, const SondeTap *tap, T w,
                            const T *dy, T *dx)
{
  const gint64 step = window->stride[2];

  for (gint64 i = tap->low[0]; i < tap->high[0]; i++)
    for (gint64 j = tap->low[1]; j < tap->high[1]; j++)
      {
        const T *from = dy + (i * window->out[1] + j) * window->out[2];
        T *restrict to = dx + sonde_tap_row (window, tap, i, j);

        if (step == 1)
          for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
            to[k] += w * from[k];
        else
          for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
            to[k * step] += w * from[k];
      }
}

/* Σ dy · x at the tap */
static double
SONDE_PASTE (tap_weight, S) (const SondeWindowGeometry *window, const SondeTap *tap, const T *dy,
                             const T *x)
{
  const gint64 step = window->stride[2];
  double sum = 0;

  for (gint64 i = tap->low[0]; i < tap->high[0]; i++)
    for (gint64 j = tap->low[1]; j < tap->high[1]; j++)
      {
        const T *a = dy + (i * window->out[1] + j) * window->out[2];
        const T *b = x + sonde_tap_row (window, tap, i, j);

        for (gint64 k = tap->low[2]; k < tap->high[2]; k++)
          sum += (double) a[k] * (double) b[k * step];
      }
  return sum;
}

static void
SONDE_PASTE (conv_forward, S) (const ConvSizes *sizes, const void *input, const void *weight,
                               const void *bias, void *output)
{
  const SondeWindowGeometry *window = &sizes->window;
  const gint64 x_plane = sizes->x_plane, y_plane = sizes->y_plane;
  const gint64 channels = sizes->channels / window->group, filters = sizes->filters / window->group;

  for (gint64 n = 0; n < sizes->batch; n++)
    for (gint64 f = 0; f < sizes->filters; f++)
      {
        const T *x = (const T *) input + (n * sizes->channels + f / filters * channels) * x_plane;
        const T *w = (const T *) weight + f * channels * sizes->taps;
        T *y = (T *) output + (n * sizes->filters + f) * y_plane;
        const T start = bias ? ((const T *) bias)[f] : 0;

        for (gint64 i = 0; i < y_plane; i++)
          y[i] = start;
        for (gint64 c = 0; c < channels; c++)
          for (gint64 t = 0; t < sizes->taps; t++)
            /* clang-format off */
            SONDE_PASTE (tap_forward, S) (window, &sizes->tap[t], w[c * sizes->taps + t],
                x + c * x_plane, y);
        /* clang-format on */
      }
}

/* @start: (nullable): bias a channel that dx starts from (ConvTranspose) */
static void
SONDE_PASTE (conv_input, S) (const ConvSizes *sizes, const void *gradient, const void *weight,
                             const void *bias, void *output)
{
  const SondeWindowGeometry *window = &sizes->window;
  const gint64 x_plane = sizes->x_plane, y_plane = sizes->y_plane;
  const gint64 channels = sizes->channels / window->group, filters = sizes->filters / window->group;

  for (gint64 n = 0; n < sizes->batch; n++)
    for (gint64 c = 0; c < sizes->channels; c++)
      {
        const gint64 first = c / channels * filters;
        const T start = bias ? ((const T *) bias)[c] : 0;
        T *dx = (T *) output + (n * sizes->channels + c) * x_plane;

        for (gint64 i = 0; i < x_plane; i++)
          dx[i] = start;
        for (gint64 f = first; f < first + filters; f++)
          for (gint64 t = 0; t < sizes->taps; t++)
            /* clang-format off */
            SONDE_PASTE (tap_input, S) (window, &sizes->tap[t],
                ((const T *) weight)[(f * channels + c % channels) * sizes->taps + t],
                (const T *) gradient + (n * sizes->filters + f) * y_plane, dx);
        /* clang-format on */
      }
}

static void
SONDE_PASTE (conv_weight, S) (const ConvSizes *sizes, const void *gradient, const void *input,
                              void *output)
{
  const SondeWindowGeometry *window = &sizes->window;
  const gint64 x_plane = sizes->x_plane, y_plane = sizes->y_plane;
  const gint64 channels = sizes->channels / window->group, filters = sizes->filters / window->group;
  T *dw = output;

  for (gint64 f = 0; f < sizes->filters; f++)
    for (gint64 c = 0; c < channels; c++)
      for (gint64 t = 0; t < sizes->taps; t++)
        {
          double sum = 0;

          for (gint64 n = 0; n < sizes->batch; n++)
            sum += SONDE_PASTE (tap_weight, S) (
                window, &sizes->tap[t], (const T *) gradient + (n * sizes->filters + f) * y_plane,
                (const T *) input + (n * sizes->channels + f / filters * channels + c) * x_plane);
          dw[(f * channels + c) * sizes->taps + t] = (T) sum;
        }
}

#undef T
#undef S
