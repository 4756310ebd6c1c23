/* SPDX-License-Identifier: Apache-2.0
 * Named values as they are gathered for a lineage record. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "data/graph/sonde-graph.h"
#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/* FALSE with SONDE_DATA_ERROR_LIMIT when @more were too many: asked before they are added. */
gboolean sonde_mindspore_items_check (GArray *items, gsize more, GError **error);

/* (element-type SondeHparam): frees its texts, unless they were stolen */
GArray *sonde_mindspore_items_new (void);

/* @key is copied, @text taken. */
void sonde_mindspore_items_add (GArray *items, const char *key, char *text, SondeHparamType type);
void sonde_mindspore_items_add_number (GArray *items, const char *key, double number);
void sonde_mindspore_items_add_int (GArray *items, const char *key, gint64 number);
/* Of a JSON object each member; members of objects inside as "outer.inner"; lists as their text.
 * FALSE: @json is no object. */
gboolean sonde_mindspore_items_add_json (GArray *items, const char *json, gsize length);

/* Moves them into @record, which is a lineage record of @part. */
void sonde_mindspore_items_steal (GArray *items, SondeRecord *record, const char *part);

/* Shortest text that reads back as the same float32. Returns: (transfer full) */
char *sonde_mindspore_float_text (double number);

/* ---- sonde-mindspore-pipeline.c ------------------------------------------ */

/* @message: a DatasetGraph; its facts become @items. Returns: (transfer full) */
SondeGraph *sonde_mindspore_pipeline (ProtobufCBinaryData message, GArray *items, GError **error);

G_END_DECLS
