/* SPDX-License-Identifier: Apache-2.0
 * A text of a log as labels and tables: Markdown as cmark-gfm reads it, with its line breaks. Raw
 * HTML, links and images stand there as they were written; nothing is opened, and no markup of
 * GTK is made from text. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* @text: valid UTF-8 of moderate size: cmark may take time with its square. Returns: (transfer
 * floating): a box of labels and tables; *@was_cut: not all of a table is there */
GtkWidget *sonde_markdown_make (const char *text, gboolean *was_cut);

/* A label of @text, made visible line by line; nothing in it is Markdown. (transfer floating) */
GtkWidget *sonde_markdown_make_plain (const char *text);

G_END_DECLS
