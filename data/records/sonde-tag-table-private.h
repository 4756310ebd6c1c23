/* SPDX-License-Identifier: Apache-2.0
 * Ids of tags, as encoder, decoder and reader use them. */
#pragma once

#include "data/records/sonde-record-arena-private.h"
#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/* Names of a file stay in memory for good (they are interned), so they are bounded. */
#define SONDE_TAG_TABLE_MAX_TAGS 1000000
#define SONDE_TAG_TABLE_MAX_BYTES ((gsize) 64 << 20)

/* The id of @name; *@is_new when it had none. */
guint32 sonde_tag_table_add (SondeTagTable *table, const char *name, gboolean *is_new);

/* A declaration of a file. Errors: SONDE_DATA_ERROR_LIMIT. */
gboolean sonde_tag_table_declare (SondeTagTable *table, guint32 id, const char *name,
                                  GError **error);

/* Interned; "tag#N" for an undeclared one. NULL with @error when @id is no possible one. */
const char *sonde_tag_table_lookup (SondeTagTable *table, guint32 id, GError **error);

/* Memory of the decoder, kept from record to record. */
SondeRecordArena *sonde_tag_table_get_arena (SondeTagTable *table);

G_END_DECLS
