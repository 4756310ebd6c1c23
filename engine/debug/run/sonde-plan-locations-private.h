/* SPDX-License-Identifier: Apache-2.0
 * Names -> locations on one plan. The user names nodes of the graph as written or as executed; a plan
 * knows steps. Provenance joins the two, and a node that has no step (it was folded or pruned) is
 * where it would have run: before the first step that needs it. */
#pragma once

#include "engine/debug/run/sonde-location-index.h"

G_BEGIN_DECLS

/**
 * SondePlanLocations: what is known of one plan
 * @ranges: name of an original node -> (first step, last step), see index_ranges()
 * @absent: original node without a step -> step before which it would have run
 * @is_body: of a plan of a body; @base: (nullable): the scope of the node whose it is; owned
 */
typedef struct
{
  SondePlan *plan;
  SondeGraph *original; /* (nullable) */
  GHashTable *ranges;
  GHashTable *absent;
  gboolean is_body;
  char *base;
} SondePlanLocations;

/* @original: (nullable). (transfer full) */
SondePlanLocations *sonde_plan_locations_new (SondePlan *plan, SondeGraph *original);
void sonde_plan_locations_free (gpointer locations);

/* See sonde_location_index_find(). (transfer full) */
GArray *sonde_plan_locations_find (SondePlanLocations *index, const char *pattern,
                                   SondeMoment moment);
/* See sonde_location_index_set_error(). */
void sonde_plan_locations_set_error (SondePlanLocations *index, const char *pattern,
                                     GError **error);

G_END_DECLS
