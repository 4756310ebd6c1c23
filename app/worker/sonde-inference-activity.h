/* SPDX-License-Identifier: Apache-2.0
 * A debugged inference as an activity: one run whose values all stay. */
#pragma once

#include "app/worker/sonde-inference.h"
#include "engine/session/activity/sonde-activity.h"

G_BEGIN_DECLS

/* @model: path; memory KEEP, nothing fused. Errors: of sonde_inference_open(). Returns: (transfer
 * full) */
SondeActivity *sonde_inference_activity_new (const char *model,
                                             const SondeInferenceOptions *options, GError **error);

/* Out of a capture file; its breakpoints and watches are the activity's stops. */
SondeActivity *sonde_inference_activity_new_capture (const char *path,
                                                     const SondeInferenceOptions *options,
                                                     GError **error);

G_END_DECLS
