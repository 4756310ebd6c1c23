/* SPDX-License-Identifier: Apache-2.0
 * Reads the nodes behind a convolution or a matrix product as posts of oneDNN: single activations,
 * additions and products with operands from outside, and activations that exporters write as
 * several nodes. */
#include "engine/devices/cpu/sonde-cpu-epilogue.h"

#include <math.h>

#include "engine/devices/cpu/elementwise/sonde-cpu-chain.h"

gboolean
sonde_cpu_read_scalar (const SondeGraphValue *value, float *number)
{
  SondeTensor *tensor
      = value != NULL && value->role == SONDE_ROLE_CONSTANT && value->constant != NULL
            ? sonde_value_get_tensor (value->constant)
            : NULL;

  if (tensor == NULL || tensor->dtype != SONDE_DTYPE_F32 || sonde_tensor_n_elements (tensor) != 1)
    return FALSE;

  *number = (float) sonde_tensor_get_double (tensor, 0);
  return TRUE;
}

static gboolean
has_room (const SondeCpuEpilogue *epilogue, guint n)
{
  return epilogue->n_posts + n <= SONDE_DNNL_MAX_POSTS;
}

/* oneDNN 2.6 keeps the parameters of functions by their kind: the second "linear" of a primitive
 * would be computed with the numbers of the first. */
static gboolean
has_function (const SondeCpuEpilogue *epilogue, const char *function)
{
  for (guint i = 0; i < epilogue->n_posts; i++)
    if (epilogue->posts[i].kind == SONDE_DNNL_POST_FUNCTION
        && g_str_equal (epilogue->posts[i].function, function))
      return TRUE;

  return FALSE;
}

/* A factor and a term right behind others: (x·a + b)·alpha + beta. */
static gboolean
join_linear (SondeCpuEpilogue *epilogue, const char *function, float alpha, float beta)
{
  SondeDnnlPost *last = epilogue->n_posts > 0 ? &epilogue->posts[epilogue->n_posts - 1] : NULL;

  if (last == NULL || last->kind != SONDE_DNNL_POST_FUNCTION || !g_str_equal (function, "linear")
      || !g_str_equal (last->function, "linear"))
    return FALSE;

  last->alpha *= alpha;
  last->beta = last->beta * alpha + beta;
  return TRUE;
}

/* @loses: NaN may be lost from here on */
static gboolean
add_function (SondeCpuEpilogue *epilogue, const char *function, gboolean loses, float alpha,
              float beta)
{
  if (join_linear (epilogue, function, alpha, beta))
    return TRUE;

  if (!has_room (epilogue, 1) || (loses && !sonde_cpu_can_guard ())
      || has_function (epilogue, function))
    return FALSE;

  if (!loses && epilogue->n_exact == epilogue->n_posts)
    epilogue->n_exact++;
  epilogue->operands[epilogue->n_posts] = NULL;
  sonde_dnnl_add_function (epilogue->posts, &epilogue->n_posts, function, alpha, beta);
  return TRUE;
}

/* ---- activations of one node --------------------------------------------- */

static gboolean
read_clip (const SondeNode *node, SondeCpuEpilogue *epilogue)
{
  const SondeGraphValue *minimum = sonde_node_get_input (node, 1),
                        *maximum = sonde_node_get_input (node, 2);
  float low = -INFINITY, high = INFINITY;

  if ((minimum != NULL && !sonde_cpu_read_scalar (minimum, &low))
      || (maximum != NULL && !sonde_cpu_read_scalar (maximum, &high)) || !(low <= high))
    return FALSE;

  return add_function (epilogue, "clip", TRUE, low, high);
}

static gboolean
read_activation (const SondeNode *node, const SondeGraphValue *value, SondeCpuEpilogue *epilogue)
{
  SondeCpuUnary unary;

  if (sonde_node_get_input (node, 0) != value || !sonde_cpu_find_unary (node, &unary)
      || unary.name == NULL)
    return FALSE;
  if (unary.clip)
    return read_clip (node, epilogue);
  if (g_str_equal (unary.name, "hardsigmoid")) /* which oneDNN 2.6 does not have */
    return has_room (epilogue, 2)
           && add_function (epilogue, "linear", FALSE, unary.alpha, unary.beta)
           && add_function (epilogue, "clip", TRUE, 0, 1);

  epilogue->zero_at_minus_infinity = g_str_equal (unary.name, "hardswish");
  return add_function (epilogue, unary.name, unary.loses, unary.alpha, unary.beta);
}

