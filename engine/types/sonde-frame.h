/* SPDX-License-Identifier: Apache-2.0
 * One level of where a run stands, as a value. */
#pragma once

#include "engine/types/sonde-breakpoint.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_FRAME_GRAPH,  /* the outermost */
  SONDE_FRAME_BODY,   /* of If, Loop, Scan */
  SONDE_FRAME_FUSED,  /* inside a fused step, which runs as a whole: a place to look from */
  SONDE_FRAME_MODULE, /* of a loop that is not ours: a module around the node; @at: its path */
  SONDE_FRAME_PYTHON, /* … a function that called it; @at: "train.py:12 in forward" */
} SondeFrameKind;

/* "graph", "body", "fused", "module", "python" */
const char *sonde_frame_kind_name (SondeFrameKind kind);
/* It has a graph of its own, with a position in it. */
gboolean sonde_frame_kind_has_position (SondeFrameKind kind);

/**
 * SondeFrameScope: a scope around a node
 * @scope: "enc/layer0"; owned
 * @call, @function: (nullable): when it is what a function call became: the calling node and the
 * function; owned
 */
typedef struct
{
  char *scope;
  char *call;
  char *function;
} SondeFrameScope;

void sonde_frame_scope_free (SondeFrameScope *scope);

/**
 * SondeFrame: strings and lists are owned
 * @node, @op: whose body, or which fused step, it is; "" of the outermost
 * @body: "then_branch", "else_branch", "body", "fused", "" of the outermost
 * @iteration: which iteration of a loop, from 0; -1 where nothing is repeated
 * @position, @n_steps: in the plan that runs at that level, or node of nodes of the fused step
 * @at, @at_op, @moment: before (or, at the end, after) which node it stands; of an outer frame the
 *   one inside which the run is
 * @scope: (nullable): of that node
 * @originals: (array zero-terminated=1): nodes of the original graph that became that node
 * @scopes: (element-type SondeFrameScope): around that node and not around the frame itself, from
 * the innermost outwards
 */
typedef struct
{
  SondeFrameKind kind;
  char *node, *op, *body;
  gint64 iteration;
  guint position, n_steps;
  SondeMoment moment;
  char *at, *at_op;
  char *scope;
  char **originals;
  GPtrArray *scopes;
} SondeFrame;

void sonde_frame_free (SondeFrame *frame);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeFrame, sonde_frame_free)

G_END_DECLS
