/* SPDX-License-Identifier: Apache-2.0
 * The one window: header bar, sidebar with pages and runs, the page, the status line. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_WINDOW (sonde_window_get_type ())
G_DECLARE_FINAL_TYPE (SondeWindow, sonde_window, SONDE, WINDOW, AdwApplicationWindow)

/* The window takes size and page from the workspace's settings. */
SondeWindow *sonde_window_new (AdwApplication *application, SondeWorkspace *workspace);

SondeWorkspace *sonde_window_get_workspace (SondeWindow *window);
/* @name: of a page; @request: (nullable). FALSE when there is no such page. */
gboolean sonde_window_show_page (SondeWindow *window, const char *name,
                                 const SondePageRequest *request);
SondePage *sonde_window_get_page (SondeWindow *window); /* the visible one */
/* The page of that name if it was opened before, for the search. (nullable) */
SondePage *sonde_window_peek_page (SondeWindow *window, const char *name);

/* Where the action "win.open" leads: a new window on @paths; without one, an empty window. */
void sonde_window_open_paths (SondeWindow *window, const char *const *paths);

G_END_DECLS
