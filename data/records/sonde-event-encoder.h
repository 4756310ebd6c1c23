/* SPDX-License-Identifier: Apache-2.0
 * Records as the event files of other tools: framed bytes for a TensorBoard event file or a
 * MindSpore summary. What a format has no place for is refused with a reason, never written
 * wrongly. Names of files and writing them are the writer's matter (collector/writer). */
#pragma once

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_EVENTS_TENSORBOARD,
  SONDE_EVENTS_MINDSPORE,
} SondeEventFormat;

/* Files of a session: MindSpore keeps lineage in one of its own. */
typedef enum
{
  SONDE_EVENT_FILE_MAIN,
  SONDE_EVENT_FILE_LINEAGE,
  SONDE_N_EVENT_FILES,
} SondeEventFile;

/**
 * SondeEventOptions: zero-initialise
 * @parse_model: (nullable): ONNX bytes -> graph, (transfer full), with @error; without it graphs
 *   that are given as a model are refused
 * @data: its
 */
typedef struct
{
  SondeGraph *(*parse_model) (GBytes *model, gpointer data, GError **error);
  gpointer data;
} SondeEventOptions;

/* One session's; remembers which tags were described. One thread at a time. */
typedef struct _SondeEventEncoder SondeEventEncoder;

SondeEventEncoder *sonde_event_encoder_new (SondeEventFormat format,
                                            const SondeEventOptions *options); /* (nullable) */
void sonde_event_encoder_free (SondeEventEncoder *encoder);                    /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeEventEncoder, sonde_event_encoder_free)

/**
 * sonde_event_encoder_encode:
 * @record: any; scalars are rounded to float32, as both formats want
 * @out: one frame or several are appended; nothing on FALSE, and nothing for what only changes
 * later records
 * @file: (out): where they belong
 * @reason: (out): on FALSE, why it cannot be written, or what of it could not: a message id
 *   without its end, "%s has no place for …" filled already; on TRUE NULL, or what was left out
 */
gboolean sonde_event_encoder_encode (SondeEventEncoder *encoder, const SondeRecord *record,
                                     GByteArray *out, SondeEventFile *file, const char **reason);

/* What is described is forgotten from @mark on: the record could not be written. */
gsize sonde_event_encoder_get_mark (const SondeEventEncoder *encoder);
void sonde_event_encoder_rewind (SondeEventEncoder *encoder, gsize mark);

G_END_DECLS
