/* SPDX-License-Identifier: Apache-2.0
 * If and Loop as ONNX has them: subgraphs, and terms that become their inputs and outputs. Which
 * functions go into which is not decided here. */
#pragma once

#include "data/models/mindir/sonde-mindir-lower.h"

G_BEGIN_DECLS

void sonde_mindir_push (SondeMindirLowering *lowering, const char *name);
SondeGraph *sonde_mindir_pop (SondeMindirLowering *lowering);

const SondeMindirTerm *sonde_mindir_negate (SondeMindirLowering *lowering,
                                            const SondeMindirTerm *condition,
                                            const SondeMindirNode *node);

/* An If whose branches, (transfer full), give @yes and @no. Returns what it gives: a term of their
 * form. */
const SondeMindirTerm *
sonde_mindir_join_branches (SondeMindirLowering *lowering, const SondeMindirTerm *condition,
                            SondeGraph *then_branch, const SondeMindirTerm *yes,
                            SondeGraph *else_branch, const SondeMindirTerm *no);

/**
 * SondeMindirLoop: zero-initialise
 * @closure: the head without arguments
 * @start: the head with the arguments it has at first
 * @first: (element-type SondeGraphValue): what is carried, at first
 * @forms: (element-type SondeMindirTerm): the arguments; @fixed: which of them are not carried
 */
typedef struct
{
  const SondeMindirTerm *closure, *start;
  const gboolean *fixed;
  GPtrArray *first;
} SondeMindirLoop;

/* FALSE when an argument cannot be carried; the lowering has failed then. */
gboolean sonde_mindir_loop_begin (SondeMindirLowering *lowering, SondeMindirLoop *loop,
                                  const SondeMindirTerm *head, const gboolean *fixed);
/* In the body, which is the current graph: the head with its arguments there. */
const SondeMindirTerm *sonde_mindir_loop_enter (SondeMindirLowering *lowering,
                                                SondeMindirLoop *loop);
/* Ends the body: whether to go on, and the arguments of the next round. (transfer full) */
SondeGraph *sonde_mindir_loop_leave (SondeMindirLowering *lowering, SondeMindirLoop *loop,
                                     const SondeMindirTerm *again, const SondeMindirTerm *next);
/* The Loop itself. Returns the head with its arguments after it. @body: (transfer full) */
const SondeMindirTerm *sonde_mindir_loop_end (SondeMindirLowering *lowering, SondeMindirLoop *loop,
                                              const SondeMindirTerm *first, SondeGraph *body);
void sonde_mindir_loop_clear (SondeMindirLoop *loop);

G_END_DECLS
