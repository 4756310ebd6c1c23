/* SPDX-License-Identifier: Apache-2.0
 * Cairo surfaces into bytes; the bytes go to disk through SondeIo. */
#include "viewers/paint/sonde-figure.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include "data/base/sonde-error.h"

#define MAX_SIDE 32767 /* of a Cairo image surface */

static const struct
{
  const char *ending;
  SondeFigureFormat format;
} endings[] = {
  { ".png", SONDE_FIGURE_PNG },
  { ".svg", SONDE_FIGURE_SVG },
  { ".pdf", SONDE_FIGURE_PDF },
};

gboolean
sonde_figure_format_from_path (const char *path, SondeFigureFormat *format, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (lower, endings[i].ending))
      {
        *format = endings[i].format;
        return TRUE;
      }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "cannot write an image to “%s”: the name must end in .png, .svg or .pdf", path);
  return FALSE;
}

static cairo_status_t
collect (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *
new_surface (SondeFigureFormat format, int width, int height, double scale, GByteArray *bytes)
{
  if (format == SONDE_FIGURE_SVG)
    return cairo_svg_surface_create_for_stream (collect, bytes, width, height);
  if (format == SONDE_FIGURE_PDF)
    return cairo_pdf_surface_create_for_stream (collect, bytes, width * 0.75,
                                                height * 0.75); /* px -> pt */
  return cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) (width * scale + 0.5),
                                     (int) (height * scale + 0.5));
}

static void
fill_surface (cairo_t *cr, SondeFigureFormat format, int width, int height, double scale,
              const SondeColor *background, SondePaintFunc paint, void *user_data)
{
  if (format == SONDE_FIGURE_PNG)
    cairo_scale (cr, scale, scale);
  if (format == SONDE_FIGURE_PDF)
    cairo_scale (cr, 0.75, 0.75);
  if (background != NULL)
    {
      sonde_paint_set_color (cr, background);
      cairo_paint (cr);
    }
  paint (cr, width, height, user_data);
}

GBytes *
sonde_figure_render (SondeFigureFormat format, int width, int height, double scale,
                     const SondeColor *background, SondePaintFunc paint, void *user_data,
                     GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_surface_t *surface;
  cairo_status_t status;
  cairo_t *cr;

  if (width < 1 || height < 1 || width * scale > MAX_SIDE || height * scale > MAX_SIDE)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "cannot draw %d×%d pixels at scale %g; sides must be 1 to %d pixels", width,
                       height, scale, MAX_SIDE);
      return NULL;
    }
  surface = new_surface (format, width, height, scale, bytes);
  cr = cairo_create (surface);
  fill_surface (cr, format, width, height, scale, background, paint, user_data);
  status = cairo_status (cr);
  cairo_destroy (cr);
  if (status == CAIRO_STATUS_SUCCESS && format == SONDE_FIGURE_PNG)
    status = cairo_surface_write_to_png_stream (surface, collect, bytes);
  cairo_surface_finish (surface);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "cannot draw the image: %s",
                       cairo_status_to_string (status));
      return NULL;
    }
  return g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
}

gboolean
sonde_figure_save (const SondeIo *io, const char *path, int width, int height, double scale,
                   const SondeColor *background, SondePaintFunc paint, void *user_data,
                   GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  SondeFigureFormat format;

  if (!sonde_figure_format_from_path (path, &format, error))
    return FALSE;
  bytes = sonde_figure_render (format, width, height, scale, background, paint, user_data, error);
  if (bytes == NULL)
    return FALSE;
  return sonde_io_replace_file (io, path, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                error);
}
