/* SPDX-License-Identifier: Apache-2.0
 * State of the window, shared by its files only. */
#pragma once

#include "app/sidebar/sonde-page-list.h"
#include "app/sidebar/sonde-run-list.h"
#include "app/sonde-page-split.h"
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
  SondePageList *page_list;
  SondePageSplit *pages;
  const char *previous_page; /* (nullable): shown in the active half before its page */
  SondeRunList *run_list;
  GtkProgressBar *progress;
  SondeStatusBar *status_bar;
  SondeSearch *search;
  GtkMenuButton *search_button;
  SondeStateChip *state_chip;
  GMenu *recent_menu;
  guint progress_tick;
  SondeNotifier *notifier;
  guint look_source;          /* of the notifier */
  guint return_source;        /* gives memory back */
  guint64 contents_structure; /* of the store when contents were looked at */
};

/* One row an action; sonde-window.c installs them. @parameter_type: (nullable) */
typedef struct
{
  const char *name, *parameter_type;
  GtkWidgetActionActivateFunc activate;
} SondeWindowAction;

extern const SondeWindowAction sonde_window_actions[]; /* ended by a NULL name */

/* sonde-window-pages.c */
void sonde_window_add_pages (SondeWindow *window);
void sonde_window_close_pages (SondeWindow *window);
void sonde_window_update_title (SondeWindow *window);
void sonde_window_update_progress (SondeWindow *window);
/* Makes pages that were not opened before; those that are no longer shown are closed. */
void sonde_window_set_layout (SondeWindow *window, const SondePageLayout *layout);

/* sonde-window-split.c */
/* Splits, or turns a split that is there; the second page is the one that was left last. */
void sonde_window_split (SondeWindow *window, SondeSplitWay way);
/* sonde_window_show_beside(), or says why not. */
void sonde_window_open_in_half (SondeWindow *window, const char *name, SondeSplitWay way);
/* Closes the active half: the page of the other one remains. */
void sonde_window_close_half (SondeWindow *window);
void sonde_window_swap_halves (SondeWindow *window);
/* By a hand, from the fraction @before: that can be undone. */
void sonde_window_divider_moved (SondeWindow *window, double before);
/* What the last window showed, or the first page; kept by sonde_window_remember_layout(). */
void sonde_window_restore_layout (SondeWindow *window);
void sonde_window_remember_layout (SondeWindow *window);

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
