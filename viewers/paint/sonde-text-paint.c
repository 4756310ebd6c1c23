/* SPDX-License-Identifier: Apache-2.0
 * One line of text by Pango. */
#include "viewers/paint/sonde-text-paint.h"

#include <math.h>

static const struct
{
  const char *family;
  double size; /* px */
  PangoWeight weight;
} fonts[SONDE_N_FONTS] = {
  [SONDE_FONT_LABEL] = { "Cantarell, Noto Sans, Sans", 12, PANGO_WEIGHT_NORMAL },
  [SONDE_FONT_SMALL] = { "Cantarell, Noto Sans, Sans", 10.5, PANGO_WEIGHT_NORMAL },
  [SONDE_FONT_STRONG] = { "Cantarell, Noto Sans, Sans", 12, PANGO_WEIGHT_BOLD },
  [SONDE_FONT_TITLE] = { "Cantarell, Noto Sans, Sans", 14, PANGO_WEIGHT_BOLD },
  [SONDE_FONT_MONO] = { "Source Code Pro, DejaVu Sans Mono, Monospace", 12, PANGO_WEIGHT_NORMAL },
};

static void
set_font (PangoLayout *layout, SondeFont font)
{
  g_autoptr (PangoFontDescription) description = pango_font_description_new ();
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_font_description_set_family_static (description, fonts[font].family);
  pango_font_description_set_absolute_size (description, fonts[font].size * PANGO_SCALE);
  pango_font_description_set_weight (description, fonts[font].weight);
  pango_layout_set_font_description (layout, description);
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
}

static PangoLayout *
new_layout (cairo_t *cr, SondeFont font, const char *text)
{
  g_autofree char *visible = sonde_text_make_visible (text);
  PangoLayout *layout;

  if (cr != NULL)
    layout = pango_cairo_create_layout (cr);
  else
    {
      PangoContext *context = pango_font_map_create_context (pango_cairo_font_map_get_default ());
      layout = pango_layout_new (context);
      g_object_unref (context);
    }
  set_font (layout, font);
  pango_layout_set_text (layout, visible, -1);
  return layout;
}

static double
fit_layout (PangoLayout *layout, double max_width, double *height)
{
  PangoRectangle logical;

  pango_layout_get_extents (layout, NULL, &logical);
  if (max_width > 0 && logical.width > max_width * PANGO_SCALE)
    {
      pango_layout_set_width (layout, (int) (max_width * PANGO_SCALE));
      pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_MIDDLE);
      pango_layout_get_extents (layout, NULL, &logical);
    }
  if (height != NULL)
    *height = (double) logical.height / PANGO_SCALE;
  return (double) logical.width / PANGO_SCALE;
}

PangoLayout *
sonde_text_layout_new (cairo_t *cr, SondeFont font, double max_width, const char *text,
                       double *width)
{
  PangoLayout *layout = new_layout (cr, font, text);

  *width = fit_layout (layout, max_width, NULL);
  return layout;
}

/* ---- few fonts ----------------------------------------------------------- */

/* Each size and each angle is a font of its own to Cairo, which keeps the glyphs of the last hundreds. A graph that is
 * zoomed and the lines of a landscape would have one for each place of the wheel and each label. Steps of the scale,
 * half as large below 1; the usual scales of a desktop's texts are among them. */
#define STEP 0.125

static gboolean
has_pixels (cairo_t *cr)
{
  return cairo_surface_get_type (cairo_get_group_target (cr)) == CAIRO_SURFACE_TYPE_IMAGE;
}

/* By what to shrink so that text has one of few sizes: down to the next step. */
static double
find_shrink (cairo_t *cr)
{
  cairo_matrix_t matrix;
  double scale, step, shrink;

  cairo_get_matrix (cr, &matrix);
  scale = hypot (matrix.xx, matrix.yx);
  step = scale < 1 ? STEP / 2 : STEP;
  if (!has_pixels (cr) || !(scale > step) || !isfinite (scale))
    return 1;
  shrink = step * floor (scale / step + 1e-6) / scale;
  return fabs (shrink - 1) < 1e-6 ? 1 : shrink;
}

