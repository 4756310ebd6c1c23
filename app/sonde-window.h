/* SPDX-License-Identifier: Apache-2.0
 * The one window: header bar, sidebar with pages and runs, the page, the status line. */
#pragma once

#include "app/widgets/sonde-page.h"
#include "app/widgets/sonde-split.h"

G_BEGIN_DECLS

#define SONDE_TYPE_WINDOW (sonde_window_get_type ())
G_DECLARE_FINAL_TYPE (SondeWindow, sonde_window, SONDE, WINDOW, AdwApplicationWindow)

/* The window takes size and page from the workspace's settings. */
SondeWindow *sonde_window_new (AdwApplication *application, SondeWorkspace *workspace);

SondeWorkspace *sonde_window_get_workspace (SondeWindow *window);
/* @name: of a page; @request: (nullable). In a split it takes the place of the active half's page; one that
 * the other half shows is gone to. FALSE when there is no such page. */
gboolean sonde_window_show_page (SondeWindow *window, const char *name,
                                 const SondePageRequest *request);
/* Shows @name in a half of its own, which becomes the active one. FALSE when there is no such page, or it is
 * shown already. */
gboolean sonde_window_show_beside (SondeWindow *window, const char *name, SondeSplitWay way);
/* One page alone again: that of the active half. */
void sonde_window_end_split (SondeWindow *window);
SondePage *sonde_window_get_page (SondeWindow *window); /* the visible one, of two the active one */
/* One page alone, all pages in the list: for a picture that is the same for everybody. */
void sonde_window_forget_habits (SondeWindow *window);
/* Marks the pages that have something to show, which is done anyway within a second after a change. */
void sonde_window_look_at_contents (SondeWindow *window);
gboolean sonde_window_is_settled (SondeWindow *window); /* each page that is shown has */
/* The page of that name if it was opened before, for the search. (nullable) */
SondePage *sonde_window_peek_page (SondeWindow *window, const char *name);

/* Where the action "win.open" leads: a new window on @paths; without one, an empty window. */
void sonde_window_open_paths (SondeWindow *window, const char *const *paths);

G_END_DECLS
