/* SPDX-License-Identifier: Apache-2.0
 * Record file formats that a run may be made of: one row of a const table each. Everything above
 * this table handles files and records alike, wherever they come from. */
#pragma once

#include "data/records/sonde-record-reader.h"

G_BEGIN_DECLS

/**
 * SondeRunFormat: every entry is required; readers are used on one thread
 * @name: as in `sonde inspect --json`
 * @recognises: by the file's base name, without opening it
 * @open, @close, @next, @seek, @get_frames, @get_tags, @read_at: as the functions of
 *   sonde-record-reader.h whose names end so
 */
typedef struct
{
  const char *name;
  gboolean (*recognises) (const char *file_name);
  gpointer (*open) (const SondeIo *io, const char *path, GError **error);
  void (*close) (gpointer reader);
  SondeFrameResult (*next) (gpointer reader, SondeRecord *record, guint64 *offset, GError **error);
  void (*seek) (gpointer reader, guint64 position, const char *const *tags, gsize n_tags);
  SondeFrameReader *(*get_frames) (gpointer reader);
  const char *const *(*get_tags) (gpointer reader, gsize *n_tags);
  gboolean (*read_at) (const SondeIo *io, const char *path, guint64 offset,
                       const char *const *tags, gsize n_tags, SondeRecord *record, GError **error);
} SondeRunFormat;

/* (nullable): NULL when no format knows such a name */
const SondeRunFormat *sonde_run_format_find (const char *file_name);

G_END_DECLS
