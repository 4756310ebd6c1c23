/* SPDX-License-Identifier: Apache-2.0
 * Products of matrices of 8 bits through oneDNN: MatMulInteger, QLinearMatMul, and the group
 * MatMulInteger, Cast, then what may follow a product of floats, perhaps QuantizeLinear. The sums
 * are exact; where oneDNN's are not, or it has none, a loop of ours or the reference takes over. */
#include "engine/devices/cpu/product/sonde-cpu-matrix.h"
#include "engine/devices/cpu/quantised/sonde-cpu-quantity.h"

#include <string.h>

/* A zero point: @input of the request, of @dtype, or -1: @number always. @value: while it is
 * prepared */
typedef struct
{
  SondeGraphValue *value;
  SondeDtype dtype;
  int input;
  gint32 number;
} Zero;

/**
 * Product: one product and what is done to its sums
 * @values: left, right; @zeros: of them
 * @scales: (owned) (nullable): of the sums, one or one a column
 * @to: of the result; 8 bits: after @epilogue it is divided by its scale where @requantised
 */
typedef struct
{
  SondeGraphValue *values[2];
  Zero zeros[2];
  SondeDnnlMatmul matmul;
  gboolean flat, requantised;
  float *scales;
  SondeCpuQuantity to;
  SondeCpuEpilogue epilogue;
} Product;

/**
 * ProductKernel:
 * @inputs: of the request: where each argument comes from, -1: nowhere
 * @turned: weights of uint8, which oneDNN takes as int8: 128 less, at @turned_offset of the
 * workspace, or derived
 * @inverse: what the result is multiplied by before it is rounded, the operand of the last post
 * when @requantised
 */
typedef struct
{
  SondeKernel base;
  SondeCpuGuarded guarded;
  SondeDnnlMatmul matmul;
  Zero zeros[2];
  float *scales;
  float inverse;
  gboolean requantised, turned, derives;
  gint64 n_weights;
  gsize turned_offset;
  SondeType weight_type;
  SondeLayout *weight_layout;
  guint n_exact;
  int inputs[SONDE_DNNL_N_ARGUMENTS];
} ProductKernel;

static void
product_clear (Product *product)
{
  g_free (product->scales);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Product, product_clear)

/* ---- what it is ---------------------------------------------------------- */

static gboolean
is_8_bits (const SondeGraphValue *value, SondeShape *shape)
{
  SondeDtype dtype = sonde_cpu_dtype_of (value);

  return (dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8)
         && value->type.kind == SONDE_VALUE_TENSOR && sonde_type_get_shape (&value->type, shape);
}

/* One number for the whole matrix, known now or in the run. */
static gboolean
read_zero (SondeGraphValue *value, Zero *zero)
{
  SondeTensor *tensor = sonde_cpu_constant_of (value);
  SondeShape shape;

  *zero = (Zero){ .input = -1 };
  if (value == NULL)
    return TRUE;
  if (!is_8_bits (value, &shape) || sonde_shape_n_elements (&shape) < 1)
    return FALSE;
  if (tensor == NULL)
    {
      zero->value = value;
      zero->dtype = value->type.dtype;
      return sonde_shape_n_elements (&shape) == 1;
    }

  zero->number = (gint32) sonde_tensor_get_int (tensor, 0);
  for (gint64 i = 1; i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != zero->number)
      return FALSE;
  return TRUE;
}

/* Inputs @a_zero and @b_zero are the zero points of @a and @b. */
static gboolean
read_operands (const SondeNode *node, guint a, guint b, guint a_zero, guint b_zero,
               Product *product)
{
  SondeGraphValue *y = sonde_node_get_output (node, 0);
  SondeShape left, right, result;

  product->values[0] = sonde_node_get_input (node, a);
  product->values[1] = sonde_node_get_input (node, b);
  return y != NULL && is_8_bits (product->values[0], &left)
         && is_8_bits (product->values[1], &right) && sonde_type_get_shape (&y->type, &result)
         && read_zero (sonde_node_get_input (node, a_zero), &product->zeros[0])
         && read_zero (sonde_node_get_input (node, b_zero), &product->zeros[1])
         && sonde_cpu_set_product (&left, &right, &result, &product->matmul, &product->flat);
}

