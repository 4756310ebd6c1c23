/* SPDX-License-Identifier: Apache-2.0
 * What was recorded, from wherever it stands: a run, the folder of MindSpore's profiler, the file of a
 * trace. The one road of command line and window. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/profiles/sonde-profile-facts.h"
#include "data/profiles/sonde-recording-list.h"
#include "data/traces/sonde-trace.h"

G_BEGIN_DECLS

/**
 * SondeProfileFile: owned by the caller
 * @facts: (nullable): of Sonde's own recordings
 * @n_missing: parts of the recording that are not there or are damaged
 * @recording: which of a run's it is; 0 of what is no run
 * @recordings: all of the run's, from the oldest; none of what is no run
 */
typedef struct
{
  SondeTrace *trace;
  SondeProfileFacts *facts;
  guint n_missing;
  guint64 recording;
  SondeRecordingList recordings;
} SondeProfileFile;

/* What is still in it; its members may have been stolen. */
void sonde_profile_file_clear (SondeProfileFile *file);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeProfileFile, sonde_profile_file_clear)

/* Whether @path is a run: its folder, or records that stand by themselves; of what another profiler left, with at least one trace in it. */
gboolean sonde_profile_file_is_run (const char *path);
gboolean sonde_profile_file_is_folder (const char *path);

/**
 * sonde_profile_file_read:
 * @io: (nullable): NULL is sonde_io_system()
 * @recording: of a run; 0: its last. Of other paths it is not looked at
 * @file: (out): empty on failure
 *
 * Errors: SONDE_DATA_ERROR_NOT_FOUND when a run holds none, INVALID when a
 * folder holds several traces, and those of sonde_trace_file_read().
 */
gboolean sonde_profile_file_read (const SondeIo *io, const char *path, guint64 recording,
                                  SondeProfileFile *file, GError **error);

G_END_DECLS
