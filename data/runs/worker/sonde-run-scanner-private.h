/* SPDX-License-Identifier: Apache-2.0
 * Finds record files below a path and says which run each belongs to. Looks at names and kinds of
 * files; only a file whose name does not say enough is opened, once. */
#pragma once

#include "data/base/sonde-message.h"
#include "data/records/sonde-record-format.h"

G_BEGIN_DECLS

/* Limits of one scan; reaching one is reported as a problem. */
#define SONDE_RUN_SCAN_DEPTH 16
#define SONDE_RUN_SCAN_ENTRIES 1000000

/**
 * SondeRunFound: one record file; strings are lent for the call
 * @path: absolute; @run: its run's folder; @name: of that, relative to the scanned path, "." for
 *   itself
 * @file: relative to @run
 * @single: the scanned path was this file: the run is nothing but it
 */
typedef struct
{
  const char *path, *run, *name, *file;
  const SondeRecordFormat *format;
  gboolean single;
} SondeRunFound;

/**
 * SondeRunVisitor: all are required
 * @folder: a folder is about to be listed: whoever wants to watch it does so now, then no file that
 *   appears is missed; @device: that it lies on
 * @format: which format a file is of whose name does not say enough, NULL: none
 * @found: in the order of the names
 * @problem: something that was left out; @sentence: (transfer full)
 */
typedef struct
{
  void (*folder) (gpointer data, const char *path, dev_t device);
  const SondeRecordFormat *(*format) (gpointer data, const char *path, const struct stat *status);
  void (*found) (gpointer data, const SondeRunFound *found);
  void (*problem) (gpointer data, SondeMessage *sentence);
} SondeRunVisitor;

/**
 * sonde_run_scan:
 * @path: absolute; a folder or a record file
 *
 * A file belongs to the run that is its folder, or the one above that its format says (`records`).
 * Hidden names are left out; links are followed, but no folder is listed twice.
 * Returns: FALSE when @path does not exist (yet) or cannot be listed; a problem was given then
 * unless it does not exist.
 */
gboolean sonde_run_scan (const SondeIo *io, const char *path, const SondeRunVisitor *visitor,
                         gpointer data);

G_END_DECLS
