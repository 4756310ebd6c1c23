/* SPDX-License-Identifier: Apache-2.0
 * The expression language of the debugger: text -> tree -> number, truth or tensor.
 * docs/expressions.md has the grammar, the functions and the truth table. Where values come from is
 * the source's business: nothing here knows a run. */
#pragma once

#include "data/values/sonde-statistics.h"
#include "engine/ops/sonde-engine-error.h"

G_BEGIN_DECLS

#define SONDE_EXPRESSION_MAX_BYTES (64 << 10) /* of a text */
#define SONDE_EXPRESSION_MAX_NESTING 200      /* of parentheses, calls and signs in one another */

/* Immutable once parsed; may be evaluated by one thread at a time. */
typedef struct _SondeExpression SondeExpression;

/**
 * SondeReference: one value that an expression reads; lent by the expression
 * @name: as the executed graph names it: "conv1.weight", "grad(conv1.weight)", "P'", "state(P, m)";
 * a glob with @glob
 * @previous: of the step before
 * @slice: (nullable): what stands in the brackets, for sonde_tensor_slice()
 * @glob: all values that match: only inside reductions of an expression, see @list_values
 */
typedef struct
{
  const char *name;
  gboolean previous;
  const char *slice;
  gboolean glob;
} SondeReference;

/**
 * SondeExpressionSource: embedded as first member of its owner's struct
 * @get_tensor: required: the value now (or of the step before), its slice not applied. (transfer
 * full)
 *   Errors: NOT_FOUND with the nearest name; STATE when it is not there yet, or there is no step
 *   before: the expression is unknown then
 * @get_statistics: (optional): those of the whole value, without a copy; NULL: computed from
 * @get_tensor
 * @get_number: (optional): a number that the place knows by a bare name, as "hits"; FALSE: it is a
 * value's name
 * @list_values: (optional): names of the values of floating types that a glob matches (a value of
 *   that very name alone, if there is one). (transfer full) (array zero-terminated=1). Errors:
 *   NOT_FOUND when there is none. Without it a glob is an error
 */
typedef struct _SondeExpressionSource SondeExpressionSource;
struct _SondeExpressionSource
{
  SondeTensor *(*get_tensor) (SondeExpressionSource *source, const SondeReference *reference,
                              GError **error);
  gboolean (*get_statistics) (SondeExpressionSource *source, const SondeReference *reference,
                              SondeStatistics *statistics, GError **error);
  gboolean (*get_number) (SondeExpressionSource *source, const char *name, double *number);
  char **(*list_values) (SondeExpressionSource *source, const char *glob, GError **error);
};

/**
 * SondeExpressionResult: zero-initialise
 * @tensor: (nullable): what is not a single number: a tensor, or a text as scalar of strings
 * @is_scalar: the expression has no dimensions
 * @dtype: float64 or bool of a scalar, int64 of one made of integers alone; else that of @tensor
 * @number: of a scalar; NaN of others
 * @truth: whether it holds: of a scalar that it is neither 0 nor NaN, of a tensor that this is true
 * of any element
 */
typedef struct
{
  SondeTensor *tensor; /* owned */
  gboolean is_scalar;
  SondeDtype dtype;
  double number;
  gboolean truth;
} SondeExpressionResult;

void sonde_expression_result_clear (SondeExpressionResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeExpressionResult, sonde_expression_result_clear)

/* Errors: INVALID with the column, from 1, and what was expected there. */
SondeExpression *sonde_expression_parse (const char *text, GError **error);
void sonde_expression_free (SondeExpression *expression);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExpression, sonde_expression_free)

const char *sonde_expression_get_text (const SondeExpression *expression);
/* Each value once. `update(P)` reads "P'" and "P". */
guint sonde_expression_get_n_references (const SondeExpression *expression);
const SondeReference *sonde_expression_get_reference (const SondeExpression *expression, guint k);
/* The expression is one value (with a slice, perhaps) and nothing is calculated. */
gboolean sonde_expression_is_reference (const SondeExpression *expression);

/**
 * sonde_expression_evaluate:
 * @result: (out): cleared by the caller with sonde_expression_result_clear()
 *
 * Elementwise chains are calculated in blocks, without temporary tensors, in double; integers among
 * themselves in int64.
 * Errors: STATE when the expression is unknown, as a value it needs is not there: the condition
 * does not hold then; SHAPE for shapes that do not fit, naming both; INVALID for what a function
 * cannot take; NOT_FOUND, MEMORY.
 */
gboolean sonde_expression_evaluate (SondeExpression *expression, SondeExpressionSource *source,
                                    SondeExpressionResult *result, GError **error);

/**
 * sonde_expression_explain:
 * Evaluates again and says what decided: "absmax(x) = 12034 > 10000", "x[3, 1] = 5 > 4", "nan(x) =
 * 3"; for one that does not hold "absmax(x) = 12, not > 10000". Returns: (transfer full). Errors:
 * as above.
 */
SondeMessage *sonde_expression_explain (SondeExpression *expression, SondeExpressionSource *source,
                                        GError **error);

/**
 * SondeExpressionHelp: one row of the table of functions
 * @name: "absmax"; @usage: "absmax(x)"; @summary: one sentence
 */
typedef struct
{
  const char *name;
  const char *usage;
  const char *summary;
} SondeExpressionHelp;

/* Row @k, NULL behind the last. */
const SondeExpressionHelp *sonde_expression_help (guint k);

G_END_DECLS
