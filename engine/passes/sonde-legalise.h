/* SPDX-License-Identifier: Apache-2.0
 * Legalising: tables of rules, one a family of operators, and the tools that rules are written with. */
#pragma once

#include "engine/ops/sonde-build.h"
#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

#define SONDE_CURRENT_OPSET 28 /* the forms that the rows of engine/ops stand for */

/* The versions of format and operators that the model names are known. Errors: UNSUPPORTED,
 * INVALID. */
gboolean sonde_check_versions (const SondeGraph *graph, GError **error);

/* An operator without row that the legalise pass turns into others. */
gboolean sonde_legalise_knows (const char *domain, const char *op);

/* Graph, node that is rewritten, opset version of its meaning. TRUE: done, or nothing to do. A rule
 * may turn the node into another operator (its op, domain, version), whose rules are then tried
 * too, or take all its outputs for new nodes: then it goes. */
typedef gboolean (*SondeLegaliseRule) (SondeGraph *graph, SondeNode *node, int version,
                                       GError **error);

/**
 * SondeLegalisation: how nodes of one operator become current
 * @before: the rule is for nodes of versions below this; 0: of all
 * @domain: (nullable): NULL is ai.onnx
 */
typedef struct
{
  const char *op;
  int before;
  SondeLegaliseRule rule;
  const char *domain;
} SondeLegalisation;

/* One table a family, each ended by a NULL op; sonde-pass-legalise.c joins them. An operator may
 * have several rows, tried in order. */
extern const SondeLegalisation sonde_legalisations_attention[];
extern const SondeLegalisation sonde_legalisations_common[];
extern const SondeLegalisation sonde_legalisations_contrib[];
extern const SondeLegalisation sonde_legalisations_image[];
extern const SondeLegalisation sonde_legalisations_index[];
extern const SondeLegalisation sonde_legalisations_machine_learning[];
extern const SondeLegalisation sonde_legalisations_normalisation[];
extern const SondeLegalisation sonde_legalisations_quantise[];
extern const SondeLegalisation sonde_legalisations_recurrent[];
extern const SondeLegalisation sonde_legalisations_sequence[];
extern const SondeLegalisation sonde_legalisations_training[];

/* ---- tools of the rules (sonde-legalise-tools.c) ------------------------- */

/* A list attribute becomes input @k. */
void sonde_legalise_move_ints (SondeGraph *graph, SondeNode *node, const char *name, guint k);
/* A number becomes input @k, in the element type of input 0. */
void sonde_legalise_move_float (SondeGraph *graph, SondeNode *node, const char *name, guint k);
/* Element type of input @k; float32 when it is not known. */
SondeDtype sonde_legalise_dtype (SondeNode *node, guint k);
/* Rank of input @k, -1 when it is not known. */
int sonde_legalise_rank (SondeNode *node, guint k);
/* Takes output @k away from @node, so that a new node can make it. (nullable) */
SondeGraphValue *sonde_legalise_take_output (SondeGraph *graph, SondeNode *node, guint k);
/* A new node of ai.onnx. @b: (nullable); @output: (nullable): else it gets a new one */
SondeNode *sonde_legalise_add_node (SondeGraph *graph, const char *op, SondeGraphValue *a,
                                    SondeGraphValue *b, SondeGraphValue *output);

G_END_DECLS
