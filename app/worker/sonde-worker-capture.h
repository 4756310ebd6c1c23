/* SPDX-License-Identifier: Apache-2.0
 * Capture files of what runs, and inferences out of them. */
#pragma once

#include "app/worker/sonde-inference.h"
#include "data/captures/sonde-capture.h"
#include "engine/session/activity/sonde-activity.h"

G_BEGIN_DECLS

/**
 * sonde_worker_write_capture:
 * @activity: paused, ready or over
 *
 * An inference keeps its model as the user wrote it, with the weights as they are now; a training
 * keeps the executed graph of the step it is in: forward, gradients and optimiser, with parameters,
 * optimiser states and the batch, so that the step can be run again without the data. Errors: of
 * reading values and writing the file.
 */
gboolean sonde_worker_write_capture (SondeActivity *activity, const SondeSessionCapture *request,
                                     GError **error);

/**
 * sonde_worker_open_capture:
 * @options: @inputs go before those of the capture; @device NULL is the capture's
 * @capture: (out) (transfer full)
 *
 * Before the first step, with random numbers as they were. Errors: of the file, the plan.
 */
SondeInference *sonde_worker_open_capture (const char *path, const SondeInferenceOptions *options,
                                           SondeCapture **capture, GError **error);

G_END_DECLS
