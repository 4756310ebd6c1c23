/* SPDX-License-Identifier: Apache-2.0
 * What the two formats share. */
#pragma once

#include "data/base/sonde-text.h" /* N_() for what is left out */
#include "data/records/sonde-event-encoder.h"
#include "data/records/sonde-record-frame.h"
#include "data/wire/sonde-wire-emit.h"

G_BEGIN_DECLS

/* Of a tag, from its NOTE record. */
typedef struct
{
  char *display_name, *description;
} SondeEventNote;

/**
 * SondeEventEncoder:
 * @tags, @order: interned tags that were described in this file, as a set and in their order
 * @notes: (element-type utf8 SondeEventNote): by interned tag
 */
struct _SondeEventEncoder
{
  SondeEventFormat format;
  SondeEventOptions options;
  GHashTable *tags;
  GPtrArray *order;
  GHashTable *notes;
};

/* Writes one record; see sonde_event_encoder_encode(). */
typedef gboolean (*SondeEventFunction) (SondeEventEncoder *encoder, const SondeRecord *record,
                                        GByteArray *out, SondeEventFile *file, const char **reason);

gboolean sonde_event_tensorboard_graph (SondeEventEncoder *encoder, const SondeRecord *record,
                                        GByteArray *out, SondeEventFile *file, const char **reason);
gboolean sonde_event_mindspore_graph (SondeEventEncoder *encoder, const SondeRecord *record,
                                      GByteArray *out, SondeEventFile *file, const char **reason);
SondeEventFunction sonde_event_tensorboard_find (SondeRecordKind kind);
SondeEventFunction sonde_event_mindspore_find (SondeRecordKind kind);

/* Of MindSpore; 0 for what it has none. */
int sonde_event_mindspore_dtype (SondeDtype dtype);

/* TRUE the first time for @tag. */
gboolean sonde_event_encoder_is_first (SondeEventEncoder *encoder, const char *tag);

/* The graph of a record: (transfer full) (nullable): NULL with @reason when there is none to be
 * had. */
SondeGraph *sonde_event_encoder_dup_graph (SondeEventEncoder *encoder, const SondeRecord *record,
                                           const char **reason);

/* The nearest double: nanoseconds since 1970 do not fit into one as a whole. */
static inline double
sonde_event_seconds (const SondeRecord *record)
{
  const gint64 second = 1000000000;

  return (double) (record->wall_time_ns / second) + (double) (record->wall_time_ns % second) / 1e9;
}

/* Bins with something in them, from the most negative: edges and count. */
typedef void (*SondeEventBinFunction) (GArray *rows, double left, double right, double count);
void sonde_event_list_bins (const SondeRecord *record, SondeEventBinFunction add, GArray *rows);

G_END_DECLS
