/* SPDX-License-Identifier: Apache-2.0
 * Names as small numbers: each text is kept once, and gets the numbers 0, 1, 2 … in the order in which
 * it was first added. Not for several threads at once. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeNameTable SondeNameTable;

#define SONDE_NO_NAME G_MAXUINT32

SondeNameTable *sonde_name_table_new (void);
void sonde_name_table_free (SondeNameTable *table); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeNameTable, sonde_name_table_free)

/* The number of @text; a new one when it is not there yet. */
guint32 sonde_name_table_add (SondeNameTable *table, const char *text, gsize length);
guint32 sonde_name_table_add_text (SondeNameTable *table, const char *text);

/* SONDE_NO_NAME when it is not there. */
guint32 sonde_name_table_find (const SondeNameTable *table, const char *text, gsize length);

/* Lent as long as the table lives. */
const char *sonde_name_table_get (const SondeNameTable *table, guint32 name);

G_END_DECLS
