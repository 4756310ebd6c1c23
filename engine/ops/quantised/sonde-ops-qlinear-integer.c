/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic on quantised numbers: MatMulInteger, ConvInteger, QLinearMatMul, QLinearConv.
 *
 * The zero points are taken off, the operator of floats runs in double, in which every sum of
 * integers is exact, and the result is wrapped to 32 bits, or scaled: y = saturate (round (sum ·
 * scales / y_scale) + y_zero_point), ties to even. Padding adds zeros after the zero points are
 * off. Fast kernels are the devices' business. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>

/**
 * Product: where the operands of one operator stand among its inputs; -1: there is none
 * @inner: the operator of floats
 */
typedef struct
{
  const char *inner;
  int a, a_scale, a_zero, b, b_scale, b_zero, y_scale, y_zero, bias;
} Product;

static const Product matmul_integer = { "MatMul", 0, -1, 2, 1, -1, 3, -1, -1, -1 };
static const Product conv_integer = { "Conv", 0, -1, 2, 1, -1, 3, -1, -1, -1 };
static const Product qlinear_matmul = { "MatMul", 0, 1, 2, 3, 4, 5, 6, 7, -1 };
static const Product qlinear_conv = { "Conv", 0, 1, 2, 3, 4, 5, 6, 7, 8 };

static gboolean
is_conv (const Product *product)
{
  return product->bias >= 0 || product == &conv_integer;
}

/* ---- shape rules --------------------------------------------------------- */

static gboolean
is_operand (SondeDtype dtype, gboolean scaled)
{
  return dtype == SONDE_DTYPE_INVALID || dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8
         || (scaled
             && (dtype == SONDE_DTYPE_F8E4M3FN || dtype == SONDE_DTYPE_F8E4M3FNUZ
                 || dtype == SONDE_DTYPE_F8E5M2 || dtype == SONDE_DTYPE_F8E5M2FNUZ));
}

static gboolean
check_operand (const SondeInferContext *context, const Product *product, int at, int zero,
               GError **error)
{
  const SondeType *type = sonde_infer_input (context, (guint) at);
  const SondeType *zero_type = sonde_infer_input (context, (guint) zero);

  if (type == NULL)
    return sonde_infer_fail (error, "input %d is missing", at);
  if (!is_operand (type->dtype, product->y_scale >= 0))
    return sonde_infer_fail (error, "input %d is %s, but must be an 8-bit type", at,
                             sonde_dtype_name (type->dtype));
  if (zero_type != NULL && zero_type->dtype != type->dtype
      && zero_type->dtype != SONDE_DTYPE_INVALID && type->dtype != SONDE_DTYPE_INVALID)
    return sonde_infer_fail (error, "the zero point in input %d is %s, but input %d is %s", zero,
                             sonde_dtype_name (zero_type->dtype), at,
                             sonde_dtype_name (type->dtype));
  return TRUE;
}

static gboolean
check_scale (const SondeInferContext *context, int at, GError **error)
{
  const SondeType *type = at >= 0 ? sonde_infer_input (context, (guint) at) : NULL;

  if (at >= 0 && type == NULL)
    return sonde_infer_fail (error, "the scale in input %d is missing", at);
  return at < 0 || sonde_infer_need_float (context, (guint) at, error);
}

/* A scale or zero point has one entry, or one for each of @n rows, columns or filters (or of all
 * rows in batches). */
static gboolean
check_entries (const SondeInferContext *context, int at, gint64 n, gint64 in_batches,
               GError **error)
{
  const SondeType *type = at >= 0 ? sonde_infer_input (context, (guint) at) : NULL;
  gint64 entries = type != NULL && type->rank >= 0 ? sonde_type_product (type, 0, type->rank) : -1;

  if (entries < 0 || n < 0 || in_batches < 0 || entries == 1 || entries == n
      || entries == in_batches)
    return TRUE;
  return sonde_infer_fail (error, "input %d has %" PRIi64 " entries, but must have one or %" PRIi64,
                           at, entries, n);
}

