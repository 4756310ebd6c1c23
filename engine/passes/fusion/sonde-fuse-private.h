/* SPDX-License-Identifier: Apache-2.0
 * Rows of the table of sonde-pass-fuse.c. */
#pragma once

#include "engine/passes/fusion/sonde-pattern.h"

G_BEGIN_DECLS

typedef struct _SondeRule SondeRule;

/* Makes the operator when everything that a pattern cannot say is as it must be. Returns: done */
typedef gboolean (*SondeRuleReplace) (SondeGraph *graph, const SondeMatch *match,
                                      const SondeRule *rule);

/**
 * SondeRule:
 * @pattern: see sonde-pattern.h; x is the operand
 * @attribute: (nullable): of the new node, and what it is set to: @text, else the number "a" of the
 * pattern, else @number
 */
struct _SondeRule
{
  const char *pattern, *op;
  SondeRuleReplace replace;
  const char *attribute, *text;
  double number;
};

/* Softmax (q · kᵀ · divisor⁻¹ · factor + mask) · v, with kᵀ of Transposes; "first" is a factor of q
 * before the product. (sonde-fuse-attention.c) */
gboolean sonde_fuse_attention (SondeGraph *graph, const SondeMatch *match, const SondeRule *rule);
/* The same of operands and for a result in which the heads of a row lie beside each other. */
gboolean sonde_fuse_packed_attention (SondeGraph *graph, const SondeMatch *match,
                                      const SondeRule *rule);

G_END_DECLS
