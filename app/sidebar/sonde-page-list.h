/* SPDX-License-Identifier: Apache-2.0
 * The list of pages in the sidebar: one stop of the Tab key; a press activates "win.page", the menu of a
 * row the actions that show its page beside another one. Pages that nothing was recorded for are dim, and can be
 * folded away by the button below the list. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_PAGE_LIST (sonde_page_list_get_type ())
G_DECLARE_FINAL_TYPE (SondePageList, sonde_page_list, SONDE, PAGE_LIST, AdwBin)

/* @name: of the page that is shown, in a split that of the half that has the focus */
void sonde_page_list_select (SondePageList *list, const char *name);

/* Whether there is something to see on the page @name; all pages are taken to have something at first. */
void sonde_page_list_set_filled (SondePageList *list, const char *name, gboolean filled);

/* Only pages that have something, and the one that is shown. Signal "folded" (): by the button. */
void sonde_page_list_set_folded (SondePageList *list, gboolean folded);
gboolean sonde_page_list_is_folded (SondePageList *list);

G_END_DECLS
