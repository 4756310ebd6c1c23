/* SPDX-License-Identifier: Apache-2.0
 * From a counterfactual's tree to what the network was shown at each step, and to what covers the
 * image. Plain functions: no widget. */
#pragma once

#include "explain/session/sonde-explain-types.h"
#include "viewers/sonde-counterfactual-view.h"

G_BEGIN_DECLS

/**
 * sonde_counterfactual_steps_new:
 * The start; each step of the search with the boxes that were edited then (windows of the same
 * search up to it, and what the windows before its parents had become); the result; what was left
 * after pruning. Outputs are those of the search.
 * Returns: (transfer full) (element-type SondeCounterfactualStep)
 */
GPtrArray *sonde_counterfactual_steps_new (const SondeCounterfactual *boxes);

/**
 * sonde_counterfactual_mask_new:
 * @mask: "gaussian:2", "0.5" or "r,g,b" in network space
 * @settings: (nullable): mean and std, by which numbers become colours
 * Returns: (transfer full) (nullable): NULL for a text that is none
 */
SondeImage *sonde_counterfactual_mask_new (const SondeImage *image, const char *mask,
                                           const SondeExplanationSettings *settings);

/* What came out, in a sentence. @target: name of the class. (transfer full) */
char *sonde_counterfactual_dup_sentence (const SondeCounterfactual *boxes, const char *target);
/* Of what the outputs speak: "p(“cat”)", "margin of “cat”". (transfer full) */
char *sonde_counterfactual_dup_output (const SondeCounterfactual *boxes, const char *target);

G_END_DECLS
