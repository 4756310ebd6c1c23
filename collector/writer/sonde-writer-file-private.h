/* SPDX-License-Identifier: Apache-2.0
 * The record file of one session: made, appended to, cut back after a failed write. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/**
 * SondeWriterFile:
 * @number: of the session
 * @end: of the last whole record, or of the torn one that could not be cut off
 */
typedef struct
{
  const SondeIo *io;
  char *path;
  int fd;
  guint32 number;
  guint64 end;
} SondeWriterFile;

/* Makes RUN/records/NNNNNN.sonde with the first free number, and its folders; their entries are
 * synced. Errors: with the path. */
gboolean sonde_writer_file_create (SondeWriterFile *file,
                                   const SondeIo   *io,
                                   const char      *run,
                                   GError         **error);
void sonde_writer_file_clear (SondeWriterFile *file);

/* One write(), repeated only when it was short. When it fails, nothing of the record stays in the
 * file, unless that fails, too; readers then skip the torn part. */
gboolean sonde_writer_file_append (SondeWriterFile *file,
                                   const void      *data,
                                   gsize            length,
                                   GError         **error);

/* fsync. File systems that cannot do it are no error. Errors: also NOT_FOUND when the file was deleted. */
gboolean sonde_writer_file_sync (SondeWriterFile *file,
                                 GError         **error);

G_END_DECLS
