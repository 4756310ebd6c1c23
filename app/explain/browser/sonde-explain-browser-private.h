/* SPDX-License-Identifier: Apache-2.0
 * State of the browser, shared by its files only. */
#pragma once

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/browser/sonde-gallery-header.h"
#include "app/explain/browser/sonde-comparison-panel.h"
#include "app/explain/browser/sonde-explain-gallery.h"
#include "app/explain/browser/sonde-confused-pairs.h"
#include "app/explain/browser/sonde-error-category-list.h"
#include "app/explain/browser/sonde-explain-table.h"
#include "viewers/sonde-confusion-view.h"

/* What the gallery holds. */
typedef enum
{
  SCOPE_ALL,
  SCOPE_CELL,
  SCOPE_CATEGORY,
  SCOPE_CHANGE,
} Scope;

struct _SondeExplainBrowser
{
  AdwBin parent_instance;

  GtkWidget *leaflet, *left, *right, *switcher, *sides, *share, *by_errors;
  GtkWidget *matrix, *pairs, *reasons, *compare;
  GtkWidget *detail, *to_left, *cell, *gallery, *sample_bar, *sample_back, *place, *previous, *next,
      *sample_bin;
  GtkWidget *models, *first_model, *second_model;
  SondeThumbnailLoader *thumbnails;
  GPtrArray *items, *clusters, *cell_clusters; /* cell_clusters: lent by clusters */
  GHashTable *by_sample; /* number of the sample + 1 → SondeExplainItem of items */
  SondeExplainTable *table;
  SondeExplainItem *sample;
  const char *noun;
  Scope scope;
  gint64 chosen; /* cell, reason or change */
  int group;     /* of the cell's clusters; -1: all */
  gboolean updating;
};

/* ---- sonde-explain-browser-scope.c --------------------------------------- */
gboolean sonde_explain_browser_has (SondeExplainBrowser *self, SondeExplainItem *item);
/* Says what was chosen, above its thumbnails. */
void sonde_explain_browser_set_words (SondeExplainBrowser *self);
void sonde_explain_browser_update_clusters (SondeExplainBrowser *self);
void sonde_explain_browser_fill (SondeExplainBrowser *self);
void sonde_explain_browser_update_left (SondeExplainBrowser *self);
void sonde_explain_browser_set_scope (SondeExplainBrowser *self, Scope scope, gint64 chosen);

/* ---- sonde-explain-browser-parts.c: widgets, not yet connected ----------- */
GtkWidget *sonde_explain_browser_make_left (SondeExplainBrowser *self);
GtkWidget *sonde_explain_browser_make_gallery (SondeExplainBrowser *self);
GtkWidget *sonde_explain_browser_make_sample (SondeExplainBrowser *self);

/* ---- sonde-explain-browser.c --------------------------------------------- */
/* @item: (nullable): none */
void sonde_explain_browser_show (SondeExplainBrowser *self, SondeExplainItem *item);
/* "3 of 12", and whether there is a next one. */
void sonde_explain_browser_update_bar (SondeExplainBrowser *self);
/* @reason: SONDE_N_CATEGORIES: none any more */
void sonde_explain_browser_choose_category (SondeExplainBrowser *self, guint reason);
