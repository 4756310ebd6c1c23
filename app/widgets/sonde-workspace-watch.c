/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-workspace-watch.h"

typedef struct
{
  GtkWidget *widget;
  void (*update) (GtkWidget *widget);
  gboolean missed; /* changes while it could not be seen */
} Watch;

static void
on_changed (Watch *watch)
{
  watch->missed = !gtk_widget_get_mapped (watch->widget);
  if (!watch->missed)
    watch->update (watch->widget);
}

static void
on_map (Watch *watch)
{
  if (watch->missed)
    on_changed (watch);
}

static void
free_watch (void *watch, GClosure *closure)
{
  g_free (watch);
}

/* The closure of "map" lives as long as the widget, and the watch with it. */
void
sonde_watch_workspace (GtkWidget *widget, SondeWorkspace *workspace, GCallback update)
{
  Watch *watch = g_new0 (Watch, 1);

  g_return_if_fail (GTK_IS_WIDGET (widget) && SONDE_IS_WORKSPACE (workspace));
  watch->widget = widget;
  watch->update = (void (*) (GtkWidget *)) update;
  g_signal_connect_data (widget, "map", G_CALLBACK (on_map), watch, free_watch,
                         G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  for (guint i = 0; i < 2; i++)
    {
      GClosure *closure = g_cclosure_new_swap (G_CALLBACK (on_changed), watch, NULL);

      g_object_watch_closure (G_OBJECT (widget), closure);
      g_signal_connect_closure (workspace, i == 0 ? "changed" : "notify::run", closure, FALSE);
    }
}
