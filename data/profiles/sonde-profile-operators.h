/* SPDX-License-Identifier: Apache-2.0
 * Collects the operators of a profile from the spans of its trace. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

/* A stretch of time. */
typedef struct
{
  gint64 start_ns, end_ns;
} SondeStepTime;

/**
 * sonde_profile_collect_operators:
 * @profile: trace, facts, range, n_steps and n_kept are filled
 * @times: SondeStepTime: the n_steps steps by start
 *
 * Fills @profile->operators but for what needs the cost of operators.
 */
void sonde_profile_collect_operators (SondeProfile *profile, const GArray *times);

/* How many of the labels are operators. */
guint sonde_profile_count_operators (const SondeTrace *trace);

/* Whether the thread repeats operators that stand on another one, so that it is not looked at. */
gboolean sonde_profile_is_repeated (const SondeTrace *trace, guint32 thread);

G_END_DECLS