/* x · w / y by column. */
static gboolean
read_linear (const SondeNode *node, Product *product)
{
  const SondeGraphValue *y = sonde_node_get_output (node, 0);
  SondeTensor *w = sonde_cpu_constant_of (sonde_node_get_input (node, 4));
  gint64 n = w != NULL && w->dtype == SONDE_DTYPE_F32 ? sonde_tensor_n_elements (w) : 0;
  float x;

  if (!read_operands (node, 0, 3, 2, 5, product)
      || !sonde_cpu_read_scalar (sonde_node_get_input (node, 1), &x)
      || !sonde_cpu_read_quantity (sonde_node_get_input (node, 6), sonde_node_get_input (node, 7),
                                   sonde_cpu_dtype_of (y), &product->to)
      || (n != 1 && n != product->matmul.target[product->matmul.rank - 1]))
    return FALSE;

  product->scales = g_new (float, n);
  for (gint64 c = 0; c < n; c++)
    product->scales[c]
        = (float) ((double) x * sonde_tensor_get_double (w, c) / (double) product->to.scale);
  product->matmul.n_scales = (guint) n;
  return TRUE;
}

static void
drop_first_post (SondeCpuEpilogue *epilogue)
{
  epilogue->n_posts--;
  epilogue->n_exact -= epilogue->n_exact > 0;
  memmove (epilogue->posts, epilogue->posts + 1, epilogue->n_posts * sizeof epilogue->posts[0]);
  memmove (epilogue->operands, epilogue->operands + 1,
           epilogue->n_posts * sizeof epilogue->operands[0]);
}

/* A constant that the sums are multiplied by at once, one or one a column. */
static void
take_scales (Product *product)
{
  SondeCpuEpilogue *epilogue = &product->epilogue;
  const SondeDnnlPost *post = &epilogue->posts[0];
  SondeTensor *tensor = sonde_cpu_constant_of (epilogue->operands[0]);
  gint64 n = product->matmul.target[product->matmul.rank - 1];

  if (epilogue->n_posts == 0 || (tensor != NULL && sonde_tensor_n_elements (tensor) != n)
      || (tensor == NULL
          && (post->kind != SONDE_DNNL_POST_FUNCTION || !g_str_equal (post->function, "linear")
              || post->beta != 0))
      || (tensor != NULL
          && (post->kind != SONDE_DNNL_POST_MULTIPLY || post->dims[product->matmul.rank - 1] != n)))
    return;

  product->matmul.n_scales = tensor != NULL ? (guint) n : 1;
  product->scales = g_new (float, product->matmul.n_scales);
  for (guint c = 0; c < product->matmul.n_scales; c++)
    product->scales[c] = tensor != NULL ? (float) sonde_tensor_get_double (tensor, c) : post->alpha;
  drop_first_post (epilogue);
}

/* MatMulInteger, Cast, posts, perhaps QuantizeLinear. */
static gboolean
read_group (SondeNode *const *nodes, guint n_nodes, Product *product)
{
  SondeCpuEpilogue *epilogue = &product->epilogue;
  const SondeNode *last = nodes[n_nodes - 1];
  gboolean quantise = n_nodes > 2 && sonde_node_is (last, SONDE_OP_ID_QUANTIZE_LINEAR);
  SondeGraphValue *value = n_nodes > 1 ? sonde_node_get_output (nodes[1], 0) : NULL;
  SondeShape shape;

  if (value == NULL || !sonde_node_is (nodes[1], SONDE_OP_ID_CAST)
      || value->type.dtype != SONDE_DTYPE_F32
      || sonde_node_get_input (nodes[1], 0) != sonde_node_get_output (nodes[0], 0)
      || !read_operands (nodes[0], 0, 1, 2, 3, product)
      || !sonde_cpu_read_epilogue (nodes, n_nodes - quantise, 2, value, FALSE, epilogue))
    return FALSE;

  product->to.dtype = SONDE_DTYPE_F32;
  product->requantised = quantise;
  if (quantise
      && (!sonde_cpu_read_quantise (last, sonde_node_get_output (nodes[n_nodes - 2], 0),
                                    &product->to)
          || epilogue->n_posts >= SONDE_DNNL_MAX_POSTS))
    return FALSE;

  sonde_type_get_shape (&value->type, &shape);
  for (guint i = 0; i < epilogue->n_posts && product->flat; i++)
    if (epilogue->operands[i] != NULL && !sonde_cpu_flatten_post (&epilogue->posts[i], &shape))
      return FALSE;

  take_scales (product);
  return TRUE;
}