static gboolean
check_all (const SondeInferContext *context, const Product *product, GError **error)
{
  const SondeType *a = &context->inputs[product->a], *b = &context->inputs[product->b];
  gint64 columns = b->rank < 0         ? -1
                   : is_conv (product) ? sonde_type_product (b, 0, MIN (b->rank, 1))
                   : b->rank < 2       ? 1
                                       : b->dims[b->rank - 1].size;
  gint64 rows = a->rank < 0 ? -1 : is_conv (product) || a->rank < 2 ? 1 : a->dims[a->rank - 2].size;
  gint64 all_rows = a->rank < 0         ? -1
                    : is_conv (product) ? 1
                                        : sonde_type_product (a, 0, MAX (a->rank - 1, 0));
  const int of_rows[] = { product->a_scale, product->a_zero, product->y_scale, product->y_zero };
  const int of_columns[] = { product->b_scale, product->b_zero, product->bias };

  if (!check_operand (context, product, product->a, product->a_zero, error)
      || !check_operand (context, product, product->b, product->b_zero, error)
      || !check_scale (context, product->a_scale, error)
      || !check_scale (context, product->b_scale, error)
      || !check_scale (context, product->y_scale, error))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (of_rows); i++)
    if (!check_entries (context, of_rows[i], rows, all_rows, error))
      return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (of_columns); i++)
    if (!check_entries (context, of_columns[i], columns, columns, error))
      return FALSE;
  return TRUE;
}

/* The rule of the operator of floats. */
static gboolean
infer_product (SondeInferContext *context, const Product *product, GError **error)
{
  SondeTensor *unknown[2] = { NULL, NULL };
  SondeType types[2] = { context->inputs[product->a], context->inputs[product->b] };
  SondeInferContext inner = *context;
  const SondeType *zero
      = product->y_zero >= 0 ? sonde_infer_input (context, (guint) product->y_zero) : NULL;

  if (!check_all (context, product, error))
    return FALSE;
  types[0].dtype = types[0].dtype != SONDE_DTYPE_INVALID ? SONDE_DTYPE_F64 : SONDE_DTYPE_INVALID;
  types[1].dtype = types[1].dtype != SONDE_DTYPE_INVALID ? SONDE_DTYPE_F64 : SONDE_DTYPE_INVALID;
  inner.n_inputs = 2;
  inner.inputs = types;
  inner.known = unknown;
  if (!sonde_op_table_find ("", product->inner)->infer (&inner, error))
    return FALSE;
  if (context->outputs[0].kind == SONDE_VALUE_TENSOR)
    context->outputs[0].dtype = product->y_scale < 0 ? SONDE_DTYPE_I32
                                : zero != NULL       ? zero->dtype
                                                     : context->inputs[product->a].dtype;
  return TRUE;
}

/* That of the operator of floats. */
static void
cost_product (const SondeInferContext *context, const Product *product, SondeCost *cost)
{
  SondeType types[2] = { context->inputs[product->a], context->inputs[product->b] };
  SondeInferContext inner = *context;

  inner.n_inputs = 2;
  inner.inputs = types;
  sonde_op_table_find ("", product->inner)->cost (&inner, cost);
}

/* ---- kernels ------------------------------------------------------------- */

static SondeTensor *
operand (const SondeKernelContext *context, int at)
{
  return at >= 0 ? sonde_kernel_input (context, (guint) at) : NULL;
}

/* @tensor in double less its zero point; element i has the entry i / @inner mod the number of
 * entries. */
static SondeTensor *
take_off_zero (SondeTensor *tensor, const SondeTensor *zero, gint64 inner)
{
  SondeTensor *wide = sonde_tensor_cast (tensor, SONDE_DTYPE_F64);
  gint64 n = sonde_tensor_n_elements (wide),
         n_zeros = zero != NULL ? sonde_tensor_n_elements (zero) : 0;
  g_autoptr (SondeTensor) wide_zero
      = zero ? sonde_tensor_cast ((SondeTensor *) zero, SONDE_DTYPE_F64) : NULL;
  const double *zeros = wide_zero ? (const double *) (const void *) wide_zero->data : NULL;
  double *to = (double *) (void *) wide->data;

  if (n_zeros == 1)
    for (gint64 i = 0; i < n; i++)
      to[i] -= zeros[0];
  else
    for (gint64 i = 0; i < n && n_zeros > 0; i++)
      to[i] -= zeros[i / inner % n_zeros];
  return wide;
}

