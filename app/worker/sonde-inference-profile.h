/* SPDX-License-Identifier: Apache-2.0
 * What was recorded of a model's runs, as facts and in a run folder: for `sonde profile` and for a debugged inference. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "data/profiles/sonde-profile-facts.h"
#include "data/traces/sonde-trace.h"
#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

/* The recording as that of a run whose first step is run 0, behind what @folder may hold already. Errors: of the folder. */
gboolean sonde_inference_profile_write (const char *folder, const SondeTrace *trace,
                                        const SondeProfileFacts *facts, GError **error);

/**
 * sonde_inference_profile_keep:
 * @log: stopped
 * @execution: whose runs it has
 *
 * The same with the memory of the plan and the ceilings of its device, which are measured where they are not known.
 */
gboolean sonde_inference_profile_keep (SondeSpanLog *log, SondeExecution *execution,
                                       const char *folder, GError **error);

G_END_DECLS
