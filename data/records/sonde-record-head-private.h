/* SPDX-License-Identifier: Apache-2.0
 * What every payload of our own format begins with, and its scalars: walked where they lie, since
 * there are millions of them. All other contents are decoded (sonde-record-decode.c). Both ways of
 * reading a payload, into columns and into a record, go through here. */
#pragma once

#include "data/records/sonde-record-batch.h"
#include "data/records/sonde-record-limits.h"
#include "data/wire/sonde-wire-cursor.h"

G_BEGIN_DECLS

/* @kind: 0 when it has none; @tag: SONDE_RECORD_NO_TAG likewise; @scalars: number 0 likewise */
typedef struct
{
  guint32 kind, session, tag;
  gint64 step, wall_time_ns;
  SondeWireItem scalars;
} SondeRecordHead;

/* A tag that the payload declares; it is in the table already. */
typedef void (*SondeRecordDeclared) (guint32 id, gpointer data);

/**
 * sonde_record_head_read:
 * @table: gets what the payload declares
 * @declared: (nullable): called for each of them
 *
 * Walks the payload, not the contents. Errors: DAMAGED; LIMIT of the table.
 */
gboolean sonde_record_head_read (SondeRecordHead *head, const guint8 *payload, gsize length,
                                 SondeTagTable *table, SondeRecordDeclared declared, gpointer data,
                                 GError **error);

/* Tags and values as they lie there; @n: those that are left */
typedef struct
{
  SondeWireCursor tags;
  const guint8 *values;
  gsize n;
} SondeRecordScalars;

/* Errors: DAMAGED: no lists that are packed, or not as many tags as values. */
gboolean sonde_record_scalars_init (SondeRecordScalars *scalars, const SondeRecordHead *head,
                                    GError **error);

/* Those of a payload with such a head. Errors: DAMAGED with the field. (sonde-record-decode.c) */
gboolean sonde_decode_scalars (const SondeRecordHead *head, const guint8 *payload, gsize length,
                               SondeTagTable *table, SondeRecordScalars *scalars, GError **error);

/* FALSE at the end. @tag: perhaps too large for one; of a number without end the largest */
static inline gboolean
sonde_record_scalars_next (SondeRecordScalars *scalars, guint32 *tag, double *value)
{
  guint64 id;

  if (scalars->n == 0)
    return FALSE;
  if (!sonde_wire_take_varint (&scalars->tags, &id) || id > G_MAXUINT32)
    id = G_MAXUINT32;
  *tag = (guint32) id;
  memcpy (value, scalars->values, sizeof *value);
  scalars->values += sizeof *value;
  scalars->n--;
  return TRUE;
}

G_END_DECLS
