/* SPDX-License-Identifier: Apache-2.0
 * The base of every page: what it is given, how it says that it loads or has settled, its empty
 * state, its line in the status bar, and its part of the search. A page = one file + one row of
 * sonde_page_table; it joins the workspace with viewers and stays thin. */
#pragma once

#include <adwaita.h>

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PAGE (sonde_page_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondePage, sonde_page, SONDE, PAGE, AdwBin)

/**
 * SondePageRequest: what a page is asked to show when it is opened (screenshot, a card on Overview,
 * a search result)
 * @step: valid if @has_step; @tag: (nullable) glob; @at: (nullable) node
 * @match: (nullable): key of a SondeSearchMatch of this page
 * @data: (nullable): images for the model that was opened (explain); @mean, @std:
 * (nullable): of these, as text
 * @view: (nullable): name of the view that a page of several shall show (profiler)
 * @colour: (nullable): what the nodes are coloured by, of sonde_graph_colours (graph)
 */
typedef struct
{
  gint64 step;
  gboolean has_step;
  const char *tag;
  const char *at;
  const char *match;
  const char *data, *mean, *std;
  const char *view;
  const char *colour;
} SondePageRequest;

/* @key: the page's own, given back in SondePageRequest.match; @title: shown; @detail: (nullable)
 * second line; @score: higher comes first (exact name 100, prefix 50, inside 10). Owned strings. */
typedef struct
{
  char *key, *title, *detail;
  int score;
} SondeSearchMatch;

SondeSearchMatch *sonde_search_match_new (const char *key, const char *title, const char *detail,
                                          int score);
void sonde_search_match_free (SondeSearchMatch *match);
/* Score of @query (lower case already) in @text, 0 when it is not in it. */
int sonde_search_score (const char *text, const char *query);

/**
 * SondePageClass: all optional; chain up in @opened, @closed
 * @set_up: once, when the workspace is there (not in init: there is none yet)
 * @opened: the page became the visible one; @closed: another one did
 * @show: apply a request; called after @opened
 * @search: add matches for @query (lower case) to @matches (element-type SondeSearchMatch)
 * @is_settled: everything that was asked for is on screen; default: TRUE. The base adds: the store
 *   has loaded and no sonde_page_hold() is open
 */
struct _SondePageClass
{
  AdwBinClass parent_class;

  void (*set_up) (SondePage *page);
  void (*opened) (SondePage *page);
  void (*closed) (SondePage *page);
  void (*show) (SondePage *page, const SondePageRequest *request);
  void (*search) (SondePage *page, const char *query, GPtrArray *matches);
  gboolean (*is_settled) (SondePage *page);

  gpointer padding[6];
};

/* Properties: "workspace" (construct only), "content" (GtkWidget, what a template puts its widgets
 * into), "status" (string), "settled" (boolean, notified). */

SondeWorkspace *sonde_page_get_workspace (SondePage *page); /* (transfer none) */
SondeRunStore *sonde_page_get_store (SondePage *page);
SondeStepCursor *sonde_page_get_cursor (SondePage *page);
gboolean sonde_page_is_opened (SondePage *page);

void sonde_page_set_content (SondePage *page, GtkWidget *content);

/* One line for the status bar: "12,000 of 1,200,000 points". (nullable) */
void sonde_page_set_status (SondePage *page, const char *status);
const char *sonde_page_get_status (SondePage *page);

/* Something asynchronous is under way; every hold needs its release. A thin progress line is shown
 * above the content meanwhile. */
void sonde_page_hold (SondePage *page);
void sonde_page_release (SondePage *page);
gboolean sonde_page_is_settled (SondePage *page);
void sonde_page_settled_changed (SondePage *page); /* is_settled() may answer otherwise now */

/**
 * sonde_page_set_empty:
 * @icon: icon name; @title: two or three words; @sentence: why, one sentence
 * @button, @action: (nullable): one button that helps, and the action it activates ("win.open")
 *
 * Shows the empty state in place of the content. While the store is still loading a quiet
 * "Loading…" stands there instead.
 */
void sonde_page_set_empty (SondePage *page, const char *icon, const char *title,
                           const char *sentence, const char *button, const char *action);
/* The chosen run has no record of @kinds. Where another one has and the user chose none, that is shown
 * instead; else the button offers it. Without one: as sonde_page_set_empty(). */
void sonde_page_set_empty_of_run (SondePage *page, const SondeRecordKind *kinds, guint n_kinds,
                                  const char *icon, const char *title, const char *sentence,
                                  const char *button, const char *action);
/* The same with the words for a store that has no runs, by whether the window was given a path that
 * failed, one that is not there, a model, a folder that is still empty, or none. */
void sonde_page_set_empty_without_runs (SondePage *page);
/* That the model the window was opened on cannot be read, and why. FALSE: there is none, or it can. */
gboolean sonde_page_set_empty_of_broken_model (SondePage *page);
void sonde_page_set_filled (SondePage *page); /* the content again */

/* Opens another page: "graph" with a request (nullable). */
void sonde_page_go (SondePage *page, const char *name, const SondePageRequest *request);
/* A toast in the window. */
void sonde_page_toast (SondePage *page, const char *sentence);

void sonde_page_open (SondePage *page,
                      const SondePageRequest *request); /* by the window: opened, show */
void sonde_page_close (SondePage *page);                /* by the window */
void sonde_page_search (SondePage *page, const char *query, GPtrArray *matches);

/**
 * SondePageInfo: one row a page
 * @name: lower-case word of `sonde screenshot`; @title: shown; @icon: icon name
 * @get_type: of the widget
 * @shortcut: accelerator
 */
typedef struct
{
  const char *name, *title, *icon;
  GType (*get_type) (void);
  const char *shortcut;
} SondePageInfo;

extern const SondePageInfo sonde_page_table[]; /* ended by a NULL name; order of the sidebar */
extern const char *const sonde_page_names[];   /* their names, ended by NULL */
const SondePageInfo *sonde_page_info_find (const char *name); /* (nullable) */

G_END_DECLS
