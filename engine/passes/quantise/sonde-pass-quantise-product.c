/* SPDX-License-Identifier: Apache-2.0
 * A product of dequantised matrices: the product of their integers, which is exact, times both
 * scales. Gemm's C is added behind; what follows stays as it is, for devices to compute with it. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/quantise/sonde-quantise-private.h"
#include "engine/passes/sonde-legalise.h"

/**
 * Operand: the right side of a product
 * @scale: one number, or one a column
 * @columns: of scale: where @q lies transposed, its first dimension is the columns
 */
typedef struct
{
  SondeGraphValue *q, *zero;
  SondeTensor *tensor, *scale;
  gboolean transposed;
} Operand;

static gboolean
is_8_bits (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8;
}

/* All entries are the same; that one. */
static gboolean
read_same (const SondeTensor *tensor, gint64 *number)
{
  *number = tensor != NULL && sonde_tensor_n_elements (tensor) > 0
                ? sonde_tensor_get_int (tensor, 0)
                : 0;
  for (gint64 i = 1; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != *number)
      return FALSE;
  return TRUE;
}

/* Constant weights, with one scale or one a column. */
static gboolean
read_weights (const SondeGraph *original, const SondeGraphValue *value, gboolean transposed,
              Operand *operand)
{
  SondeNode *node = sonde_quantise_find_weights (original, value);
  SondeTensor *q, *scale;
  gint64 axis, n, zero;

  if (node == NULL || sonde_node_get_int (node, "block_size", 0) != 0)
    return FALSE;

  q = sonde_quantise_constant (sonde_node_get_input (node, 0));
  scale = sonde_quantise_constant (sonde_node_get_input (node, 1));
  n = sonde_tensor_n_elements (scale);
  axis = sonde_node_get_int (node, "axis", 1);
  axis = axis < 0 ? axis + q->shape.rank : axis;
  if (!is_8_bits (q->dtype) || scale->dtype != SONDE_DTYPE_F32 || q->shape.rank < 2
      || (transposed && q->shape.rank != 2)
      || (n != 1
          && (scale->shape.rank != 1 || axis != (transposed ? 0 : q->shape.rank - 1)
              || n != q->shape.dims[axis]))
      || (sonde_node_get_input (node, 2) != NULL
          && sonde_quantise_constant (sonde_node_get_input (node, 2)) == NULL)
      || !read_same (sonde_quantise_constant (sonde_node_get_input (node, 2)), &zero))
    return FALSE;

  *operand = (Operand){ NULL, NULL, q, scale, transposed };
  return TRUE;
}

static gboolean
read_right (const SondeGraph *original, SondeGraphValue *value, gboolean transposed,
            Operand *operand)
{
  SondeQuantised quantised;

  if (value == NULL || read_weights (original, value, transposed, operand))
    return value != NULL;
  if (transposed || !sonde_node_is (value->producer, SONDE_OP_ID_DEQUANTIZE_LINEAR)
      || !sonde_quantise_read (value->producer, sonde_node_get_input (value->producer, 0),
                               &quantised))
    return FALSE;

  *operand = (Operand){ quantised.q, quantised.zero, NULL,
                        sonde_quantise_constant (quantised.scale), FALSE };
  return TRUE;
}

/* Both scales and Gemm's alpha, by column. */
static SondeGraphValue *
make_scale (SondeGraph *graph, const SondeTensor *left, const SondeTensor *right, double alpha)
{
  gint64 n = sonde_tensor_n_elements (right);
  SondeShape shape = n > 1 ? sonde_shape_make (1, n) : sonde_shape_scalar ();
  g_autoptr (SondeTensor) scale = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 c = 0; c < n; c++)
    sonde_tensor_set_double (
        scale, c, sonde_tensor_get_double (left, 0) * sonde_tensor_get_double (right, c) * alpha);
  return sonde_build_constant (graph, "product_scale", scale);
}

static void
place_weights (SondeGraph *graph, SondeNode *dequantise, Operand *operand)
{
  const int order[] = { 1, 0 };
  SondeTensor *zeros = sonde_quantise_constant (sonde_node_get_input (dequantise, 2));
  g_autoptr (SondeTensor) view = operand->transposed
                                     ? sonde_tensor_transpose (operand->tensor, order)
                                     : sonde_tensor_ref (operand->tensor);
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (view);
  gint64 zero = 0;

  (void) read_same (zeros, &zero);
  operand->q = sonde_build_constant (graph, "weight_quantised", plain);
  operand->zero
      = zero != 0 ? sonde_build_scalar (graph, operand->tensor->dtype, (double) zero) : NULL;
}

static void
rewrite (SondeGraph *graph, SondeNode *node, const SondeQuantised *left, const Operand *right)
{
  SondeGraphValue *inputs[] = { left->q, right->q, left->zero, right->zero };
  SondeGraphValue *c
      = sonde_node_is (node, SONDE_OP_ID_GEMM) ? sonde_node_get_input (node, 2) : NULL;
  double alpha
      = sonde_node_is (node, SONDE_OP_ID_GEMM) ? sonde_node_get_float (node, "alpha", 1) : 1;
  SondeGraphValue *y = sonde_build_op (graph, node->name, "", "MatMulInteger",
                                       right->zero != NULL ? 4 : 3, inputs);
  SondeGraphValue *output = sonde_legalise_take_output (graph, node, 0);
  SondeGraphValue *made;

  sonde_node_add_origin (y->producer, node, SONDE_ORIGIN_FUSED);
  made = y;
  y = sonde_node_get_output (sonde_graph_add_node (graph, NULL, "", "Cast", &y, 1, 1), 0);
  sonde_node_set_int (y->producer, "to", sonde_dtype_to_onnx (SONDE_DTYPE_F32));
  y->type = made->type;
  y->type.dtype = SONDE_DTYPE_F32;
  sonde_node_add_origin (y->producer, node, SONDE_ORIGIN_FUSED);
  y = sonde_build_binary (
      graph, "Mul", y,
      make_scale (graph, sonde_quantise_constant (left->scale), right->scale, alpha));
  sonde_node_add_origin (y->producer, node, SONDE_ORIGIN_FUSED);
  if (c != NULL)
    {
      y = sonde_build_binary (graph, "Add", y, c);
      sonde_node_add_origin (y->producer, node, SONDE_ORIGIN_FUSED);
    }
  sonde_node_set_output (graph, y->producer, 0, output);
}

void
sonde_quantise_product (SondeGraph *graph, const SondeGraph *original, SondeNode *node)
{
  SondeGraphValue *a = sonde_node_get_input (node, 0), *b = sonde_node_get_input (node, 1),
                  *y = sonde_node_get_output (node, 0);
  gboolean gemm = sonde_node_is (node, SONDE_OP_ID_GEMM);
  SondeQuantised left;
  Operand right;

  if (a == NULL || b == NULL || y == NULL || y->type.dtype != SONDE_DTYPE_F32
      || !sonde_node_is (a->producer, SONDE_OP_ID_DEQUANTIZE_LINEAR) || a->type.rank < 2
      || !sonde_quantise_read (a->producer, sonde_node_get_input (a->producer, 0), &left)
      || (gemm
          && (sonde_node_get_int (node, "transA", 0) != 0
              || (sonde_node_get_input (node, 2) != NULL
                  && sonde_node_get_float (node, "beta", 1) != 1)))
      || !read_right (original, b, gemm && sonde_node_get_int (node, "transB", 0) != 0, &right))
    return;

  if (right.tensor != NULL)
    place_weights (graph, sonde_quantise_find_weights (original, b), &right);
  rewrite (graph, node, &left, &right);
}
