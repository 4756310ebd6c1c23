/* SPDX-License-Identifier: Apache-2.0
 * Statistics of a value as a table of facts. */
#include "app/debugger/value/sonde-debug-statistics.h"

#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

static void
add_fact (GtkWidget *grid, int row, const char *name, const char *value, gboolean is_bad)
{
  GtkWidget *left = gtk_label_new (name), *right = gtk_label_new (value);

  gtk_label_set_xalign (GTK_LABEL (left), 0);
  gtk_widget_add_css_class (left, "dim-label");
  gtk_label_set_xalign (GTK_LABEL (right), 0);
  gtk_label_set_selectable (GTK_LABEL (right), TRUE);
  gtk_label_set_ellipsize (GTK_LABEL (right), PANGO_ELLIPSIZE_END);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_widget_add_css_class (right, "numeric");
  if (is_bad)
    gtk_widget_add_css_class (right, "error");
  gtk_grid_attach (GTK_GRID (grid), left, 0, row, 1, 1);
  gtk_grid_attach (GTK_GRID (grid), right, 1, row, 1, 1);
}

static void
add_number (GtkWidget *grid, int row, const char *name, double value)
{
  g_autofree char *text = sonde_format_number (value), *full = g_strdup_printf ("%.17g", value);

  add_fact (grid, row, name, text, FALSE);
  gtk_widget_set_tooltip_text (gtk_grid_get_child_at (GTK_GRID (grid), 1, row), full);
}

static void
add_count (GtkWidget *grid, int row, const char *name, gint64 count, gint64 of, gboolean is_bad)
{
  g_autofree char *number = sonde_format_count (count),
                  *text = of > 0 && count > 0 ? g_strdup_printf (
                              _ ("%s (%.3g %%)"), number, 100.0 * (double) count / (double) of)
                                              : g_strdup (number);

  add_fact (grid, row, name, text, is_bad && count > 0);
}

static void
add_facts (GtkWidget *grid, const SondeSessionReply *reply)
{
  const SondeStatistics *s = &reply->statistics;
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);
  g_autofree char *bytes = sonde_format_bytes (
      (guint64) (MAX (s->count, 0) * (gint64) sonde_dtype_size (reply->dtype)));
  g_autofree char *count = sonde_format_count (s->count),
                  *elements = g_strdup_printf ("%s · %s", count, bytes);
  int row = 0;

  add_fact (grid, row++, _ ("Type"), sonde_dtype_name (reply->dtype), FALSE);
  add_fact (grid, row++, _ ("Shape"), shape, FALSE);
  add_number (grid, row++, _ ("Minimum"), s->min);
  add_number (grid, row++, _ ("Maximum"), s->max);
  add_number (grid, row++, _ ("Mean"), s->mean);
  add_number (grid, row++, _ ("Standard deviation"), s->std);
  add_number (grid, row++, _ ("Mean absolute value"), s->abs_mean);
  add_fact (grid, row++, _ ("Elements"), elements, FALSE);
  add_count (grid, row++, _ ("Zeros"), s->zeros, s->count, FALSE);
  add_count (grid, row++, _ ("Negative"), s->negatives, s->count, FALSE);
  add_count (grid, row++, "NaN", s->nan, s->count, TRUE);
  add_count (grid, row++, "+∞", s->pos_inf, s->count, TRUE);
  add_count (grid, row++, "−∞", s->neg_inf, s->count, TRUE);
}

void
sonde_debug_show_statistics (GtkWidget *grid, const SondeSessionReply *reply)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (grid)) != NULL)
    gtk_grid_remove (GTK_GRID (grid), child);
  if (reply != NULL)
    add_facts (grid, reply);
}
