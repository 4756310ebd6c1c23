/* SPDX-License-Identifier: Apache-2.0
 * Small images in RGB. */
#include "explain/report/sonde-report-images.h"

#include <cairo.h>
#include <math.h>
#include <string.h>

#include "viewers/paint/sonde-color-map.h"

#define MOST_SIDE 160
#define CHART 340
#define INSET 12

SondeImage *
sonde_report_shrink (SondeImage *image)
{
  int factor = image != NULL ? (MAX (image->width, image->height) + MOST_SIDE - 1) / MOST_SIDE : 1;
  SondeImage *small;

  if (image == NULL || (factor <= 1 && image->channels == 3))
    return image;
  small = sonde_image_new (MAX (image->width / factor, 1), MAX (image->height / factor, 1), 3);
  for (int y = 0; y < small->height; y++)
    for (int x = 0; x < small->width; x++)
      for (int c = 0; c < 3; c++)
        {
          int sum = 0, n = 0, channel = image->channels >= 3 ? c : 0;

          for (int dy = 0; dy < factor && y * factor + dy < image->height; dy++)
            for (int dx = 0; dx < factor && x * factor + dx < image->width; dx++, n++)
              sum += image->pixels[((gsize) (y * factor + dy) * (gsize) image->width
                                    + (gsize) (x * factor + dx))
                                       * (gsize) image->channels
                                   + (gsize) channel];
          small->pixels[((gsize) y * (gsize) small->width + (gsize) x) * 3 + (gsize) c]
              = (guint8) (sum / MAX (n, 1));
        }
  sonde_image_unref (image);
  return small;
}

SondeImage *
sonde_report_colour_map (SondeTensor *map, double limit)
{
  SondeImage *image = sonde_image_new ((int) map->shape.dims[1], (int) map->shape.dims[0], 3);

  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    {
      double value = sonde_tensor_get_double (map, i);
      SondeColor color
          = sonde_color_map_get (SONDE_COLOR_MAP_DIVERGING, limit > 0 ? 0.5 + 0.5 * value / limit
                                                            : isnan (value) ? NAN
                                                                            : 0.5);

      image->pixels[3 * i] = (guint8) (255.0 * color.red + 0.5);
      image->pixels[3 * i + 1] = (guint8) (255.0 * color.green + 0.5);
      image->pixels[3 * i + 2] = (guint8) (255.0 * color.blue + 0.5);
    }
  return sonde_report_shrink (image);
}

SondeImage *
sonde_report_draw_reliability (const SondeCalibration *calibration)
{
  SondeImage *image = sonde_image_new (CHART, CHART, 3);
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_RGB24, CHART, CHART);
  cairo_t *cr = cairo_create (surface);
  double side = CHART - 2 * INSET, width = side / calibration->n_bins;
  const guint8 *rows;

  cairo_set_source_rgb (cr, 1, 1, 1);
  cairo_paint (cr);
  for (guint b = 0; b < calibration->n_bins; b++)
    {
      const SondeCalibrationBin *bin = &calibration->bins[b];

      if (bin->n == 0)
        continue;
      cairo_set_source_rgba (cr, 0, 0.447, 0.698, 0.3 + 0.7 * bin->n / MAX (calibration->n, 1));
      cairo_rectangle (cr, INSET + b * width, INSET + side * (1 - bin->accuracy), width - 1,
                       side * bin->accuracy);
      cairo_fill (cr);
      cairo_set_source_rgb (cr, 0.835, 0.369, 0);
      cairo_rectangle (cr, INSET + side * bin->confidence - 3,
                       INSET + side * (1 - bin->accuracy) - 3, 6, 6);
      cairo_fill (cr);
    }
  cairo_set_source_rgb (cr, 0.4, 0.4, 0.4);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, INSET + 0.5, INSET + 0.5, side, side);
  cairo_move_to (cr, INSET, CHART - INSET);
  cairo_line_to (cr, CHART - INSET, INSET);
  cairo_stroke (cr);
  cairo_destroy (cr);
  cairo_surface_flush (surface);
  rows = cairo_image_surface_get_data (surface);
  for (gsize i = 0; i < CHART * CHART; i++)
    {
      guint32 pixel;

      memcpy (&pixel, rows + i * 4, sizeof pixel);
      image->pixels[3 * i] = (guint8) (pixel >> 16);
      image->pixels[3 * i + 1] = (guint8) (pixel >> 8);
      image->pixels[3 * i + 2] = (guint8) pixel;
    }
  cairo_surface_destroy (surface);
  return image;
}
