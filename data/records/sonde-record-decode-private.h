/* SPDX-License-Identifier: Apache-2.0
 * What the decoders of the kinds share. Messages live in the table's arena until the record is
 * done. */
#pragma once

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"
#include "data/records/sonde-record-wire-private.h"
#include "data/records/sonde-record.pb-c.h"
#include "data/records/sonde-tag-table-private.h"
#include "data/wire/sonde-wire-decode.h"

G_BEGIN_DECLS

typedef struct
{
  const Sonde__Records__Record *message;
  gsize length; /* of the payload */
} SondeRecordDecoding;

/* All of a payload; lent by the arena of @table and by @payload, until the arena is
 * emptied. What holds scalars is walked instead, with sonde-record-head-private.h. */
const Sonde__Records__Record *sonde_decode_message (const guint8 *payload, gsize length,
                                                    SondeTagTable *table, GError **error);
/* Would it have it? */
gboolean sonde_decode_check (const guint8 *payload, gsize length, GError **error);

/* Fills record->u from a zeroed one; what it has filled is cleared by the caller on failure. */
typedef gboolean (*SondeRecordDecodeFunction) (const SondeRecordDecoding *decoder,
                                               SondeRecord *record, GError **error);

/**
 * SondeRecordKindRow:
 * @content: where the pointer to the message of the kind is in Record; 0 when @decode looks itself
 */
typedef struct
{
  SondeRecordDecodeFunction decode;
  gsize content;
  gboolean tagged;
} SondeRecordKindRow;

#define CONTENT(field) offsetof (Sonde__Records__Record, field)
#define DUP_OPTIONAL(message, field)                                                               \
  sonde_decode_dup_optional ((message)->has_##field, (message)->field)
#define BYTES_OPTIONAL(message, field)                                                             \
  ((message)->has_##field ? g_bytes_new ((message)->field.data, (message)->field.len) : NULL)

/* Returns FALSE. */
gboolean sonde_decode_fail (GError **error, SondeDataError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

static inline char *
sonde_decode_dup_optional (protobuf_c_boolean has, ProtobufCBinaryData field)
{
  return has ? sonde_record_dup_bytes (field) : NULL;
}

/* A file of a later format may mean something else. Errors: UNSUPPORTED */
gboolean sonde_decode_check_version (guint64 format_version, GError **error);

gboolean sonde_decode_int (guint32 number, const char *what, int *result, GError **error);

/* (transfer full): the bytes of a field before compression, bounded */
GBytes *sonde_decode_bytes (ProtobufCBinaryData data, guint32 compression, const char *what,
                            GError **error);

/* (nullable) message: an error then. */
SondeTensor *sonde_decode_tensor (const Sonde__Records__Tensor *message, const char *what,
                                  GError **error);
/* FALSE only on an error: *@tensor is NULL of NULL. */
gboolean sonde_decode_optional_tensor (const Sonde__Records__Tensor *message, const char *what,
                                       SondeTensor **tensor, GError **error);
SondeDtype sonde_decode_dtype (guint32 number); /* INVALID for an unknown one */

SondeHparam *sonde_decode_hparams (Sonde__Records__Hparam *const *messages, gsize n);

/* (nullable) message: *@graph is NULL then */
gboolean sonde_decode_plain_graph (const Sonde__Records__PlainGraph *message, const char *what,
                                   SondeGraph **graph, GError **error);

/* The kinds of sonde-record-decode-kinds.c; NULL for the others. */
const SondeRecordKindRow *sonde_decode_find_kind (SondeRecordKind kind);

G_END_DECLS
