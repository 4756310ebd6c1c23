/* SPDX-License-Identifier: Apache-2.0
 * What one run holds, a line a tag: kind, records, steps; of what is recognised but not understood
 * its size. */
#pragma once

#include "app/widgets/sonde-page.h"

G_BEGIN_DECLS

#define SONDE_TYPE_CONTENTS_TABLE (sonde_contents_table_get_type ())
G_DECLARE_FINAL_TYPE (SondeContentsTable, sonde_contents_table, SONDE, CONTENTS_TABLE, GtkBox)

/* Signal "open" (const char *page, const char *tag): a line was activated whose kind has a page. */

/* Name of the page that shows records of @kind. (nullable) */
const char *sonde_contents_table_get_page (SondeRecordKind kind);

/* Shows @run (nullable) as it is now; the same again takes what is new. */
void sonde_contents_table_set_run (SondeContentsTable *table, SondeRun *run, const char *title);
guint sonde_contents_table_get_n_lines (SondeContentsTable *table);
gboolean sonde_contents_table_is_busy (SondeContentsTable *table);

G_END_DECLS
