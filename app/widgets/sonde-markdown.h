/* SPDX-License-Identifier: Apache-2.0
 * The part of Markdown that people write into logs: headings, tables, fenced code, bold, italic,
 * code. All else stays as it was written, with its line breaks. No markup of GTK is made from
 * text. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @text: valid UTF-8. Returns: (transfer floating): a box of labels and tables; *@was_cut: not all
 * of a table is there */
GtkWidget *sonde_markdown_make (const char *text, gboolean *was_cut);

/* A label of @text, made visible line by line; nothing in it is Markdown. (transfer floating) */
GtkWidget *sonde_markdown_make_plain (const char *text);

/* @text without the signs of bold, italic and code. @attributes: (out) (transfer full): where they
 * were, in bytes of what is returned. (transfer full) */
char *sonde_markdown_parse_inline (const char *text, PangoAttrList **attributes);

G_END_DECLS
