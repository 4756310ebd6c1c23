/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/report/sonde-report-markup.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define N_COLOURS 12
#define MAX_LETTERS 500  /* of a text; what is longer ends in an ellipsis */
#define LETTER_WIDTH 6.2 /* of the font in pictures, more or less */

/* Control and bidi characters have pictures: U+2400 and on for the first, one for all others. */
static void
add_character (GString *page, gunichar c)
{
  GUnicodeType type = g_unichar_type (c);

  if (c < 0x20)
    g_string_append_unichar (page, 0x2400 + c);
  else if (type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_LINE_SEPARATOR
           || type == G_UNICODE_PARAGRAPH_SEPARATOR)
    g_string_append_unichar (page, 0x2426);
  else if (c == '&')
    g_string_append (page, "&amp;");
  else if (c == '<')
    g_string_append (page, "&lt;");
  else if (c == '>')
    g_string_append (page, "&gt;");
  else if (c == '"')
    g_string_append (page, "&quot;");
  else
    g_string_append_unichar (page, c);
}

void
sonde_report_add_escaped (GString *page, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  guint n = 0;

  for (const char *p = valid; *p != '\0' && n <= MAX_LETTERS; p = g_utf8_next_char (p))
    add_character (page, n++ < MAX_LETTERS ? g_utf8_get_char (p) : 0x2026);
}

void
sonde_report_add_heading (GString *page, const char *text)
{
  g_string_append (page, "<h2>");
  sonde_report_add_escaped (page, text);
  g_string_append (page, "</h2>\n");
}

void
sonde_report_begin_table (GString *page, const char *const *heads)
{
  g_string_append (page, "<div class=\"scroll\"><table>\n<tr>");
  for (; *heads != NULL; heads++)
    {
      g_string_append (page, (*heads)[0] == '>' ? "<th class=\"n\">" : "<th>");
      sonde_report_add_escaped (page, _ (*heads) + 1);
      g_string_append (page, "</th>");
    }
  g_string_append (page, "</tr>\n");
}

void
sonde_report_end_table (GString *page)
{
  g_string_append (page, "</table></div>\n");
}

void
sonde_report_add_cell (GString *page, const char *text, gboolean is_number)
{
  g_string_append (page, is_number ? "<td class=\"n\">" : "<td>");
  sonde_report_add_escaped (page, text);
  g_string_append (page, "</td>");
}

char *
sonde_report_format_ns (double ns)
{
  return isfinite (ns) ? sonde_format_duration ((gint64) ns) : g_strdup ("–");
}

char *
sonde_report_format_share (double share)
{
  return isfinite (share) ? g_strdup_printf ("%.1f %%", share * 100) : g_strdup ("–");
}

guint
sonde_report_get_colour (const char *text)
{
  return g_str_hash (text) % N_COLOURS;
}

/* ---- pictures ------------------------------------------------------------ */

void
sonde_report_begin_picture (GString *page, double height, const char *title)
{
  g_string_append_printf (
      page,
      "<div class=\"scroll\"><svg viewBox=\"0 0 %d %.0f\" width=\"%d\" height=\"%.0f\" "
      "role=\"img\"><title>",
      SONDE_REPORT_WIDTH, height, SONDE_REPORT_WIDTH, height);
  sonde_report_add_escaped (page, title);
  g_string_append (page, "</title>\n");
}

void
sonde_report_end_picture (GString *page)
{
  g_string_append (page, "</svg></div>\n");
}

void
sonde_report_add_rectangle (GString *page, double x, double y, double width, double height,
                            guint colour, const char *tip, const char *text)
{
  const glong room = (glong) ((width - 6) / LETTER_WIDTH);

  g_string_append_printf (page,
                          "<g><rect x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\" "
                          "class=\"c%u\"/><title>",
                          x, y, width, height, colour);
  sonde_report_add_escaped (page, tip);
  g_string_append (page, "</title>");
  if (text != NULL && room >= 4)
    {
      g_autofree char *valid = g_utf8_make_valid (text, -1);
      g_autofree char *part = g_utf8_substring (valid, 0, MIN (room, g_utf8_strlen (valid, -1)));

      g_string_append_printf (page, "<text x=\"%.2f\" y=\"%.1f\">", x + 3, y + height / 2 + 4);
      sonde_report_add_escaped (page, part);
      g_string_append (page, "</text>");
    }
  g_string_append (page, "</g>\n");
}
