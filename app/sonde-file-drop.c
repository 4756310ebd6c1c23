/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-file-drop.h"

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, char *action)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) paths = NULL;

  for (GSList *file = g_value_get_boxed (value); file != NULL; file = file->next)
    {
      g_autofree char *path = g_file_get_path (file->data);

      if (path != NULL)
        g_strv_builder_add (builder, path);
    }
  paths = g_strv_builder_end (builder);
  return paths[0] != NULL
         && gtk_widget_activate_action_variant (
             gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (target)), action,
             g_variant_new_bytestring_array ((const char *const *) paths, -1));
}

void
sonde_file_drop_add (GtkWidget *widget, const char *action)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  g_signal_connect_data (target, "drop", G_CALLBACK (on_drop), g_strdup (action),
                         (GClosureNotify) (GCallback) g_free, 0);
  gtk_widget_add_controller (widget, GTK_EVENT_CONTROLLER (target));
}
