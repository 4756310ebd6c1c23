/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-layout-guard.h"

/* As often in a frame at most: GTK gives up after four layouts. */
#define MOST_IN_A_FRAME 2

#define WATCH_KEY "sonde-layout-guard-watch"
/* What all guards of a display share: adjustments that were changed since the layout of a frame began. */
typedef struct
{
  gulong hook;
  GHashTable *changed; /* only compared */
} Watch;

typedef struct
{
  GtkWidget *window;
  GdkFrameClock *clock; /* (nullable): while the window is realized */
  Watch *watch;         /* not owned */
  int n_asked;          /* layouts of this frame that were asked for again */
} Guard;

/* A scrolled window tries with bars and without while it allocates: whether it asked for a new size cannot be told
 * from the values that remain. */
static gboolean
on_adjustment_changed (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  Watch *watch = data;

  g_hash_table_add (watch->changed, g_value_get_object (&values[0]));
  return TRUE;
}

static void
watch_free (gpointer data)
{
  Watch *watch = data;

  g_signal_remove_emission_hook (g_signal_lookup ("changed", GTK_TYPE_ADJUSTMENT), watch->hook);
  g_hash_table_unref (watch->changed);
  g_free (watch);
}

static Watch *
get_watch (GdkDisplay *display)
{
  Watch *watch = g_object_get_data (G_OBJECT (display), WATCH_KEY);

  if (watch != NULL)
    return watch;
  g_type_class_unref (g_type_class_ref (GTK_TYPE_ADJUSTMENT));
  watch = g_new0 (Watch, 1);
  watch->changed = g_hash_table_new (NULL, NULL);
  watch->hook = g_signal_add_emission_hook (g_signal_lookup ("changed", GTK_TYPE_ADJUSTMENT), 0,
                                            on_adjustment_changed, watch, NULL);
  g_object_set_data_full (G_OBJECT (display), WATCH_KEY, watch, watch_free);
  return watch;
}

/* All of them: those that are marked already ask for nothing, and the first that is not asks for the rest. */
static void
ask_above (GtkWidget *widget)
{
  for (; widget != NULL; widget = gtk_widget_get_parent (widget))
    gtk_widget_queue_resize (widget);
}

static gboolean
has_changed (Guard *guard, GtkScrolledWindow *scrolled)
{
  return g_hash_table_contains (guard->watch->changed,
                                gtk_scrolled_window_get_hadjustment (scrolled))
         || g_hash_table_contains (guard->watch->changed,
                                   gtk_scrolled_window_get_vadjustment (scrolled));
}

/* Its trough gets another place with each change, and is forgotten in the same way. */
static gboolean
is_in_changed_range (Guard *guard, GtkWidget *widget)
{
  GtkWidget *parent = gtk_widget_get_parent (widget);

  return GTK_IS_RANGE (parent)
         && g_hash_table_contains (guard->watch->changed,
                                   gtk_range_get_adjustment (GTK_RANGE (parent)));
}

static void
ask_for_changed (Guard *guard, GtkWidget *widget)
{
  if (is_in_changed_range (guard, widget)
      || (GTK_IS_SCROLLED_WINDOW (widget) && has_changed (guard, GTK_SCROLLED_WINDOW (widget))))
    ask_above (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_get_mapped (child))
      ask_for_changed (guard, child);
}

/* What changed outside the layout was asked for in time. */
static void
on_before_layout (GdkFrameClock *clock, Guard *guard)
{
  g_hash_table_remove_all (guard->watch->changed);
  guard->n_asked = 0;
}

/* Asked for in here, the layout is done once more before the frame is painted. */
static void
on_layout (GdkFrameClock *clock, Guard *guard)
{
  if (g_hash_table_size (guard->watch->changed) == 0 || guard->n_asked++ == MOST_IN_A_FRAME)
    return;
  ask_for_changed (guard, guard->window);
  g_hash_table_remove_all (guard->watch->changed);
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
  g_clear_object (&guard->clock);
}

static void
guard_free (gpointer data)
{
  Guard *guard = data;

  on_unrealized (guard->window, guard);
  g_free (guard);
}

void
sonde_layout_guard_add (GtkWindow *window)
{
  Guard *guard = g_new0 (Guard, 1);

  guard->window = GTK_WIDGET (window);
  guard->watch = get_watch (gtk_widget_get_display (guard->window));
  g_signal_connect (window, "realize", G_CALLBACK (on_realized), guard);
  g_signal_connect (window, "unrealize", G_CALLBACK (on_unrealized), guard);
  g_object_set_data_full (G_OBJECT (window), "sonde-layout-guard", guard, guard_free);
}
