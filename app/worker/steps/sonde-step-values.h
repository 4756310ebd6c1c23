/* SPDX-License-Identifier: Apache-2.0
 * A step of another program against values that another run made, by name. */
#pragma once

#include "engine/session/sonde-step-comparison-request.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

/* Nothing computes again, so that no error is a module's own: the first that is over in the order of the
 * step is the first. Errors: of the files; NOT_FOUND when they have no name in common. Returns: (transfer
 * full) */
SondeDivergence *sonde_step_values_compare (const SondeStepComparisonRequest *asked,
                                            GError **error);

G_END_DECLS
