/* SPDX-License-Identifier: Apache-2.0
 * Policies by tag: the last pattern that was set and fits a tag holds for it, each tag counts for
 * itself. Any thread; while nothing is set, asking costs one atomic load. */
#pragma once

#include "collector/writer/sonde-policy.h"

G_BEGIN_DECLS

typedef struct _SondePolicySet SondePolicySet;

SondePolicySet *sonde_policy_set_new (void);
void sonde_policy_set_free (SondePolicySet *set);

/* @pattern: a glob of tags; the counts of all tags begin anew */
void sonde_policy_set_add (SondePolicySet *set, const char *pattern, const SondePolicy *policy);

gboolean sonde_policy_set_wants (SondePolicySet *set, const SondeClock *clock, const char *tag,
                                 gint64 step);

/* Is any policy set? */
gboolean sonde_policy_set_is_active (SondePolicySet *set);

G_END_DECLS
