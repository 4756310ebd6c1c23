/* SPDX-License-Identifier: Apache-2.0
 * What the encoders of the kinds share. Messages stand on the stack or in held memory and borrow
 * the record's. */
#pragma once

#include <string.h>

#include "data/records/sonde-record-wire-private.h"
#include "data/records/sonde-record.pb-c.h"
#include "data/records/sonde-tag-table-private.h"

G_BEGIN_DECLS

/* @out: borrowed; @held: memory that must live until the message is packed; @tensors: the same */
typedef struct
{
  SondeTagTable *table;
  GByteArray *out;
  GPtrArray *held, *tensors;
  Sonde__Records__Record message;
} SondeRecordEncoder;

typedef void (*SondeRecordEncodeFunction) (SondeRecordEncoder *encoder, const SondeRecord *record);

/* Sets an optional field of a protobuf-c message. */
#define SET(message, field, value) ((message)->has_##field = TRUE, (message)->field = (value))
#define SET_TEXT(message, field, text)                                                             \
  sonde_encode_text (&(message)->has_##field, &(message)->field, (text))
#define SET_BYTES(message, field, bytes)                                                           \
  sonde_encode_bytes (&(message)->has_##field, &(message)->field, (bytes))

static inline ProtobufCBinaryData
sonde_encode_binary (const void *data, gsize length)
{
  return (ProtobufCBinaryData){ .len = length, .data = (guint8 *) data };
}

static inline void
sonde_encode_text (protobuf_c_boolean *has, ProtobufCBinaryData *field, const char *text)
{
  *has = text != NULL;
  if (text != NULL)
    *field = sonde_encode_binary (text, strlen (text));
}

static inline void
sonde_encode_bytes (protobuf_c_boolean *has, ProtobufCBinaryData *field, GBytes *bytes)
{
  gsize length;

  *has = bytes != NULL;
  if (bytes != NULL)
    {
      const guint8 *data = g_bytes_get_data (bytes, &length);

      *field = sonde_encode_binary (data, length);
    }
}

/* Memory of g_malloc() that is freed behind the packing. */
void *sonde_encode_hold (SondeRecordEncoder *encoder, void *memory);

/* @n messages of @bytes each, zeroed, and the array of pointers to them that protobuf-c wants. */
void *sonde_encode_list (SondeRecordEncoder *encoder, gsize n, gsize bytes, void ***pointers);

/* Compressed when that is smaller, else @data itself. */
ProtobufCBinaryData sonde_encode_compress (SondeRecordEncoder *encoder, const void *data,
                                           gsize length, SondeCompression *compression);

/* A held message; NULL of NULL. */
Sonde__Records__Tensor *sonde_encode_tensor (SondeRecordEncoder *encoder, SondeTensor *tensor);
Sonde__Records__PlainGraph *sonde_encode_plain_graph (SondeRecordEncoder *encoder,
                                                      const SondeGraph *graph);
/* (nullable) strings: ended by NULL */
ProtobufCBinaryData *sonde_encode_strings (SondeRecordEncoder *encoder, char **strings, gsize *n);
Sonde__Records__Hparam **sonde_encode_hparams (SondeRecordEncoder *encoder,
                                               const SondeHparam *items, gsize n);

/* The kinds of sonde-record-encode-kinds.c; NULL for the others. */
SondeRecordEncodeFunction sonde_encode_find_kind (SondeRecordKind kind);

G_END_DECLS
