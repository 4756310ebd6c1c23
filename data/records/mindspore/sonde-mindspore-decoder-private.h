/* SPDX-License-Identifier: Apache-2.0
 * Tags and times of MindSpore's files. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "data/records/sonde-record-format.h"

G_BEGIN_DECLS

/* @base: first; @ids: (nullable): name -> id + 1, made when a tag is first asked for */
typedef struct
{
  SondeRecordDecoder base;
  GHashTable *ids;
  gsize tag_bytes;
} SondeMindsporeDecoder;

SondeRecordDecoder *sonde_mindspore_decoder_new (const SondeRecordTag *tags, gsize n_tags);
void sonde_mindspore_decoder_free (SondeRecordDecoder *base);

/* The id of a tag, a new one where it has none. Errors: SONDE_DATA_ERROR_LIMIT. */
gboolean sonde_mindspore_decoder_tag (SondeRecordDecoder *base, ProtobufCBinaryData name,
                                      guint32 *id, GError **error);
/* The same for a C string; not longer than a file's name. */
gboolean sonde_mindspore_decoder_text_tag (SondeRecordDecoder *base, const char *name, guint32 *id,
                                           GError **error);
/* Interned. Errors: LIMIT: too long for a name. */
const char *sonde_mindspore_intern (ProtobufCBinaryData name, GError **error);

/* Nanoseconds of Python's time.time(); FALSE when it is no time that fits. */
gboolean sonde_mindspore_time (double seconds, gint64 *wall_time_ns);

G_END_DECLS