static gboolean
read_product (SondeNode *const *nodes, guint n_nodes, Product *product)
{
  if (n_nodes == 1 && sonde_node_is (nodes[0], SONDE_OP_ID_QLINEAR_MATMUL))
    return read_linear (nodes[0], product);
  if (!sonde_node_is (nodes[0], SONDE_OP_ID_MATMUL_INTEGER))
    return FALSE;

  product->to.dtype = SONDE_DTYPE_I32;
  return n_nodes == 1 ? read_operands (nodes[0], 0, 1, 2, 3, product)
                      : read_group (nodes, n_nodes, product);
}

static gboolean
match_quantised_product (SondeNode *const *nodes, guint n_nodes)
{
  g_auto (Product) product = { .flat = FALSE };

  return read_product (nodes, n_nodes, &product);
}

/* ---- running ------------------------------------------------------------- */

typedef struct
{
  const guint8 *x;
  guint8 *y;
} TurnCall;

static void
turn_range (gint64 begin, gint64 end, gpointer data)
{
  const TurnCall *call = data;

  for (gint64 i = begin; i < end; i++)
    call->y[i] = call->x[i] ^ 0x80;
}

static gint32
find_zero (const Zero *zero, const SondeRunArguments *arguments)
{
  return zero->input >= 0 ? sonde_cpu_get_8_bits (zero->dtype, arguments->inputs[zero->input], 0)
                          : zero->number;
}

static SondeDnnlPrimitive *
make_exact (SondeCpuDevice *device, gpointer data)
{
  const ProductKernel *k = data;
  SondeDnnlMatmul matmul = k->matmul;

  matmul.n_posts = k->n_exact;
  matmul.weight_layout = k->weight_layout;
  matmul.pack = FALSE;
  return sonde_dnnl_matmul (device->dnnl, &matmul);
}

static gboolean
run_product (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
             GError **error)
{
  ProductKernel *k = (ProductKernel *) base;
  void *memory[SONDE_DNNL_N_ARGUMENTS] = { NULL };
  gint32 zeros[2];

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    memory[i] = k->inputs[i] >= 0 ? arguments->inputs[k->inputs[i]] : NULL;
  memory[SONDE_DNNL_DST] = arguments->outputs[0];
  if (k->requantised)
    memory[SONDE_DNNL_POST + k->matmul.n_posts - 1] = &k->inverse;
  if (k->derives)
    memory[SONDE_DNNL_WEIGHTS] = (void *) arguments->derived;
  else if (k->turned)
    {
      TurnCall call
          = { memory[SONDE_DNNL_WEIGHTS], (guint8 *) arguments->workspace + k->turned_offset };

      sonde_cpu_for (device, k->n_weights, 1, turn_range, &call);
      memory[SONDE_DNNL_WEIGHTS] = call.y;
    }

  zeros[0] = find_zero (&k->zeros[0], arguments);
  zeros[1] = find_zero (&k->zeros[1], arguments) - (k->turned ? 128 : 0);
  memory[SONDE_DNNL_SOURCE_ZERO] = &zeros[0];
  memory[SONDE_DNNL_WEIGHTS_ZERO] = &zeros[1];
  return sonde_cpu_guarded_run (device, &k->guarded, memory, arguments->workspace, make_exact, k,
                                error);
}

static gboolean
derive_product (SondeCpuDevice *device, SondeKernel *base, const void *const *inputs, void *derived,
                GError **error)
{
  const ProductKernel *k = (ProductKernel *) base;
  g_autofree guint8 *plain = g_malloc ((gsize) k->n_weights);
  TurnCall call = { inputs[k->inputs[SONDE_DNNL_WEIGHTS]], plain };

  turn_range (0, k->n_weights, &call);
  return device->base.klass->write_plain (&device->base, &k->weight_type, k->weight_layout, plain,
                                          derived, error);
}

static void
free_product (SondeKernel *base)
{
  ProductKernel *k = (ProductKernel *) base;

  sonde_cpu_guarded_clear (&k->guarded);
  sonde_layout_unref (k->weight_layout);
  g_free (k->scales);
  g_free (k);
}

/* ---- preparing ----------------------------------------------------------- */

