/* SPDX-License-Identifier: Apache-2.0
 * Sound as a curve over time, one lane a channel: the least and the greatest sample of every
 * pixel. */
#pragma once

#include "viewers/paint/sonde-axis.h"

G_BEGIN_DECLS

#define SONDE_WAVE_MAX_LANES 8

/**
 * SondeWave:
 * @samples: [n_frames, n_channels]; not owned
 * @blocks: (nullable): of sonde_wave_make_blocks(), for long sounds; not owned
 * @low, @high: seconds at the ends of the time axis
 * @color: of the curve
 * @message: (nullable): a sentence in place of it
 */
typedef struct
{
  const float *samples;
  gint64 n_frames;
  guint n_channels;
  double rate; /* frames a second, > 0 */
  const float *blocks;
  double low, high;
  SondeColor color;
  const char *message;
} SondeWave;

/* Least and greatest sample of each block of 256 frames: [blocks, channels, 2]; NaN samples are
 * left out. (transfer full) */
float *sonde_wave_make_blocks (const float *samples, gint64 n_frames, guint n_channels);

/* Over frames [first, last) of @channel; FALSE when there is no finite one. */
gboolean sonde_wave_find_range (const SondeWave *wave, guint channel, gint64 first, gint64 last,
                                float *min, float *max);

void sonde_wave_get_area (int width, int height, cairo_rectangle_t *area);
void sonde_paint_wave (cairo_t *cr, const SondeTheme *theme, const SondeWave *wave, int width,
                       int height);

G_END_DECLS
