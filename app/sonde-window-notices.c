/* SPDX-License-Identifier: Apache-2.0
 * Notifications of the desktop, while nobody looks at a window. */
#include "app/sonde-window-private.h"

static void
notify (SondeNotice notice, const char *id, const char *title, const char *body, gpointer data)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (data));
  g_autoptr (GNotification) notification = g_notification_new (title);

  if (application == NULL)
    return;
  g_notification_set_body (notification, body);
  g_notification_set_default_action (notification, "app.present");
  g_application_send_notification (G_APPLICATION (application), id, notification);
}

/* Somebody looks at one of our windows. */
static gboolean
is_watched (SondeWindow *window)
{
  GtkApplication *application = gtk_window_get_application (GTK_WINDOW (window));
  GList *windows = application != NULL ? gtk_application_get_windows (application) : NULL;

  for (; windows != NULL; windows = windows->next)
    if (gtk_window_is_active (windows->data))
      return TRUE;
  return FALSE;
}

static gboolean
look (gpointer data)
{
  SondeWindow *window = data;

  window->look_source = 0;
  sonde_window_look_at_contents (window);
  sonde_notifier_look (window->notifier, is_watched (window));
  return G_SOURCE_REMOVE;
}

/* Once for all that arrives within a second. */
void
sonde_window_look_soon (SondeWindow *window)
{
  if (window->look_source == 0)
    window->look_source = g_timeout_add_seconds (1, look, window);
}

void
sonde_window_add_notifier (SondeWindow *window)
{
  window->notifier = sonde_notifier_new (window->workspace, notify, window);
}
