/* SPDX-License-Identifier: Apache-2.0
 * Taps of a window. */
#include "engine/ops/nn/sonde-window-taps-private.h"

/* Dimensions of size 1 in front until there are three. */
void
sonde_window_extend (SondeWindowGeometry *window)
{
  SondeWindowGeometry wide = { .n = SONDE_WINDOW_DIMS, .group = window->group };
  int missing = SONDE_WINDOW_DIMS - window->n;

  for (int d = 0; d < SONDE_WINDOW_DIMS; d++)
    {
      int from = d - missing;

      wide.in[d] = from < 0 ? 1 : window->in[from];
      wide.out[d] = from < 0 ? 1 : window->out[from];
      wide.kernel[d] = from < 0 ? 1 : window->kernel[from];
      wide.stride[d] = from < 0 ? 1 : window->stride[from];
      wide.dilation[d] = from < 0 ? 1 : window->dilation[from];
      wide.before[d] = from < 0 ? 0 : window->before[from];
      wide.after[d] = from < 0 ? 0 : window->after[from];
      wide.declared_after[d] = from < 0 ? 0 : window->declared_after[from];
    }
  *window = wide;
}

static void
set_tap (const SondeWindowGeometry *window, SondeTap *tap, int d, gint64 position)
{
  gint64 shift = position * window->dilation[d] - window->before[d];
  gint64 stride = window->stride[d];
  gint64 last = window->in[d] - 1 - shift;

  tap->shift[d] = shift;
  tap->low[d] = shift >= 0 ? 0 : (-shift + stride - 1) / stride;
  tap->high[d] = last < 0 ? 0 : MIN (last / stride + 1, window->out[d]);
}

SondeTap *
sonde_window_make_taps (const SondeWindowGeometry *window, gint64 *n)
{
  gint64 count = window->kernel[0] * window->kernel[1] * window->kernel[2];
  SondeTap *taps = g_new (SondeTap, count);

  for (gint64 t = 0; t < count; t++)
    {
      set_tap (window, &taps[t], 0, t / (window->kernel[1] * window->kernel[2]));
      set_tap (window, &taps[t], 1, t / window->kernel[2] % window->kernel[1]);
      set_tap (window, &taps[t], 2, t % window->kernel[2]);
    }
  *n = count;
  return taps;
}
