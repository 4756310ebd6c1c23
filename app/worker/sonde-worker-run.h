/* SPDX-License-Identifier: Apache-2.0
 * What another run wrote of a value. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * sonde_worker_read_recorded:
 * @run: the run's folder
 * @step: 0: the last that was written
 *
 * A tensor record with the tag @name, else the parameter @name of a checkpoint. Returns: (transfer
 * full). Errors: NOT_FOUND, saying what was looked at.
 */
SondeTensor *sonde_worker_read_recorded (const char *run, const char *name, guint64 step,
                                         GError **error);

G_END_DECLS
