/* SPDX-License-Identifier: Apache-2.0
 * Which function of a MindIR file goes on in which: MindIR has no loops, only functions that call each
 * other last. Where a call is the last thing a function does it leads on to the called one; a cycle of
 * such calls is a loop, and two ways that come together again are the branches of an if.
 * What does not live here: values. */
#pragma once

#include "data/models/mindir/sonde-mindir-file.h"

G_BEGIN_DECLS

typedef struct _SondeMindirFlow SondeMindirFlow;

SondeMindirFlow *sonde_mindir_flow_new (const SondeMindirFile *file); /* lends @file */
void sonde_mindir_flow_free (SondeMindirFlow *flow);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeMindirFlow, sonde_mindir_flow_free)

/* No way goes through a function while it is barred: the head of a loop whose body is being followed,
 * or that has ended. Counted. */
void sonde_mindir_flow_bar (SondeMindirFlow *flow, const SondeMindirFunction *function);
void sonde_mindir_flow_unbar (SondeMindirFlow *flow, const SondeMindirFunction *function);

/* Is there a way from @from to @to (barred or not); also of no step at all? @to: (nullable): to a
 * function that leads nowhere, but returns */
gboolean sonde_mindir_flow_leads (const SondeMindirFlow *flow, const SondeMindirFunction *from,
                                  const SondeMindirFunction *to);
/* Is there a way from @from that does not come to @to: it returns, or comes to another barred
 * function? */
gboolean sonde_mindir_flow_escapes (const SondeMindirFlow *flow, const SondeMindirFunction *from,
                                    const SondeMindirFunction *to);
/* Does @function lead back to itself? */
gboolean sonde_mindir_flow_is_loop (const SondeMindirFlow *flow,
                                    const SondeMindirFunction *function);
/* The next function that every way from @a and from @b comes to; @target when there is none before it.
 * @target: (nullable): the end */
const SondeMindirFunction *sonde_mindir_flow_join (const SondeMindirFlow *flow,
                                                   const SondeMindirFunction *a,
                                                   const SondeMindirFunction *b,
                                                   const SondeMindirFunction *target);
/* Which arguments of the head of a loop every call in the loop hands on as they are. (transfer full)
 * (array length=n_inputs) */
gboolean *sonde_mindir_flow_find_fixed (const SondeMindirFlow *flow,
                                        const SondeMindirFunction *head);

G_END_DECLS
