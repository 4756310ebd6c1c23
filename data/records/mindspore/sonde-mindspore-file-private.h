/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's files without frames: each is whole or not there yet, and says what it is by its name
 * and its folder. One row of sonde-mindspore-file.c a kind. */
#pragma once

#include "data/records/mindspore/sonde-mindspore-items-private.h"

G_BEGIN_DECLS

/**
 * SondeMindsporeFile: a file that is looked at
 * @io: (nullable); @name: of the file, inside @path; @time_ns: when it was last written
 */
typedef struct
{
  const SondeIo *io;
  const char *path, *name;
  guint64 size;
  gint64 time_ns;
} SondeMindsporeFile;

/**
 * SondeMindsporeFileKind:
 * @recognises: by the name alone
 * @probe: by the path, perhaps by the first bytes
 * @scan: appends what is in the file. An error is damage, or a file that is still being written
 * @read: record number @part, @record zeroed but for what a path says
 */
typedef struct
{
  gboolean (*recognises) (const char *name);
  gboolean (*probe) (const SondeMindsporeFile *file);
  gboolean (*scan) (const SondeMindsporeFile *file, SondeRecordDecoder *tags,
                    SondeRecordBatch *batch, GError **error);
  gboolean (*read) (const SondeMindsporeFile *file, guint part, SondeRecord *record,
                    GError **error);
} SondeMindsporeFileKind;

/* Kinds, in the order they are asked. */
extern const SondeMindsporeFileKind sonde_mindspore_file_graph;      /* *.pb */
extern const SondeMindsporeFileKind sonde_mindspore_file_dump;       /* dumped tensors, .npy */
extern const SondeMindsporeFileKind sonde_mindspore_file_async;      /* dumped tensors, DumpData */
extern const SondeMindsporeFileKind sonde_mindspore_file_export;     /* export_*\/tensor/\*.npy */
extern const SondeMindsporeFileKind sonde_mindspore_file_order;      /* execution orders */
extern const SondeMindsporeFileKind sonde_mindspore_file_settings;   /* JSON */
extern const SondeMindsporeFileKind sonde_mindspore_file_checkpoint; /* *.ckpt beside records */
extern const SondeMindsporeFileKind sonde_mindspore_file_profile;    /* what a profiler left */

/* A record of the whole file, number @part. @tag: (nullable) */
gboolean sonde_mindspore_file_add (const SondeMindsporeFile *file, SondeRecordDecoder *tags,
                                   SondeRecordBatch *batch, SondeRecordKind kind, const char *tag,
                                   gint64 step, gint64 wall_time_ns, guint part, GError **error);

/* What an OTHER record of a file says; files of up to some KiB come with their bytes. */
gboolean sonde_mindspore_file_read_other (const SondeMindsporeFile *file, const char *plugin,
                                          SondeRecord *record, GError **error);

/* A CSV file as a text and a table. */
gboolean sonde_mindspore_file_read_table (const SondeMindsporeFile *file, SondeRecord *record,
                                          GError **error);

/* ---- paths: sonde-mindspore-path.c --------------------------------------- */

/* The folder that names the run of a file in @folder: the rank of a dump, what a profile,
 * checkpoints and exported tensors lie beside; NULL: the folder itself. Returns: (transfer full) */
char *sonde_mindspore_dup_run (const char *folder);

/* @prefix with digits behind it and nothing else. */
gboolean sonde_mindspore_is_numbered (const char *text, gsize length, const char *prefix);

/**
 * SondeMindsporeDump: what name and place of a dumped tensor say
 * @op: its kind ("Conv2D"); @node: full name with scopes as far as it can be told; @io: "input",
 *   "output", "" when the file has both; @slot: -1 likewise
 * @iteration: 0 of constants; @wall_time_ns: 0 unknown
 */
typedef struct
{
  char *op, *node;
  const char *io;
  gint64 slot, iteration, wall_time_ns;
} SondeMindsporeDump;

/* @needs_io: a name without input or output is not one. */
gboolean sonde_mindspore_dump_parse (const SondeIo *io, const char *path, gboolean needs_io,
                                     SondeMindsporeDump *dump);
void sonde_mindspore_dump_clear (SondeMindsporeDump *dump);
/* "NODE/output/0". Returns: (transfer full) */
char *sonde_mindspore_dump_tag (const SondeMindsporeDump *dump, const char *io, gint64 slot);
/* The node's full name for what a dump writes with underscores. @folder: of the iteration.
 * Returns: (transfer full) */
char *sonde_mindspore_dup_full_name (const SondeIo *io, const char *folder, const char *op,
                                     const char *name);
/* Whether @folder is rank_N/NET/GRAPH/ITERATION or its constants. @iteration: (out) (optional) */
gboolean sonde_mindspore_is_dump_folder (const char *folder, gint64 *iteration);

G_END_DECLS
