/* SPDX-License-Identifier: Apache-2.0
 * What rules that change the backward pass share: calls that append nodes for one rule. */
#pragma once

#include "engine/ops/sonde-build.h"
#include "engine/passes/sonde-passes.h"
#include "explain/sonde-explainer-pass.h"

G_BEGIN_DECLS

/* d/d(output 0) that flows into the node. */
SondeGraphValue *sonde_gradient_rule_dy (const SondeGradientContext *context);

/* Input @k of the node. */
SondeGraphValue *sonde_gradient_rule_x (const SondeGradientContext *context, guint k);

/**
 * sonde_gradient_rule_own:
 * @node: the rule's node, or one like it
 * @dy: d/d(its output 0)
 * @gradients: (out) (array): room for each input of @node; those of wanted inputs are filled
 *
 * The operator's own gradient. Errors: UNSUPPORTED, naming the node, for one that has none.
 */
gboolean sonde_gradient_rule_own (const SondeGradientContext *context, SondeNode *node,
                                  SondeGraphValue *dy, SondeGraphValue **gradients, GError **error);
/* The same of input 0 alone; NULL on errors. */
SondeGraphValue *sonde_gradient_rule_own_first (const SondeGradientContext *context,
                                                SondeNode *node, SondeGraphValue *dy,
                                                GError **error);

/* A node like the rule's with other inputs (array length=n; NULL: absent). Its type is inferred. */
SondeNode *sonde_gradient_rule_copy (const SondeGradientContext *context,
                                     SondeGraphValue *const *inputs, guint n);

SondeGraphValue *sonde_gradient_rule_binary (const SondeGradientContext *context, const char *op,
                                             SondeGraphValue *a, SondeGraphValue *b);
SondeGraphValue *sonde_gradient_rule_with_number (const SondeGradientContext *context,
                                                  const char *op, SondeGraphValue *a, double b);
SondeGraphValue *sonde_gradient_rule_where (const SondeGradientContext *context,
                                            SondeGraphValue *condition, SondeGraphValue *a,
                                            SondeGraphValue *b);

/* An initialiser's tensor, NULL when the value is none. Lent. */
SondeTensor *sonde_gradient_rule_constant (const SondeGraphValue *value);

typedef gboolean SondeGradientRuleBuild (SondeGradientContext *context, gpointer data,
                                         GError **error);

/**
 * sonde_gradient_rules_of_classes:
 * @builds: (array fixed-size=SONDE_N_ATTRIBUTION_CLASSES): by attribution class; NULL: no rule
 * @otherwise: (nullable): of all operators that get no rule by their class; NULL: their own gradient
 * @name: what nodes they make say of their origin; must live as long as the rules
 *
 * One rule for each operator of ai.onnx, by what its row says of it.
 * Returns: (transfer full) (array length=n)
 */
SondeGradientRule *
sonde_gradient_rules_of_classes (SondeGradientRuleBuild *const builds[SONDE_N_ATTRIBUTION_CLASSES],
                                 SondeGradientRuleBuild *otherwise, const char *name, gpointer data,
                                 guint *n);

G_END_DECLS
