/* SPDX-License-Identifier: Apache-2.0
 * The records of a sample run of MindSpore and what expected.json says of them. */
#pragma once

#include <json-glib/json-glib.h>

#include "data/records/sonde-record-format.h"

/**
 * SampleFile:
 * @tags: (element-type SondeRecordTag): as the decoder left them
 * @records: frames
 */
typedef struct
{
  char *path;
  const SondeRecordFormat *format;
  GArray *tags;
  guint records;
} SampleFile;

/* A point or a place, told by file, frame, kind and tag. @seen: somebody expected it */
typedef struct
{
  guint file, record;
  SondeRecordKind kind;
  const char *tag; /* NULL: none */
  gint64 step, wall_time_ns;
  double value;
  guint64 place;
  guint32 session;
  gboolean seen;
} SampleRecord;

typedef struct
{
  JsonParser *parser;
  JsonObject *expected; /* the whole file */
  char *folder;
  GPtrArray *files;   /* of SampleFile */
  GPtrArray *records; /* of SampleRecord */
  GHashTable *by_key;
} SampleRun;

/* NULL and a skipped test when there are no samples. @folder: below samples/mindspore */
SampleRun *sample_run_open (const char *folder);
void sample_run_free (SampleRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SampleRun, sample_run_free)

/* runs["."] */
JsonObject *sample_run_get_object (SampleRun *run);

/* Marks what it finds as seen; @tag: NULL for none. Fails the test when there is no such record. */
SampleRecord *sample_run_find (SampleRun *run, guint file, guint record, SondeRecordKind kind,
                               const char *tag);
void sample_run_read (SampleRun *run, SampleRecord *found, SondeRecord *record);

/* "…/samples/mindspore/NAME", NULL and a skipped test without samples. */
char *sample_path (const char *name);

/* All that expected.json says of a graph. */
void sample_check_graph (const SondeGraph *graph, JsonObject *expected);