static void
find_operands (const SondePrepareRequest *request, const Product *product, ProductKernel *kernel)
{
  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    kernel->inputs[i] = -1;
  kernel->inputs[SONDE_DNNL_SRC] = sonde_cpu_find_value (request, product->values[0]);
  kernel->inputs[SONDE_DNNL_WEIGHTS] = sonde_cpu_find_value (request, product->values[1]);
  for (guint i = 0; i < product->epilogue.n_posts; i++)
    if (product->epilogue.operands[i] != NULL)
      kernel->inputs[SONDE_DNNL_POST + i]
          = sonde_cpu_find_value (request, product->epilogue.operands[i]);
  for (int i = 0; i < 2; i++)
    {
      kernel->zeros[i] = product->zeros[i];
      kernel->zeros[i].input = sonde_cpu_find_value (request, product->zeros[i].value);
    }
}

/* A packed or turned matrix cannot be read in another way too. */
static gboolean
is_read_once (const ProductKernel *kernel)
{
  int weights = kernel->inputs[SONDE_DNNL_WEIGHTS];

  for (int i = 0; i < SONDE_DNNL_N_ARGUMENTS; i++)
    if (i != SONDE_DNNL_WEIGHTS && kernel->inputs[i] == weights)
      return FALSE;
  return kernel->zeros[0].input != weights && kernel->zeros[1].input != weights;
}

static void
describe_matmul (const SondePrepareRequest *request, const Product *product, ProductKernel *kernel)
{
  SondeDnnlMatmul *matmul = &kernel->matmul;
  const SondeCpuEpilogue *epilogue = &product->epilogue;
  gboolean constant
      = request->constant_inputs[kernel->inputs[SONDE_DNNL_WEIGHTS]] && is_read_once (kernel);

  *matmul = product->matmul;
  kernel->turned = product->values[1]->type.dtype == SONDE_DTYPE_U8;
  kernel->derives = kernel->turned && constant && request->derive_inputs != NULL;
  matmul->pack = matmul->rank == 2 && constant && !request->plain_layouts
                 && (!kernel->turned || kernel->derives);
  matmul->source_dtype = product->values[0]->type.dtype;
  matmul->weight_dtype = SONDE_DTYPE_I8;
  matmul->target_dtype = product->to.dtype;
  matmul->source_zero = kernel->zeros[0].input >= 0 || kernel->zeros[0].number != 0;
  matmul->weights_zero
      = kernel->zeros[1].input >= 0 || kernel->zeros[1].number != (kernel->turned ? 128 : 0);
  matmul->target_zero = product->to.zero;
  matmul->scales = kernel->scales;
  matmul->n_posts = epilogue->n_posts;
  memcpy (matmul->posts, epilogue->posts, sizeof matmul->posts);
  kernel->requantised = product->requantised;
  if (product->requantised)
    {
      SondeDnnlPost *last = &matmul->posts[matmul->n_posts++];

      *last = (SondeDnnlPost){ .kind = SONDE_DNNL_POST_MULTIPLY };
      for (int i = 0; i < matmul->rank; i++)
        last->dims[i] = last->strides[i] = 1;
      kernel->inverse = 1 / product->to.scale;
    }
}

/* Without these instructions oneDNN adds pairs of products in 16 bits. */
static gboolean
is_exact (const SondeDnnlPrimitive *primitive)
{
  const char *implementation = sonde_dnnl_primitive_get_implementation (primitive);

  return strstr (implementation, "vnni") != NULL || strstr (implementation, "amx") != NULL;
}

static void
add_sizes (gint64 n, SondeDtype dtype, const guint8 *row, gint32 zero, gint32 *sums)
{
  const gint8 *numbers = (const gint8 *) row;

  if (dtype == SONDE_DTYPE_U8)
    for (gint64 j = 0; j < n; j++)
      sums[j] += ABS ((gint32) row[j] - zero);
  else
    for (gint64 j = 0; j < n; j++)
      sums[j] += ABS ((gint32) numbers[j] - zero);
}

/* The most that a column of the right matrix can add up to, each entry taken as positive. */
static gint64
find_most (const Product *product)
{
  SondeTensor *tensor = sonde_cpu_constant_of (product->values[1]);
  gint64 inner = product->matmul.weights[product->matmul.rank - 2],
         columns = product->matmul.weights[product->matmul.rank - 1];
  g_autofree gint32 *sums = g_new0 (gint32, columns);
  gint64 most = 0;

  if (tensor == NULL || product->zeros[1].value != NULL
      || sonde_tensor_n_elements (tensor) != inner * columns || inner > G_MAXINT32 / 512
      || !sonde_tensor_is_contiguous (tensor))
    return inner * 255;
  for (gint64 i = 0; i < inner; i++)
    add_sizes (columns, tensor->dtype, (const guint8 *) tensor->data + i * columns,
               product->zeros[1].number, sums);
  for (gint64 j = 0; j < columns; j++)
    most = MAX (most, sums[j]);
  return most;
}

