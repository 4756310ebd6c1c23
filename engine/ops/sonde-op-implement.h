/* SPDX-License-Identifier: Apache-2.0
 * What a file of rows is written with: helpers of shape rules, gradient rules and kernels. */
#pragma once

#include "engine/ops/sonde-build.h"
#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/* ---- shape rules --------------------------------------------------------- */

/* The bytes of one sentence; rules add neither the node's name nor its input types. */
#define sonde_infer_fail(error, ...)                                                               \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE, __VA_ARGS__), FALSE)

/* Input @k's type; NULL when it is absent. */
const SondeType *sonde_infer_input (const SondeInferContext *context, guint k);

/* Element type and rank of the first @n inputs are known (absent ones do not count). A rule that
 * gets FALSE leaves its outputs unknown and succeeds. */
gboolean sonde_infer_ready (const SondeInferContext *context, guint n);

/* Input @k is of a float type (or unknown). */
gboolean sonde_infer_need_float (const SondeInferContext *context, guint k, GError **error);
gboolean sonde_infer_need_integer (const SondeInferContext *context, guint k, GError **error);
/* Inputs @first to @last (that are there) have one element type. */
gboolean sonde_infer_need_same (const SondeInferContext *context, guint first, guint last,
                                GError **error);
/* Input @k has rank @rank. */
gboolean sonde_infer_need_rank (const SondeInferContext *context, guint k, int rank,
                                GError **error);

/* Input @k (when it is there) has rank @rank and the @sizes, as far as they are known (-1: any). */
gboolean sonde_infer_need_sizes (const SondeInferContext *context, guint k, int rank,
                                 const gint64 *sizes, GError **error);

/* Two types agree in rank and in all sizes that are known. @what: "the gradient" for the
 * message. */
gboolean sonde_infer_need_shape (const SondeType *have, const SondeType *want, const char *what,
                                 GError **error);

SondeDimension sonde_dimension (gint64 size);
SondeType sonde_infer_type (SondeDtype dtype, int rank); /* sizes unknown */

/* Joins what two types say of the same dimension. Returns FALSE when both sizes are known and
 * differ. */
gboolean sonde_dimension_unify (const SondeDimension *a, const SondeDimension *b,
                                SondeDimension *result);

/* NumPy's broadcasting of types, dtype of @a. @what: "input" for messages. */
gboolean sonde_infer_broadcast (const SondeType *a, const SondeType *b, SondeType *result,
                                GError **error);

/* @axis made ≥ 0. @limit: number of allowed positions (the rank, or rank + 1 for Flatten,
 * Unsqueeze). */
gboolean sonde_infer_axis (gint64 axis, int limit, int *result, GError **error);

/* Known integers of input @k as a new array; NULL when absent or not known yet.
 * Returns: (transfer full) (nullable) */
gint64 *sonde_infer_known_ints (const SondeInferContext *context, guint k, gsize *n);
/* All elements of @tensor as integers; NULL without one, or of another kind. (transfer full) */
gint64 *sonde_infer_read_ints (const SondeTensor *tensor, gsize *n);
/* The same of a kernel's input; NULL when absent. */
gint64 *sonde_kernel_ints (const SondeKernelContext *context, guint k, gsize *n);

/* Product of the sizes from @first to before @last; -1 when one is unknown or the product too
 * big. */
gint64 sonde_type_product (const SondeType *type, int first, int last);
gint64 sonde_shape_product (const SondeShape *shape, int first, int last);

/* Of (dy, operands of a forward node, all there): @forward accepts the operands, and dy looks like
 * its first result. */
gboolean sonde_infer_backwards (SondeInferContext *context,
                                gboolean (*forward) (SondeInferContext *context, GError **error),
                                GError **error);

/* Rules that many rows share. */
/* y as x, any dtype */
gboolean sonde_infer_like_first (SondeInferContext *context, GError **error);
/* y as x, float */
gboolean sonde_infer_float_like_first (SondeInferContext *context, GError **error);
/* Both inputs float, of one shape; y as the first. */
gboolean sonde_infer_float_pair (SondeInferContext *context, GError **error);

/* An update: the first @n_tensors inputs (that are there) and all outputs have one shape and float
 * type, inputs @rate and @step (0: none) are one number each. */
gboolean sonde_infer_update (SondeInferContext *context, guint n_tensors, guint rate, guint step,
                             GError **error);

/* ---- gradient rules ------------------------------------------------------ */

SondeGraphValue *sonde_rule_x (const SondeGradientContext *context, guint k); /* input k */
SondeGraphValue *sonde_rule_y (const SondeGradientContext *context, guint k); /* output k */
/* Output k, added to the node when nobody named it yet. */
SondeGraphValue *sonde_rule_ensure_y (SondeGradientContext *context, guint k);
/* d(target)/d(output 0) */
SondeGraphValue *sonde_rule_dy (const SondeGradientContext *context);

/* One node of domain "sonde" with the inputs up to the ending NULL. */
SondeGraphValue *sonde_rule_own (SondeGradientContext *context, const char *op,
                                 ...) G_GNUC_NULL_TERMINATED;
/* The same and the forward node's attributes, all of them. */
SondeGraphValue *sonde_rule_own_copying (SondeGradientContext *context, const char *op,
                                         ...) G_GNUC_NULL_TERMINATED;
/* Infers again after attributes were set on @value's producer. Returns @value. */
SondeGraphValue *sonde_rule_infer (SondeGradientContext *context, SondeGraphValue *value);
void sonde_rule_copy_attributes (SondeNode *to, const SondeNode *from);

