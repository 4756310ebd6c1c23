/* SPDX-License-Identifier: Apache-2.0
 * Conditions on one value of a loop that is not ours, ready to be asked again and again: a glance that
 * names, copies and allocates nothing. Who has a look at a value that is not sound passes the node. */
#pragma once

#include "engine/live/sonde-live-node.h"
#include "engine/live/sonde-watch-table.h"

G_BEGIN_DECLS

typedef struct _SondeLiveLook SondeLiveLook;

/* Which of @watches look at @value, which @node makes; they are lent and have to stay as they are. NULL:
 * none does, or not all of those are conditions that one pass over the value decides. */
SondeLiveLook *sonde_live_look_new (const SondeWatchTable *watches, const SondeLiveNode *node,
                                    const char *value);
void sonde_live_look_free (SondeLiveLook *look);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLiveLook, sonde_live_look_free)

/* No condition is met, and each could be checked. FALSE for what sums in float do not decide.
 * @data: @n contiguous elements of @dtype, not STRING, in any order */
gboolean sonde_live_look_is_sound (const SondeLiveLook *look, SondeDtype dtype, const void *data,
                                   gsize n);

G_END_DECLS
