/* SPDX-License-Identifier: Apache-2.0
 * Blocks as A4 pages: from top to bottom, a block that does not fit begins a page, long ones go on
 * on the next. */
#include <cairo-pdf.h>
#include <math.h>
#include <pango/pangocairo.h>

#include "explain/report/sonde-report-private.h"

#define WIDTH 595.0 /* A4 in points */
#define HEIGHT 842.0
#define MARGIN 42.0
#define FIGURE 66.0
#define GAP 8.0
#define ROW 13.0
#define PADDING 5.0
#define CELL_FONT "Sans 7"
#define CAPTION_FONT "Sans 6"

typedef struct
{
  cairo_t *cr;
  double y;
} Page;

static cairo_status_t
collect (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

/* Begins a page when @height more points do not fit on this one. */
static void
need (Page *page, double height)
{
  if (page->y + height <= HEIGHT - MARGIN || page->y <= MARGIN)
    return;
  cairo_show_page (page->cr);
  page->y = MARGIN;
}

static PangoLayout *
make_layout (Page *page, const char *font, const char *text, double width)
{
  PangoLayout *layout = pango_cairo_create_layout (page->cr);
  PangoFontDescription *description = pango_font_description_from_string (font);
  g_autofree char *valid = g_utf8_make_valid (text, -1);

  pango_layout_set_font_description (layout, description);
  pango_font_description_free (description);
  pango_layout_set_text (layout, valid, -1);
  pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
  pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
  return layout;
}

/* One paragraph over the page's width. */
static void
draw_text (Page *page, const char *font, const char *text, double indent, double after)
{
  PangoLayout *layout = make_layout (page, font, text, WIDTH - 2 * MARGIN - indent);
  int height;

  pango_layout_get_size (layout, NULL, &height);
  need (page, (double) height / PANGO_SCALE);
  cairo_set_source_rgb (page->cr, 0.13, 0.13, 0.13);
  cairo_move_to (page->cr, MARGIN + indent, page->y);
  pango_cairo_show_layout (page->cr, layout);
  page->y += (double) height / PANGO_SCALE + after;
  g_object_unref (layout);
}

/* The text in one line, in points. */
static double
measure_text (Page *page, const char *font, const char *text)
{
  PangoLayout *layout = make_layout (page, font, text, 0);
  int width;

  pango_layout_set_width (layout, -1);
  pango_layout_get_size (layout, &width, NULL);
  g_object_unref (layout);
  return (double) width / PANGO_SCALE;
}

static void
draw_cell (Page *page, const SondeReportCell *cell, gboolean words, double x, double width)
{
  PangoLayout *layout = make_layout (page, CELL_FONT, cell->text, width - 2 * PADDING);

  if (cell->kind == SONDE_REPORT_CELL_GOOD || cell->kind == SONDE_REPORT_CELL_BAD)
    {
      if (cell->kind == SONDE_REPORT_CELL_GOOD)
        cairo_set_source_rgba (page->cr, 0, 0.447, 0.698, 0.75 * cell->share);
      else
        cairo_set_source_rgba (page->cr, 0.835, 0.369, 0, 0.75 * cell->share);
      cairo_rectangle (page->cr, x, page->y, width - 1, ROW - 1);
      cairo_fill (page->cr);
    }
  pango_layout_set_ellipsize (layout, PANGO_ELLIPSIZE_END);
  pango_layout_set_height (layout, -1);
  pango_layout_set_alignment (layout, words ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT);
  cairo_set_source_rgb (page->cr, 0.13, 0.13, 0.13);
  cairo_move_to (page->cr, x + PADDING, page->y + 1.5);
  pango_cairo_show_layout (page->cr, layout);
  g_object_unref (layout);
}

/* As wide as the widest cell; columns that are too many for the page share it, in proportion. */
static double *
measure_columns (Page *page, const SondeReportBlock *block)
{
  double *widths = g_new0 (double, block->n_columns), sum = 0;

  for (guint i = 0; i < block->cells->len; i++)
    {
      const SondeReportCell *cell = g_ptr_array_index (block->cells, i);
      double *width = &widths[i % block->n_columns];

      *width = fmax (*width, measure_text (page, CELL_FONT, cell->text) + 2 * PADDING + 1);
    }
  for (guint k = 0; k < block->n_columns; k++)
    sum += widths[k];
  for (guint k = 0; sum > WIDTH - 2 * MARGIN && k < block->n_columns; k++)
    widths[k] *= (WIDTH - 2 * MARGIN) / sum;
  return widths;
}

static void
draw_row (Page *page, const SondeReportBlock *block, const double *widths, guint row)
{
  double x = MARGIN;

  for (guint k = 0; k < block->n_columns && row * block->n_columns + k < block->cells->len;
       x += widths[k++])
    draw_cell (page, g_ptr_array_index (block->cells, row * block->n_columns + k),
               sonde_report_block_has_words (block, k), x, widths[k]);
  page->y += ROW;
}

/* A table that goes on on the next page has its first row there again. */
static void
draw_table (Page *page, const SondeReportBlock *block)
{
  g_autofree double *widths = measure_columns (page, block);
  guint n_rows = (block->cells->len + block->n_columns - 1) / block->n_columns;

  need (page, ROW * MIN (n_rows, 4));
  for (guint row = 0; row < n_rows; row++)
    {
      double before = page->y;

      need (page, ROW);
      if (row > 0 && page->y < before
          && ((SondeReportCell *) g_ptr_array_index (block->cells, block->n_columns - 1))->kind
                 == SONDE_REPORT_CELL_HEAD)
        draw_row (page, block, widths, 0);
      draw_row (page, block, widths, row);
    }
  page->y += GAP;
}

static void
draw_image (Page *page, const SondeImage *image, double x, double width, double height)
{
  cairo_surface_t *surface
      = cairo_image_surface_create (CAIRO_FORMAT_RGB24, image->width, image->height);
  int stride = cairo_image_surface_get_stride (surface);
  guint8 *rows = cairo_image_surface_get_data (surface);
  const guint8 *from = image->pixels;

  cairo_surface_flush (surface);
  for (int row = 0; row < image->height; row++)
    for (int column = 0; column < image->width; column++, from += image->channels)
      {
        guint32 *pixel = (guint32 *) (void *) (rows + (gsize) row * (gsize) stride) + column;
        guint8 green = image->channels >= 3 ? from[1] : from[0],
               blue = image->channels >= 3 ? from[2] : from[0];

        *pixel = (guint32) from[0] << 16 | (guint32) green << 8 | blue;
      }
  cairo_surface_mark_dirty (surface);
  cairo_save (page->cr);
  cairo_translate (page->cr, x, page->y);
  cairo_scale (page->cr, width / image->width, height / image->height);
  cairo_set_source_surface (page->cr, surface, 0, 0);
  cairo_pattern_set_filter (cairo_get_source (page->cr), CAIRO_FILTER_NEAREST);
  cairo_paint (page->cr);
  cairo_restore (page->cr);
  cairo_surface_destroy (surface);
}

static double
figure_width (const SondeReportFigure *figure)
{
  return figure->image->width > 300 ? 3 * FIGURE : FIGURE;
}

static double
figure_height (const SondeReportFigure *figure)
{
  return figure_width (figure) * figure->image->height / figure->image->width;
}

/* How many figures from @first on fit beside each other; the room that the highest of images and
 * of captions take. */
static guint
measure_figure_row (Page *page, const GPtrArray *figures, guint first, double *images,
                    double *captions)
{
  double x = MARGIN;
  guint n = 0;

  *images = *captions = 0;
  for (guint i = first; i < figures->len; i++, n++)
    {
      const SondeReportFigure *figure = g_ptr_array_index (figures, i);
      PangoLayout *layout;
      int height;

      if (n > 0 && x + figure_width (figure) > WIDTH - MARGIN)
        break;
      layout = make_layout (page, CAPTION_FONT, figure->caption, figure_width (figure));
      pango_layout_get_size (layout, NULL, &height);
      g_object_unref (layout);
      *images = fmax (*images, figure_height (figure));
      *captions = fmax (*captions, (double) height / PANGO_SCALE);
      x += figure_width (figure) + GAP;
    }
  return n;
}

/* A row of images, as many as fit, each with its words below. Returns: how many. */
static guint
draw_figure_row (Page *page, const GPtrArray *figures, guint first)
{
  double images, captions, x = MARGIN;
  guint n = measure_figure_row (page, figures, first, &images, &captions);

  need (page, images + captions + 1);
  for (guint i = first; i < first + n; i++)
    {
      const SondeReportFigure *figure = g_ptr_array_index (figures, i);
      PangoLayout *layout
          = make_layout (page, CAPTION_FONT, figure->caption, figure_width (figure));

      draw_image (page, figure->image, x, figure_width (figure), figure_height (figure));
      cairo_set_source_rgb (page->cr, 0.33, 0.33, 0.33);
      cairo_move_to (page->cr, x, page->y + figure_height (figure) + 1);
      pango_cairo_show_layout (page->cr, layout);
      g_object_unref (layout);
      x += figure_width (figure) + GAP;
    }
  page->y += images + captions + 5;
  return n;
}

static void
draw_figures (Page *page, const SondeReportBlock *block)
{
  need (page, FIGURE + 60);
  draw_text (page, "Sans Bold 8", block->text, 0, 3);
  for (guint i = 0; i < block->figures->len;)
    i += draw_figure_row (page, block->figures, i);
  if (block->note != NULL)
    draw_text (page, CAPTION_FONT, block->note, 0, 3);
  page->y += GAP;
}

static void
draw_block (Page *page, const SondeReportBlock *block)
{
  g_autofree char *text = NULL;

  switch (block->kind)
    {
    case SONDE_REPORT_HEADING:
      need (page, 90);
      page->y += GAP;
      draw_text (page, "Sans Bold 13", block->text, 0, 5);
      break;
    case SONDE_REPORT_TEXT:
      draw_text (page, "Sans 8.5", block->text, 0, 4);
      break;
    case SONDE_REPORT_ITEM:
      text = g_strconcat ("• ", block->text, NULL);
      draw_text (page, "Sans 8.5", text, 8, 2);
      break;
    case SONDE_REPORT_NUMBER:
      text = g_strconcat (block->number, " ", block->text, NULL);
      draw_text (page, "Sans Bold 10", text, 0, 1);
      break;
    case SONDE_REPORT_TABLE:
      draw_table (page, block);
      break;
    case SONDE_REPORT_FIGURES:
      draw_figures (page, block);
      break;
    }
}

GBytes *
sonde_report_document_to_pdf (SondeReportDocument *document)
{
  GByteArray *bytes = g_byte_array_new ();
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream (collect, bytes, WIDTH, HEIGHT);
  Page page = { cairo_create (surface), MARGIN };

  cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, document->title);
  draw_text (&page, "Sans Bold 18", document->title, 0, GAP);
  for (guint i = 0; i < document->blocks->len; i++)
    draw_block (&page, g_ptr_array_index (document->blocks, i));
  cairo_show_page (page.cr);
  cairo_destroy (page.cr);
  cairo_surface_finish (surface);
  cairo_surface_destroy (surface);
  return g_byte_array_free_to_bytes (bytes);
}
