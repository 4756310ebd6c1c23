/* SPDX-License-Identifier: Apache-2.0
 * What is said of points: tool-tip, description, table. */
#include "viewers/scatter/sonde-scatter-view-private.h"

#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define MAX_LINES 8 /* of labels */

const char *
sonde_scatter_view_get_label (SondeScatterView *view, gsize point, gint64 column)
{
  const char *text;

  g_return_val_if_fail (view != NULL, "");
  if (view->labels == NULL || column < 0 || column >= view->n_columns || point >= view->n)
    return "";
  text = ((char *const *) (const void *)
              view->labels->data)[(gint64) point * view->n_columns + column];
  return text != NULL ? text : "";
}

void
sonde_scatter_view_append_labels (SondeScatterView *view, GString *text, gsize point,
                                  const char *before)
{
  for (gint64 c = 0; c < MIN (view->n_columns, MAX_LINES); c++)
    {
      g_autofree char *label
          = sonde_text_make_visible (sonde_scatter_view_get_label (view, point, c));
      g_autofree char *name
          = sonde_text_make_visible (view->columns != NULL ? view->columns[c] : _ ("label"));

      g_string_append_printf (text, "%s%s: %s", before, name, label);
    }
}

char *
sonde_scatter_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeScatterView *view = (SondeScatterView *) base;
  g_autofree char *x = NULL, *y = NULL;
  GString *text = g_string_new (NULL);
  gsize i = (gsize) pick->id;

  if (i >= view->n)
    return g_string_free (text, FALSE);
  g_string_append_printf (text, _ ("point %zu"), i);
  sonde_scatter_view_append_labels (view, text, i, "\n");
  x = sonde_format_number (view->places[i * (gsize) view->dims]);
  y = sonde_format_number (view->places[i * (gsize) view->dims + 1]);
  if (view->dims == 3)
    {
      g_autofree char *z = sonde_format_number (view->places[i * 3 + 2]);

      g_string_append_printf (text, _ ("\nat (%s, %s, %s)"), x, y, z);
    }
  else
    g_string_append_printf (text, _ ("\nat (%s, %s)"), x, y);
  return g_string_free (text, FALSE);
}

static void
append_titles (SondeScatterView *view, GString *text)
{
  if (view->titles[0] == NULL || view->titles[1] == NULL)
    return;
  if (view->dims == 3 && view->titles[2] != NULL)
    g_string_append_printf (text, _ (", %s, %s and %s"), view->titles[0], view->titles[1],
                            view->titles[2]);
  else
    g_string_append_printf (text, _ (", %s and %s"), view->titles[0], view->titles[1]);
}

char *
sonde_scatter_view_describe (SondeView *base)
{
  SondeScatterView *view = (SondeScatterView *) base;
  const char *title = sonde_view_get_title (base);
  gint64 selection = sonde_view_get_selection (base);
  g_autofree char *count = sonde_format_count ((gint64) view->n);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, _ ("%s: %s points"), title != NULL ? title : _ ("Points"), count);
  append_titles (view, text);
  if (view->kinds != NULL && view->columns != NULL)
    g_string_append_printf (text, _ (", coloured by %s"), view->columns[view->color_column]);
  g_string_append_c (text, '.');
  if (view->marks->len > 0)
    {
      g_autofree char *marked = sonde_format_count (view->marks->len);

      g_string_append_printf (text, _ (" Marked: %s."), marked);
    }
  if (selection >= 0 && (gsize) selection < view->n)
    {
      g_string_append_printf (text, _ (" Point %" PRIi64), selection);
      sonde_scatter_view_append_labels (view, text, (gsize) selection, ", ");
      g_string_append_c (text, '.');
    }
  return g_string_free (text, FALSE);
}

/* ---- table --------------------------------------------------------------- */

/* In CSV between quotes where it must be; between tabs on one line. */
static void
append_cell (GString *text, const char *cell, char separator)
{
  gboolean quoted = separator == ',' && strpbrk (cell, ",\"\r\n") != NULL;

  if (quoted)
    g_string_append_c (text, '"');
  for (const char *c = cell; *c != '\0'; c++)
    if (separator == ',')
      g_string_append (text, quoted && *c == '"' ? "\"\"" : (char[]){ *c, '\0' });
    else
      g_string_append_c (text, *c == '\t' || *c == '\n' || *c == '\r' ? ' ' : *c);
  if (quoted)
    g_string_append_c (text, '"');
}

static void
append_head (SondeScatterView *view, GString *text, char separator)
{
  g_string_append_printf (text, "point%cx%cy", separator, separator);
  if (view->dims == 3)
    g_string_append_printf (text, "%cz", separator);
  for (gint64 c = 0; c < view->n_columns; c++)
    {
      g_string_append_c (text, separator);
      append_cell (text, view->columns != NULL ? view->columns[c] : "label", separator);
    }
}

static void
append_number (GString *text, double number, char separator)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_c (text, separator);
  g_string_append (text, g_ascii_dtostr (digits, sizeof digits, number));
}

static void
append_row (SondeScatterView *view, GString *text, gsize i, char separator)
{
  g_string_append_printf (text, "%zu", i);
  for (int k = 0; k < view->dims; k++)
    append_number (text, view->places[i * (gsize) view->dims + (gsize) k], separator);
  for (gint64 c = 0; c < view->n_columns; c++)
    {
      g_string_append_c (text, separator);
      append_cell (text, sonde_scatter_view_get_label (view, i, c), separator);
    }
}

char *
sonde_scatter_view_dup_rows (SondeScatterView *view, const guint32 *points, const double *distances,
                             gsize n, char separator)
{
  GString *text = g_string_new (NULL);

  g_return_val_if_fail (view != NULL, g_string_free (text, FALSE));
  append_head (view, text, separator);
  if (distances != NULL)
    g_string_append_printf (text, "%cdistance", separator);
  g_string_append_c (text, '\n');
  for (gsize i = 0; i < n; i++)
    {
      if (points[i] >= view->n)
        continue;
      append_row (view, text, points[i], separator);
      if (distances != NULL)
        append_number (text, distances[i], separator);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}

char *
sonde_scatter_view_dup_table (SondeView *base, char separator)
{
  SondeScatterView *view = (SondeScatterView *) base;
  GString *text = g_string_new (NULL);

  append_head (view, text, separator);
  g_string_append_c (text, '\n');
  for (gsize i = 0; i < view->n; i++)
    {
      append_row (view, text, i, separator);
      g_string_append_c (text, '\n');
    }
  return g_string_free (text, FALSE);
}
