/* SPDX-License-Identifier: Apache-2.0
 * Texts of one step: Markdown as plain text, tables as tables. */
#pragma once

#include <gtk/gtk.h>

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/* Puts @records (element-type SondeRecord; lent; others than TEXT are left out) into @box in place
 * of what is there. What is too long to be shown is cut, and said; copying takes all. */
void sonde_text_list_fill (GtkBox *box, GPtrArray *records);

/* Marks where @pattern occurs in what is shown of the texts, in place of what was marked. (nullable) */
void sonde_text_list_mark (GtkBox *box, GRegex *pattern);

/* Where @pattern occurs for the time @nth (0: the first) in what is shown. @area: (out): px of @box. FALSE: not so often,
 * as what is shown may be cut, and is without the signs of Markdown. */
gboolean sonde_text_list_find (GtkBox *box, GRegex *pattern, guint nth, graphene_rect_t *area);

/* The text of a record of kind TEXT, as it was written; of a table its cells, parted by tabs and line breaks. Any
 * bytes. (transfer none) */
const char *sonde_text_list_get_text (const SondeRecord *record);

G_END_DECLS
