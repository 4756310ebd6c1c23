/* SPDX-License-Identifier: Apache-2.0
 * Inside `sonde export`: the table of targets. A new target is a row and a file. */
#pragma once

#include "app/cli/sonde-cli-runs.h"

G_BEGIN_DECLS

typedef struct _SondeExport SondeExport;

/**
 * SondeExportTarget: one value of --to
 * @name: as given
 * @begin: (optional): opens what is written for all runs
 * @begin_run, @end_run: (optional): around the records of one run
 * @record: required: one record that --tag does not leave out, in file and record order (SCALARS
 *   records hold all their scalars: see sonde_export_wants())
 * @end: (optional): finishes what @begin opened
 */
typedef struct
{
  const char *name;
  gboolean (*begin) (SondeExport *job, GError **error);
  gboolean (*begin_run) (SondeExport *job, GError **error);
  gboolean (*record) (SondeExport *job, const SondeRecord *record, GError **error);
  gboolean (*end_run) (SondeExport *job, GError **error);
  gboolean (*end) (SondeExport *job, GError **error);
} SondeExportTarget;

/* A text file that is written piece by piece and gets its name when it is complete. */
typedef struct
{
  char *path, *temporary; /* NULL: not open */
  int fd;
  GString *buffer;
} SondeExportText;

gboolean sonde_export_text_open (SondeExportText *text, const char *folder, const char *name,
                                 GError **error);
/* Writes @buffer if it has grown large. */
gboolean sonde_export_text_drain (SondeExportText *text, GError **error);
gboolean sonde_export_text_close (SondeExportText *text, GError **error);
/* After a failure: removes the incomplete file. Does nothing when it is closed already. */
void sonde_export_text_clear (SondeExportText *text);

/* "%.17g", "nan", "inf", "-inf" */
void sonde_export_append_double (GString *string, double value);
/* Seconds since 1970, every nanosecond kept. */
void sonde_export_append_seconds (GString *string, gint64 ns);
/* JSON string with its quotes. @text: (nullable): NULL is "" */
void sonde_export_append_json (GString *string, const char *text);

/**
 * SondeExport: one call of the command
 * @pattern: (nullable): of --tag
 * @run: of the records now; @run_name as in inspect
 * @text: of targets that write one text file
 * @files: (element-type utf8): names below @folder given so far
 * @first_run, @first_item: for separators
 * @n_items: records (scalars: points) written
 */
struct _SondeExport
{
  const SondeExportTarget *target;
  const char *folder;
  GPatternSpec *pattern;
  SondeRun *run;
  const char *run_name;
  SondeExportText text;
  GHashTable *files;
  gboolean first_run, first_item;
  guint64 n_items;
  struct _SondeImageDecoder *decoder; /* (nullable): made when first needed */
  /* (nullable): of the run now, where the target is event files */
  struct _SondeSummaryWriter *writer;
  guint64 waiting_bytes; /* given to it since it was last waited for */
};

gboolean sonde_export_wants (const SondeExport *job, const char *tag);

extern const SondeExportTarget sonde_export_csv;
extern const SondeExportTarget sonde_export_json;
extern const SondeExportTarget sonde_export_npy;
extern const SondeExportTarget sonde_export_png;
extern const SondeExportTarget sonde_export_tensorboard;
extern const SondeExportTarget sonde_export_mindspore;

G_END_DECLS