/* Elements of one entry of a zero point of @a (rows) or @b (columns or filters). */
static gint64
inner_of (const Product *product, const SondeTensor *tensor, gboolean second)
{
  const SondeShape *shape = &tensor->shape;

  if (is_conv (product))
    return second ? MAX (sonde_shape_product (shape, 1, shape->rank), 1) : 1;
  return second || shape->rank < 2 ? 1 : MAX (shape->dims[shape->rank - 1], 1);
}

/* Sums in double. Returns: (transfer full) */
static SondeTensor *
multiply (const SondeKernelContext *context, const Product *product)
{
  SondeTensor *a = operand (context, product->a), *b = operand (context, product->b);
  g_autoptr (SondeTensor) wide_a
      = take_off_zero (a, operand (context, product->a_zero), inner_of (product, a, FALSE));
  g_autoptr (SondeTensor) wide_b
      = take_off_zero (b, operand (context, product->b_zero), inner_of (product, b, TRUE));
  SondeTensor *sums = sonde_tensor_new (SONDE_DTYPE_F64, &context->outputs[0]->shape);
  SondeTensor *inputs[2] = { wide_a, wide_b };
  SondeKernelContext inner = *context;

  inner.n_inputs = 2;
  inner.inputs = inputs;
  inner.n_outputs = 1;
  inner.outputs = &sums;
  sonde_op_table_find ("", product->inner)->compute (&inner);
  return sums;
}

static void
compute_integer (const SondeKernelContext *context, const Product *product)
{
  g_autoptr (SondeTensor) sums = multiply (context, product);
  const double *from = (const double *) (const void *) sums->data;
  gint32 *to = (gint32 *) (void *) context->outputs[0]->data;
  gint64 n = sonde_tensor_n_elements (sums);

  for (gint64 i = 0; i < n; i++)
    to[i] = (gint32) (guint32) (gint64) from[i];
}

/* A scale, zero point or bias in double; one entry serves all. */
typedef struct
{
  SondeTensor *wide;
  const double *data;
  gint64 n;
} Entries;

static void
entries_init (Entries *entries, const SondeKernelContext *context, int at, double fallback)
{
  SondeTensor *tensor = operand (context, at);
  SondeShape scalar = sonde_shape_scalar ();

  entries->wide = tensor ? sonde_tensor_cast (tensor, SONDE_DTYPE_F64)
                         : sonde_tensor_new_from_data (SONDE_DTYPE_F64, &scalar, &fallback);
  entries->data = (const double *) (const void *) entries->wide->data;
  entries->n = sonde_tensor_n_elements (entries->wide);
}

static void
entries_clear (Entries *entries)
{
  sonde_tensor_unref (entries->wide);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Entries, entries_clear)

static double
entry_of (const Entries *entries, gint64 index)
{
  return entries->n > 0 ? entries->data[entries->n > 1 ? index % entries->n : 0] : 0;
}

/* What the sums of one row share. */
typedef struct
{
  double factor, zero, low, high;
  gboolean integer;
} Rescale;

static void
rescale (const Rescale *self, double *values, double bias, double factor, gint64 n)
{
  if (!self->integer)
    for (gint64 i = 0; i < n; i++)
      values[i] = (values[i] + bias) * factor;
  else
    for (gint64 i = 0; i < n; i++)
      {
        double value = rint ((values[i] + bias) * factor) + self->zero;

        value = value >= self->low ? value : self->low;
        values[i] = value <= self->high ? value : self->high;
      }
}

