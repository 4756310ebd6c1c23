/* SPDX-License-Identifier: Apache-2.0
 * The pages of a window: one of them, or two in a split, each in a half with its title above it. The half
 * that was clicked or has the focus last is the active one. A page is there once: it can be moved from one
 * half to the other, but not stand in both. */
#pragma once

#include "app/widgets/sonde-page.h"
#include "app/widgets/sonde-split.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PAGE_SPLIT (sonde_page_split_get_type ())
G_DECLARE_FINAL_TYPE (SondePageSplit, sonde_page_split, SONDE, PAGE_SPLIT, AdwBin)

/* What stands where. @pages: names of sonde_page_table, different ones; without a split only that of
 * @active is looked at; @active: 0 or 1 */
typedef struct
{
  SondeSplitWay way;
  const char *pages[2];
  guint active;
} SondePageLayout;

/* Signals: "layout-changed" (): pages, the active half, or what is folded away are others; "divider-moved" (double before):
 * a hand moved the divider, from that fraction. */

/* Takes a page in; it is not shown yet. */
void sonde_page_split_add (SondePageSplit *split, SondePage *page, const SondePageInfo *info);
/* (nullable) (transfer none) */
SondePage *sonde_page_split_find (SondePageSplit *split, const char *name);

/* All pages that are named must have been added. Without a split the layout's half becomes the first. */
void sonde_page_split_set_layout (SondePageSplit *split, const SondePageLayout *layout);
void sonde_page_split_get_layout (SondePageSplit *split, SondePageLayout *layout);
/* That of the active half. (nullable) (transfer none) */
SondePage *sonde_page_split_get_page (SondePageSplit *split);
/* Whether that page is to be seen: it stands in a half that is not folded away. */
gboolean sonde_page_split_is_shown (SondePageSplit *split, const char *name);

/* Half 0 or 1 with its head; NULL for one that there is not without a split. (nullable) (transfer none) */
GtkWidget *sonde_page_split_get_half (SondePageSplit *split, guint half);
/* Makes it the active half; one that is folded away takes the place of the other. */
void sonde_page_split_activate (SondePageSplit *split, guint half);
/* The same, with the focus on the first thing of its page, else of its head. FALSE: there is no such half, or
 * nothing to focus. */
gboolean sonde_page_split_focus (SondePageSplit *split, guint half);

void sonde_page_split_set_fraction (SondePageSplit *split, double fraction);
double sonde_page_split_get_fraction (SondePageSplit *split);

G_END_DECLS
