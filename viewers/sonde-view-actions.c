/* SPDX-License-Identifier: Apache-2.0
 * Keys of a view, copy and export. */
#include "viewers/sonde-view-private.h"

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-figure.h"

static void
render (cairo_t *cr, int width, int height, void *user_data)
{
  sonde_view_render (user_data, cr, width, height);
}

static void
copy_values (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autofree char *text = sonde_view_dup_table (SONDE_VIEW (widget), '\t');

  if (text == NULL)
    text = sonde_view_describe (SONDE_VIEW (widget));
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

static void
copy_image (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_autoptr (GBytes) bytes = sonde_figure_render (
      SONDE_FIGURE_PNG, sonde_view_get_width (SONDE_VIEW (widget)),
      sonde_view_get_height (SONDE_VIEW (widget)), 2, NULL, render, widget, NULL);
  g_autoptr (GdkTexture) texture = bytes != NULL ? gdk_texture_new_from_bytes (bytes, NULL) : NULL;

  if (texture != NULL)
    gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), texture);
}

static void
export_chart (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_view_ask_export (SONDE_VIEW (widget));
}

static void
fit (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_view_zoom_fit (SONDE_VIEW (widget));
}

static void
back (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_view_zoom_back (SONDE_VIEW (widget));
}

static void
zoom (GtkWidget *widget, const char *action, GVariant *parameter)
{
  double factor = g_variant_get_double (parameter);
  SondeViewRect area;

  sonde_view_get_area (SONDE_VIEW (widget), sonde_view_get_width (SONDE_VIEW (widget)),
                       sonde_view_get_height (SONDE_VIEW (widget)), &area);
  sonde_view_remember_place (SONDE_VIEW (widget));
  sonde_view_zoom_at (SONDE_VIEW (widget), area.x + area.width / 2, area.y + area.height / 2,
                      factor, factor);
}

static void
show_menu (GtkWidget *widget, const char *action, GVariant *parameter)
{
  sonde_view_popup_menu (SONDE_VIEW (widget));
}

const SondeViewAction sonde_view_actions[] = {
  { "view.copy", NULL, copy_values },    { "view.copy-image", NULL, copy_image },
  { "view.export", NULL, export_chart }, { "view.fit", NULL, fit },
  { "view.back", NULL, back },           { "view.zoom", "d", zoom },
  { "view.menu", NULL, show_menu },      { NULL },
};

const SondeViewKey sonde_view_keys[] = {
  { GDK_KEY_c, GDK_CONTROL_MASK, "view.copy" },
  { GDK_KEY_c, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "view.copy-image" },
  { GDK_KEY_BackSpace, 0, "view.back" },
  { GDK_KEY_Menu, 0, "view.menu" },
  { GDK_KEY_0, 0, "view.fit" },
  { GDK_KEY_plus, 0, "view.zoom", .factor = 1.25 },
  { GDK_KEY_minus, 0, "view.zoom", .factor = 0.8 },
  { GDK_KEY_Left, 0, .count = -1 },
  { GDK_KEY_Right, 0, .count = 1 },
  { GDK_KEY_Left, GDK_SHIFT_MASK, .count = -10 },
  { GDK_KEY_Right, GDK_SHIFT_MASK, .count = 10 },
  { GDK_KEY_Home, 0, .count = G_MININT },
  { GDK_KEY_End, 0, .count = G_MAXINT },
  { 0 },
};
