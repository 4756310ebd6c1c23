/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/migration/sonde-source-panel.h"

#include <string.h>

#include <adwaita.h>
#include <gtksourceview/gtksource.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"
#include "data/sources/python/sonde-python-tokens.h"

#define MAX_BYTES (4u << 20)
#define MAX_LINE 5000 /* bytes: a longer one cannot be laid out in a moment */

struct _SondeSourcePanel
{
  GtkBox parent_instance;
  GtkLabel *title;
  GtkSourceView *view;
  GtkSourceBuffer *buffer;
  char *place;   /* (nullable): of what is shown */
  guint pending; /* source of the scrolling that waits for the text to be laid out; 0: none */
};

G_DEFINE_FINAL_TYPE (SondeSourcePanel, sonde_source_panel, GTK_TYPE_BOX)

static guint scrolled_signal;

static void
sonde_source_panel_dispose (GObject *object)
{
  g_clear_handle_id (&SONDE_SOURCE_PANEL (object)->pending, g_source_remove);
  G_OBJECT_CLASS (sonde_source_panel_parent_class)->dispose (object);
}

static void
sonde_source_panel_finalize (GObject *object)
{
  g_free (SONDE_SOURCE_PANEL (object)->place);
  G_OBJECT_CLASS (sonde_source_panel_parent_class)->finalize (object);
}

static void
sonde_source_panel_class_init (SondeSourcePanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_source_panel_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_source_panel_finalize;
  scrolled_signal = g_signal_new ("scrolled", SONDE_TYPE_SOURCE_PANEL, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
}

static void
on_dark_changed (SondeSourcePanel *panel)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());

  gtk_source_buffer_set_style_scheme (
      panel->buffer,
      gtk_source_style_scheme_manager_get_scheme (gtk_source_style_scheme_manager_get_default (),
                                                  dark ? "Adwaita-dark" : "Adwaita"));
}

static GtkWidget *
make_view (SondeSourcePanel *panel)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  panel->buffer = gtk_source_buffer_new_with_language (gtk_source_language_manager_get_language (
      gtk_source_language_manager_get_default (), "python3"));
  panel->view = GTK_SOURCE_VIEW (gtk_source_view_new_with_buffer (panel->buffer));
  g_object_unref (panel->buffer); /* the view's */
  gtk_text_view_set_editable (GTK_TEXT_VIEW (panel->view), FALSE);
  gtk_text_view_set_cursor_visible (GTK_TEXT_VIEW (panel->view), FALSE);
  gtk_text_view_set_monospace (GTK_TEXT_VIEW (panel->view), TRUE);
  gtk_source_view_set_show_line_numbers (panel->view, TRUE);
  gtk_source_view_set_highlight_current_line (panel->view, TRUE);
  gtk_source_view_set_tab_width (panel->view, 8);
  gtk_accessible_update_property (GTK_ACCESSIBLE (panel->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Source"), -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (panel->view));
  gtk_widget_set_vexpand (scrolled, TRUE);
  return scrolled;
}

static void
sonde_source_panel_init (SondeSourcePanel *panel)
{
  GtkWidget *title = gtk_label_new (NULL);

  gtk_orientable_set_orientation (GTK_ORIENTABLE (panel), GTK_ORIENTATION_VERTICAL);
  panel->title = GTK_LABEL (title);
  gtk_label_set_xalign (panel->title, 0);
  gtk_label_set_ellipsize (panel->title, PANGO_ELLIPSIZE_START);
  gtk_widget_add_css_class (title, "heading");
  gtk_widget_set_margin_start (title, 12);
  gtk_widget_set_margin_end (title, 12);
  gtk_widget_set_margin_top (title, 6);
  gtk_widget_set_margin_bottom (title, 6);
  gtk_box_append (GTK_BOX (panel), title);
  gtk_box_append (GTK_BOX (panel), make_view (panel));
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (on_dark_changed), panel, G_CONNECT_SWAPPED);
  on_dark_changed (panel);
}

GtkWidget *
sonde_source_panel_new (void)
{
  return g_object_new (SONDE_TYPE_SOURCE_PANEL, NULL);
}

/* Text that a view can lay out: lines that are too long are cut. (transfer full) */
static char *
make_showable (GBytes *bytes)
{
  SondePythonDamage damage = { 0 };
  g_autoptr (GBytes) decoded = sonde_python_decode (bytes, &damage);
  gsize length;
  const char *at = g_bytes_get_data (decoded, &length), *end = at + length;
  GString *text = g_string_sized_new (length);

  sonde_python_damage_clear (&damage);
  while (at < end)
    {
      const char *stop = memchr (at, '\n', (gsize) (end - at));
      gsize n = (gsize) ((stop != NULL ? stop : end) - at);

      g_string_append_len (text, at, (gssize) MIN (n, MAX_LINE));
      if (n > MAX_LINE)
        g_string_append (text, "…");
      if (stop != NULL)
        g_string_append_c (text, '\n');
      at += n + 1;
    }
  for (gsize i = 0; i < text->len; i++)
    if (text->str[i] == '\0')
      text->str[i] = ' ';
  at = g_utf8_make_valid (text->str, (gssize) text->len);
  g_string_free (text, TRUE);
  return (char *) at;
}

static void
read_source (SondeSourcePanel *panel, const char *place)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, place, MAX_BYTES, &error);
  g_autofree char *text = bytes != NULL ? make_showable (bytes) : NULL;

  g_free (panel->place);
  panel->place = g_strdup (place);
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (panel->buffer),
                            text != NULL ? text : sonde_error_get_text (error), -1);
}

static gboolean
scroll (gpointer data)
{
  SondeSourcePanel *panel = data;

  panel->pending = 0;
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (panel->view),
                                gtk_text_buffer_get_insert (GTK_TEXT_BUFFER (panel->buffer)), 0,
                                TRUE, 0, 0.4);
  g_signal_emit (panel, scrolled_signal, 0);
  return G_SOURCE_REMOVE;
}

gboolean
sonde_source_panel_is_scrolled (SondeSourcePanel *panel)
{
  return panel->pending == 0;
}

void
sonde_source_panel_show (SondeSourcePanel *panel, const char *place, const char *title, guint line)
{
  GtkTextIter iter;
  g_autofree char *shown = g_strdup_printf ("%s:%u", title, line);

  if (g_strcmp0 (panel->place, place) != 0)
    read_source (panel, place);
  gtk_label_set_text (panel->title, shown);
  gtk_text_buffer_get_iter_at_line (GTK_TEXT_BUFFER (panel->buffer), &iter, (int) line - 1);
  gtk_text_buffer_place_cursor (GTK_TEXT_BUFFER (panel->buffer), &iter);
  /* Behind what lays out the text. */
  if (panel->pending == 0)
    panel->pending = g_idle_add_full (G_PRIORITY_LOW, scroll, panel, NULL);
}

void
sonde_source_panel_clear (SondeSourcePanel *panel)
{
  g_clear_pointer (&panel->place, g_free);
  gtk_label_set_text (panel->title, "");
  gtk_text_buffer_set_text (GTK_TEXT_BUFFER (panel->buffer), "", 0);
}
