/* SPDX-License-Identifier: Apache-2.0
 * Which recordings a run holds: enough of each to choose one, before any of them is put together. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/**
 * SondeRecordingEntry:
 * @recording: its number: ns since 1970 when it was kept
 * @first_step, @last_step: numbers of the first and the last step that it has; -1 without any
 * @n_steps: how many it has, which are fewer where only slow ones were kept
 * @of_runs: the steps are runs of a model
 */
typedef struct
{
  guint64 recording;
  gint64 first_step, last_step;
  guint64 n_steps;
  gboolean of_runs;
} SondeRecordingEntry;

/**
 * SondeRecordingList: zero-initialise, then clear
 * @entries: (element-type SondeRecordingEntry) (nullable): in the order of their first records
 * @n_records: records of spans that were seen, right or not
 */
typedef struct
{
  GArray *entries;
  guint64 n_records;
} SondeRecordingList;

void sonde_recording_list_clear (SondeRecordingList *list);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeRecordingList, sonde_recording_list_clear)

/* @record: of any kind; others than SPAN are not looked at, and what is damaged is none. */
void sonde_recording_list_add (SondeRecordingList *list, const SondeRecord *record);

/* (transfer none): entry @i of @list */
const SondeRecordingEntry *sonde_recording_list_get (const SondeRecordingList *list, guint i);
guint sonde_recording_list_get_n (const SondeRecordingList *list);

G_END_DECLS
