/* SPDX-License-Identifier: Apache-2.0
 * Sizes come from a file: products are made in double, which does not overflow. */
#include "data/traces/sonde-torch-cost.h"

#include <string.h>

#define NONE G_MAXUINT

/* @get_terms: (nullable): of a call whose operations are told: how many products each element of its one result sums
 * @a, @b: which inputs are the operands; the third of attention and of a gradient follows them
 * @stride, @padding, @dilation, @transposed, @mask: of a convolution; NONE: it has no such input */
typedef struct _Row Row;
struct _Row
{
  const char *name;
  double (*count) (const Row *row, const SondeTorchInput *inputs, guint n);
  gint64 (*get_terms) (const Row *row, const SondeTorchInput *inputs);
  guint a, b;
  guint stride, padding, dilation, transposed, mask;
};

static const SondeTorchInput *
get_tensor (const SondeTorchInput *inputs, guint n, guint index)
{
  return index < n && inputs[index].rank > 0 ? &inputs[index] : NULL;
}

/* The product of sizes [@first, @last) of @input. */
static double
multiply (const SondeTorchInput *input, int first, int last)
{
  double product = 1;

  for (int d = first; d < last; d++)
    product *= (double) MAX (input->dims[d], 0);
  return product;
}

/* ---- products ---------------------------------------------------------------- */

/* [B…, M, K] · [B…, K, N] */
static double
count_product (const Row *row, const SondeTorchInput *inputs, guint n)
{
  const SondeTorchInput *a = get_tensor (inputs, n, row->a), *b = get_tensor (inputs, n, row->b);

  if (a == NULL || b == NULL || a->rank < 2 || b->rank != a->rank
      || a->dims[a->rank - 1] != b->dims[b->rank - 2])
    return 0;
  return 2 * multiply (a, 0, a->rank) * (double) MAX (b->dims[b->rank - 1], 0);
}

/* [B…, K] · [N, K]ᵀ */
static double
count_linear (const Row *row, const SondeTorchInput *inputs, guint n)
{
  const SondeTorchInput *x = get_tensor (inputs, n, row->a), *w = get_tensor (inputs, n, row->b);

  if (x == NULL || w == NULL || w->rank != 2 || x->dims[x->rank - 1] != w->dims[1])
    return 0;
  return 2 * multiply (x, 0, x->rank) * (double) MAX (w->dims[0], 0);
}

/* Query [B…, L, E], key [B…, S, E], value [B…, S, V]: both products. */
static double
count_attention (const Row *row, const SondeTorchInput *inputs, guint n)
{
  const SondeTorchInput *q = get_tensor (inputs, n, row->a), *k = get_tensor (inputs, n, row->b),
                        *v = get_tensor (inputs, n, row->b + 1);

  if (q == NULL || k == NULL || v == NULL || q->rank < 2 || k->rank != q->rank || v->rank != q->rank
      || k->dims[k->rank - 1] != q->dims[q->rank - 1])
    return 0;
  return 2 * multiply (q, 0, q->rank - 1) * (double) MAX (k->dims[k->rank - 2], 0)
         * ((double) MAX (q->dims[q->rank - 1], 0) + (double) MAX (v->dims[v->rank - 1], 0));
}

/* ---- convolutions ------------------------------------------------------------ */

/* One number stands for all dimensions. FALSE: it is not told */
static gboolean
get_number (const SondeTorchInput *inputs, guint n, guint index, int dimension, gint64 *number)
{
  if (index >= n || inputs[index].n_numbers < 1
      || (inputs[index].n_numbers > 1 && dimension >= inputs[index].n_numbers))
    return FALSE;
  *number = inputs[index].numbers[inputs[index].n_numbers > 1 ? dimension : 0];
  return *number >= 0 && *number <= G_MAXINT32;
}

static gboolean
is_transposed (const Row *row, const SondeTorchInput *inputs, guint n)
{
  gint64 truth;

  return row->transposed != NONE && get_number (inputs, n, row->transposed, 0, &truth)
         && truth != 0;
}

/* Places of the result in space; 0: not told */
static double
count_places (const Row *row, const SondeTorchInput *inputs, guint n)
{
  const SondeTorchInput *x = &inputs[row->a], *w = &inputs[row->b];
  double places = 1;

  for (int d = 2; d < x->rank; d++)
    {
      gint64 stride, padding, dilation;

      if (!get_number (inputs, n, row->stride, d - 2, &stride) || stride < 1
          || !get_number (inputs, n, row->padding, d - 2, &padding)
          || !get_number (inputs, n, row->dilation, d - 2, &dilation) || x->dims[d] < 0
          || x->dims[d] > G_MAXINT32 || w->dims[d] < 1 || w->dims[d] > G_MAXINT32)
        return 0;
      places *= (double) MAX (
          (x->dims[d] + 2 * padding - dilation * (w->dims[d] - 1) - 1) / stride + 1, 0);
    }
  return places;
}

/* Input [N, C, …], weight [F, C / groups, …]; transposed: [C, F / groups, …]. */
static double
count_convolution (const Row *row, const SondeTorchInput *inputs, guint n)
{
  const SondeTorchInput *x = get_tensor (inputs, n, row->a), *w = get_tensor (inputs, n, row->b);

  if (x == NULL || w == NULL || x->rank < 3 || w->rank != x->rank)
    return 0;
  if (is_transposed (row, inputs, n))
    return 2 * multiply (x, 0, x->rank) * multiply (w, 1, w->rank);
  return 2 * (double) MAX (x->dims[0], 0) * count_places (row, inputs, n)
         * multiply (w, 0, w->rank);
}

/* Of the result [N, F, …], the input and the weight; each gradient that is made costs what the forward
 * pass does. */
