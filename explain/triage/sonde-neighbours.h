/* SPDX-License-Identifier: Apache-2.0
 * Nearest samples by cosine of their features, and which training samples pushed an answer (TracIn,
 * last layer). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeNeighbours SondeNeighbours;

/* @value: cosine, or influence */
typedef struct
{
  guint row;
  double value;
} SondeNeighbour;

/* @features: [n, width]; copied, scaled to length 1 (a row of zeros stays zero and has cosine 0
 * with all). */
SondeNeighbours *sonde_neighbours_new (const float *features, guint n, guint width);
void sonde_neighbours_free (SondeNeighbours *neighbours);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeNeighbours, sonde_neighbours_free)

/**
 * sonde_neighbours_find:
 * @query: (array length=width)
 * @except: a row that is left out, as the query itself; -1: none
 * @found: (out caller-allocates) (array length=k): the largest cosine first, of equals the earlier
 * row
 * Returns: how many, less than @k when there are fewer rows.
 */
guint sonde_neighbours_find (const SondeNeighbours *neighbours, const float *query, gint64 except,
                             guint k, SondeNeighbour *found);

/**
 * sonde_neighbours_find_many:
 * @queries: (array length=n); @except: (nullable) (array length=n)
 * @found: (out caller-allocates): [n, k]; @n_found: (out caller-allocates) (array length=n)
 *
 * sonde_neighbours_find() of each, bit for bit, in a tenth of the time where there are many.
 */
void sonde_neighbours_find_many (const SondeNeighbours *neighbours, const float *const *queries,
                                 const gint64 *except, guint n, guint k, SondeNeighbour *found,
                                 guint *n_found);

/**
 * sonde_influence:
 * (p − e_y) · (p' − e_y') · (h · h' + 1): the inner product of the losses' gradients with respect
 * to the last layer z = W h + b, under softmax cross-entropy. Positive: training on the one lowered
 * the other's loss (proponent).
 * Source: Pruthi, Liu, Kale, Sundararajan, "Estimating training data influence by tracing gradient
 * descent" (2020), last layer in closed form, one checkpoint, learning rate 1.
 */
double sonde_influence (const float *probabilities, gint64 label, const float *features,
                        const float *other_probabilities, gint64 other_label,
                        const float *other_features, guint classes, guint width);

G_END_DECLS
