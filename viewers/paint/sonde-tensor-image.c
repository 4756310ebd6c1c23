/* SPDX-License-Identifier: Apache-2.0
 * Tiles of a tensor on one colour scale. */
#include "viewers/paint/sonde-tensor-image.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-statistics.h"

#define MAX_TILE_ELEMENTS (4 << 20)
#define MAX_CELLS (8 << 20)
#define BAND_HEIGHT 28 /* px of an image of few rows */
#define MIN_GAP_CELL 2 /* px of a cell from which on tiles are parted by a line */

/* Sizes of a tile and of the image, and how many tiles there is room for. */
static gboolean
measure (SondeTensorImage *self, const SondeShape *shape)
{
  gint64 width = shape->rank > 0 ? shape->dims[shape->rank - 1] : 1;
  gint64 height = shape->rank > 1 ? shape->dims[shape->rank - 2] : 1;
  gint64 tiles = 1;
  double across;

  for (int d = 0; d < shape->rank - 2; d++)
    tiles *= shape->dims[d];
  if (width < 1 || height < 1 || tiles < 1 || height > MAX_TILE_ELEMENTS / width)
    return FALSE;
  self->tile_width = (int) width;
  self->tile_height = (int) height;
  self->n_tiles_all = tiles;
  self->n_tiles
      = (int) CLAMP (MIN (tiles, MAX_CELLS / (width * height)), 1, SONDE_TENSOR_IMAGE_MAX_TILES);
  across = ceil (sqrt ((double) self->n_tiles * (double) height / (double) width));
  self->tiles_across = (int) CLAMP (across, 1, self->n_tiles);
  self->columns = self->tiles_across * self->tile_width;
  self->rows = (self->n_tiles + self->tiles_across - 1) / self->tiles_across * self->tile_height;
  return self->columns <= 32767 && self->rows <= 32767;
}

static guint32
pack (const SondeColor *color)
{
  return 0xFF000000u | (guint32) lround (255.0 * color->red) << 16
         | (guint32) lround (255.0 * color->green) << 8 | (guint32) lround (255.0 * color->blue);
}

static void
color_cells (SondeTensorImage *self)
{
  const float *values = (const float *) (const void *) self->tensor->data;
  SondeColor hatch = sonde_theme_get (FALSE)->hatch;
  guint32 table[256], bad = pack (&hatch);
  guint8 *data = cairo_image_surface_get_data (self->surface);
  int stride = cairo_image_surface_get_stride (self->surface);
  double factor = self->high > self->low ? 255.999 / (self->high - self->low) : 0;

  sonde_color_map_fill (self->colors, table);
  for (int row = 0; data != NULL && row < self->rows; row++)
    {
      guint32 *line = (guint32 *) (void *) (data + (gsize) row * (gsize) stride);

      for (int column = 0; column < self->columns; column++)
        {
          gint64 index = sonde_tensor_image_index_at (self, column, row);
          double value = index >= 0 ? values[index] : 0;

          if (index < 0)
            line[column] = 0;
          else if (isfinite (value))
            line[column] = table[(int) CLAMP ((value - self->low) * factor, 0, 255)];
          else
            line[column] = bad;
        }
    }
  cairo_surface_mark_dirty (self->surface);
}

SondeTensorImage *
sonde_tensor_image_new (SondeTensor *tensor)
{
  g_autoptr (SondeTensorImage) self = g_new0 (SondeTensorImage, 1);
  SondeStatistics statistics;

  if (tensor->dtype == SONDE_DTYPE_STRING || sonde_tensor_n_elements (tensor) < 1
      || !measure (self, &tensor->shape))
    return NULL;
  self->tensor = sonde_tensor_cast (tensor, SONDE_DTYPE_F32);
  sonde_statistics_compute (self->tensor, &statistics);
  self->least = statistics.min;
  self->largest = statistics.max;
  self->colors = statistics.min < 0 && statistics.max > 0 ? SONDE_COLOR_MAP_DIVERGING
                                                          : SONDE_COLOR_MAP_VIRIDIS;
  sonde_color_map_limits (self->colors, statistics.min, statistics.max, &self->low, &self->high);
  self->surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, self->columns, self->rows);
  color_cells (self);
  return g_steal_pointer (&self);
}

void
sonde_tensor_image_free (SondeTensorImage *drawing)
{
  if (drawing == NULL)
    return;
  sonde_tensor_unref (drawing->tensor);
  g_clear_pointer (&drawing->surface, cairo_surface_destroy);
  g_free (drawing);
}

char *
sonde_tensor_image_dup_constant (const SondeTensorImage *drawing)
{
  g_autofree char *number = NULL;

  if (!(drawing->least == drawing->largest))
    return NULL;
  number = sonde_format_number (drawing->least);
  /* Translators: a number that all elements have. */
  return g_strdup_printf (_ ("All %s"), number);
}

gint64
sonde_tensor_image_index_at (const SondeTensorImage *drawing, int column, int row)
{
  int tile = row / drawing->tile_height * drawing->tiles_across + column / drawing->tile_width;

  if (column < 0 || row < 0 || column >= drawing->columns || row >= drawing->rows
      || tile >= drawing->n_tiles)
    return -1;
  return ((gint64) tile * drawing->tile_height + row % drawing->tile_height) * drawing->tile_width
         + column % drawing->tile_width;
}

void
sonde_tensor_image_fit (const SondeTensorImage *drawing, double width, double height,
                        double *image_width, double *image_height)
{
  double scale = fmin (width / drawing->columns, height / drawing->rows);

  if (scale >= 1)
    scale = floor (scale);
  *image_width = scale * drawing->columns;
  *image_height = scale * drawing->rows;
  if (*image_height < BAND_HEIGHT)
    {
      *image_width
          = width >= drawing->columns ? floor (width / drawing->columns) * drawing->columns : width;
      *image_height = fmin (BAND_HEIGHT, height);
    }
}

static void
part_tiles (cairo_t *cr, const SondeTheme *theme, const SondeTensorImage *drawing,
            double cell_width, double cell_height)
{
  double width = drawing->columns * cell_width, height = drawing->rows * cell_height;

  for (int i = 1; i < drawing->tiles_across; i++)
    {
      cairo_move_to (cr, i * drawing->tile_width * cell_width, 0);
      cairo_rel_line_to (cr, 0, height);
    }
  for (int i = 1; i * drawing->tile_height < drawing->rows; i++)
    {
      cairo_move_to (cr, 0, i * drawing->tile_height * cell_height);
      cairo_rel_line_to (cr, width, 0);
    }
  sonde_paint_set_color (cr, &theme->card);
  cairo_set_line_width (cr, cell_width >= MIN_GAP_CELL ? 2 : 1);
  cairo_stroke (cr);
}

void
sonde_paint_tensor (cairo_t *cr, const SondeTheme *theme, const SondeTensorImage *drawing, double x,
                    double y, double width, double height)
{
  cairo_save (cr);
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
  cairo_translate (cr, x, y);
  cairo_save (cr);
  cairo_scale (cr, width / drawing->columns, height / drawing->rows);
  cairo_set_source_surface (cr, drawing->surface, 0, 0);
  /* Cells stay cells; many in one px are averaged. */
  cairo_pattern_set_filter (cairo_get_source (cr),
                            width >= drawing->columns ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
  cairo_paint (cr);
  cairo_restore (cr);
  if (drawing->n_tiles > 1)
    part_tiles (cr, theme, drawing, width / drawing->columns, height / drawing->rows);
  cairo_restore (cr);
}