static double
count_gradient (const Row *row, const SondeTorchInput *inputs, guint n)
{
  const SondeTorchInput *dy = get_tensor (inputs, n, row->a), *x = get_tensor (inputs, n, row->b),
                        *w = get_tensor (inputs, n, row->b + 1);
  gint64 of_input = 1, of_weight = 1;

  if (dy == NULL || x == NULL || w == NULL || w->rank < 3 || x->rank != w->rank
      || dy->rank != w->rank)
    return 0;
  if (!get_number (inputs, n, row->mask, 0, &of_input)
      || !get_number (inputs, n, row->mask, 1, &of_weight))
    of_input = of_weight = 1;
  return 2 * (double) (of_input + of_weight)
         * multiply (is_transposed (row, inputs, n) ? x : dy, 0, w->rank)
         * multiply (w, 1, w->rank);
}

/* ---- terms of an element ----------------------------------------------------- */

static gint64
get_inner (const Row *row, const SondeTorchInput *inputs)
{
  return inputs[row->a].dims[inputs[row->a].rank - 1];
}

/* Of a transposed one sizes of the result are not told. */
static gint64
get_window (const Row *row, const SondeTorchInput *inputs)
{
  const SondeTorchInput *w = &inputs[row->b];
  const double terms = multiply (w, 1, w->rank);

  return terms < G_MAXINT32 ? (gint64) terms : 0;
}

/* ---- the table --------------------------------------------------------------- */

#define PRODUCT(name, a)                                                                           \
  {                                                                                                \
    "aten::" name, count_product, get_inner, a, (a) + 1, NONE, NONE, NONE, NONE, NONE              \
  }
#define ATTENTION(name)                                                                            \
  {                                                                                                \
    "aten::" name, count_attention, NULL, 0, 1, NONE, NONE, NONE, NONE, NONE                       \
  }
#define CONVOLUTION(name, stride, padding, transposed)                                             \
  {                                                                                                \
    "aten::" name, count_convolution, get_window, 0, 1, stride, padding, 5, transposed, NONE       \
  }

/* Where inputs stand, as PyTorch's native_functions.yaml declares the operators. */
static const Row rows[] = {
  PRODUCT ("mm", 0),
  PRODUCT ("bmm", 0),
  PRODUCT ("addmm", 1),
  PRODUCT ("_addmm_activation", 1),
  PRODUCT ("baddbmm", 1),
  { "aten::linear", count_linear, get_inner, 0, 1, NONE, NONE, NONE, NONE, NONE },
  ATTENTION ("scaled_dot_product_attention"),
  ATTENTION ("_scaled_dot_product_flash_attention"),
  ATTENTION ("_scaled_dot_product_flash_attention_for_cpu"),
  ATTENTION ("_scaled_dot_product_efficient_attention"),
  ATTENTION ("_scaled_dot_product_cudnn_attention"),
  CONVOLUTION ("conv1d", 3, 4, NONE),
  CONVOLUTION ("conv2d", 3, 4, NONE),
  CONVOLUTION ("conv3d", 3, 4, NONE),
  CONVOLUTION ("convolution", 3, 4, 6),
  CONVOLUTION ("_convolution", 3, 4, 6),
  CONVOLUTION ("convolution_overrideable", 3, 4, 6),
  CONVOLUTION ("mkldnn_convolution", 4, 3, NONE),
  { "aten::cudnn_convolution", count_convolution, get_window, 0, 1, 3, 2, 4, NONE, NONE },
  { "aten::convolution_backward", count_gradient, NULL, 0, 1, NONE, NONE, NONE, 7, 10 },
};

static const Row *
find_row (const char *name)
{
  if (strncmp (name, "aten::", strlen ("aten::")) != 0)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].name + strlen ("aten::"), name + strlen ("aten::")) == 0)
      return &rows[i];
  return NULL;
}

gboolean
sonde_torch_cost_knows (const char *name)
{
  return find_row (name) != NULL;
}

double
sonde_torch_cost_count (const char *name, const SondeTorchInput *inputs, guint n)
{
  const Row *row = find_row (name);

  return row != NULL ? row->count (row, inputs, n) : 0;
}

double
sonde_torch_cost_count_results (const char *name, const SondeTorchInput *inputs, guint n)
{
  const Row *row = find_row (name);
  const double flops = row != NULL && row->get_terms != NULL && !is_transposed (row, inputs, n)
                           ? row->count (row, inputs, n)
                           : 0;
  const gint64 terms = flops > 0 ? row->get_terms (row, inputs) : 0;

  return terms > 0 ? flops / 2 / (double) terms : 0;
}

/* ---- texts ------------------------------------------------------------------- */

/* A whole number, "True" or "False" at the beginning of @at; NULL: neither. */
static const char *
take_number (const char *at, gint64 *number)
{
  char *end;

  if (g_str_has_prefix (at, "True") || g_str_has_prefix (at, "False"))
    {
      *number = *at == 'T';
      return at + (*number ? 4 : 5);
    }
  *number = g_ascii_strtoll (at, &end, 10);
  return end != at ? end : NULL;
}

void
sonde_torch_input_parse (SondeTorchInput *input, const char *bytes, gsize n)
{
  g_autofree char *text = g_strndup (bytes, MIN (n, 256));
  const gboolean list = *text == '[';
  const char *at = text + list;
  int count = 0;

  input->n_numbers = -1;
  while (at != NULL && count < SONDE_TORCH_MAX_RANK)
    {
      at = take_number (at, &input->numbers[count]);
      count += at != NULL;
      if (at == NULL || !list || *at != ',')
        break;
      at += 1 + strspn (at + 1, " ");
    }
  if (at != NULL && count > 0 && strcmp (at, list ? "]" : "") == 0)
    input->n_numbers = count;
}
