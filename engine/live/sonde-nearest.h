/* SPDX-License-Identifier: Apache-2.0
 * The nearest right name for one that is not there: for messages about nodes, values, commands. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_nearest_name:
 * @candidate: gives candidate @k of @n, NULL for one to be left out
 *
 * Edit distance over bytes, upper and lower case alike at half price.
 * Returns: (transfer none) (nullable): the candidate with the least distance to @text, the first of
 * several; when none is near (all more than a third of the longer one's length away) the first that
 * holds @text, else NULL. Looks at no more than 100,000 candidates, and at names of at most 200
 * bytes.
 */
typedef const char *(*SondeNearestCandidate) (guint k, gpointer data);
const char *sonde_nearest_name (const char *text, SondeNearestCandidate candidate, guint n,
                                gpointer data);

G_END_DECLS
