/* SPDX-License-Identifier: Apache-2.0
 * What one run holds, a line a tag: kind, records, steps; of what is recognised but not understood
 * its size. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_HOLDINGS (sonde_holdings_get_type ())
G_DECLARE_FINAL_TYPE (SondeHoldings, sonde_holdings, SONDE, HOLDINGS, GtkBox)

/* Signal "open" (const char *page, const char *tag): a line was activated whose kind has a page. */

/* Name of the page that shows records of @kind. (nullable) */
const char *sonde_holdings_get_page (SondeRecordKind kind);

GtkWidget *sonde_holdings_new (void);
/* Shows @run (nullable) as it is now; the same again takes what is new. */
void sonde_holdings_set_run (SondeHoldings *holdings, SondeRun *run, const char *title);
guint sonde_holdings_get_n_lines (SondeHoldings *holdings);
gboolean sonde_holdings_is_busy (SondeHoldings *holdings);

G_END_DECLS
