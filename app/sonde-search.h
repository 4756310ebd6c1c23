/* SPDX-License-Identifier: Apache-2.0
 * Search everything (Ctrl+K): pages, runs, tags, and what the opened pages add. */
#pragma once

#include "app/sonde-window.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SEARCH (sonde_search_get_type ())
G_DECLARE_FINAL_TYPE (SondeSearch, sonde_search, SONDE, SEARCH, GtkPopover)

void sonde_search_set_window (SondeSearch *search, SondeWindow *window); /* not owned */

/**
 * SondeSearchResult: one line of the list
 * @page: to open; @match: (nullable) key for it; @tag: (nullable); @run: (nullable) to choose
 */
typedef struct
{
  const char *page;
  char *match, *tag, *title, *detail;
  const char *icon;
  SondeRun *run;
  int score;
} SondeSearchResult;

/* (transfer full) (element-type SondeSearchResult): best first, at most @max. */
GPtrArray *sonde_search_find (SondeWindow *window, const char *text, guint max);

G_END_DECLS
