/* SPDX-License-Identifier: Apache-2.0
 * Python's pickles (protocols 2 to 5) as a tree of values. Nothing is imported, made or called: names
 * and calls are values, too, and it is for the reader of the tree to know the few that it means. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  SONDE_PICKLE_NONE,
  SONDE_PICKLE_BOOL,
  SONDE_PICKLE_INT,
  SONDE_PICKLE_FLOAT,
  SONDE_PICKLE_TEXT,
  SONDE_PICKLE_BYTES,
  SONDE_PICKLE_TUPLE,
  SONDE_PICKLE_LIST,
  SONDE_PICKLE_SET,
  SONDE_PICKLE_DICT,
  SONDE_PICKLE_NAME,
  SONDE_PICKLE_CALL,
  SONDE_PICKLE_PERSISTENT,
} SondePickleKind;

typedef struct _SondePickleValue SondePickleValue;

/**
 * SondePickleValue:
 * @integer: of INT and BOOL; @real: of FLOAT
 * @text: of TEXT, UTF-8, and of NAME: "torch.FloatStorage"; @bytes: of BYTES
 * @items: (nullable) (element-type SondePickleValue): of TUPLE, LIST and SET; of CALL the function and its
 *   arguments, a TUPLE; of PERSISTENT the id
 * @entries: (nullable) (element-type SondePickleValue): of DICT, and of a CALL that makes one: keys
 *   and values in turns
 * @state: (nullable): what a CALL is given behind
 *
 * A value may be there at several places, also inside itself: whoever walks counts how deep.
 */
struct _SondePickleValue
{
  SondePickleKind kind;
  gint64 integer;
  double real;
  char *text;
  GBytes *bytes;
  GPtrArray *items, *entries;
  SondePickleValue *state;
};

#define SONDE_PICKLE_MAX_VALUES (1 << 20)

typedef struct _SondePickle SondePickle;

/**
 * sonde_pickle_parse:
 * @place: what the bytes are, for messages: "“x.pt”, member “x/data.pkl”"; a message's argument
 *
 * Errors: DAMAGED with the offset, UNSUPPORTED for operations and numbers of more than 64 bits, LIMIT.
 */
SondePickle *sonde_pickle_parse (const guint8 *data, gsize length, const char *place,
                                 GError **error);
void sonde_pickle_free (SondePickle *pickle);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePickle, sonde_pickle_free)

/* (transfer none) */
const SondePickleValue *sonde_pickle_get_root (const SondePickle *pickle);

/* @value calls @name. Its arguments, or NULL. (transfer none) (element-type SondePickleValue) */
const GPtrArray *sonde_pickle_value_get_call (const SondePickleValue *value, const char *name);

G_END_DECLS
