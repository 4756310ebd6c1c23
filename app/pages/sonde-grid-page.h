/* SPDX-License-Identifier: Apache-2.0
 * The base of pages that show a grid of cards, one a tag: the bar with the filter and the page's
 * own controls, the grid below it, the empty states, the status line. A page = a class with a few
 * fields and functions. */
#pragma once

#include "app/pages/cards/sonde-card-grid.h"
#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_GRID_PAGE (sonde_grid_page_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeGridPage, sonde_grid_page, SONDE, GRID_PAGE, SondePage)

/**
 * SondeGridPageClass:
 * @kinds: (array length=n_kinds): of the tags; static. The default of list_tags() takes the first
 * @of_selected_run: tags of the run selected in the sidebar, which the bar names; else of all runs
 *   that are shown
 * @empty_icon, @empty_title, @empty_sentence, @empty_button, @empty_action: when there is no tag;
 *   static, message ids but for the icon and the action
 * @make_card: required: a card that shows nothing yet. Its signal "state-changed", where it has
 *   one, updates the status line. Returns: (transfer floating)
 * @dup_status: required: words for the status line when there are tags. (transfer full) (nullable)
 * @list_tags: optional: fills @list from @runs (SondeRun) with what @filter lets through. Returns:
 *   how many tags there are without the filter. Default: sonde_tag_list_update()
 * @show_empty: optional: knows better than the class what to say of the selected run, which has no tag. FALSE: it does
 *   not
 */
struct _SondeGridPageClass
{
  SondePageClass parent_class;

  const SondeRecordKind *kinds;
  guint n_kinds;
  gboolean of_selected_run;
  const char *empty_icon, *empty_title, *empty_sentence, *empty_button, *empty_action;

  SondeTagCard *(*make_card) (SondeGridPage *page);
  char *(*dup_status) (SondeGridPage *page);
  guint (*list_tags) (SondeGridPage *page, GtkStringList *list, GListModel *runs,
                      const char *filter);
  gboolean (*show_empty) (SondeGridPage *page, SondeRun *run);

  gpointer padding[3];
};

/* Property: "controls" (GtkWidget, written by templates): the page's own part of the bar. */

SondeCardGrid *sonde_grid_page_get_grid (SondeGridPage *page); /* (transfer none) */
/* At the end of the grid. */
void sonde_grid_page_add_panel (SondeGridPage *page, GtkWidget *panel);
/* Below the grid and its panel. */
void sonde_grid_page_add_below (SondeGridPage *page, GtkWidget *widget);
GListModel *sonde_grid_page_get_runs (SondeGridPage *page);   /* of SondeRun; (transfer none) */
const char *sonde_grid_page_get_filter (SondeGridPage *page); /* "" without one */
guint sonde_grid_page_get_n_tags (SondeGridPage *page);       /* without the filter */
guint sonde_grid_page_get_n_shown (SondeGridPage *page);      /* cards in the grid */

/* Lists the tags again; the workspace does it when runs change. */
void sonde_grid_page_update (SondeGridPage *page);
/* dup_status() has something else to say. */
void sonde_grid_page_status_changed (SondeGridPage *page);

G_END_DECLS
