/* SPDX-License-Identifier: Apache-2.0
 * Where updates of parameters and states are made, and what is lost where that is in place. */
#pragma once

#include "engine/plan/execution/sonde-execution-state.h"

G_BEGIN_DECLS

/* Updated parameters take the place of the old, and the other way round. */
void sonde_execution_exchange_updates (SondeExecution *execution);
/* A run begins: where its updates are made. */
void sonde_execution_place_updates (SondeExecution *execution);
/* Updates that this run has still to make leave alone what they replace. Where there is no memory
 * for that they are made in place, which can be asked for below. */
void sonde_execution_keep_old (SondeExecution *execution);
/* Whether the weight @slot is not what this run began with, or the last one did, and that is
 * nowhere: it was updated in place. */
gboolean sonde_execution_has_lost (const SondeExecution *execution, guint slot);

G_END_DECLS
