/* SPDX-License-Identifier: Apache-2.0
 * Search everything (Ctrl+K): pages, runs, tags, actions, and what the opened pages add. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SEARCH (sonde_search_get_type ())
G_DECLARE_FINAL_TYPE (SondeSearch, sonde_search, SONDE, SEARCH, GtkPopover)

/* What a search looks at and opens: the pages of a window.
 * @peek: a page that was made. (transfer none) (nullable); @show: opens page @name */
typedef struct
{
  SondeWorkspace *workspace;
  SondePage *(*peek) (const char *name, void *user_data);
  void (*show) (const char *name, const SondePageRequest *request, void *user_data);
  void *user_data;
} SondeSearchScope;

/* @scope: copied; nothing of it is owned */
void sonde_search_set_scope (SondeSearch *search, const SondeSearchScope *scope);

/**
 * SondeSearchResult: one line of the list
 * @page: to open; @match: (nullable) key for it; @tag: (nullable); @run: (nullable) to choose
 * @action: (nullable): detailed name of what is done in place of opening a page
 */
typedef struct
{
  const char *page, *action;
  char *match, *tag, *title, *detail;
  const char *icon;
  SondeRun *run;
  int score;
} SondeSearchResult;

/* (transfer full) (element-type SondeSearchResult): best first, at most @max. */
GPtrArray *sonde_search_find (const SondeSearchScope *scope, const char *text, guint max);

G_END_DECLS
