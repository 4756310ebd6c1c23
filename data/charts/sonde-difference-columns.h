/* SPDX-License-Identifier: Apache-2.0
 * The columns of a table of differences, and what stands in its cells: the same on the screen, on an image of the
 * chart, and as text that was copied. */
#pragma once

#include "data/charts/sonde-curve-difference.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_DIFFERENCE_A,
  SONDE_DIFFERENCE_B,
  SONDE_DIFFERENCE_CHANGE,
  SONDE_DIFFERENCE_RATE,
  SONDE_DIFFERENCE_RATIO,
  SONDE_DIFFERENCE_MIN,
  SONDE_DIFFERENCE_MAX,
  SONDE_DIFFERENCE_MEAN,
  SONDE_DIFFERENCE_N,
  SONDE_DIFFERENCE_N_COLUMNS
} SondeDifferenceColumn;

/* As a head of the table, and what it means in a sentence; message ids. */
const char *sonde_difference_column_get_title (SondeDifferenceColumn column);
const char *sonde_difference_column_get_meaning (SondeDifferenceColumn column);

/* NaN where there is none. */
double sonde_difference_column_get_number (SondeDifferenceColumn column,
                                           const SondeCurveDifference *difference);

/* As it is read: "0.1234"; of A and B with its step where that is another one ("0.1234 at 38"), and where the run ends
 * or begins in place of a value. @is_live: it may yet come. (transfer full) */
char *sonde_difference_column_dup_text (SondeDifferenceColumn column,
                                        const SondeCurveDifference *difference, gboolean is_live);
/* All digits, with the step for A and B. (transfer full) */
char *sonde_difference_column_dup_exact (SondeDifferenceColumn column,
                                         const SondeCurveDifference *difference);

/* Lines of cells with a tab between: a head first, then one a curve; numbers with all digits, nothing where there is
 * none. A and B are two columns each: step and value. (transfer full): to be freed with TRUE */
GString *sonde_difference_table_new (gboolean has_second);
void sonde_difference_table_add (GString *table, const char *name,
                                 const SondeCurveDifference *difference, gboolean has_second);

G_END_DECLS
