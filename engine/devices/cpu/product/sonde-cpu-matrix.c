/* SPDX-License-Identifier: Apache-2.0
 * Matrix products through oneDNN's matmul: transposes and broadcasts as strides, a constant matrix
 * on the right packed once, and what follows the product done to each result before it is
 * stored. */
#include "engine/devices/cpu/product/sonde-cpu-matrix.h"

#include "engine/devices/cpu/sonde-cpu-fusion.h"

#include <string.h>

/**
 * Product: one MatMul or Gemm
 * @values: its operands: left, right, and Gemm's C (nullable)
 * @flat: the batch was made part of the rows
 * @dtype: of the operands: float32 or bfloat16
 */
typedef struct
{
  SondeGraphValue *values[3];
  SondeDnnlMatmul matmul;
  gboolean flat;
  SondeDtype dtype;
} Product;

/**
 * MatrixKernel:
 * @inputs: of the request: where each argument comes from, -1: nowhere
 */
typedef struct
{
  SondeKernel base;
  SondeCpuGuarded guarded;
  SondeDnnlMatmul matmul;
  guint n_exact;
  int inputs[SONDE_DNNL_N_ARGUMENTS];
} MatrixKernel;

/* ---- the product --------------------------------------------------------- */

/* The last two dimensions of an operand: sizes after transposing, and strides. */
static void
set_matrix (gint64 *dims, gint64 *strides, int rank, gint64 rows, gint64 columns,
            gboolean transposed)
{
  dims[rank - 2] = rows;
  dims[rank - 1] = columns;
  strides[rank - 2] = transposed ? 1 : columns;
  strides[rank - 1] = transposed ? rows : 1;
}

/* C broadcast to [M, N], as bias. */
static gboolean
set_bias (SondeDnnlMatmul *matmul, const SondeShape *shape)
{
  if (shape->rank > 2)
    return FALSE;

  matmul->has_bias = TRUE;
  for (int i = 0; i < 2; i++)
    {
      int from = i + shape->rank - 2;

      matmul->bias[i] = from >= 0 ? shape->dims[from] : 1;
      if (matmul->bias[i] != 1 && matmul->bias[i] != matmul->target[i])
        return FALSE;
    }

  matmul->bias_strides[0] = matmul->bias[1];
  matmul->bias_strides[1] = 1;
  return TRUE;
}

static gboolean
is_float (const SondeGraphValue *value, SondeDtype dtype, SondeShape *shape)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype == dtype
         && sonde_type_get_shape (&value->type, shape) && sonde_shape_n_elements (shape) > 0;
}

static gboolean
describe_gemm (const SondeNode *node, Product *product)
{
  gboolean transposed_a = sonde_node_get_int (node, "transA", 0) != 0;
  gboolean transposed_b = sonde_node_get_int (node, "transB", 0) != 0;
  SondeDnnlMatmul *matmul = &product->matmul;
  SondeShape a, b, c, y;

  product->values[2] = sonde_node_get_input (node, 2);
  if (!is_float (product->values[0], product->dtype, &a)
      || !is_float (product->values[1], product->dtype, &b)
      || !is_float (sonde_node_get_output (node, 0), product->dtype, &y) || a.rank != 2
      || b.rank != 2
      || (product->values[2] != NULL && !is_float (product->values[2], product->dtype, &c)))
    return FALSE;

  /* oneDNN scales the sum, ONNX each part. */
  matmul->scale = (float) sonde_node_get_float (node, "alpha", 1);
  if (product->values[2] != NULL
      && (matmul->scale != 1 || sonde_node_get_float (node, "beta", 1) != 1))
    return FALSE;

  matmul->rank = 2;
  product->flat = TRUE;
  set_matrix (matmul->source, matmul->source_strides, 2, y.dims[0], a.dims[!transposed_a],
              transposed_a);
  set_matrix (matmul->weights, matmul->weights_strides, 2, b.dims[transposed_b], y.dims[1],
              transposed_b);
  matmul->target[0] = y.dims[0];
  matmul->target[1] = y.dims[1];
  return product->values[2] == NULL || set_bias (matmul, &c);
}

