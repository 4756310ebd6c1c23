/* SPDX-License-Identifier: Apache-2.0
 * Protobuf messages of MindSpore by tables: which field goes into which member of a plain struct.
 * A reader of a few fields of many small messages needs no code of its own for them. */
#pragma once

#include "data/base/sonde-wire-cursor.h"

G_BEGIN_DECLS

/* More elements of one repeated field are refused. */
#define SONDE_MINDSPORE_MAX_ELEMENTS (1u << 20)

/* The member that a field goes into; of a field that comes twice the last one wins. */
typedef enum
{
  SONDE_MINDSPORE_INT,    /* gint64 */
  SONDE_MINDSPORE_DOUBLE, /* double, 8 bytes in the file */
  SONDE_MINDSPORE_FLOAT,  /* double, 4 bytes in the file */
  SONDE_MINDSPORE_BYTES,  /* SondeWireItem: strings, bytes, messages; number 0 when absent */
  SONDE_MINDSPORE_INTS,   /* GArray of gint64, NULL when there is none; packed or not */
  SONDE_MINDSPORE_FLOATS, /* GArray of double, likewise */
  SONDE_MINDSPORE_ITEMS,  /* GArray of SondeWireItem, likewise */
} SondeMindsporeFieldKind;

typedef struct
{
  guint32 number;
  SondeMindsporeFieldKind kind;
  gsize offset;
  const char *name; /* for errors: "Histogram.max" */
} SondeMindsporeField;

/**
 * sonde_mindspore_take:
 * @into: the struct, with defaults for absent fields; arrays in it are NULL
 *
 * Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT with the field's name. The arrays are the caller's then,
 * too.
 */
gboolean sonde_mindspore_take (const SondeWireItem *message, const SondeMindsporeField *fields,
                               gsize n_fields, gpointer into, GError **error);

/* Whether @message can be walked to its end. */
gboolean sonde_mindspore_check (const SondeWireItem *message, const char *name, GError **error);

/* FALSE, with SONDE_DATA_ERROR_DAMAGED. */
gboolean sonde_mindspore_damaged (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* All bytes of something as if they were a field. */
static inline SondeWireItem
sonde_mindspore_whole (const guint8 *bytes, gsize length)
{
  return (SondeWireItem){ .number = 1, .type = 2, .bytes = bytes, .length = length };
}

/* C text; "" of an absent field. */
char *sonde_mindspore_dup_text (const SondeWireItem *item);

G_END_DECLS
