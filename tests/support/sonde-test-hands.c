/* SPDX-License-Identifier: Apache-2.0
 * The functions of X are looked up at run time, so that nothing has to be linked for tests alone. */
#include "tests/support/sonde-test-hands.h"

#include <gmodule.h>

#include <X11/Xlib.h>
#include <gdk/x11/gdkx.h>

struct _SondeTestHands
{
  Display *display;
  GModule *library;
  int (*fake_motion) (Display *display, int screen, int x, int y, unsigned long delay);
  int (*fake_button) (Display *display, unsigned int button, Bool down, unsigned long delay);
  int (*fake_key) (Display *display, unsigned int code, Bool down, unsigned long delay);
  Bool (*translate) (Display *display, Window from, Window to, int x, int y, int *to_x, int *to_y,
                     Window *child);
};

static gboolean
look_up (SondeTestHands *hands)
{
  return g_module_symbol (hands->library, "XTestFakeMotionEvent", (gpointer *) &hands->fake_motion)
         && g_module_symbol (hands->library, "XTestFakeButtonEvent",
                             (gpointer *) &hands->fake_button)
         && g_module_symbol (hands->library, "XTestFakeKeyEvent", (gpointer *) &hands->fake_key)
         && g_module_symbol (hands->library, "XTranslateCoordinates",
                             (gpointer *) &hands->translate);
}

SondeTestHands *
sonde_test_hands_new (void)
{
  GdkDisplay *display = gdk_display_get_default ();
  g_autoptr (SondeTestHands) hands = NULL;

  if (!GDK_IS_X11_DISPLAY (display))
    return NULL;
  hands = g_new0 (SondeTestHands, 1);
  hands->display = gdk_x11_display_get_xdisplay (display);
  hands->library = g_module_open ("libXtst.so.6", G_MODULE_BIND_LAZY);
  return hands->library != NULL && look_up (hands) ? g_steal_pointer (&hands) : NULL;
}

void
sonde_test_hands_free (SondeTestHands *hands)
{
  if (hands == NULL)
    return;
  g_clear_pointer (&hands->library, g_module_close);
  g_free (hands);
}

/* What was asked for is on its way when this returns. */
static void
send (void)
{
  gdk_display_flush (gdk_display_get_default ());
}

void
sonde_test_hands_point_at (SondeTestHands *hands, int x, int y)
{
  hands->fake_motion (hands->display, -1, x, y, 0);
  send ();
}

void
sonde_test_hands_point (SondeTestHands *hands, GtkWidget *widget, double x, double y)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface = gtk_native_get_surface (native);
  double dx, dy;
  Window child;
  int root_x, root_y;

  gtk_native_get_surface_transform (native, &dx, &dy);
  gtk_widget_translate_coordinates (widget, GTK_WIDGET (native), x, y, &x, &y);
  hands->translate (hands->display, gdk_x11_surface_get_xid (surface),
                    gdk_x11_display_get_xrootwindow (gdk_surface_get_display (surface)),
                    (int) (x + dx), (int) (y + dy), &root_x, &root_y, &child);
  sonde_test_hands_point_at (hands, root_x, root_y);
}

void
sonde_test_hands_button (SondeTestHands *hands, guint button, gboolean down)
{
  hands->fake_button (hands->display, button, down, 0);
  send ();
}

void
sonde_test_hands_key (SondeTestHands *hands, guint key, gboolean down)
{
  g_autofree GdkKeymapKey *keys = NULL;
  int n = 0;

  if (!gdk_display_map_keyval (gdk_display_get_default (), key, &keys, &n) || n == 0)
    return;
  hands->fake_key (hands->display, keys[0].keycode, down, 0);
  send ();
}

void
sonde_test_hands_focus (SondeTestHands *hands, GtkWindow *window)
{
  gdk_toplevel_focus (GDK_TOPLEVEL (gtk_native_get_surface (GTK_NATIVE (window))),
                      GDK_CURRENT_TIME);
}
