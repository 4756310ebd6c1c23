/* SPDX-License-Identifier: Apache-2.0
 * Keys of a view, copy and export. */
#include "viewers/sonde-view-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-figure.h"

static void
render (cairo_t *cr, int width, int height, void *user_data)
{
  sonde_view_render (user_data, cr, width, height);
}

char *
sonde_view_dup_table (SondeView *view, char separator)
{
  g_return_val_if_fail (SONDE_IS_VIEW (view), NULL);
  if (SONDE_VIEW_GET_CLASS (view)->dup_table == NULL)
    return NULL;
  return SONDE_VIEW_GET_CLASS (view)->dup_table (view, separator);
}

static gboolean
export_csv (SondeView *view, const char *path, GError **error)
{
  g_autofree char *text = sonde_view_dup_table (view, ',');

  if (text == NULL)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
          "“%s” has no values that could be written as a table; use .png, .svg or .pdf",
          sonde_view_get_title (view));
      return FALSE;
    }
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

gboolean
sonde_view_export (SondeView *view, const char *path, int width, int height, GError **error)
{
  g_autofree char *lower = g_ascii_strdown (path, -1);

  g_return_val_if_fail (SONDE_IS_VIEW (view), FALSE);
  if (g_str_has_suffix (lower, ".csv"))
    return export_csv (view, path, error);
  return sonde_figure_save (NULL, path, width, height, 2, NULL, render, view, error);
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
  g_autoptr (GBytes) bytes
      = sonde_figure_render (SONDE_FIGURE_PNG, gtk_widget_get_width (widget),
                             gtk_widget_get_height (widget), 2, NULL, render, widget, NULL);
  g_autoptr (GdkTexture) texture = bytes != NULL ? gdk_texture_new_from_bytes (bytes, NULL) : NULL;

  if (texture != NULL)
    gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), texture);
}

static void
show_error (GtkWidget *widget, const GError *error)
{
  GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (widget)),
                                              GTK_DIALOG_MODAL, GTK_MESSAGE_ERROR,
                                              GTK_BUTTONS_CLOSE, _ ("Cannot Export the Chart"));

  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s",
                                            sonde_error_get_text (error));
  g_signal_connect (dialog, "response", G_CALLBACK (gtk_window_destroy), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_export_chosen (GtkNativeDialog *dialog, int response, SondeView *view)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL
      && !sonde_view_export (view, path, gtk_widget_get_width (GTK_WIDGET (view)),
                             gtk_widget_get_height (GTK_WIDGET (view)), &error))
    show_error (GTK_WIDGET (view), error);
  g_object_unref (dialog);
}

static void
export_chart (GtkWidget *widget, const char *action, GVariant *parameter)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (_ ("Export Chart (.png, .svg, .pdf, .csv)"), GTK_WINDOW (root),
                                     GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), NULL);
  const char *title = sonde_view_get_title (SONDE_VIEW (widget));
  g_autofree char *name
      = g_strdup_printf ("%s.png", title != NULL && *title != '\0' ? title : _ ("chart"));

  g_strdelimit (name, "/\\", '-');
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_export_chosen), widget, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
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

  sonde_view_remember_place (SONDE_VIEW (widget));
  sonde_view_zoom_at (SONDE_VIEW (widget), gtk_widget_get_width (widget) / 2.0,
                      gtk_widget_get_height (widget) / 2.0, factor, factor);
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