/* ---- activations of several nodes ---------------------------------------- */

/* What a value inside such an activation of X is. */
typedef enum
{
  NOTHING,
  X,
  X_OVER_ROOT_2,
  ERF,
  ERF_PLUS_1,
  HALF_X,
  X_ERF,
  HALF_ERF,
  SIGMOID,
  QUICK_X,
  QUICK_SIGMOID,
  HARD_SIGMOID,
  X_PLUS_3,
  CLIPPED,
  X_CLIPPED,
  CLIPPED_OVER_6,
  GELU,
  SILU,
  QUICK_GELU,
  HARD_SWISH,
  N_TERMS
} Term;

/* @b: NOTHING: the second operand is @number, or there is none when that is 0 */
typedef struct
{
  SondeOpId op;
  Term a, b;
  float number;
  Term result;
} Rule;

static const Rule rules[] = {
  { SONDE_OP_ID_DIV, X, NOTHING, 1.41421356f, X_OVER_ROOT_2 },
  { SONDE_OP_ID_MUL, X, NOTHING, 0.70710678f, X_OVER_ROOT_2 },
  { SONDE_OP_ID_ERF, X_OVER_ROOT_2, NOTHING, 0, ERF },
  { SONDE_OP_ID_ADD, ERF, NOTHING, 1, ERF_PLUS_1 },
  { SONDE_OP_ID_MUL, X, ERF_PLUS_1, 0, X_ERF },
  { SONDE_OP_ID_MUL, X_ERF, NOTHING, 0.5f, GELU },
  { SONDE_OP_ID_MUL, ERF_PLUS_1, NOTHING, 0.5f, HALF_ERF },
  { SONDE_OP_ID_MUL, X, HALF_ERF, 0, GELU },
  { SONDE_OP_ID_MUL, X, NOTHING, 0.5f, HALF_X },
  { SONDE_OP_ID_MUL, HALF_X, ERF_PLUS_1, 0, GELU },
  { SONDE_OP_ID_SIGMOID, X, NOTHING, 0, SIGMOID },
  { SONDE_OP_ID_MUL, X, SIGMOID, 0, SILU },
  { SONDE_OP_ID_MUL, X, NOTHING, 1.702f, QUICK_X },
  { SONDE_OP_ID_SIGMOID, QUICK_X, NOTHING, 0, QUICK_SIGMOID },
  { SONDE_OP_ID_MUL, X, QUICK_SIGMOID, 0, QUICK_GELU },
  { SONDE_OP_ID_HARD_SIGMOID, X, NOTHING, 0, HARD_SIGMOID },
  { SONDE_OP_ID_MUL, X, HARD_SIGMOID, 0, HARD_SWISH },
  { SONDE_OP_ID_ADD, X, NOTHING, 3, X_PLUS_3 },
  { SONDE_OP_ID_CLIP, X_PLUS_3, NOTHING, 0, CLIPPED },
  { SONDE_OP_ID_MUL, X, CLIPPED, 0, X_CLIPPED },
  { SONDE_OP_ID_DIV, X_CLIPPED, NOTHING, 6, HARD_SWISH },
  { SONDE_OP_ID_MUL, X_CLIPPED, NOTHING, 1.0f / 6, HARD_SWISH },
  { SONDE_OP_ID_DIV, CLIPPED, NOTHING, 6, CLIPPED_OVER_6 },
  { SONDE_OP_ID_MUL, CLIPPED, NOTHING, 1.0f / 6, CLIPPED_OVER_6 },
  { SONDE_OP_ID_MUL, X, CLIPPED_OVER_6, 0, HARD_SWISH },
};

/* Of the terms that end a pattern; all may lose NaN. */
static const struct
{
  const char *function;
  float alpha;
} patterns[N_TERMS] = {
  [GELU] = { "gelu_erf", 0 },
  [SILU] = { "swish", 1 },
  [QUICK_GELU] = { "swish", 1.702f },
  [HARD_SWISH] = { "hardswish", 0 },
};

#define MOST_TERMS 6

/* @values, @terms: what is known so far */
typedef struct
{
  const SondeGraphValue *values[MOST_TERMS];
  Term terms[MOST_TERMS];
  guint n;
} Terms;

static Term
find_term (const Terms *known, const SondeGraphValue *value)
{
  for (guint i = 0; i < known->n; i++)
    if (known->values[i] == value)
      return known->terms[i];

  return NOTHING;
}

static gboolean
is_near (float a, float b)
{
  return fabsf (a - b) <= 1e-5f * fabsf (b);
}

