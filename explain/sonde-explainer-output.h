/* SPDX-License-Identifier: Apache-2.0
 * The same network with another output: one element of a value inside or a sum of classes' scores
 * as its only class, or margins in the place of logits. Every method explains these like a
 * class. */
#pragma once

#include "explain/sonde-explainer.h"

G_BEGIN_DECLS

/**
 * sonde_explainer_find_element:
 * @inputs: float32 [n, C, H, W]: of the form that will be explained
 * @text: "VALUE[k,y,x]": a value, or a node for its first output, and the place in it without the
 *   sample; a star in the place of a number: the mean over all places of that dimension
 *
 * Returns: (transfer none): it is @explainer's until others were asked for. Errors: INVALID for
 *   another text or a place that is not there, naming the value's form; NOT_FOUND for the value,
 *   with the nearest; SHAPE for one that is not float32 [N, …].
 */
SondeExplainer *sonde_explainer_find_element (SondeExplainer *explainer, SondeTensor *inputs,
                                              const char *text, GError **error);

/**
 * sonde_explainer_find_sum:
 * @factors: (array length=classes)
 * @score: of what the sum is
 * @text: names the sum: what was made is found again by it
 *
 * Returns: (transfer none), as above
 */
SondeExplainer *sonde_explainer_find_sum (SondeExplainer *explainer, const float *factors,
                                          gint64 classes, SondeScore score, const char *text,
                                          GError **error);

/**
 * sonde_explainer_find_margins:
 *
 * Returns: (transfer none), as above: a network of as many classes; what it gives for class c is
 *   p_c − max over k ≠ c of p_k, of the probabilities. The gradient takes the largest other class
 *   as it is at the image. Errors: INVALID for fewer than two classes
 */
SondeExplainer *sonde_explainer_find_margins (SondeExplainer *explainer, gint64 classes,
                                              GError **error);

G_END_DECLS
