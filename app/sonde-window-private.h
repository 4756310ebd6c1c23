/* SPDX-License-Identifier: Apache-2.0
 * State of the window, shared by its files only. */
#pragma once

#include "app/sidebar/sonde-run-list.h"
#include "app/sonde-search.h"
#include "app/sonde-state-chip.h"
#include "app/sonde-status-bar.h"
#include "app/sonde-window.h"
#include "app/workspace/sonde-notifier.h"

struct _SondeWindow
{
  AdwApplicationWindow parent_instance;
  SondeWorkspace *workspace;
  AdwToastOverlay *toasts;
  AdwWindowTitle *title;
  AdwFlap *flap;
  GtkPaned *sidebar;
  GtkListBox *page_list;
  GtkStack *pages;
  SondeRunList *run_list;
  GtkProgressBar *progress;
  SondeStatusBar *status_bar;
  SondeSearch *search;
  GtkMenuButton *search_button;
  SondeStateChip *state_chip;
  GMenu *recent_menu;
  guint progress_tick;
  SondeNotifier *notifier;
  guint look_source; /* of the notifier */
};

/* One row an action; sonde-window.c installs them. @parameter_type: (nullable) */
typedef struct
{
  const char *name, *parameter_type;
  GtkWidgetActionActivateFunc activate;
} SondeWindowAction;

extern const SondeWindowAction sonde_window_actions[]; /* ended by a NULL name */

/* Actions (sonde-window-open.c). */
void sonde_window_choose_folder (GtkWidget *widget, const char *action, GVariant *parameter);
void sonde_window_choose_file (GtkWidget *widget, const char *action, GVariant *parameter);
void sonde_window_add_folder (GtkWidget *widget, const char *action, GVariant *parameter);
void sonde_window_open_given (GtkWidget *widget, const char *action, GVariant *parameter);
void sonde_window_open_empty (GtkWidget *widget, const char *action, GVariant *parameter);

/* sonde-window-notices.c */
void sonde_window_add_notifier (SondeWindow *window);
void sonde_window_look_soon (SondeWindow *window);

void sonde_window_get_search_scope (SondeWindow *window, SondeSearchScope *scope);
