/* SPDX-License-Identifier: Apache-2.0
 * Aligned tables on stdout, and text out of files made safe for a terminal. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeTable SondeTable;

/* @columns: heads, each with its alignment before it: "<FILE", ">BYTES"; ended by NULL */
SondeTable *sonde_table_new (const char *const *columns);
void sonde_table_free (SondeTable *table); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTable, sonde_table_free)

/* One row: as many strings as there are columns, made printable here. */
void sonde_table_add (SondeTable *table, ...) G_GNUC_NULL_TERMINATED;
/* The rows so far, @indent spaces before each; nothing when there are none. */
void sonde_table_print (SondeTable *table, int indent);

/* Control characters as “\x1b”, bad UTF-8 replaced: what a file holds cannot steer the terminal.
 * Returns: (transfer full) */
char *sonde_cli_make_printable (const char *text);
/* The same of a message, whose lines stay lines. */
char *sonde_cli_make_printable_lines (const char *text);
/* Columns of the terminal behind stdout, from 60 to 120; 80 where there is none. */
guint sonde_cli_get_width (void);
/* Made printable and, where it is wider, cut in its middle: "model.layer…conv.weight".
 * @columns: at least 3. Returns: (transfer full) */
char *sonde_cli_shorten (const char *text, guint columns);
/* A paragraph, its lines broken at spaces and between wide characters. @first, @rest: what begins the first
 * line and the others */
void sonde_cli_print_wrapped (const char *text, const char *first, const char *rest);
/* "12,345" */
char *sonde_cli_format_count (guint64 count);
/* Text as it is, not through the locale's character set. */
void sonde_cli_print (const char *format, ...) G_GNUC_PRINTF (1, 2);

G_END_DECLS