/* oneDNN makes floats of the sums on their way to int32. */
static gboolean
keeps_sums (const Product *product)
{
  return product->to.dtype != SONDE_DTYPE_I32 || find_most (product) <= (1 << 24) / 255;
}

static void
answer (SondeCpuDevice *device, SondePrepareRequest *request, ProductKernel *kernel)
{
  guint weights = (guint) kernel->inputs[SONDE_DNNL_WEIGHTS];

  for (guint k = 0; k < request->n_inputs; k++)
    if (request->inputs[k] != NULL)
      sonde_cpu_want_plain (device, request, k);

  request->in_place = FALSE;
  request->workspace_bytes
      = (sonde_dnnl_primitive_get_workspace (kernel->guarded.primitive) + 63) / 64 * 64;
  request->implementation = sonde_dnnl_primitive_get_implementation (kernel->guarded.primitive);
  kernel->weight_layout
      = sonde_dnnl_primitive_dup_layout (kernel->guarded.primitive, SONDE_DNNL_WEIGHTS);
  if (kernel->derives)
    {
      request->derive_inputs[weights] = TRUE;
      request->derived_bytes = device->base.klass->layout_bytes (
          &device->base, &kernel->weight_type, kernel->weight_layout);
    }
  else if (kernel->turned)
    {
      kernel->turned_offset = request->workspace_bytes;
      request->workspace_bytes += (gsize) kernel->n_weights;
    }
  else
    sonde_prepare_request_set_layout (&device->base, request, weights, kernel->weight_layout);
}

static SondeKernel *
prepare_fused_quantised_product (SondeCpuDevice *device, SondePrepareRequest *request)
{
  g_auto (Product) product = { .flat = FALSE };
  SondeCpuEpilogue *epilogue = &product.epilogue;
  ProductKernel *kernel;
  SondeShape shape;

  if (request->n_outputs != 1 || !read_product (request->nodes, request->n_nodes, &product)
      || !keeps_sums (&product) || !sonde_type_get_shape (&request->outputs[0]->type, &shape))
    return NULL;

  kernel = g_new0 (ProductKernel, 1);
  kernel->base.run = run_product;
  kernel->base.free = free_product;
  kernel->scales = g_steal_pointer (&product.scales);
  find_operands (request, &product, kernel);
  describe_matmul (request, &product, kernel);
  kernel->base.derive = kernel->derives ? derive_product : NULL;
  kernel->weight_type = product.values[1]->type;
  kernel->weight_type.dtype = SONDE_DTYPE_I8;
  kernel->n_exact = epilogue->n_exact;
  kernel->guarded.guarded
      = product.to.dtype == SONDE_DTYPE_F32 && epilogue->n_exact < epilogue->n_posts;
  kernel->guarded.zero_at_minus_infinity
      = epilogue->zero_at_minus_infinity && kernel->guarded.guarded;
  kernel->guarded.bytes
      = (gsize) sonde_shape_n_elements (&shape) * sonde_dtype_size (product.to.dtype);
  kernel->guarded.primitive = sonde_dnnl_matmul (device->dnnl, &kernel->matmul);
  if (kernel->guarded.primitive == NULL || !is_exact (kernel->guarded.primitive))
    {
      free_product (&kernel->base);
      return NULL;
    }

  sonde_type_get_shape (&kernel->weight_type, &shape);
  kernel->n_weights = sonde_shape_n_elements (&shape);
  answer (device, request, kernel);
  return &kernel->base;
}

static SondeKernel *
prepare_quantised_product (SondeCpuDevice *device, SondePrepareRequest *request)
{
  SondeKernel *kernel = prepare_fused_quantised_product (device, request);

  return kernel != NULL ? kernel : sonde_cpu_prepare_integer_product (device, request);
}

const SondeCpuFusion sonde_cpu_quantised_product_fusion = {
  .match = match_quantised_product,
  .prepare = prepare_fused_quantised_product,
};

const SondeCpuRow sonde_cpu_quantised_product_rows[] = {
  { "", "QLinearMatMul", prepare_quantised_product },
  { "", "MatMulInteger", prepare_quantised_product },
  { NULL, NULL, NULL },
};
