/* SPDX-License-Identifier: Apache-2.0
 * Inside of expressions: the tree, the table of functions, blocks. Shared by the files
 * sonde-expression-*.c. */
#pragma once

#include "engine/live/sonde-expression.h"

G_BEGIN_DECLS

#define SONDE_EXPRESSION_BLOCK                                                                     \
  1024 /* elements that are calculated at once: a few blocks stay in the first cache */
#define SONDE_EXPRESSION_MAX_DEPTH                                                                 \
  1000 /* of the tree: a chain a + b + c … is as deep as it is long */
#define SONDE_EXPRESSION_MAX_ARGUMENTS 4

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

/* ---- the tree ------------------------------------------------------------ */

typedef enum
{
  SONDE_TERM_NUMBER,
  SONDE_TERM_TEXT,
  SONDE_TERM_VALUE,
  SONDE_TERM_CALL,
} SondeTermType;

/**
 * SondeTerm: a node of the tree
 * @first, @last: bytes of the text
 * @number, @integer, @kind: of NUMBER
 * @name, @slice, @previous, @quoted, @glob: of VALUE; @name: also of TEXT
 * @reference: of VALUE: index of its reference
 * @dtype: of a call of cast
 */
typedef struct _SondeTerm SondeTerm;
struct _SondeTerm
{
  SondeTermType type;
  guint id, depth;
  guint first, last;
  const SondeCallable *function;
  SondeTerm *arguments[SONDE_EXPRESSION_MAX_ARGUMENTS];
  guint n_arguments;
  double number;
  gint64 integer;
  SondeKind kind;
  char *name, *slice;
  gboolean previous, quoted, glob;
  guint reference;
  SondeDtype dtype;
};

struct _SondeExpression
{
  char *text;
  GPtrArray *terms; /* (element-type SondeTerm): by id */
  SondeTerm *root;
  GArray *references; /* (element-type SondeReference): strings are those of terms */
};

/* ---- evaluation ---------------------------------------------------------- */

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
/* Truth of a number: neither 0 nor NaN. */
static inline gboolean
sonde_number_holds (double number)
{
  return number < 0 || number > 0;
}

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
