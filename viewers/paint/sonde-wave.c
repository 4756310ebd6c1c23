/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-wave.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-chart.h"
#include "viewers/paint/sonde-text-paint.h"

#define BLOCK 256 /* frames */
#define LANE_GAP 6

static void
widen (float value, float *min, float *max)
{
  *min = value < *min ? value : *min;
  *max = value > *max ? value : *max;
}

static gint64
count_blocks (gint64 n_frames)
{
  return (n_frames + BLOCK - 1) / BLOCK;
}

float *
sonde_wave_make_blocks (const float *samples, gint64 n_frames, guint n_channels)
{
  const gint64 n = count_blocks (n_frames);
  float *blocks = g_new (float, (gsize) MAX (n, 1) * n_channels * 2);

  for (gint64 i = 0; i < n * (gint64) n_channels; i++)
    {
      blocks[2 * i] = INFINITY;
      blocks[2 * i + 1] = -INFINITY;
    }
  for (gint64 i = 0; i < n_frames; i++)
    for (guint c = 0; c < n_channels; c++)
      {
        float *block = &blocks[2 * (i / BLOCK * (gint64) n_channels + c)];

        widen (samples[i * (gint64) n_channels + c], &block[0], &block[1]);
      }
  return blocks;
}

gboolean
sonde_wave_find_range (const SondeWave *wave, guint channel, gint64 first, gint64 last, float *min,
                       float *max)
{
  const gint64 step = (gint64) wave->n_channels;

  *min = INFINITY;
  *max = -INFINITY;
  first = MAX (first, 0);
  last = MIN (last, wave->n_frames);
  while (first < last)
    {
      const float *block
          = wave->blocks != NULL ? &wave->blocks[2 * (first / BLOCK * step + channel)] : NULL;

      if (block != NULL && first % BLOCK == 0 && MIN (first + BLOCK, wave->n_frames) <= last)
        {
          widen (block[0], min, max);
          widen (block[1], min, max);
          first += BLOCK;
          continue;
        }
      widen (wave->samples[first * step + channel], min, max);
      first++;
    }
  return *min <= *max;
}

void
sonde_wave_get_area (int width, int height, cairo_rectangle_t *area)
{
  sonde_chart_get_area (width, height, area);
}

/* Each pixel's stroke reaches the one before, so that a steep wave has no gaps. */
static void
paint_lane (cairo_t *cr, const SondeWave *wave, guint channel, const cairo_rectangle_t *lane)
{
  const double middle = lane->y + lane->height / 2, half = lane->height / 2;
  const double frames_a_px = (wave->high - wave->low) * wave->rate / lane->width;
  double old_top = NAN, old_bottom = NAN;

  for (int px = 0; px < (int) lane->width; px++)
    {
      const double at = wave->low * wave->rate + px * frames_a_px;
      const gint64 first = (gint64) floor (CLAMP (at, -1, 4e18));
      const gint64 last = MAX ((gint64) floor (CLAMP (at + frames_a_px, -1, 4e18)), first + 1);
      float min, max;
      double top, bottom;

      if (at < 0 || !sonde_wave_find_range (wave, channel, first, last, &min, &max))
        {
          old_top = old_bottom = NAN;
          continue;
        }
      top = middle - CLAMP ((double) max, -1, 1) * half;
      bottom = middle - CLAMP ((double) min, -1, 1) * half;
      if (top > old_bottom)
        top = old_bottom;
      if (bottom < old_top)
        bottom = old_top;
      cairo_rectangle (cr, lane->x + px, top, 1, MAX (bottom - top, 1));
      old_top = middle - CLAMP ((double) max, -1, 1) * half;
      old_bottom = middle - CLAMP ((double) min, -1, 1) * half;
    }
  cairo_fill (cr);
}

void
sonde_paint_wave (cairo_t *cr, const SondeTheme *theme, const SondeWave *wave, int width,
                  int height)
{
  const guint n_lanes = MIN (wave->n_channels, SONDE_WAVE_MAX_LANES);
  const SondeAxis x = { SONDE_AXIS_LINEAR, wave->low, wave->high, _ ("time (s)") };
  const SondeAxis y = { SONDE_AXIS_LINEAR, -1, 1, NULL }, none = { SONDE_AXIS_LINEAR, 0, 0, NULL };
  cairo_rectangle_t area;

  sonde_wave_get_area (width, height, &area);
  sonde_paint_axes (cr, theme, &area, &x, n_lanes == 1 ? &y : &none);
  for (guint c = 0; wave->message == NULL && c < n_lanes; c++)
    {
      const double pitch = area.height / n_lanes;
      const cairo_rectangle_t lane
          = { area.x, area.y + c * pitch + (n_lanes > 1 ? LANE_GAP / 2.0 : 0), area.width,
              MAX (pitch - (n_lanes > 1 ? LANE_GAP : 0), 1) };

      sonde_paint_set_color (cr, &wave->color);
      paint_lane (cr, wave, c, &lane);
      if (n_lanes > 1)
        {
          g_autofree char *name = g_strdup_printf (_ ("ch. %u"), c + 1);

          sonde_paint_set_color (cr, &theme->dim);
          sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_END, area.x - 6,
                            lane.y + lane.height / 2, area.x - 8, name);
        }
    }
  sonde_paint_set_color (cr, &theme->dim);
  if (wave->message != NULL)
    sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, area.x + area.width / 2,
                      area.y + area.height / 2, area.width, wave->message);
}
