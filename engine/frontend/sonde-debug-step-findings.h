/* SPDX-License-Identifier: Apache-2.0
 * What a comparison of a step in another program found: of modules and their gradients, while the nodes that
 * are seen are operators. */
#pragma once

#include "engine/frontend/sonde-debug-findings.h"
#include "engine/frontend/sonde-debug-steps.h"

G_BEGIN_DECLS

/**
 * sonde_debug_step_findings_find:
 * @name: "layers.0" or "grad(layers.0)", as such a comparison calls them
 * @made_by: (nullable): of a gradient the module whose backward makes it
 *
 * Of a module the last operator of its forward that ran, with those of the modules inside of it; of a gradient the last
 * one of the backward of the module that makes it, else the first of its own. Returns: its position,
 * SONDE_DEBUG_NO_STEP when the step did not come by there
 */
guint sonde_debug_step_findings_find (SondeDebugSteps *steps, const char *name,
                                      const char *made_by);

/* As sonde_debug_findings_take_divergence(), by the names of those operators. */
void sonde_debug_step_findings_take (SondeDebugFindings *findings,
                                     const SondeDivergence *divergence, SondeDebugSteps *steps);

G_END_DECLS