/* Sizes and strides of the batch dimensions of one operand, right-aligned. */
static void
set_batch (gint64 *dims, gint64 *strides, int rank, const SondeShape *shape)
{
  gint64 stride = dims[rank - 2] * dims[rank - 1];

  for (int i = rank - 3; i >= 0; i--)
    {
      int from = i + shape->rank - rank;

      dims[i] = from >= 0 ? shape->dims[from] : 1;
      strides[i] = stride;
      stride *= dims[i];
    }
}

gboolean
sonde_cpu_set_product (const SondeShape *left, const SondeShape *right, const SondeShape *result,
                       SondeDnnlMatmul *matmul, gboolean *flat)
{
  SondeShape a = *left, b = *right, y = *result;
  gint64 rows;

  if (a.rank < 2 || b.rank < 2 || sonde_shape_n_elements (&a) <= 0
      || sonde_shape_n_elements (&b) <= 0)
    return FALSE;

  rows = a.dims[a.rank - 2];
  *flat = b.rank == 2;
  if (b.rank == 2)
    {
      /* One matrix on the right: the batch is more rows. */
      rows = sonde_shape_n_elements (&a) / a.dims[a.rank - 1];
      a = sonde_shape_make (2, rows, a.dims[a.rank - 1]);
      y = sonde_shape_make (2, rows, b.dims[1]);
    }

  if (y.rank > SONDE_DNNL_MAX_RANK)
    return FALSE;

  matmul->rank = y.rank;
  matmul->scale = 1;
  set_matrix (matmul->source, matmul->source_strides, y.rank, rows, a.dims[a.rank - 1], FALSE);
  set_matrix (matmul->weights, matmul->weights_strides, y.rank, b.dims[b.rank - 2],
              b.dims[b.rank - 1], FALSE);
  set_batch (matmul->source, matmul->source_strides, y.rank, &a);
  set_batch (matmul->weights, matmul->weights_strides, y.rank, &b);
  for (int i = 0; i < y.rank; i++)
    matmul->target[i] = y.dims[i];
  return TRUE;
}

static gboolean
describe_matmul (const SondeNode *node, Product *product)
{
  SondeShape a, b, y;

  return is_float (product->values[0], product->dtype, &a)
         && is_float (product->values[1], product->dtype, &b)
         && is_float (sonde_node_get_output (node, 0), product->dtype, &y)
         && sonde_cpu_set_product (&a, &b, &y, &product->matmul, &product->flat);
}

static gboolean
describe_product (const SondeNode *node, Product *product)
{
  *product
      = (Product){ .values = { sonde_node_get_input (node, 0), sonde_node_get_input (node, 1) } };
  if (product->values[0] == NULL)
    return FALSE;

  product->dtype = product->values[0]->type.dtype;
  if (product->dtype != SONDE_DTYPE_F32 && product->dtype != SONDE_DTYPE_BF16)
    return FALSE;

  product->matmul.source_dtype = product->matmul.weight_dtype = product->matmul.bias_dtype
      = product->dtype;
  if (sonde_node_is (node, SONDE_OP_ID_GEMM))
    return describe_gemm (node, product);
  return sonde_node_is (node, SONDE_OP_ID_MATMUL) && describe_matmul (node, product);
}

/* ---- what follows it ----------------------------------------------------- */

gboolean
sonde_cpu_flatten_post (SondeDnnlPost *post, const SondeShape *result)
{
  int last = result->rank - 1;
  gboolean full = TRUE, row = TRUE;

  for (int i = 0; i <= last; i++)
    full = full && post->dims[i] == result->dims[i];
  for (int i = 0; i < last; i++)
    row = row && post->dims[i] == 1;
  if (!full && !row)
    return FALSE;

  post->dims[1] = post->dims[last];
  post->dims[0] = row ? 1 : sonde_shape_n_elements (result) / result->dims[last];
  post->strides[0] = post->dims[1];
  post->strides[1] = 1;
  return TRUE;
}

/* A Cast of what node @index - 1 makes. */
static gboolean
is_cast (SondeNode *const *nodes, guint n_nodes, guint index, SondeDtype to)
{
  const SondeGraphValue *value = index < n_nodes ? sonde_node_get_output (nodes[index], 0) : NULL;

  return value != NULL && sonde_node_is (nodes[index], SONDE_OP_ID_CAST) && value->type.dtype == to
         && sonde_node_get_input (nodes[index], 0) == sonde_node_get_output (nodes[index - 1], 0);
}