static gboolean
has_right_numbers (const SondeNode *node, const Rule *rule)
{
  float low, high;

  if (rule->op == SONDE_OP_ID_HARD_SIGMOID)
    return is_near ((float) sonde_node_get_float (node, "alpha", 0.2), 1.0f / 6)
           && is_near ((float) sonde_node_get_float (node, "beta", 0.5), 0.5f);
  if (rule->op == SONDE_OP_ID_CLIP)
    return sonde_cpu_read_scalar (sonde_node_get_input (node, 1), &low) && low == 0
           && sonde_cpu_read_scalar (sonde_node_get_input (node, 2), &high) && high == 6;
  return TRUE;
}

static Term
apply_rule (const SondeNode *node, const Rule *rule, const Terms *known)
{
  const SondeGraphValue *first = sonde_node_get_input (node, 0),
                        *second = sonde_node_get_input (node, 1);
  Term a = find_term (known, first), b = find_term (known, second);
  gboolean swapped = a != rule->a && b == rule->a && rule->op != SONDE_OP_ID_DIV;
  float number = 0;

  if (!sonde_node_is (node, rule->op) || !has_right_numbers (node, rule))
    return NOTHING;
  if (swapped)
    {
      const SondeGraphValue *value = first;

      a = b;
      b = find_term (known, value);
      second = value;
    }
  if (a != rule->a || b != rule->b)
    return NOTHING;
  if (rule->b == NOTHING && rule->number != 0
      && (!sonde_cpu_read_scalar (second, &number) || !is_near (number, rule->number)))
    return NOTHING;

  return rule->result;
}

/* Nodes from @first on that are one activation of @value; how many, 0: they are none. */
static guint
read_pattern (SondeNode *const *nodes, guint n_nodes, guint first, const SondeGraphValue *value,
              SondeCpuEpilogue *epilogue)
{
  Terms known = { .values = { value }, .terms = { X }, .n = 1 };

  for (guint i = first; i < n_nodes && known.n < MOST_TERMS; i++)
    {
      Term result = NOTHING;

      for (gsize r = 0; r < G_N_ELEMENTS (rules) && result == NOTHING; r++)
        result = apply_rule (nodes[i], &rules[r], &known);
      if (result == NOTHING)
        return 0;
      if (patterns[result].function != NULL)
        return add_function (epilogue, patterns[result].function, TRUE, patterns[result].alpha, 0)
                   ? i - first + 1
                   : 0;

      known.values[known.n] = sonde_node_get_output (nodes[i], 0);
      known.terms[known.n++] = result;
    }

  return 0;
}

/* ---- operands from outside ----------------------------------------------- */

static gboolean
is_made_inside (SondeNode *const *nodes, guint n_nodes, const SondeGraphValue *value)
{
  for (guint i = 0; i < n_nodes; i++)
    if (value->producer == nodes[i])
      return TRUE;

  return FALSE;
}

/* An operand beside a result of @shape. */
static gboolean
describe_operand (const SondeShape *shape, const SondeShape *operand, gboolean channels_last,
                  SondeDnnlPost *post)
{
  gint64 stride = 1;
  gboolean full = sonde_shape_equal (shape, operand);

  if (operand->rank > shape->rank)
    return FALSE;

  for (int i = shape->rank - 1; i >= 0; i--)
    {
      int from = i - (shape->rank - operand->rank);

      post->dims[i] = from >= 0 ? operand->dims[from] : 1;
      if (post->dims[i] != 1 && post->dims[i] != shape->dims[i])
        return FALSE;
      if (channels_last && !full && i >= 2 && post->dims[i] != 1)
        return FALSE;
      post->strides[i] = stride;
      stride *= post->dims[i];
    }

  if (!channels_last || !full)
    return TRUE;

  stride = shape->dims[1];
  for (int i = shape->rank - 1; i >= 2; i--)
    {
      post->strides[i] = stride;
      stride *= shape->dims[i];
    }

  post->strides[1] = 1;
  return TRUE;
}

