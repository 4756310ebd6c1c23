/* SPDX-License-Identifier: Apache-2.0
 * What a record says as pairs of words, for whoever has no picture of its kind: one table for the
 * window and the command line. Scalars, pictures and the like have better ones. */
#pragma once

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/* More are counted, not listed: a table is for reading. */
#define SONDE_RECORD_MAX_FACTS 10000

/* @name: "learning rate", "boxes of layer 2"; @text: never NULL. Owned. */
typedef struct
{
  char *name, *text;
} SondeRecordFact;

/* Of any kind. Returns: (transfer full) (element-type SondeRecordFact): in the order of the record,
 * without its step and time */
GPtrArray *sonde_record_list_facts (const SondeRecord *record);

G_END_DECLS
