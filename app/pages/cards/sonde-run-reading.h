/* SPDX-License-Identifier: Apache-2.0
 * One record of a tag from each run that is shown: the last one at or before the step cursor, else the first; or, of
 * the selected run, that of each of some steps and of the cursor. Read in the background, told together when the
 * last has come. */
#pragma once

#include "app/workspace/sonde-workspace.h"

G_BEGIN_DECLS

typedef struct _SondeRunReading SondeRunReading;

/* @record: (nullable): it could not be read. Lent. */
typedef struct
{
  SondeRun *run;
  const SondeRecord *record;
} SondeRunRecord;

/* @records: (element-type SondeRunRecord), lent, in the order of the runs, of steps in theirs */
typedef void (*SondeRunReadingFunc) (GArray *records, gpointer data);

/* @taken: what was asked for is there. */
SondeRunReading *sonde_run_reading_new (SondeWorkspace *workspace, SondeRecordKind kind,
                                        SondeRunReadingFunc taken, gpointer data);
void sonde_run_reading_free (SondeRunReading *reading);
/**
 * sonde_run_reading_update:
 * @tag: (nullable): NULL: none is wanted any more
 *
 * Looks at which records are wanted now, and reads them unless they are those that were told last or are on their
 * way. Where no run has one, @taken is called at once. Returns: whether something is asked for anew
 */
gboolean sonde_run_reading_update (SondeRunReading *reading, const char *tag);
/* From the next update on: @steps (element-type gint64) (nullable): referenced; those of the selected run; NULL: the
 * runs that are shown, as at first */
void sonde_run_reading_set_steps (SondeRunReading *reading, GArray *steps);
/* What was told is to be told again. */
void sonde_run_reading_forget (SondeRunReading *reading);
gboolean sonde_run_reading_is_busy (SondeRunReading *reading);

G_END_DECLS
