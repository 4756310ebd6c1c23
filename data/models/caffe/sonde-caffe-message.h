/* SPDX-License-Identifier: Apache-2.0
 * One message of Caffe, the same whether it came as text or as bytes. */
#pragma once

#include "data/base/sonde-error.h"
#include "data/models/caffe/sonde-caffe-schema.h"

G_BEGIN_DECLS

typedef struct _SondeCaffeMessage SondeCaffeMessage;

/**
 * SondeCaffeEntry: a value of a field
 * @number: of NUMBER, BOOL, ENUM
 * @text: @message: owned
 * @packed: @n_packed: @width: many numbers at once, little-endian floats of 4 or 8 bytes, lent from the
 *   file
 */
typedef struct
{
  const SondeCaffeField *field;
  double number;
  char *text;
  SondeCaffeMessage *message;
  const guint8 *packed;
  gsize n_packed, width;
} SondeCaffeEntry;

/**
 * SondeCaffeMessage:
 * @line: where it begins in a text; 0 in bytes
 * @entries: (element-type SondeCaffeEntry): in the file's order
 */
struct _SondeCaffeMessage
{
  const SondeCaffeType *type;
  guint line;
  GArray *entries;
};

SondeCaffeMessage *sonde_caffe_message_new (const SondeCaffeType *type, guint line);
void sonde_caffe_message_free (SondeCaffeMessage *message); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeCaffeMessage, sonde_caffe_message_free)

/* Lent until the next one is added. */
SondeCaffeEntry *sonde_caffe_message_add (SondeCaffeMessage *message, const SondeCaffeField *field);

/* ---- reading; @message: (nullable): has nothing -------------------------- */

/* The @index-th value of the field @name, NULL when there are fewer. */
const SondeCaffeEntry *sonde_caffe_get_entry (const SondeCaffeMessage *message, const char *name,
                                              guint index);
guint sonde_caffe_count (const SondeCaffeMessage *message, const char *name);
gboolean sonde_caffe_has (const SondeCaffeMessage *message, const char *name);

/* Of a field that comes twice the last value holds. */
double sonde_caffe_get_number (const SondeCaffeMessage *message, const char *name, double fallback);
/* Clamped to what a gint32 holds. */
gint64 sonde_caffe_get_int (const SondeCaffeMessage *message, const char *name, gint64 fallback);
gboolean sonde_caffe_get_bool (const SondeCaffeMessage *message, const char *name,
                               gboolean fallback);
const char *sonde_caffe_get_text (const SondeCaffeMessage *message, const char *name,
                                  const char *fallback);
const SondeCaffeMessage *sonde_caffe_get_message (const SondeCaffeMessage *message,
                                                  const char *name); /* (nullable) */

/* ---- making -------------------------------------------------------------- */

/* @path: for messages. Errors: DAMAGED with the line, LIMIT. */
SondeCaffeMessage *sonde_caffe_parse_text (const char *path, const char *text, gsize length,
                                           GError **error);
/* @bytes: lent: packed numbers point into them. Errors: DAMAGED with the offset, LIMIT. */
SondeCaffeMessage *sonde_caffe_parse_bytes (const char *path, const guint8 *bytes, gsize length,
                                            GError **error);

G_END_DECLS