/* Products of bfloat16 may be cast to float32, which what follows is computed in, and back at the
 * end. */
static gboolean
read_parts (SondeNode *const *nodes, guint n_nodes, Product *product, SondeCpuEpilogue *epilogue)
{
  SondeGraphValue *value = sonde_node_get_output (nodes[0], 0);
  gboolean upcasts, narrows;
  SondeShape result;

  if (!describe_product (nodes[0], product))
    return FALSE;

  upcasts = product->dtype == SONDE_DTYPE_BF16 && is_cast (nodes, n_nodes, 1, SONDE_DTYPE_F32);
  narrows = upcasts && n_nodes > 2 && is_cast (nodes, n_nodes, n_nodes - 1, SONDE_DTYPE_BF16);
  value = upcasts ? sonde_node_get_output (nodes[1], 0) : value;
  product->matmul.target_dtype = upcasts && !narrows ? SONDE_DTYPE_F32 : product->dtype;
  if (!sonde_cpu_read_epilogue (nodes, n_nodes - narrows, 1 + (guint) upcasts, value, FALSE,
                                epilogue))
    return FALSE;

  sonde_type_get_shape (&value->type, &result);
  for (guint i = 0; i < epilogue->n_posts && product->flat; i++)
    if (epilogue->operands[i] != NULL && !sonde_cpu_flatten_post (&epilogue->posts[i], &result))
      return FALSE;

  return TRUE;
}

/* The first thing added is the bias when it is one row. */
static void
take_bias (Product *product, SondeCpuEpilogue *epilogue)
{
  const SondeDnnlPost *post = &epilogue->posts[0];

  if (epilogue->n_posts == 0 || post->kind != SONDE_DNNL_POST_ADD || product->matmul.rank != 2
      || product->matmul.has_bias || product->matmul.scale != 1 || post->dims[0] != 1
      || post->dims[1] != product->matmul.target[1])
    return;

  product->matmul.has_bias = TRUE;
  product->matmul.bias_dtype = post->dtype;
  memcpy (product->matmul.bias, post->dims, 2 * sizeof (gint64));
  memcpy (product->matmul.bias_strides, post->strides, 2 * sizeof (gint64));
  product->values[2] = epilogue->operands[0];
  epilogue->n_posts--;
  epilogue->n_exact -= epilogue->n_exact > 0;
  memmove (epilogue->posts, epilogue->posts + 1, epilogue->n_posts * sizeof epilogue->posts[0]);
  memmove (epilogue->operands, epilogue->operands + 1,
           epilogue->n_posts * sizeof epilogue->operands[0]);
}

static gboolean
match_matrix (SondeNode *const *nodes, guint n_nodes)
{
  SondeCpuEpilogue epilogue = { .n_posts = 0 };
  Product product;

  return read_parts (nodes, n_nodes, &product, &epilogue);
}

/* ---- running ------------------------------------------------------------- */

static SondeDnnlPrimitive *
make_exact (SondeCpuDevice *device, gpointer data)
{
  const MatrixKernel *k = data;
  SondeDnnlMatmul matmul = k->matmul;
  SondeDnnlPrimitive *primitive;

  matmul.n_posts = k->n_exact;
  if (matmul.pack)
    matmul.weight_layout
        = sonde_dnnl_primitive_dup_layout (k->guarded.primitive, SONDE_DNNL_WEIGHTS);
  matmul.pack = FALSE;
  primitive = sonde_dnnl_matmul (device->dnnl, &matmul);
  sonde_layout_unref (matmul.weight_layout);
  return primitive;
}

static gboolean
run_matrix (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
            GError **error)
{
  MatrixKernel *k = (MatrixKernel *) base;
  void *memory[SONDE_DNNL_N_ARGUMENTS] = { NULL };

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    memory[i] = k->inputs[i] >= 0 ? arguments->inputs[k->inputs[i]] : NULL;
  memory[SONDE_DNNL_DST] = arguments->outputs[0];
  return sonde_cpu_guarded_run (device, &k->guarded, memory, arguments->workspace, make_exact, k,
                                error);
}

static void
free_matrix (SondeKernel *base)
{
  sonde_cpu_guarded_clear (&((MatrixKernel *) base)->guarded);
  g_free (base);
}

