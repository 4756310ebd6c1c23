/* SPDX-License-Identifier: Apache-2.0
 * Run folders for the tests of this folder: written frame by frame, so that a test can cut, damage
 * and delay them as it likes. */
#pragma once

#include "data/records/sonde-record-frame.h"
#include "data/records/sonde-record.h"
#include "data/runs/sonde-run-store.h"

typedef struct
{
  int fd;
  char *path;
  SondeTagTable *table;
  guint32 session;
} RunFile;

/* A fresh folder; removed with all that is in it by run_folder_remove(). */
char *run_folder_new (void);
void run_folder_remove (char *folder);

/* Makes the folders above @path, begins with a SESSION record. */
RunFile *run_file_new (guint32 session, const char *format, ...) G_GNUC_PRINTF (2, 3);
void run_file_free (RunFile *file);
/* Adds a record; @record's session is filled in. */
void run_file_add (RunFile *file, SondeRecord *record);
void run_file_add_scalars (RunFile *file, gint64 step, const SondeScalar *scalars, gsize n);
void run_file_add_scalar (RunFile *file, gint64 step, const char *tag, double value);
void run_file_add_text (RunFile *file, gint64 step, const char *tag, const char *text);
/* @n points in few writes: value i × i mod 1000 at step @first + i */
void run_file_add_ramp (RunFile *file, gint64 first, guint n, const char *tag);
/* The bytes of a record, framed. */
GByteArray *run_file_frame (RunFile *file, SondeRecord *record);
void run_file_write (RunFile *file, const void *data, gsize length);
/* Moves the file's modification time @seconds into the past. */
void run_file_age (RunFile *file, int seconds);

/* Main loop until @done gives TRUE; fails the test after 20 s. */
void run_wait_until (gboolean (*done) (gpointer data), gpointer data);

/* A store on one path that is settled already. */
SondeRunStore *run_store_open (const SondeIo *io, const char *path, const char *index_folder);
SondeRun *run_store_item (SondeRunStore *store, guint position); /* (transfer none) */
