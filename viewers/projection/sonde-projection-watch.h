/* SPDX-License-Identifier: Apache-2.0
 * How far a projection is, and whether it should stop: written and read by different threads. */
#pragma once

#include "data/base/sonde-error.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_PROJECTION_READING, /* the points */
  SONDE_PROJECTION_COMPONENTS,
  SONDE_PROJECTION_NEIGHBOURS,
  SONDE_PROJECTION_PLACES, /* the method's own iterations */
} SondeProjectionStage;

/* @done: of the stage, in thousandths. Zeroed before use. */
typedef struct
{
  _Atomic gboolean cancelled;
  _Atomic int stage, done;
} SondeProjectionWatch;

static inline void
sonde_projection_watch_tell (SondeProjectionWatch *watch, SondeProjectionStage stage, double done)
{
  if (watch == NULL)
    return;
  watch->stage = (int) stage;
  watch->done = (int) (CLAMP (done, 0, 1) * 1000);
}

/* FALSE with CANCELLED when it should stop. @watch: (nullable) */
static inline gboolean
sonde_projection_watch_goes_on (const SondeProjectionWatch *watch, GError **error)
{
  if (watch == NULL || !watch->cancelled)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED,
                   "the projection was cancelled");
  return FALSE;
}

G_END_DECLS
