/* SPDX-License-Identifier: Apache-2.0
 * A profile in the records of a run: a recording's trace and facts as records of the kinds SPAN and
 * MEMORY, and back. Each record stands for itself: what is lost or damaged is missing, no more. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/profiles/sonde-profile-facts.h"
#include "data/profiles/sonde-recording-list.h"
#include "data/records/sonde-record.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

#define SONDE_RECORDED_PROFILE_TAG "profile"

/* Spans of all recordings that a reader puts together; those beyond are dropped and counted. */
#define SONDE_RECORDED_PROFILE_SPANS (G_GUINT64_CONSTANT (1) << 24)

typedef void (*SondeRecordedProfileAdd) (const SondeRecord *record, gpointer data);

/**
 * sonde_recorded_profile_write:
 * @step: of the records: the first step that was recorded
 * @recording: a number of its own among those of the run: ns since 1970
 * @add: called with each record, whose members are valid until it returns
 *
 * Spans, counters and facts in parts of some 32,768 spans, then the memory where it is known. Not kept: what
 * Sonde's recordings do not have (instants, arrows, samples).
 */
void sonde_recorded_profile_write (const SondeTrace *trace, const SondeProfileFacts *facts,
                                   gint64 step, guint64 recording, SondeRecordedProfileAdd add,
                                   gpointer data);

/**
 * SondeRecordedProfile:
 * @step: the first step that was recorded
 * @n_missing: parts that are not there or are damaged
 */
typedef struct
{
  gint64 step;
  guint64 recording;
  guint n_missing;
  SondeTrace *trace;
  SondeProfileFacts *facts;
} SondeRecordedProfile;

void sonde_recorded_profile_free (SondeRecordedProfile *profile); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRecordedProfile, sonde_recorded_profile_free)

/**
 * SondeRecordedProfileReader: puts parts together; zero-initialise, then clear
 * @wanted: the number of the one recording that is put together; 0: all
 * @pending: recordings so far, private
 * @n_spans: of all of them; @n_damaged: records that were no part of a profile
 */
typedef struct
{
  guint64 wanted;
  GPtrArray *pending;
  guint64 n_spans, n_damaged;
} SondeRecordedProfileReader;

void sonde_recorded_profile_reader_clear (SondeRecordedProfileReader *reader);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeRecordedProfileReader, sonde_recorded_profile_reader_clear)

/* @record: of any kind; others than SPAN and MEMORY are not looked at. In the order of the file. */
void sonde_recorded_profile_reader_add (SondeRecordedProfileReader *reader,
                                        const SondeRecord *record);
/* (element-type SondeRecordedProfile) (transfer full): in the order of their first records */
GPtrArray *sonde_recorded_profile_reader_finish (SondeRecordedProfileReader *reader);

/**
 * sonde_recorded_profile_read:
 * @run: its folder; RUN/records/…sonde, or without that folder RUN/…sonde, are read in the order of their
 *   names; or one such file
 * @recording: the number of one of its recordings; 0: the last
 * @list: (nullable): cleared; gets all that there are
 *
 * Two passes: which there are, then what the wanted one holds; others take no memory. Damaged records are
 * stepped over. Returns: (transfer full). Errors: IO: the folder cannot be read; NOT_FOUND: it holds no recording,
 * or not that one.
 */
SondeRecordedProfile *sonde_recorded_profile_read (const SondeIo *io, const char *run,
                                                   guint64 recording, SondeRecordingList *list,
                                                   GError **error);

G_END_DECLS
