/* SPDX-License-Identifier: Apache-2.0
 * Texts of one step: Markdown as plain text, tables as tables. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Puts @records (element-type SondeRecord; lent; others than TEXT are left out) into @box in place
 * of what is there. What is too long to be shown is cut, and said; copying takes all. */
void sonde_text_list_fill (GtkBox *box, GPtrArray *records);

G_END_DECLS
