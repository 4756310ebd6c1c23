/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/distribution/sonde-distribution-shares.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define FAR_OUT 0.9170040432046712 /* 2^(-1/8): the edge of a bin of our own histograms */
#define LINE 17                    /* px of the key */
#define DASH 18
#define DOT 2.5 /* px, of a share that is known at one step alone */

/* ---- shares -------------------------------------------------------------- */

static double
count_not_finite (const SondeBins *bins)
{
  return (double) bins->nan + (double) bins->pos_inf + (double) bins->neg_inf;
}

/* Zero is a bin without width, or there is none; one that reaches over it hides how many there are. */
static double
count_zeros (const SondeBins *bins)
{
  double zeros = 0;

  for (gsize i = 0; i < bins->n; i++)
    {
      if (bins->counts[i] <= 0 || bins->lefts[i] > 0 || bins->rights[i] < 0)
        continue;
      if (bins->lefts[i] == 0 && bins->rights[i] == 0)
        zeros += bins->counts[i];
      else if (bins->lefts[i] < 0 && bins->rights[i] > 0)
        return NAN;
    }
  return zeros;
}

static double
count_saturated (const SondeBins *bins)
{
  double low, high, n = 0;

  if (!sonde_bins_get_range (bins, &low, &high) || low < -1 || high > 1)
    return NAN;
  for (gsize i = 0; i < bins->n; i++)
    if (bins->lefts[i] >= FAR_OUT || bins->rights[i] <= -FAR_OUT)
      n += bins->counts[i];
  return n;
}

double
sonde_bins_get_share (const SondeBins *bins, SondeBinShare share)
{
  static double (*const counters[SONDE_N_BIN_SHARES]) (const SondeBins *) = {
    [SONDE_BIN_SHARE_ZERO] = count_zeros,
    [SONDE_BIN_SHARE_SATURATED] = count_saturated,
    [SONDE_BIN_SHARE_NOT_FINITE] = count_not_finite,
  };
  double all = sonde_bins_total (bins) + count_not_finite (bins);

  return all > 0 ? counters[share](bins) / all : NAN;
}

const char *
sonde_bin_share_get_title (SondeBinShare share)
{
  static const char *const titles[SONDE_N_BIN_SHARES] = {
    [SONDE_BIN_SHARE_ZERO] = N_ ("zero"),
    [SONDE_BIN_SHARE_SATURATED] = N_ ("saturated"),
    [SONDE_BIN_SHARE_NOT_FINITE] = N_ ("NaN or infinite"),
  };

  return titles[share];
}

/* ---- curves -------------------------------------------------------------- */

/* As the health of a graph's nodes. */
static SondeColor
color_of (const SondeTheme *theme, SondeBinShare share)
{
  static const guint hues[SONDE_N_BIN_SHARES] = {
    [SONDE_BIN_SHARE_ZERO] = 4,
    [SONDE_BIN_SHARE_SATURATED] = 3,
    [SONDE_BIN_SHARE_NOT_FINITE] = 1,
  };

  return sonde_theme_series (theme, hues[share]).color;
}

/* Colour does not say it alone. */
static void
set_dash (cairo_t *cr, SondeBinShare share)
{
  static const double dashes[SONDE_N_BIN_SHARES][2] = { { 0, 0 }, { 6, 3 }, { 2, 2 } };

  cairo_set_dash (cr, dashes[share], share == SONDE_BIN_SHARE_ZERO ? 0 : 2, 0);
}

/* Zeros wherever they are known, the others where there are some: all is well without them. */
static gboolean
is_told (const SondeDistribution *d, SondeBinShare share)
{
  for (gsize i = 0; i < d->n_rows; i++)
    {
      double value = sonde_bins_get_share (d->rows[i].bins, share);

      if (share == SONDE_BIN_SHARE_ZERO ? !isnan (value) : value > 0)
        return TRUE;
    }
  return FALSE;
}

static void
trace (cairo_t *cr, const SondeDistribution *d, const SondeAxis *x, const SondeAxis *y,
       const cairo_rectangle_t *area, SondeBinShare share)
{
  gboolean is_on = FALSE;

  for (gsize i = 0; i < d->n_rows; i++)
    {
      double value = 100 * sonde_bins_get_share (d->rows[i].bins, share);

      if (!isnan (value))
        {
          double px = sonde_axis_x (x, area, (double) d->rows[i].step),
                 py = sonde_axis_y (y, area, value);

          if (is_on)
            cairo_line_to (cr, px, py);
          else
            cairo_move_to (cr, px, py);
          if (d->n_rows == 1)
            cairo_arc (cr, px, py, DOT, 0, 2 * G_PI);
        }
      is_on = !isnan (value);
    }
}

static void
paint_entry (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *area,
             SondeBinShare share, int place)
{
  SondeColor color = color_of (theme, share);
  double y = area->y + LINE * (place + 0.5), right = area->x + area->width - 6;

  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, right - DASH - 6, y, 0,
                    _ (sonde_bin_share_get_title (share)));
  sonde_paint_set_color (cr, &color);
  set_dash (cr, share);
  cairo_move_to (cr, right - DASH, y);
  cairo_line_to (cr, right, y);
  cairo_stroke (cr);
}

void
sonde_distribution_paint_shares (cairo_t *cr, const SondeTheme *theme, const SondeDistribution *d,
                                 const cairo_rectangle_t *area)
{
  SondeAxis x = { SONDE_AXIS_STEP, d->x_low, d->x_high, _ ("step") };
  SondeAxis y = { SONDE_AXIS_LINEAR, d->y_low, d->y_high, _ ("share (%)") };
  int n = 0;

  sonde_paint_axes (cr, theme, area, &x, &y);
  cairo_save (cr);
  cairo_rectangle (cr, area->x, area->y - 2, area->width + 2, area->height + 4);
  cairo_clip (cr);
  cairo_set_line_width (cr, 1.5);
  for (int s = 0; s < SONDE_N_BIN_SHARES; s++)
    {
      SondeColor color = color_of (theme, (SondeBinShare) s);

      if (!is_told (d, (SondeBinShare) s))
        continue;
      cairo_new_path (cr);
      trace (cr, d, &x, &y, area, (SondeBinShare) s);
      sonde_paint_set_color (cr, &color);
      set_dash (cr, (SondeBinShare) s);
      cairo_stroke (cr);
      paint_entry (cr, theme, area, (SondeBinShare) s, n++);
    }
  cairo_restore (cr);
  if (n > 0)
    return;
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, area->x + area->width / 2,
                    area->y + area->height / 2, area->width,
                    _ ("These bins do not tell how many values are zero"));
}
