/* SPDX-License-Identifier: Apache-2.0
 * Pointer and keyboard of an X server as hands move them: real events, by the extension XTEST. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _SondeTestHands SondeTestHands;

/* On GTK's default display. (transfer full) (nullable): NULL: it is no X server, or libXtst is not there */
SondeTestHands *sonde_test_hands_new (void);
void sonde_test_hands_free (SondeTestHands *hands);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTestHands, sonde_test_hands_free)

/* To a place of a widget that is mapped, in its px. */
void sonde_test_hands_point (SondeTestHands *hands, GtkWidget *widget, double x, double y);
/* To a place of the screen. */
void sonde_test_hands_point_at (SondeTestHands *hands, int x, int y);
/* @button: 1 … 3; 4 and 5 are the wheel, 8 and 9 back and forward */
void sonde_test_hands_button (SondeTestHands *hands, guint button, gboolean down);
/* Nothing happens where the keyboard lacks the key. */
void sonde_test_hands_key (SondeTestHands *hands, guint key, gboolean down);
/* The server's keys go to this window: there is no window manager that would say so. */
void sonde_test_hands_focus (SondeTestHands *hands, GtkWindow *window);

G_END_DECLS