static gboolean
read_operand (const SondeGraphValue *result, SondeGraphValue *operand, SondeDnnlPostKind kind,
              gboolean channels_last, SondeCpuEpilogue *epilogue)
{
  SondeDnnlPost post = { .kind = kind, .dtype = operand->type.dtype };
  SondeShape shape, other;

  if (!has_room (epilogue, 1)
      || (operand->type.dtype != SONDE_DTYPE_F32
          && (operand->type.dtype != SONDE_DTYPE_BF16 || result->type.dtype != SONDE_DTYPE_BF16))
      || !sonde_type_get_shape (&result->type, &shape)
      || !sonde_type_get_shape (&operand->type, &other) || shape.rank > SONDE_DNNL_MAX_RANK
      || sonde_shape_n_elements (&other) <= 0
      || !describe_operand (&shape, &other, channels_last, &post))
    return FALSE;

  if (epilogue->n_exact == epilogue->n_posts)
    epilogue->n_exact++;
  epilogue->operands[epilogue->n_posts] = operand;
  epilogue->posts[epilogue->n_posts++] = post;
  return TRUE;
}

/* Add, Sub, Mul, Div of @value and something else. */
static gboolean
read_binary (SondeNode *const *nodes, guint n_nodes, const SondeNode *node, SondeGraphValue *value,
             gboolean channels_last, SondeCpuEpilogue *epilogue)
{
  SondeGraphValue *a = sonde_node_get_input (node, 0), *b = sonde_node_get_input (node, 1);
  SondeGraphValue *other = a == value ? b : a;
  gboolean sum = sonde_node_is (node, SONDE_OP_ID_ADD)
                 || (sonde_node_is (node, SONDE_OP_ID_SUM) && node->inputs->len == 2);
  gboolean product = sonde_node_is (node, SONDE_OP_ID_MUL),
           quotient = sonde_node_is (node, SONDE_OP_ID_DIV),
           difference = sonde_node_is (node, SONDE_OP_ID_SUB);
  float number;

  if ((!product && !quotient && !sum && !difference) || a == b || a == NULL || b == NULL
      || (a != value && b != value) || ((quotient || difference) && a != value)
      || is_made_inside (nodes, n_nodes, other))
    return FALSE;

  if (sonde_cpu_read_scalar (other, &number))
    {
      if (product || quotient)
        return add_function (epilogue, "linear", FALSE, product ? number : 1 / number, 0);
      return add_function (epilogue, "linear", FALSE, 1, sum ? number : -number);
    }

  return (product || sum)
         && read_operand (value, other, product ? SONDE_DNNL_POST_MULTIPLY : SONDE_DNNL_POST_ADD,
                          channels_last, epilogue);
}

static gboolean
is_same_type (const SondeGraphValue *a, const SondeGraphValue *b)
{
  SondeShape x, y;

  return b != NULL && b->type.dtype == a->type.dtype && sonde_type_get_shape (&a->type, &x)
         && sonde_type_get_shape (&b->type, &y) && sonde_shape_equal (&x, &y);
}

gboolean
sonde_cpu_read_epilogue (SondeNode *const *nodes, guint n_nodes, guint first,
                         SondeGraphValue *value, gboolean channels_last, SondeCpuEpilogue *epilogue)
{
  guint i = first;

  while (i < n_nodes)
    {
      SondeCpuEpilogue before;
      guint taken;

      epilogue->zero_at_minus_infinity = FALSE;
      before = *epilogue;
      taken = read_pattern (nodes, n_nodes, i, value, epilogue);

      if (taken == 0)
        {
          *epilogue = before;
          taken = read_activation (nodes[i], value, epilogue)
                  || read_binary (nodes, n_nodes, nodes[i], value, channels_last, epilogue);
        }
      if (taken == 0 || !is_same_type (value, sonde_node_get_output (nodes[i + taken - 1], 0)))
        return FALSE;

      i += taken;
      value = sonde_node_get_output (nodes[i - 1], 0);
    }

  return TRUE;
}

gboolean
sonde_cpu_is_plain_normalisation (const SondeNode *node)
{
  if (!sonde_node_is (node, SONDE_OP_ID_BATCH_NORMALIZATION))
    return FALSE;

  for (guint k = 1; k < node->outputs->len; k++)
    if (sonde_node_get_output (node, k) != NULL)
      return FALSE;

  for (guint k = 1; k < 5; k++)
    if (sonde_node_get_input (node, k) == NULL
        || sonde_node_get_input (node, k)->type.dtype != SONDE_DTYPE_F32)
      return FALSE;

  return sonde_node_get_int (node, "training_mode", 0) == 0;
}

gboolean
sonde_cpu_is_by_channel (const SondeDnnlPost *post, gint64 channels)
{
  for (int i = 2; i < SONDE_DNNL_MAX_RANK; i++)
    if (post->dims[i] > 1)
      return FALSE;

  return post->dims[0] == 1 && post->dims[1] == channels;
}
