/* SPDX-License-Identifier: Apache-2.0
 * Shared inside engine/passes. */
#pragma once

#include "engine/ops/sonde-build.h"
#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

#define SONDE_MOST_PROBLEMS 1000
#define SONDE_CURRENT_OPSET 28 /* the forms that the rows of engine/ops stand for */

/* The graphs among the attributes of @node, in order; NULL when there are none. (sonde-subgraphs.c)
 * Returns: (transfer container) (element-type SondeGraph) (nullable) */
GPtrArray *sonde_bodies_of (const SondeNode *node);
/* sonde_graph_sort(), but a cycle is INVALID. (transfer full) */
GPtrArray *sonde_order_of (const SondeGraph *graph, GError **error);
/* The outputs of @graph as a set of SondeGraphValue. (transfer full) */
GHashTable *sonde_outputs_of (const SondeGraph *graph);

/* FALSE where @node looks only at the type of its input @k: reading it holds no memory. */
gboolean sonde_reads_bytes (const SondeNode *node, guint k);

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

/* What @graph comes to once its calls are replaced. Errors: INVALID: a function calls itself
 * (naming the cycle), calls lie more than 100 deep in each other, graphs more than 32, or it has
 * more than 200,000 nodes. (sonde-functions.c) */
gboolean sonde_functions_measure (GHashTable *functions, const SondeGraph *graph, GError **error);

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

/* ---- values in another element type (sonde-convert-dtype.c) --------------------- */

/**
 * SondeDtypeConversion:
 * @to: the other element type
 * @parameters_change: those that learn, and states, are converted by a Cast, in every run
 * @converted: value -> the same in that type
 */
typedef struct
{
  SondeGraph *graph;
  SondeDtype to;
  gboolean parameters_change;
  GHashTable *converted;
} SondeDtypeConversion;

void sonde_convert_dtype_init (SondeDtypeConversion *conversion, SondeGraph *graph, SondeDtype to);
void sonde_convert_dtype_clear (SondeDtypeConversion *conversion);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeDtypeConversion, sonde_convert_dtype_clear)

/* Operators of ai.onnx whose results have the element type of their inputs, and whose other
 * operands have that type or are no floats. */
gboolean sonde_convert_dtype_is_uniform (const SondeNode *node);

/* @value is there in the other type already. */
gboolean sonde_convert_dtype_has (const SondeDtypeConversion *conversion,
                                  const SondeGraphValue *value);
/* @node reads input @k in the other type: one that is there, a converted constant, or by a Cast. */
void sonde_convert_dtype_input (SondeDtypeConversion *conversion, SondeNode *node, guint k);
/* @node makes output @k in the other type, from which a Cast makes the value it made. */
void sonde_convert_dtype_output (SondeDtypeConversion *conversion, SondeNode *node, guint k);

G_END_DECLS
