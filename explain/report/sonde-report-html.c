/* SPDX-License-Identifier: Apache-2.0
 * Blocks as one HTML file: images inside as data URIs, no script, no network; prints well. */
#include "data/images/sonde-png.h"
#include "explain/report/sonde-report-private.h"

static const char style[]
    = "body{font:15px/1.45 Cantarell,system-ui,sans-serif;max-width:1100px;margin:24px "
      "auto;padding:0 18px;color:#222;"
      "background:#fafafa}h1{font-weight:700}.numbers "
      "b{font-size:22px}table{border-collapse:collapse;margin:10px 0;"
      "font-variant-numeric:tabular-nums}th{font-weight:400;padding:3px "
      "8px;text-align:right;color:#555}"
      "td{padding:3px 8px;text-align:right;border:1px solid "
      "#fff}td.zero{color:#bbb}.word{text-align:left}"
      "section{background:#fff;border-radius:12px;padding:12px;margin:18px 18px 18px "
      "0;display:inline-block;"
      "vertical-align:top;box-shadow:0 1px 3px #0002}section p{margin:0 0 6px}section "
      "div{display:flex;flex-wrap:wrap;gap:12px}"
      "figure{margin:0;width:112px}figure.wide{width:340px}figcaption{font-size:12px;color:#555;"
      "overflow-wrap:anywhere}"
      "img{width:100%;image-rendering:pixelated;border-radius:3px}small{color:#666}"
      "@media print{body{background:#fff;max-width:none}section{box-shadow:none;border:1px solid "
      "#ddd;break-inside:avoid}}";

static void
append_escaped (GString *html, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  g_autofree char *escaped = g_markup_escape_text (valid, -1);

  g_string_append (html, escaped);
}

static void
append_element (GString *html, const char *element, const char *text)
{
  g_string_append_printf (html, "<%s>", element);
  append_escaped (html, text);
  g_string_append_printf (html, "</%s>", element);
}

static void
append_table (GString *html, const SondeReportBlock *block)
{
  g_string_append (html, "<table>");
  for (guint i = 0; i < block->cells->len; i++)
    {
      const SondeReportCell *cell = g_ptr_array_index (block->cells, i);
      const char *colour = cell->kind == SONDE_REPORT_CELL_GOOD ? "0,114,178" : "213,94,0";
      gboolean head = cell->kind == SONDE_REPORT_CELL_HEAD;

      if (i % block->n_columns == 0)
        g_string_append (html, i > 0 ? "</tr><tr>" : "<tr>");
      g_string_append (html, head ? "<th" : "<td");
      if (sonde_report_block_has_words (block, i % block->n_columns))
        g_string_append (html, " class=\"word\"");
      else if (!head && g_str_equal (cell->text, "0"))
        g_string_append (html, " class=\"zero\"");
      if (!head && cell->kind != SONDE_REPORT_CELL && cell->share > 0)
        g_string_append_printf (html, " style=\"background:rgba(%s,%.2f)\"", colour,
                                0.75 * cell->share);
      g_string_append_c (html, '>');
      append_escaped (html, cell->text);
      g_string_append (html, head ? "</th>" : "</td>");
    }
  g_string_append (html, block->cells->len > 0 ? "</tr></table>" : "</table>");
}

static void
append_figures (GString *html, const SondeReportBlock *block)
{
  g_string_append (html, "<section>");
  append_element (html, "p", block->text);
  g_string_append (html, "<div>");
  for (guint i = 0; i < block->figures->len; i++)
    {
      const SondeReportFigure *figure = g_ptr_array_index (block->figures, i);
      g_autoptr (GBytes) png = sonde_png_encode (figure->image);
      g_autofree char *data
          = g_base64_encode (g_bytes_get_data (png, NULL), g_bytes_get_size (png));

      g_string_append_printf (html, "<figure%s><img alt=\"\" src=\"data:image/png;base64,%s\">",
                              figure->image->width > 300 ? " class=\"wide\"" : "", data);
      append_element (html, "figcaption", figure->caption);
      g_string_append (html, "</figure>");
    }
  g_string_append (html, "</div>");
  if (block->note != NULL)
    append_element (html, "small", block->note);
  g_string_append (html, "</section>");
}

/* What opens and closes runs of blocks of one kind. */
static void
append_border (GString *html, SondeReportBlockKind kind, gboolean opens)
{
  if (kind == SONDE_REPORT_ITEM)
    g_string_append (html, opens ? "<ul>" : "</ul>");
  if (kind == SONDE_REPORT_NUMBER)
    g_string_append (html, opens ? "<p class=\"numbers\">" : "</p>");
}

static void
append_block (GString *html, const SondeReportBlock *block, gboolean first)
{
  switch (block->kind)
    {
    case SONDE_REPORT_HEADING:
      append_element (html, "h2", block->text);
      break;
    case SONDE_REPORT_TEXT:
      append_element (html, "p", block->text);
      break;
    case SONDE_REPORT_ITEM:
      append_element (html, "li", block->text);
      break;
    case SONDE_REPORT_NUMBER:
      g_string_append (html, first ? "" : " · ");
      append_element (html, "b", block->number);
      g_string_append_c (html, ' ');
      append_escaped (html, block->text);
      break;
    case SONDE_REPORT_TABLE:
      append_table (html, block);
      break;
    case SONDE_REPORT_FIGURES:
      append_figures (html, block);
      break;
    }
}

char *
sonde_report_document_to_html (SondeReportDocument *document)
{
  GString *html = g_string_new ("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">");

  append_element (html, "title", document->title);
  g_string_append_printf (html, "<style>%s</style></head><body>", style);
  append_element (html, "h1", document->title);
  for (guint i = 0; i < document->blocks->len; i++)
    {
      const SondeReportBlock *block = g_ptr_array_index (document->blocks, i);
      const SondeReportBlock *before = i > 0 ? g_ptr_array_index (document->blocks, i - 1) : NULL;
      const SondeReportBlock *behind
          = i + 1 < document->blocks->len ? g_ptr_array_index (document->blocks, i + 1) : NULL;
      gboolean first = before == NULL || before->kind != block->kind;

      if (first)
        append_border (html, block->kind, TRUE);
      append_block (html, block, first);
      if (behind == NULL || behind->kind != block->kind)
        append_border (html, block->kind, FALSE);
    }
  g_string_append (html, "</body></html>\n");
  return g_string_free (html, FALSE);
}
