/* SPDX-License-Identifier: Apache-2.0
 * Shared inside engine/passes. */
#pragma once

#include "engine/ops/sonde-build.h"
#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

#define SONDE_MOST_PROBLEMS 1000
#define SONDE_CURRENT_OPSET 21 /* the forms that the rows of engine/ops stand for */

/* An operator without row that the legalise pass turns into others. */
gboolean sonde_legalise_knows (const char *domain,
                               const char *op);

/* Graph, node that is rewritten, opset version of its meaning. TRUE: done, or nothing to do. */
typedef gboolean (*SondeLegaliseRule) (SondeGraph *graph,
                                       SondeNode  *node,
                                       int         version,
                                       GError    **error);

/**
 * SondeLegalisation: how nodes of one operator become current
 * @before: the rule is for nodes of versions below this; 0: of all
 */
typedef struct
{
  const char *op;
  int before;
  SondeLegaliseRule rule;
} SondeLegalisation;

/* Ended by a NULL op. An operator may have several, tried in order. */
extern const SondeLegalisation sonde_legalisations[];

G_END_DECLS
