/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-focus-sight.h"

#define WATCHED_KEY "sonde-focus-sight"

static gboolean
opens_menu (guint key, GdkModifierType state)
{
  return key == GDK_KEY_Menu || (key == GDK_KEY_F10 && (state & GDK_SHIFT_MASK) != 0);
}

static gboolean
activates (guint key)
{
  return key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_ISO_Enter
         || key == GDK_KEY_space || key == GDK_KEY_KP_Space;
}

/* In a text they are written. */
static gboolean
takes_keys_as_text (GtkWidget *focus)
{
  return GTK_IS_TEXT (focus) || GTK_IS_TEXT_VIEW (focus);
}

/* Of a text the cursor, of others all; in px of @above. */
static gboolean
find_place (GtkWidget *focus, GtkWidget *above, graphene_rect_t *place)
{
  GdkRectangle cursor;
  graphene_point_t at;

  if (!GTK_IS_TEXT_VIEW (focus))
    return gtk_widget_compute_bounds (focus, above, place);
  gtk_text_view_get_cursor_locations (GTK_TEXT_VIEW (focus), NULL, &cursor, NULL);
  gtk_text_view_buffer_to_window_coords (GTK_TEXT_VIEW (focus), GTK_TEXT_WINDOW_WIDGET, cursor.x,
                                         cursor.y, &cursor.x, &cursor.y);
  if (!gtk_widget_compute_point (focus, above,
                                 &GRAPHENE_POINT_INIT ((float) cursor.x, (float) cursor.y), &at))
    return FALSE;
  graphene_rect_init (place, at.x, at.y, (float) MAX (cursor.width, 1), (float) cursor.height);
  return TRUE;
}

/* @from: px from the start of what is seen now */
static void
scroll (GtkAdjustment *adjustment, float from, float length)
{
  double start = gtk_adjustment_get_value (adjustment) + (double) from;

  gtk_adjustment_clamp_page (
      adjustment, start, start + MIN ((double) length, gtk_adjustment_get_page_size (adjustment)));
}

static gboolean
is_outside (GtkWidget *above, const graphene_rect_t *place)
{
  graphene_rect_t seen;

  graphene_rect_init (&seen, 0, 0, (float) gtk_widget_get_width (above),
                      (float) gtk_widget_get_height (above));
  return !graphene_rect_intersection (&seen, place, NULL);
}

/* TRUE: it was out of sight. */
static gboolean
show (GtkWidget *focus)
{
  gboolean was_hidden = FALSE;
  graphene_rect_t place;

  for (GtkWidget *above = focus; above != NULL && (above == focus || !GTK_IS_NATIVE (above));
       above = gtk_widget_get_parent (above))
    if (GTK_IS_SCROLLABLE (above) && find_place (focus, above, &place)
        && is_outside (above, &place))
      {
        scroll (gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (above)), place.origin.x,
                place.size.width);
        scroll (gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (above)), place.origin.y,
                place.size.height);
        was_hidden = TRUE;
      }
  return was_hidden;
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        GtkWindow *window)
{
  GtkWidget *focus = gtk_window_get_focus (window);

  if (focus == NULL || !gtk_widget_get_mapped (focus)
      || !(opens_menu (key, state) || (activates (key) && !takes_keys_as_text (focus))))
    return GDK_EVENT_PROPAGATE;
  return show (focus) ? GDK_EVENT_STOP : GDK_EVENT_PROPAGATE;
}

static void
watch (GtkWidget *window)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), window);
  gtk_widget_add_controller (window, keys);
  g_object_set_data (G_OBJECT (window), WATCHED_KEY, keys);
}

static void
on_windows_changed (GListModel *windows, guint at, guint n_removed, guint n_added, gpointer data)
{
  for (guint i = at; i < at + n_added; i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (g_object_get_data (G_OBJECT (window), WATCHED_KEY) == NULL)
        watch (window);
    }
}

void
sonde_focus_sight_start (void)
{
  static gboolean started;
  GListModel *windows = gtk_window_get_toplevels ();

  if (started)
    return;
  started = TRUE;
  g_signal_connect (windows, "items-changed", G_CALLBACK (on_windows_changed), NULL);
  on_windows_changed (windows, 0, 0, g_list_model_get_n_items (windows), NULL);
}
