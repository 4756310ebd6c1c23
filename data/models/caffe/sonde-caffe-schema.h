/* SPDX-License-Identifier: Apache-2.0
 * The messages of Caffe 1.0 that a net for inference has, as tables: the text form knows fields by
 * name, the binary form by number. Names and numbers: BVLC/caffe, src/caffe/proto/caffe.proto. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_CAFFE_NUMBER, /* int32, uint32, int64, float, double */
  SONDE_CAFFE_BOOL,
  SONDE_CAFFE_TEXT,
  SONDE_CAFFE_ENUM,
  SONDE_CAFFE_MESSAGE,
} SondeCaffeKind;

typedef struct _SondeCaffeType SondeCaffeType;

/**
 * SondeCaffeField:
 * @number: in the binary form; 0 ends a list of fields
 * @words: of ENUM: "MAX AVE": the names of 0, 1, …, separated by spaces; "-" has no name
 * @is_float: of NUMBER: on the wire as float or double, not as a varint
 * @type: of MESSAGE
 */
typedef struct
{
  guint number;
  const char *name;
  SondeCaffeKind kind;
  const char *words;
  gboolean is_float;
  const SondeCaffeType *type;
} SondeCaffeField;

/**
 * SondeCaffeType:
 * @fields: NULL: nothing in it is of interest, any field is accepted and forgotten
 */
struct _SondeCaffeType
{
  const char *name;
  const SondeCaffeField *fields;
};

extern const SondeCaffeType sonde_caffe_net_type; /* NetParameter */

const SondeCaffeField *sonde_caffe_field_by_name (const SondeCaffeType *type, const char *name);
const SondeCaffeField *sonde_caffe_field_by_number (const SondeCaffeType *type, guint number);

/* Number of an enumeration's word, -1: it has none of that name. The word of a number, (transfer
 * full) (nullable). */
int sonde_caffe_find_word (const SondeCaffeField *field, const char *word);
char *sonde_caffe_dup_word (const SondeCaffeField *field, int number);

G_END_DECLS
