/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-layout-guard.h"

/* As often in a frame at most: GTK gives up after four layouts. */
#define MOST_IN_A_FRAME 2

#define GUARD_KEY "sonde-layout-guard"

typedef struct
{
  GtkWidget *window;
  GdkFrameClock *clock; /* (nullable): while the window is realized */
  GHashTable
      *unmeasured; /* text buffers that changed since their views were allocated; only compared */
  int n_asked;     /* layouts of this frame that were asked for again */
} Guard;

/* What all guards share. */
static GPtrArray *guards;   /* elements are not owned */
static GHashTable *changed; /* adjustments, since the layout of a frame began; only compared */

/* A scrolled window tries with bars and without while it allocates: whether it asked for a new size cannot be told
 * from the values that remain. */
static gboolean
on_adjustment_changed (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  g_hash_table_add (changed, g_value_get_object (&values[0]));
  return TRUE;
}

static gboolean
on_text_changed (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  for (guint i = 0; i < guards->len; i++)
    {
      Guard *guard = g_ptr_array_index (guards, i);

      if (guard->clock != NULL)
        g_hash_table_add (guard->unmeasured, g_value_get_object (&values[0]));
    }
  return TRUE;
}

static void
hook (GType type, const char *signal, GSignalEmissionHook function)
{
  g_type_class_unref (g_type_class_ref (type));
  g_signal_add_emission_hook (g_signal_lookup (signal, type), 0, function, NULL, NULL);
}

/* All of them: those that are marked already ask for nothing, and the first that is not asks for the rest. */
static void
ask_above (GtkWidget *widget)
{
  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    gtk_widget_queue_resize (widget);
}

static gboolean
has_changed (GtkScrolledWindow *scrolled)
{
  return g_hash_table_contains (changed, gtk_scrolled_window_get_hadjustment (scrolled))
         || g_hash_table_contains (changed, gtk_scrolled_window_get_vadjustment (scrolled));
}

/* Its trough gets another place with each change, and is forgotten in the same way. */
static gboolean
is_in_changed_range (GtkWidget *widget)
{
  GtkWidget *parent = gtk_widget_get_parent (widget);

  return GTK_IS_RANGE (parent)
         && g_hash_table_contains (changed, gtk_range_get_adjustment (GTK_RANGE (parent)));
}

static void
ask_for_changed (GtkWidget *widget)
{
  if (is_in_changed_range (widget)
      || (GTK_IS_SCROLLED_WINDOW (widget) && has_changed (GTK_SCROLLED_WINDOW (widget))))
    ask_above (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_mapped (child))
      ask_for_changed (child);
}

/* Allocated, a view measures what is in sight. */
static void
ask_for_unmeasured (Guard *guard, GtkWidget *widget)
{
  if (GTK_IS_TEXT_VIEW (widget)
      && g_hash_table_contains (guard->unmeasured,
                                gtk_text_view_get_buffer (GTK_TEXT_VIEW (widget))))
    gtk_widget_queue_allocate (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_mapped (child))
      ask_for_unmeasured (guard, child);
}

static void
measure_texts (Guard *guard)
{
  if (g_hash_table_size (guard->unmeasured) == 0)
    return;
  ask_for_unmeasured (guard, guard->window);
  g_hash_table_remove_all (guard->unmeasured);
}

/* What changed outside the layout was asked for in time. */
static void
on_before_layout (GdkFrameClock *clock, Guard *guard)
{
  g_hash_table_remove_all (changed);
  guard->n_asked = 0;
  measure_texts (guard);
}

/* Asked for in here, the layout is done once more before the frame is painted. */
static void
on_layout (GdkFrameClock *clock, Guard *guard)
{
  if (g_hash_table_size (changed) + g_hash_table_size (guard->unmeasured) == 0
      || guard->n_asked++ == MOST_IN_A_FRAME)
    return;
  measure_texts (guard);
  ask_for_changed (guard->window);
  g_hash_table_remove_all (changed);
}

/* After GTK's own handlers, which do the layout. */
static void
on_realized (GtkWidget *window, Guard *guard)
{
  guard->clock = g_object_ref (gtk_widget_get_frame_clock (window));
  g_signal_connect (guard->clock, "before-paint", G_CALLBACK (on_before_layout), guard);
  g_signal_connect_after (guard->clock, "update", G_CALLBACK (on_before_layout), guard);
  g_signal_connect_after (guard->clock, "layout", G_CALLBACK (on_layout), guard);
}

static void
on_unrealized (GtkWidget *window, Guard *guard)
{
  if (guard->clock != NULL)
    g_signal_handlers_disconnect_by_data (guard->clock, guard);
  g_hash_table_remove_all (guard->unmeasured);
  g_clear_object (&guard->clock);
}

static void
guard_free (gpointer data)
{
  Guard *guard = data;

  on_unrealized (guard->window, guard);
  g_ptr_array_remove_fast (guards, guard);
  g_hash_table_unref (guard->unmeasured);
  g_free (guard);
}

static void
guard_window (GtkWidget *window)
{
  Guard *guard = g_new0 (Guard, 1);

  guard->window = window;
  guard->unmeasured = g_hash_table_new (NULL, NULL);
  g_ptr_array_add (guards, guard);
  g_signal_connect (window, "realize", G_CALLBACK (on_realized), guard);
  g_signal_connect (window, "unrealize", G_CALLBACK (on_unrealized), guard);
  if (gtk_widget_get_realized (window))
    on_realized (window, guard);
  g_object_set_data_full (G_OBJECT (window), GUARD_KEY, guard, guard_free);
}

static void
on_windows_changed (GListModel *windows, guint at, guint n_removed, guint n_added, gpointer data)
{
  for (guint i = at; i < at + n_added; i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (g_object_get_data (G_OBJECT (window), GUARD_KEY) == NULL)
        guard_window (window);
    }
}

void
sonde_layout_guard_start (void)
{
  GListModel *windows = gtk_window_get_toplevels ();

  if (guards != NULL)
    return;
  guards = g_ptr_array_new ();
  changed = g_hash_table_new (NULL, NULL);
  hook (GTK_TYPE_ADJUSTMENT, "changed", on_adjustment_changed);
  hook (GTK_TYPE_TEXT_BUFFER, "changed", on_text_changed);
  hook (GTK_TYPE_TEXT_BUFFER, "apply-tag", on_text_changed);
  hook (GTK_TYPE_TEXT_BUFFER, "remove-tag", on_text_changed);
  g_signal_connect (windows, "items-changed", G_CALLBACK (on_windows_changed), NULL);
  on_windows_changed (windows, 0, 0, g_list_model_get_n_items (windows), NULL);
}
