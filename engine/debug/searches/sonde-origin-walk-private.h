/* SPDX-License-Identifier: Apache-2.0
 * The backward search for an origin: a list of elements still to be looked at, each with the one it
 * was found from. */
#pragma once

#include "engine/debug/searches/sonde-origin-private.h"

G_BEGIN_DECLS

/**
 * SondeOriginVisit: an element that was reached
 * @from: index of the visit it was reached from, -1 of the first
 */
typedef struct
{
  SondeOriginLocation location;
  double number;
  int from;
} SondeOriginVisit;

/**
 * SondeOriginBest: the earliest origin so far
 * @visit: index; -1: none
 * @order: of its node in the run, 0 for what was there before; then by @iteration
 */
typedef struct
{
  int visit;
  gint64 order, iteration;
} SondeOriginBest;

/* Begin with sonde_origin_walk_init(). */
typedef struct
{
  SondeOriginSearch search; /* first member */
  GArray *visits;           /* (element-type SondeOriginVisit) */
  GArray *open;             /* (element-type int): visits that were not looked at */
  GHashTable *counts;       /* of visits, by value */
  GHashTable *seen;         /* (element-type SondeOriginLocation): as they were reached */
  SondeOriginBest best;
} SondeOriginWalk;

/* @original: (nullable): the graph as the user wrote it, lent */
void sonde_origin_walk_init (SondeOriginWalk *walk, SondeGraph *original);
void sonde_origin_walk_clear (SondeOriginWalk *walk);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeOriginWalk, sonde_origin_walk_clear)

/* @location is to be looked at, as what visit @from (-1: none) is made of. FALSE: it is finite, or
 * cannot be read. */
gboolean sonde_origin_walk_reach (SondeOriginWalk *walk, const SondeOriginLocation *location,
                                  int from);
/* Looks at all that was reached and what comes of it; then @best is the origin. Errors: of reading;
 * MEMORY: there is no end. */
gboolean sonde_origin_walk_back (SondeOriginWalk *walk, GError **error);

/* Boxes of the elements that @location was made of: of a sequence, everything. (element-type
 * SondeReach) (transfer full) */
GArray *sonde_origin_walk_find_reach (SondeOriginWalk *walk, const SondeOriginLocation *location,
                                      const GPtrArray *inputs);
/* The tensor of @content that holds element @element, counted through the items of a sequence.
 * @element: (inout): in that tensor */
SondeTensor *sonde_origin_find_piece (SondeValue *content, gint64 *element);

G_END_DECLS
