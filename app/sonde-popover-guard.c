/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-popover-guard.h"

#include <gtk/gtk.h>

/* It is unmapped then, but not hidden yet. */
static gboolean
on_unrealize (GSignalInvocationHint *hint, guint n, const GValue *values, gpointer data)
{
  GtkWidget *widget = g_value_get_object (&values[0]);

  if (GTK_IS_POPOVER (widget) && gtk_widget_get_visible (widget))
    gtk_widget_hide (widget);
  return TRUE;
}

void
sonde_popover_guard_start (void)
{
  static gulong hook;

  if (hook != 0)
    return;
  g_type_class_unref (g_type_class_ref (GTK_TYPE_WIDGET));
  hook = g_signal_add_emission_hook (g_signal_lookup ("unrealize", GTK_TYPE_WIDGET), 0,
                                     on_unrealize, NULL, NULL);
}
