/* SPDX-License-Identifier: Apache-2.0
 * A symmetric sparse matrix of weights between points: which of them hold together, and how much. */
#pragma once

#include "viewers/projection/sonde-nearest-table.h"
#include "viewers/projection/sonde-projection-watch.h"
#include "viewers/projection/sonde-work-team.h"

G_BEGIN_DECLS

/* Row i: entries starts[i] … starts[i + 1] - 1, by ascending other; no diagonal, no zeros. */
typedef struct
{
  gsize n, *starts; /* [n + 1] */
  guint32 *others;
  float *weights;
} SondeLinks;

/* How a weight each way becomes one: a + b, or a + b − a b of memberships in two fuzzy sets. */
typedef enum
{
  SONDE_LINKS_SUM,
  SONDE_LINKS_UNION,
} SondeLinksRule;

/* @weights: [n, k]: of each row of @nearest to its others. Errors: NO_MEMORY */
SondeLinks *sonde_links_new (const SondeNearestTable *nearest, const float *weights,
                             SondeLinksRule rule, GError **error);
void sonde_links_free (SondeLinks *links);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeLinks, sonde_links_free)

/* Of all entries. */
double sonde_links_sum (const SondeLinks *links);

/* Whether every point can be reached from every other one. */
gboolean sonde_links_is_connected (const SondeLinks *links);

G_END_DECLS
