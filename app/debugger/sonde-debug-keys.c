/* SPDX-License-Identifier: Apache-2.0
 * Keys of the window. */
#include "app/debugger/sonde-debug-keys.h"

struct _SondeDebugKeys
{
  GtkEventController *controller; /* of the window, as long as that lives */
  SondeDebugActions *actions;
  SondeDebugListing *listing;
};

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        gpointer data)
{
  SondeDebugKeys *keys = data;
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask ();

  if (key == GDK_KEY_f && modifiers == GDK_CONTROL_MASK
      && sonde_debug_actions_get_started (keys->actions))
    sonde_debug_listing_search (keys->listing);
  else if (!sonde_debug_actions_press (keys->actions, key, modifiers))
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

/* The window's, since the focus may be in the sidebar; before the primary menu, which takes F10. */
SondeDebugKeys *
sonde_debug_keys_new (GtkWidget *widget, SondeDebugActions *actions, SondeDebugListing *listing)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  SondeDebugKeys *keys;

  if (root == NULL)
    return NULL;
  keys = g_new0 (SondeDebugKeys, 1);
  keys->controller = g_object_ref (gtk_event_controller_key_new ());
  keys->actions = g_object_ref (actions);
  keys->listing = g_object_ref (listing);
  gtk_event_controller_set_propagation_phase (keys->controller, GTK_PHASE_CAPTURE);
  g_signal_connect (keys->controller, "key-pressed", G_CALLBACK (on_key), keys);
  gtk_widget_add_controller (GTK_WIDGET (root), keys->controller);
  return keys;
}

void
sonde_debug_keys_free (SondeDebugKeys *keys)
{
  GtkWidget *root = gtk_event_controller_get_widget (keys->controller);

  g_signal_handlers_disconnect_by_data (keys->controller, keys);
  if (root != NULL)
    gtk_widget_remove_controller (root, keys->controller);
  g_object_unref (keys->controller);
  g_object_unref (keys->actions);
  g_object_unref (keys->listing);
  g_free (keys);
}
