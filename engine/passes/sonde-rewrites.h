/* SPDX-License-Identifier: Apache-2.0
 * What the passes did to the nodes of a model: a comparison of the model with the graph that is
 * executed. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_REWRITE_LEGALISED, /* to the current form of its operator */
  SONDE_REWRITE_INLINED,   /* replaced by the nodes of its function or decomposition */
  SONDE_REWRITE_FUSED,     /* one executed node stands for several */
  SONDE_REWRITE_FOLDED,    /* computed once, during preparation */
  SONDE_REWRITE_REMOVED,   /* its outputs are not needed */
} SondeRewriteKind;

/**
 * SondeRewrite: a node of the model that is not executed as it is
 * @executed: operators of the executed nodes: "Transpose, Reshape"; "" for none
 * @n_fused: nodes of the model that became one together with it; 1: only it
 * @repeated: an earlier entry is of the same fused node
 */
typedef struct
{
  const SondeNode *original;
  SondeRewriteKind kind;
  char *executed;
  guint n_fused;
  gboolean repeated;
} SondeRewrite;

/* In the order of @original's nodes. (element-type SondeRewrite) (transfer full); borrows the nodes
 * of @original */
GPtrArray *sonde_list_rewrites (const SondeGraph *original, const SondeGraph *executed);

G_END_DECLS