static void
compute_scaled (const SondeKernelContext *context, const Product *product)
{
  g_autoptr (SondeTensor) sums = multiply (context, product);
  SondeTensor *y = context->outputs[0], *b = operand (context, product->b);
  gboolean conv = is_conv (product);
  gint64 columns = conv                ? b->shape.dims[0]
                   : b->shape.rank < 2 ? 1
                                       : b->shape.dims[b->shape.rank - 1];
  gint64 plane = conv ? sonde_shape_product (&y->shape, 2, y->shape.rank) : 1;
  gint64 n = sonde_tensor_n_elements (sums), rows = n / MAX (columns * plane, 1), low = 0, high = 0;
  g_auto (Entries) a_scale, b_scale, y_scale, y_zero, bias;
  double *values = (double *) (void *) sums->data;
  Rescale self;

  entries_init (&a_scale, context, product->a_scale, 1);
  entries_init (&b_scale, context, product->b_scale, 1);
  entries_init (&y_scale, context, product->y_scale, 1);
  entries_init (&y_zero, context, product->y_zero, 0);
  entries_init (&bias, context, product->bias, 0);
  self.integer = sonde_dtype_get_range (y->dtype, &low, &high);
  self.low = (double) low;
  self.high = (double) high;
  for (gint64 row = 0; row < rows; row++)
    {
      gint64 index = conv ? 0 : row;

      self.factor = entry_of (&a_scale, index) / entry_of (&y_scale, index);
      self.zero = entry_of (&y_zero, index);
      for (gint64 column = 0; column < columns; column++)
        rescale (&self, values + (row * columns + column) * plane, entry_of (&bias, column),
                 self.factor * entry_of (&b_scale, column), plane);
    }
  sonde_dtype_convert (SONDE_DTYPE_F64, values, y->dtype, y->data, (gsize) n);
}

/* ---- rows ---------------------------------------------------------------- */

#define DEFINE_PRODUCT(name, kind)                                                                 \
  static gboolean infer_##name (SondeInferContext *context, GError **error)                        \
  {                                                                                                \
    return infer_product (context, &name, error);                                                  \
  }                                                                                                \
  static void cost_##name (const SondeInferContext *context, SondeCost *cost)                      \
  {                                                                                                \
    cost_product (context, &name, cost);                                                           \
  }                                                                                                \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    compute_##kind (context, &name);                                                               \
  }

DEFINE_PRODUCT (matmul_integer, integer)
DEFINE_PRODUCT (conv_integer, integer)
DEFINE_PRODUCT (qlinear_matmul, scaled)
DEFINE_PRODUCT (qlinear_conv, scaled)

static const char *const auto_pads[] = { "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", NULL };
static const SondeAttributeRule conv_rules[] = {
  { "auto_pad", SONDE_ATTRIBUTE_STRING, .choices = auto_pads },
  { "dilations", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "group", SONDE_ATTRIBUTE_INT, .minimum = 1, .maximum = G_MAXINT32 },
  { "kernel_shape", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { "pads", SONDE_ATTRIBUTE_INTS },
  { "strides", SONDE_ATTRIBUTE_INTS, .minimum = 1, .maximum = G_MAXINT32 },
  { NULL },
};

const SondeOpClass sonde_ops_qlinear_integer[] = {
  {
      .domain = "",
      .name = "MatMulInteger",
      .since = 10,
      .min_inputs = 2,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_MATRIX,
      .infer = infer_matmul_integer,
      .compute = compute_matmul_integer,
      .cost = cost_matmul_integer,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_MATMUL_INTEGER,
  },
  {
      .domain = "",
      .name = "ConvInteger",
      .since = 10,
      .min_inputs = 2,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_CONVOLUTION,
      .attributes = conv_rules,
      .infer = infer_conv_integer,
      .compute = compute_conv_integer,
      .cost = cost_conv_integer,
      .reach = { sonde_reach_conv, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_CONV_INTEGER,
  },
  {
      .domain = "",
      .name = "QLinearMatMul",
      .since = 10,
      .min_inputs = 8,
      .max_inputs = 8,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_RAW_HALF,
      .family = SONDE_FAMILY_MATRIX,
      .infer = infer_qlinear_matmul,
      .compute = compute_qlinear_matmul,
      .cost = cost_qlinear_matmul,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_QLINEAR_MATMUL,
  },
  {
      .domain = "",
      .name = "QLinearConv",
      .since = 10,
      .min_inputs = 8,
      .max_inputs = 9,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_RAW_HALF,
      .family = SONDE_FAMILY_CONVOLUTION,
      .attributes = conv_rules,
      .infer = infer_qlinear_conv,
      .compute = compute_qlinear_conv,
      .cost = cost_qlinear_conv,
      .reach = { sonde_reach_conv, 0 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_QLINEAR_CONV,
  },
  { NULL },
};