SondeGraphValue *sonde_rule_unary (SondeGradientContext *context, const char *op,
                                   SondeGraphValue *x);
SondeGraphValue *sonde_rule_binary (SondeGradientContext *context, const char *op,
                                    SondeGraphValue *a, SondeGraphValue *b);
/* dtype of dy, or of x */
SondeGraphValue *sonde_rule_scalar (SondeGradientContext *context, double value);
/* One node of ai.onnx with the inputs up to the ending NULL. */
SondeGraphValue *sonde_rule_op (SondeGradientContext *context, const char *op,
                                ...) G_GNUC_NULL_TERMINATED;
/* A scalar of @like's dtype. */
SondeGraphValue *sonde_rule_number (SondeGradientContext *context, SondeGraphValue *like,
                                    double value);
SondeGraphValue *sonde_rule_scale (SondeGradientContext *context, SondeGraphValue *x,
                                   double factor);
/* @a where @condition, else @b; NULL: zero. One of them is there. */
SondeGraphValue *sonde_rule_where (SondeGradientContext *context, SondeGraphValue *condition,
                                   SondeGraphValue *a, SondeGraphValue *b);
SondeGraphValue *sonde_rule_zeros_like (SondeGradientContext *context, SondeGraphValue *x);
/* @x in the dtype of @like; itself when it has that already. */
SondeGraphValue *sonde_rule_cast_like (SondeGradientContext *context, SondeGraphValue *x,
                                       SondeGraphValue *like);
/* The last two dimensions of @x (its rank is known) swapped. */
SondeGraphValue *sonde_rule_flip (SondeGradientContext *context, SondeGraphValue *x);
/* @gradient summed over the dimensions along which @x was broadcast; itself when there are none. */
SondeGraphValue *sonde_rule_unbroadcast (SondeGradientContext *context, SondeGraphValue *gradient,
                                         SondeGraphValue *x);
/* d(target)/d(output k), or zeros of its shape when none flows. */
SondeGraphValue *sonde_rule_dy_or_zeros (SondeGradientContext *context, guint k);
/* Known integers behind a value (initialiser or Constant). Returns: (transfer full) (nullable) */
gint64 *sonde_rule_known_ints (SondeGraphValue *value, gsize *n);

/* A float output that no input moves (Floor, Sign): no gradient, no error. */
gboolean sonde_rule_flat (SondeGradientContext *context, GError **error);

/* ---- nodes that change nothing ------------------------------------------- */

/* Rules for a row's @changes_nothing: what has the type of its input is the same; so when all sizes
 * are known; and with a single input. */
gboolean sonde_identity_always (const SondeNode *node);
gboolean sonde_identity_of_known_sizes (const SondeNode *node);
gboolean sonde_identity_of_one_input (const SondeNode *node);
/* Every element of input @k is @number in every run; TRUE without that input. */
gboolean sonde_identity_input_is_all (const SondeNode *node, guint k, gint64 number);

/* ---- kernels ------------------------------------------------------------- */

/* One function a float type: NAME_f32, NAME_f64. */
#define SONDE_FLOAT_CALL(dtype, name, ...)                                                         \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if ((dtype) == SONDE_DTYPE_F64)                                                                \
      name##_f64 (__VA_ARGS__);                                                                    \
    else                                                                                           \
      name##_f32 (__VA_ARGS__);                                                                    \
  }                                                                                                \
  G_STMT_END

#define SONDE_PASTE_(a, b) a##_##b
#define SONDE_PASTE(a, b) SONDE_PASTE_ (a, b)

/**
 * sonde_kernel_infer_values:
 * @rule: the row's shape rule
 * @types: (out) (array) (nullable): room for context->n_outputs types
 *
 * For a kernel of values: asks @rule about the values that are there. Errors: the rule's.
 */
gboolean sonde_kernel_infer_values (const SondeValueContext *context,
                                    gboolean (*rule) (SondeInferContext *context, GError **error),
                                    SondeType *types, GError **error);

/* compute_NAME: all the parts that NAME_count () and NAME_part () tell of, one after the other. */
#define SONDE_COMPUTE_PARTS(name)                                                                  \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    gint64 cost = 0;                                                                               \
    gint64 n = name##_count (context, &cost);                                                      \
    name##_part (context, 0, n);                                                                   \
  }

SondeTensor *sonde_kernel_input (const SondeKernelContext *context, guint k);  /* (nullable) */
SondeTensor *sonde_kernel_output (const SondeKernelContext *context, guint k); /* (nullable) */

/* The attribute "axis" of a node whose shape rule has accepted it, as a dimension of input 0. */
int sonde_kernel_axis (const SondeKernelContext *context, gint64 fallback);

/* @n elements from the @first-th on as doubles, and back. */
void sonde_kernel_load (const SondeTensor *tensor, gint64 first, gint64 n, double *to);
void sonde_kernel_store (const double *from, gint64 n,
                         SondeTensor *tensor, /* (nullable): nobody wants them */
                         gint64 first);

/* All elements as doubles. Returns: (transfer full) */
double *sonde_kernel_doubles (const SondeTensor *tensor);

/* Makes the strings of a freshly filled STRING output its own; nothing for other dtypes. */
void sonde_kernel_own_strings (SondeTensor *output);
/* Bytes of @from (same count and dtype) to @to. */
void sonde_kernel_copy (const SondeTensor *from, SondeTensor *to);
/* First element of a scalar-like input as double; @fallback when absent or empty. */
double sonde_kernel_scalar (const SondeKernelContext *context, guint k, double fallback);

G_END_DECLS
