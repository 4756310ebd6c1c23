/* SPDX-License-Identifier: Apache-2.0
 * The base of pages that show one record at a time: the bar that chooses it above, below it what
 * the page makes of it. A page = a class with a few fields and two functions. */
#pragma once

#include "app/widgets/sonde-page.h"
#include "app/pages/sonde-record-chooser.h"

G_BEGIN_DECLS

#define SONDE_TYPE_RECORD_PAGE (sonde_record_page_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeRecordPage, sonde_record_page, SONDE, RECORD_PAGE, SondePage)

/**
 * SondeRecordPageClass:
 * @kinds: (array length=n_kinds): of records, static; @all: all of a step, not the last alone
 * @empty_icon, @empty_title, @empty_sentence: when the chosen run has none of them; static
 * @empty_button, @empty_action: (nullable): what helps then; NULL: the page of runs; static
 * @make_content: required: the widget below the bar; called once, in set_up
 * @take: required: (element-type SondeRecord) @records, lent; may be empty. Returns: whether they
 *   are shown at once; else the page says sonde_record_page_set_busy (FALSE) later
 * @has_more: optional: there is something to see besides the chosen run's records: no empty state
 * then
 * @dup_status: optional: words for the status bar. (transfer full) (nullable)
 */
struct _SondeRecordPageClass
{
  SondePageClass parent_class;

  const SondeRecordKind *kinds;
  guint n_kinds;
  gboolean all;
  const char *empty_icon, *empty_title, *empty_sentence, *empty_button, *empty_action;

  GtkWidget *(*make_content) (SondeRecordPage *page);
  gboolean (*take) (SondeRecordPage *page, GPtrArray *records, SondeRecordKind kind);
  gboolean (*has_more) (SondeRecordPage *page);
  char *(*dup_status) (SondeRecordPage *page);

  gpointer padding[4];
};

SondeRecordChooser *sonde_record_page_get_chooser (SondeRecordPage *page); /* (transfer none) */
/* A widget at the end of the bar. */
void sonde_record_page_add_to_bar (SondeRecordPage *page, GtkWidget *widget);
void sonde_record_page_set_busy (SondeRecordPage *page, gboolean busy);
/* What dup_status() or has_more() say is new. */
void sonde_record_page_status_changed (SondeRecordPage *page);

G_END_DECLS
