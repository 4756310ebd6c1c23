/* SPDX-License-Identifier: Apache-2.0
 * What a recording of a run is called on the screen. */
#pragma once

#include "data/profiles/sonde-recording-list.h"

G_BEGIN_DECLS

/**
 * sonde_recording_dup_title:
 * @now_ns: since 1970
 *
 * "Steps 5–24 · 10:41:03"; "4 of steps 7–93 · …" where only slow ones were kept; with the date unless it is that of @now_ns.
 * (transfer full)
 */
char *sonde_recording_dup_title (const SondeRecordingEntry *entry, gint64 now_ns);

G_END_DECLS
