/* SPDX-License-Identifier: Apache-2.0
 * Functions and operators of expressions: the table of them, and how they go over blocks of
 * elements. */
#pragma once

#include "engine/live/sonde-expression.h"

G_BEGIN_DECLS

#define SONDE_EXPRESSION_BLOCK                                                                     \
  1024 /* elements that are calculated at once: a few blocks stay in the first cache */

/* Loops over blocks, for the machine it runs on. */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)                                \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define SONDE_BLOCK_TARGET                                                                         \
  __attribute__ ((target_clones ("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define SONDE_BLOCK_TARGET
#endif

/* What elements are calculated as. The order is that of mixing: the later one wins. */
typedef enum
{
  SONDE_KIND_TRUTH, /* gint64 0 or 1 */
  SONDE_KIND_WHOLE, /* gint64 */
  SONDE_KIND_REAL,  /* double */
  SONDE_KIND_TEXT,  /* only compared with a text */
} SondeKind;

typedef void (*SondeRealKernel) (const double *const *in, double *out, gsize n);
typedef void (*SondeWholeKernel) (const gint64 *const *in, gint64 *out, gsize n);
typedef void (*SondeTestKernel) (const double *const *in, gint64 *out, gsize n);

/**
 * SondeFold: goes over elements in blocks; @in as the function's arguments, as doubles, of one
 * shape
 * @state: zeroed at first; @index: of the first element of the block
 */
typedef struct
{
  double sum[3];
  gint64 count;
  gint64 at;         /* index of the best one so far */
  double options[2]; /* scalar arguments behind the folded ones */
  GArray *kept;      /* (element-type double) (nullable): of quantiles */
  gboolean empty;    /* nothing came yet: unset by the first element that counts */
} SondeFold;

typedef enum
{
  SONDE_CALL_ELEMENT,   /* by element, broadcast */
  SONDE_CALL_STATISTIC, /* of SondeStatistics */
  SONDE_CALL_FOLD,      /* over elements in order */
  SONDE_CALL_FACT,      /* of the tensor's form: needs no element */
  SONDE_CALL_CAST,
} SondeCallClass;

/**
 * SondeCallable: one row
 * @help: name, usage, summary; operators have the operator as name and no usage
 * @alias: (nullable)
 * @least, @most: numbers of arguments
 * @real, @whole, @test, @whole_test: of ELEMENT: double -> double, integers -> integer, double ->
 *   truth, integers -> truth; those of integers are taken when every argument is whole
 * @statistic: of STATISTIC
 * @n_folded: of FOLD: arguments that are gone over; the rest are numbers
 * @defaults: of numbers that are left out
 * @begin: (optional); @block: FALSE: no further block can change anything; @finish: the result;
 * @is_truth: of it
 * @globs: a quoted glob may stand as argument
 */
typedef struct
{
  SondeExpressionHelp help;
  const char *alias;
  SondeCallClass klass;
  guint8 least, most;
  SondeRealKernel real;
  SondeWholeKernel whole;
  SondeTestKernel test;
  SondeWholeKernel whole_test;
  double (*statistic) (const SondeStatistics *statistics);
  guint8 n_folded;
  double defaults[2];
  gboolean (*block) (SondeFold *fold, const double *const *in, gint64 index, gsize n);
  double (*finish) (SondeFold *fold);
  gboolean is_truth;
  gboolean globs;
} SondeCallable;

const SondeCallable *sonde_callable_find (const char *name);
/* Row @k of all, operators too; NULL behind the last. */
const SondeCallable *sonde_callable_get (guint k);

/* sonde-expression-elements.c, -folds.c: (array length=n) */
const SondeCallable *sonde_callable_elements (guint *n);
const SondeCallable *sonde_callable_folds (guint *n);

/* Truth of a number: neither 0 nor NaN. */
static inline gboolean
sonde_number_holds (double number)
{
  return number < 0 || number > 0;
}

G_END_DECLS
