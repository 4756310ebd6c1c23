/* SPDX-License-Identifier: Apache-2.0
 * How the plain kernels of convolution and pooling walk: for each tap (element of the window) the
 * block of outputs that read inside of the input. Windows have three dimensions here, fewer are 1
 * in front. */
#pragma once

#include "engine/ops/nn/sonde-window-geometry.h"

G_BEGIN_DECLS

/* Outputs low to before high read input = output·stride + shift. */
typedef struct
{
  gint64 low[3], high[3], shift[3];
} SondeTap;

/* Dimensions of size 1 in front until there are three. */
void sonde_window_extend (SondeWindowGeometry *window);

/* The taps of an extended window, row-major. Returns: (transfer full) */
SondeTap *sonde_window_make_taps (const SondeWindowGeometry *window, gint64 *n);

/* First input of output row (i, j) under @tap. */
static inline gint64
sonde_tap_row (const SondeWindowGeometry *window, const SondeTap *tap, gint64 i, gint64 j)
{
  gint64 plane = i * window->stride[0] + tap->shift[0];
  gint64 row = j * window->stride[1] + tap->shift[1];

  return (plane * window->in[1] + row) * window->in[2] + tap->shift[2];
}

G_END_DECLS
