/* SPDX-License-Identifier: Apache-2.0
 * The finite rows of a tensor as floats, ready for distances. */
#pragma once

#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_NEARNESS_EUCLIDEAN,
  SONDE_NEARNESS_COSINE, /* 1 − cos: rows are scaled to length 1; a row of zeros stays one */
} SondeNearness;

/**
 * SondePointTable:
 * @values: [n, d]: Euclidean: less the mean of each column, which changes no distance and makes
 *   products of rows small, and divided by @scale; cosine: of length 1
 * @rows: [n]: which row of the tensor; ascending
 * @squares: [n]: of the lengths
 * @scale: a power of 2: no entry of the points is larger in size, so that no square overflows
 */
typedef struct
{
  gsize n, d;
  SondeNearness nearness;
  float *values, *squares;
  guint32 *rows;
  double scale;
} SondePointTable;

/* @points: [N, D] numbers. Errors: INVALID when it has another form or no finite row, LIMIT above
 * 2³¹ rows, NO_MEMORY. Any thread. */
SondePointTable *sonde_point_table_new (const SondeTensor *points, SondeNearness nearness,
                                        GError **error);
void sonde_point_table_free (SondePointTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePointTable, sonde_point_table_free)

/* Square of the Euclidean distance of two rows of @values, to a float's precision. */
float sonde_point_table_square (const SondePointTable *table, gsize a, gsize b);

/* What such a square is in the table's nearness, for the points as they came: their distance, or
 * 1 − cos. */
double sonde_point_table_measure (const SondePointTable *table, double square);

G_END_DECLS
