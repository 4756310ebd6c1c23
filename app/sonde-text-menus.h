/* SPDX-License-Identifier: Apache-2.0
 * The menus of entries, labels and text views go when they are closed.
 *
 * GTK makes such a menu at the first secondary click and keeps it as long as its widget: 60 widgets and a surface of
 * their own, some 200 kB, for each field that was ever clicked. In an hour they are most of what a window holds.
 *
 * They offer no emoji: the chooser of GTK is kept in the same way, with a button for each of some 1,900 emoji, and where
 * no font has them GTK warns of labels with sizes below zero. What is written here are names, numbers, notes. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For all widgets of the program, from now on; once is enough. */
void sonde_text_menus_start (void);

G_END_DECLS