/* By other than quarters. */
static gboolean
is_turned (cairo_t *cr)
{
  cairo_matrix_t matrix;
  double least;

  cairo_get_matrix (cr, &matrix);
  least = 1e-6 * hypot (matrix.xx, matrix.yx);
  return has_pixels (cr) && fabs (matrix.xx) > least && fabs (matrix.yx) > least;
}

/* Outlines of the upright font, at the place that is current. */
static void
show_turned (cairo_t *cr, PangoLayout *layout)
{
  cairo_path_t *outlines;
  cairo_matrix_t matrix;
  double x, y;

  cairo_get_current_point (cr, &x, &y);
  cairo_get_matrix (cr, &matrix);
  cairo_new_path (cr);
  cairo_identity_matrix (cr);
  pango_cairo_layout_path (cr, layout);
  outlines = cairo_copy_path (cr);
  cairo_new_path (cr);
  cairo_set_matrix (cr, &matrix);
  cairo_translate (cr, x, y);
  cairo_append_path (cr, outlines);
  cairo_fill (cr);
  cairo_path_destroy (outlines);
}

double
sonde_paint_text (cairo_t *cr, SondeFont font, SondeTextAlign align, double x, double y,
                  double max_width, const char *text)
{
  double height, width, left, shrink = find_shrink (cr);
  gboolean turned = is_turned (cr);
  g_autoptr (PangoLayout) layout = NULL;

  cairo_save (cr);
  cairo_scale (cr, shrink, shrink);
  layout = new_layout (turned ? NULL : cr, font, text);
  width = fit_layout (layout, max_width / shrink, &height);
  left = x / shrink
         - (align == SONDE_ALIGN_START ? 0
            : align == SONDE_ALIGN_END ? width
                                       : width / 2);
  /* Whole pixels vertically keep the strokes of small text sharp. */
  cairo_move_to (cr, left, round (y / shrink - height / 2));
  (turned ? show_turned : pango_cairo_show_layout) (cr, layout);
  cairo_new_path (cr);
  cairo_restore (cr);
  return width * shrink;
}

void
sonde_paint_text_upwards (cairo_t *cr, SondeFont font, double x, double y, double max_width,
                          const char *text)
{
  cairo_save (cr);
  cairo_translate (cr, x, y);
  cairo_rotate (cr, -G_PI_2);
  sonde_paint_text (cr, font, SONDE_ALIGN_CENTER, 0, 0, max_width, text);
  cairo_restore (cr);
}

double
sonde_text_measure (SondeFont font, const char *text, double *height)
{
  g_autoptr (PangoLayout) layout = new_layout (NULL, font, text);

  return fit_layout (layout, 0, height);
}

double
sonde_font_height (SondeFont font)
{
  double height;

  sonde_text_measure (font, "0g", &height);
  return height;
}

static gboolean
is_hidden (gunichar c)
{
  return g_unichar_iscntrl (c) || (c >= 0x200b && c <= 0x200f) || (c >= 0x202a && c <= 0x202e)
         || (c >= 0x2060 && c <= 0x2069) || c == 0x2028 || c == 0x2029 || c == 0xfeff
         || c == 0x061c;
}

char *
sonde_text_make_visible (const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text != NULL ? text : "", -1);
  GString *out = NULL;

  for (const char *p = valid; *p != '\0'; p = g_utf8_next_char (p))
    {
      gunichar c = g_utf8_get_char (p);

      if (!is_hidden (c))
        {
          if (out != NULL)
            g_string_append_unichar (out, c);
          continue;
        }
      if (out == NULL)
        out = g_string_new_len (valid, p - valid);
      if (c < 0x20)
        g_string_append_unichar (out, 0x2400 + c); /* control pictures */
      else
        g_string_append_printf (out, "\xe2\x9f\xa8U+%04X\xe2\x9f\xa9", c);
    }
  return out == NULL ? g_steal_pointer (&valid) : g_string_free (out, FALSE);
}
