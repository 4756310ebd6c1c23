/* SPDX-License-Identifier: Apache-2.0
 * Rules of layer-wise relevance propagation: in the place of gradients, relevance flows back. */
#pragma once

#include "explain/attribution/sonde-gradient-rule.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_LRP_EPSILON,
  SONDE_LRP_GAMMA,
  SONDE_LRP_ALPHA_BETA,
  /* EPSILON on dense layers, GAMMA on convolutions, z^B on what reads the image */
  SONDE_LRP_COMPOSITE,
} SondeLrpKind;

/**
 * SondeLrp: what the rules go by
 * @alpha: of ALPHA_BETA; β = α − 1
 * @input, @logits: the network's
 * @low, @high: values of its shape: between what the input may lie, for z^B
 */
typedef struct
{
  SondeLrpKind kind;
  double epsilon, gamma, alpha;
  SondeGraphValue *input, *logits, *low, *high;
} SondeLrp;

/* A rule for every operator: one without a rule of its own is refused, naming the node. @lrp must
 * live as long as they are used. (array length=n) (transfer full) */
SondeGradientRule *sonde_lrp_make_rules (SondeLrp *lrp, guint *n);

/* Rule of Conv, ConvTranspose, Gemm and MatMul. */
gboolean sonde_lrp_build_weighted (SondeGradientContext *context, gpointer data, GError **error);
/* The node that alone reads @node's output, where it is a batch normalisation of constants, which
 * is folded into @node's weights. */
SondeNode *sonde_lrp_find_normalisation (const SondeNode *node);

/* @relevance / (z ± ε), ε on z's side of 0 */
SondeGraphValue *sonde_lrp_share (const SondeLrp *lrp, const SondeGradientContext *context,
                                  SondeGraphValue *relevance, SondeGraphValue *z);

/* The output of the Relu that alone reads @value, or NULL. Where that is 0 its relevance is 0:
 * every rule gives what is 0 none. */
SondeGraphValue *sonde_lrp_find_relu (const SondeLrp *lrp, const SondeGraphValue *value);

G_END_DECLS
