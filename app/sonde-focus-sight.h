/* SPDX-License-Identifier: Apache-2.0
 * What a key opens or activates is in sight.
 *
 * The wheel may take the widget that has the keyboard out of sight. A menu that a key opens there would come where
 * nobody sees what it belongs to, and GDK 4.8 finds no monitor for one whose widget lies outside the screen:
 * “gdk_monitor_get_geometry: assertion 'GDK_IS_MONITOR (monitor)' failed”. Such a key only scrolls the widget into
 * sight; pressed again it does what it does. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Watches all windows of the program, those that are there and those that come, from now on; once is enough. */
void sonde_focus_sight_start (void);

G_END_DECLS