/* ---- preparing ----------------------------------------------------------- */

/* A packed matrix has a layout of its own; a value that is read in two ways cannot have two. */
static gboolean
may_pack (const SondePrepareRequest *request, const MatrixKernel *kernel, int rank)
{
  int weights = kernel->inputs[SONDE_DNNL_WEIGHTS];

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    if (i != SONDE_DNNL_WEIGHTS && kernel->inputs[i] == weights)
      return FALSE;

  return rank == 2 && !request->plain_layouts && request->constant_inputs[weights];
}

static void
answer (SondeCpuDevice *device, SondePrepareRequest *request, const MatrixKernel *kernel)
{
  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);

  if (kernel->matmul.pack)
    {
      SondeLayout *layout
          = sonde_dnnl_primitive_dup_layout (kernel->guarded.primitive, SONDE_DNNL_WEIGHTS);

      sonde_prepare_request_set_layout (&device->base, request,
                                        (guint) kernel->inputs[SONDE_DNNL_WEIGHTS], layout);
      sonde_layout_unref (layout);
    }

  request->in_place = FALSE;
  request->workspace_bytes = sonde_dnnl_primitive_get_workspace (kernel->guarded.primitive);
  request->implementation = sonde_dnnl_primitive_get_implementation (kernel->guarded.primitive);
}

static SondeKernel *
prepare_fused_matrix (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_autofree MatrixKernel *kernel = g_new0 (MatrixKernel, 1);
  SondeCpuEpilogue epilogue = { .n_posts = 0 };
  SondeKernel *row;
  Product product;
  SondeShape result;

  if (request->n_outputs != 1 || !sonde_type_get_shape (&request->outputs[0]->type, &result)
      || !read_parts (request->nodes, request->n_nodes, &product, &epilogue))
    return NULL;

  take_bias (&product, &epilogue);
  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    kernel->inputs[i] = -1;
  kernel->inputs[SONDE_DNNL_SRC] = sonde_cpu_find_value (request, product.values[0]);
  kernel->inputs[SONDE_DNNL_WEIGHTS] = sonde_cpu_find_value (request, product.values[1]);
  kernel->inputs[SONDE_DNNL_BIAS] = sonde_cpu_find_value (request, product.values[2]);
  for (guint i = 0; i < epilogue.n_posts; i++)
    if (epilogue.operands[i] != NULL)
      kernel->inputs[SONDE_DNNL_POST + i] = sonde_cpu_find_value (request, epilogue.operands[i]);

  kernel->matmul = product.matmul;
  kernel->matmul.n_posts = epilogue.n_posts;
  memcpy (kernel->matmul.posts, epilogue.posts, sizeof kernel->matmul.posts);
  row = product.dtype == SONDE_DTYPE_F32
            ? sonde_cpu_prepare_row_product (device, request, &kernel->matmul, kernel->inputs)
            : NULL;
  if (row != NULL)
    return row;

  kernel->matmul.pack = may_pack (request, kernel, product.matmul.rank);
  kernel->guarded.primitive = sonde_dnnl_matmul (device->dnnl, &kernel->matmul);
  if (kernel->guarded.primitive == NULL)
    return NULL;

  kernel->base.run = run_matrix;
  kernel->base.free = free_matrix;
  kernel->n_exact = epilogue.n_exact;
  kernel->guarded.guarded = epilogue.n_exact < epilogue.n_posts;
  kernel->guarded.zero_at_minus_infinity
      = epilogue.zero_at_minus_infinity && kernel->guarded.guarded;
  kernel->guarded.dtype = product.matmul.target_dtype;
  kernel->guarded.bytes
      = (gsize) sonde_shape_n_elements (&result) * sonde_dtype_size (product.matmul.target_dtype);
  answer (device, request, kernel);
  return (SondeKernel *) g_steal_pointer (&kernel);
}

const SondeCpuRow sonde_cpu_matrix_rows[] = {
  { "", "Gemm", prepare_fused_matrix },
  { "", "MatMul", prepare_fused_matrix },
  { NULL, NULL, NULL },
};

const SondeCpuFusion sonde_cpu_matrix_fusion = {
  .match = match_matrix,
  .prepare = prepare_fused_matrix,
};
