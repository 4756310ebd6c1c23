/* SPDX-License-Identifier: Apache-2.0
 * A file of one session: made, appended to, cut back after a failed write. */
#pragma once

#include "data/base/sonde-clock.h"
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

/* What the files of a run are called. */
typedef enum
{
  SONDE_WRITER_FILE_RECORDS,     /* RUN/records/NNNNNN.sonde, the first free number */
  SONDE_WRITER_FILE_TENSORBOARD, /* RUN/events.out.tfevents.SECONDS.HOST.PID.N */
  SONDE_WRITER_FILE_MINDSPORE,   /* RUN/events.out.events.summary.SECONDS.0.HOST_MS */
  SONDE_WRITER_FILE_LINEAGE,     /* … HOST_lineage */
} SondeWriterFileKind;

/* Makes a new file and its folders; their entries are synced. @number is that of the name, or one
 * more than event files of the kind are there. Errors: with the path. */
gboolean sonde_writer_file_create (SondeWriterFile *file, SondeWriterFileKind kind,
                                   const SondeIo *io, const SondeClock *clock, const char *run,
                                   GError **error);
/* @fd is -1 until it is created. */
#define SONDE_WRITER_FILE_NONE ((SondeWriterFile){ .fd = -1 })
void sonde_writer_file_clear (SondeWriterFile *file);

/* One write(), repeated only when it was short. When it fails, nothing of the record stays in the
 * file, unless that fails, too; readers then skip the torn part. */
gboolean sonde_writer_file_append (SondeWriterFile *file, const void *data, gsize length,
                                   GError **error);

/* fsync. File systems that cannot do it are no error. Errors: also NOT_FOUND when the file was
 * deleted. */
gboolean sonde_writer_file_sync (SondeWriterFile *file, GError **error);

G_END_DECLS
