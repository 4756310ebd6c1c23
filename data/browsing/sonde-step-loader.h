/* SPDX-License-Identifier: Apache-2.0
 * The records of one tag of one run at a step, read in the background: at the last of the tag's steps
 * at or before the wanted one, else at the first. */
#pragma once

#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

typedef struct _SondeStepLoader SondeStepLoader;

/**
 * SondeStepRecordsFunc:
 * @records: (element-type SondeRecord): of the chosen step, lent; empty when there is none
 * @problem: (nullable): why they could not be read, in the user's language
 */
typedef void (*SondeStepRecordsFunc) (GPtrArray *records, const char *problem, void *user_data);

/* @all: all records of the step, 256 at most (images of a batch); else the last one */
SondeStepLoader *sonde_step_loader_new (gboolean all, SondeStepRecordsFunc take, void *user_data);
/* Nothing is called any more. (nullable) */
void sonde_step_loader_free (SondeStepLoader *loader);

/**
 * sonde_step_loader_update:
 * @run, @tag: (nullable): NULL of either is no records
 * @tag: interned
 *
 * The same again looks for what came since and reads only then. Without records @take is called at
 * once.
 */
void sonde_step_loader_update (SondeStepLoader *loader, SondeRun *run, const char *tag,
                               SondeRecordKind kind, gint64 step);
gboolean sonde_step_loader_is_busy (SondeStepLoader *loader);

/* The steps of the tag. (element-type gint64) (transfer none): ascending, each once; until the next
 * update */
GArray *sonde_step_loader_get_steps (SondeStepLoader *loader);
gint64 sonde_step_loader_get_step (SondeStepLoader *loader); /* of what is read or shown */

/* Sorts @steps (element-type gint64) and removes repeated ones. */
void sonde_step_loader_sort_steps (GArray *steps);
/* Adds the steps of a tag's records to @steps, unsorted. */
void sonde_step_loader_add_steps (GArray *steps, SondeRun *run, const char *tag,
                                  SondeRecordKind kind);

G_END_DECLS
