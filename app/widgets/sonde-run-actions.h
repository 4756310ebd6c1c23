/* SPDX-License-Identifier: Apache-2.0
 * What can be done with selected runs, wherever they are listed: the action group "runs" of a widget,
 * its keys, and the menu of its rows. */
#pragma once

#include <gtk/gtk.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

/* (element-type SondeRun) (transfer full): references */
typedef GPtrArray *(*SondeRunSelectionFunc) (GtkWidget *widget);

/* Adds group and keys to @widget, once. @get_selected: the runs that an action is for, in the order of
 * the list; it may be empty, and then nothing is done. Space shows or hides, F2 names, Ctrl+I edits the note,
 * Ctrl+T the tags, Delete moves to the trash, Ctrl+Shift+C copies the path. */
void sonde_run_actions_add (GtkWidget *widget, SondeWorkspace *workspace,
                            SondeRunSelectionFunc get_selected);

/* A press of the secondary button on @cell, which shows @item of a list with those actions, opens their
 * menu: for what is selected, or for that item alone, which is selected then. */
void sonde_run_actions_add_cell (GtkWidget *cell, GtkListItem *item);

/* Before they are added to the menu: what the widget does besides; its first section. */
void sonde_run_actions_add_section (GtkWidget *widget, GMenuModel *section);

/* Opens their menu at (@x, @y) of @widget, or of a widget below it. */
void sonde_run_actions_popup (GtkWidget *widget, double x, double y);

G_END_DECLS
