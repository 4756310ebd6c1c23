/* SPDX-License-Identifier: Apache-2.0
 * What is known of the terms of an expression while it is evaluated. */
#pragma once

#include "engine/live/sonde-expression-tree-private.h"

G_BEGIN_DECLS

typedef union
{
  double real;
  gint64 whole;
} SondeSlot;

/**
 * SondeCell: what is known of a term while it is evaluated
 * @prepared: shape and kind are set
 * @is_constant: one number, in @number and @whole; or @text
 * @tensor: (nullable): of a value: its slice is applied
 * @domain_strides: of @tensor, for the domain that is gone over; @flat: it is gone over as it lies
 * @fill: a block of the constant, @filled of its elements set as @fill_kind
 * @placed: @domain_strides and @flat are those of the present domain
 * @first_found: (nullable): of a statistic over a glob: name of the first value for which it is
 * true
 */
typedef struct
{
  gboolean prepared, is_constant, flat, placed;
  SondeKind kind;
  SondeShape shape;
  double number;
  gint64 whole;
  const char *text;
  SondeTensor *tensor;
  gint64 domain_strides[SONDE_MAX_RANK];
  SondeSlot *fill;
  SondeKind fill_kind;
  gsize filled;
  char *first_found;
} SondeCell;

typedef struct
{
  const SondeExpression *expression;
  SondeExpressionSource *source;
  SondeCell *cells;      /* by id of the term */
  SondeTensor **tensors; /* by reference: read once */
  SondeStatistics **statistics;
  GPtrArray *scratch; /* (element-type SondeSlot): blocks by level */
} SondeExpressionEvaluation;

void sonde_evaluation_init (SondeExpressionEvaluation *evaluation,
                            const SondeExpression *expression, SondeExpressionSource *source);
void sonde_evaluation_clear (SondeExpressionEvaluation *evaluation);

/* Shape and kind of @term; all reductions below it are calculated. */
gboolean sonde_evaluation_prepare (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                                   GError **error);
SondeCell *sonde_evaluation_cell (SondeExpressionEvaluation *evaluation, const SondeTerm *term);
/* Any element of the prepared @term holds; @index: (out) (optional): of the first that does */
gboolean sonde_evaluation_holds (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                                 gint64 *index, GError **error);
/* The number at @index of the prepared @term, broadcast to @domain. */
double sonde_evaluation_number_at (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                                   const SondeShape *domain, gint64 index);
/* @slot: of @kind */
void sonde_cell_set_number (SondeCell *cell, SondeKind kind, SondeSlot slot);
void sonde_cell_set_real (SondeCell *cell, SondeKind kind, double number);
void sonde_cell_take_tensor (SondeCell *cell, SondeTensor *tensor);

/* ---- blocks: sonde-expression-block.c ------------------------------------ */

/**
 * sonde_block_get:
 * @term: prepared, its shape broadcasts to @domain
 * @kind: REAL for doubles, else integers
 * @level: scratch blocks from here on are free
 *
 * Elements @first … @first + @n of @term over @domain, @n at most a block. Lent until a block of
 * this or a lower level is asked for.
 */
const void *sonde_block_get (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                             const SondeShape *domain, SondeKind kind, gint64 first, gsize n,
                             guint level);
/* What a call makes of its prepared arguments. */
SondeKind sonde_block_result_kind (SondeExpressionEvaluation *evaluation, const SondeTerm *term);
SondeKind sonde_kind_of_dtype (SondeDtype dtype);
/* The next pass goes over another domain. */
void sonde_block_forget (SondeExpressionEvaluation *evaluation, const SondeTerm *term);
/* A sentence for what @term's function cannot take. */
void sonde_evaluation_set_error (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                                 GError **error, const char *format, ...) G_GNUC_PRINTF (4, 5);
/* The text that @term stands for. (transfer full) */
char *sonde_evaluation_dup_text (SondeExpressionEvaluation *evaluation, const SondeTerm *term);

/* sonde-expression-reduce.c: a call of a reduction, a fact: becomes a constant. */
gboolean sonde_evaluation_reduce (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                                  GError **error);
/* The tensor of a value's term, read once, its slice applied: (transfer full) */
SondeTensor *sonde_evaluation_read (SondeExpressionEvaluation *evaluation, const SondeTerm *term,
                                    GError **error);

G_END_DECLS
