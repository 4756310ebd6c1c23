/* SPDX-License-Identifier: Apache-2.0
 * Where a pattern stops: from names of nodes, values, operators, scopes and phases to positions of
 * the plans of a debuggee. A trainer has several plans; each is indexed when it is first run. */
#pragma once

#include "engine/debug/run/sonde-debuggee.h"

G_BEGIN_DECLS

/**
 * SondeLocation: where a pattern stops in a plan
 * @step: the step it is hooked to: BEFORE it or AFTER it
 * @node: the node the user named, of the executed or the original graph; lent by that graph
 */
typedef struct
{
  guint step;
  SondeMoment moment;
  const SondeNode *node;
} SondeLocation;

/**
 * SondeLocationIndex:
 * @plans: what is known of each plan seen
 */
typedef struct
{
  const SondeDebuggee *debuggee;
  GPtrArray *plans;
} SondeLocationIndex;

void sonde_location_index_init (SondeLocationIndex *index, const SondeDebuggee *debuggee);
void sonde_location_index_clear (SondeLocationIndex *index);

/* Number of the plan of @execution, which is taken up when it is new. */
guint sonde_location_index_of (SondeLocationIndex *index, SondeExecution *execution);

/* All locations of @pattern in that plan, by step, each once. (element-type SondeLocation)
 * (transfer full); empty when it matches nothing. */
GArray *sonde_location_index_find (SondeLocationIndex *index, guint plan, const char *pattern,
                                   SondeMoment moment);
/* The same, looked up once: @by_plan holds them from then on, and frees them. */
const GArray *sonde_location_index_lookup (SondeLocationIndex *index, GPtrArray *by_plan,
                                           guint plan, const char *pattern, SondeMoment moment);
/* Nodes inside bodies that it matches, of the executed graph or else of the original. */
guint sonde_location_index_count_inside (const SondeLocationIndex *index, const char *pattern);

/* NOT_FOUND with the nearest name. Always sets @error. */
void sonde_location_index_set_error (SondeLocationIndex *index, guint plan, const char *pattern,
                                     GError **error);

/* The location hooked to @step and @moment, or NULL. @locations: by step */
const SondeLocation *sonde_locations_at (const GArray *locations, guint step, SondeMoment moment);

/* The node that the user named there, else the last of the step (nullable); its name. */
const SondeNode *sonde_location_index_node (const SondeLocationIndex *index, guint plan,
                                            const SondeLocation *location);
const char *sonde_location_index_name (const SondeLocationIndex *index, guint plan,
                                       const SondeLocation *location);

G_END_DECLS
