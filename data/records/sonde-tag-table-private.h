/* SPDX-License-Identifier: Apache-2.0
 * Ids of tags, as encoder and decoder use them. */
#pragma once

#include "data/records/sonde-record-limits.h"
#include "data/records/sonde-record.h"
#include "data/wire/sonde-wire-arena.h"

G_BEGIN_DECLS

/* The id of @name; *@is_new when it had none. */
guint32 sonde_tag_table_add (SondeTagTable *table, const char *name, gboolean *is_new);

/* Whether @id can be one. Errors: SONDE_DATA_ERROR_LIMIT. */
gboolean sonde_tag_table_check (guint32 id, GError **error);

/* A declaration of a file. Errors: SONDE_DATA_ERROR_LIMIT. */
gboolean sonde_tag_table_declare (SondeTagTable *table, guint32 id, const char *name,
                                  GError **error);

/* Interned; "tag#N" for an undeclared one. NULL with @error when @id is no possible one. */
const char *sonde_tag_table_lookup (SondeTagTable *table, guint32 id, GError **error);

/* Memory of the decoder, kept from record to record. */
SondeWireArena *sonde_tag_table_get_arena (SondeTagTable *table);

G_END_DECLS
