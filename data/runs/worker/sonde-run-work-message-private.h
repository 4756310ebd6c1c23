/* SPDX-License-Identifier: Apache-2.0
 * Worker: what changed, for the owner's thread. */
#pragma once

#include "data/runs/worker/sonde-run-work-private.h"

G_BEGIN_DECLS

/* Puts what changed into the outbox, unless the last message was not fetched yet. */
void sonde_work_send (SondeRunWorker *worker);

G_END_DECLS
