/* SPDX-License-Identifier: Apache-2.0
 * Einsum. Operands are contracted one after the other, from the left, summing a label as soon as
 * nobody needs it any more. Floats are summed in float64, integers wrap. A dimension of size 1
 * repeats itself, as in NumPy. */
#include "engine/ops/math/sonde-einsum-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include "data/base/sonde-checked.h"
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-strided.h"

#define MOST_BETWEEN (G_GINT64_CONSTANT (1) << 28)

/* Elements of 8 bytes, float64 or unsigned, and a stride for each label (0: it does not depend on
 * it). */
typedef struct
{
  guint64 *data; /* owned */
  gint64 strides[SONDE_EINSUM_LABELS];
} Operand;

static void
operand_clear (Operand *operand)
{
  g_clear_pointer (&operand->data, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Operand, operand_clear)

/* ---- steps --------------------------------------------------------------- */

static gboolean
has_label (const SondeEinsumTerm *term, guint8 label)
{
  for (int d = 0; d < term->n; d++)
    if (term->labels[d] == label)
      return TRUE;
  return FALSE;
}

static gboolean
is_needed_after (const SondeEinsum *einsum, guint step, guint8 label)
{
  for (guint k = step + 1; k < einsum->n; k++)
    if (has_label (&einsum->terms[k], label))
      return TRUE;
  return has_label (&einsum->output, label);
}

/**
 * Step @k multiplies what was made before by operand @k.
 * @before: labels of what was made before (empty at first)
 * @loop: (out): labels that the step runs over, those of its result first
 * @result: (out): the first of them, in the result's order for the last step
 * Returns: FALSE: more labels than a loop can have
 */
static gboolean
plan_step (const SondeEinsum *einsum, guint k, const SondeEinsumTerm *before,
           SondeEinsumTerm *result, SondeEinsumTerm *loop)
{
  const SondeEinsumTerm *sources[] = { before, &einsum->terms[k] };

  *result = (SondeEinsumTerm){ 0 };
  if (k + 1 == einsum->n)
    *result = einsum->output;
  for (int pass = k + 1 == einsum->n ? 1 : 0; pass < 2; pass++)
    {
      if (pass == 1)
        *loop = *result;
      for (int s = 0; s < 2; s++)
        for (int d = 0; d < sources[s]->n; d++)
          {
            SondeEinsumTerm *list = pass == 0 ? result : loop;
            guint8 label = sources[s]->labels[d];

            if (has_label (list, label) || (pass == 0 && !is_needed_after (einsum, k, label)))
              continue;
            if (list->n == SONDE_MAX_RANK)
              return FALSE;
            list->labels[list->n++] = label;
          }
    }
  return TRUE;
}

/* What lies between must be of a size that can be had. */
static gboolean
check_steps (const SondeEinsum *einsum, const gint64 *sizes, GError **error)
{
  SondeEinsumTerm before = { 0 }, result, loop;

  for (guint k = 0; k < einsum->n; k++)
    {
      gint64 n = 1;

      if (!plan_step (einsum, k, &before, &result, &loop))
        return sonde_infer_fail (error, "operand %u makes more than %d letters stand side by side",
                                 k, SONDE_MAX_RANK);
      for (int d = 0; d < result.n && k + 1 < einsum->n; d++)
        if (sizes[result.labels[d]] >= 0
            && (!sonde_checked_mul (&n, n, sizes[result.labels[d]]) || n > MOST_BETWEEN))
          return sonde_infer_fail (
              error,
              "what lies between operands %u and %u would have more than %" PRIi64 " elements", k,
              k + 1, MOST_BETWEEN);
      before = result;
    }
  return TRUE;
}

/* ---- sizes --------------------------------------------------------------- */

/* @sizes: (inout): of the labels, -1 unknown, 1 gives way */
static gboolean
join_size (gint64 *size, gboolean first, gint64 more, GError **error)
{
  if (first || *size == 1)
    *size = more;
  else if (*size < 0 || more < 0)
    *size = MAX (*size, more) > 1 ? MAX (*size, more) : -1;
  else if (more != 1 && more != *size)
    return sonde_infer_fail (error, "one letter stands for the sizes %" PRIi64 " and %" PRIi64,
                             *size, more);
  return TRUE;
}

static gboolean
is_number (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype)
         || sonde_dtype_is_integer (dtype);
}

/* The equation against the operands that are there. */
static gboolean
read_equation (SondeEinsum *einsum, const SondeInferContext *context, GError **error)
{
  const char *equation = sonde_node_get_string (context->node, "equation", NULL);
  g_autofree int *ranks = g_new0 (int, context->n_inputs + 1);

  if (equation == NULL)
    return sonde_infer_fail (error, "lacks its equation");
  for (guint k = 0; k < context->n_inputs; k++)
    if (sonde_infer_input (context, k) == NULL)
      return sonde_infer_fail (error, "operand %u is missing", k);
    else
      ranks[k] = context->inputs[k].rank;
  return sonde_einsum_read (einsum, equation, ranks, context->n_inputs, error);
}

static gboolean
infer_einsum (SondeInferContext *context, GError **error)
{
  gint64 sizes[SONDE_EINSUM_LABELS];
  gboolean seen[SONDE_EINSUM_LABELS] = { FALSE };
  g_auto (SondeEinsum) einsum = { 0 };

  if (!is_number (context->inputs[0].dtype))
    return sonde_infer_fail (error, "operands are %s, but must be numbers",
                             sonde_dtype_name (context->inputs[0].dtype));
  if (!sonde_infer_need_same (context, 0, context->n_inputs - 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, context->n_inputs))
    return TRUE;
  if (!read_equation (&einsum, context, error))
    return FALSE;
  for (guint k = 0; k < context->n_inputs; k++)
    for (int d = 0; d < einsum.terms[k].n; d++)
      {
        guint8 label = einsum.terms[k].labels[d];

        if (!join_size (&sizes[label], !seen[label], context->inputs[k].dims[d].size, error))
          return FALSE;
        seen[label] = TRUE;
      }
  context->outputs[0] = sonde_infer_type (context->inputs[0].dtype, einsum.output.n);
  for (int d = 0; d < einsum.output.n; d++)
    context->outputs[0].dims[d].size = sizes[einsum.output.labels[d]];
  return check_steps (&einsum, sizes, error);
}

/* ---- kernel -------------------------------------------------------------- */

/* y += a·b along one row. */
#define ROW_LOOP(name, T)                                                                          \
  static void name (gint64 n, const T *a, gint64 a_step, const T *b, gint64 b_step, T *y,          \
                    gint64 y_step)                                                                 \
  {                                                                                                \
    T sum = 0;                                                                                     \
    for (gint64 i = 0; i < n && y_step != 0; i++)                                                  \
      y[i * y_step] += a[i * a_step] * b[i * b_step];                                              \
    for (gint64 i = 0; i < n && y_step == 0; i++)                                                  \
      sum += a[i * a_step] * b[i * b_step];                                                        \
    *y += sum;                                                                                     \
  }
ROW_LOOP (multiply_floats, double)
ROW_LOOP (multiply_integers, guint64)

/* y starts as zeros. */
static void
contract (const SondeEinsumTerm *loop, const gint64 *sizes, const Operand *a, const Operand *b,
          Operand *y, gboolean floats)
{
  const Operand *operands[] = { a, b, y };
  gint64 strides[3][SONDE_MAX_RANK];
  const gint64 *lists[] = { strides[0], strides[1], strides[2] };
  SondeShape shape = { .rank = loop->n };
  SondeStrided rows;
  SondeCursor cursor;
  int last;

  for (int d = 0; d < loop->n; d++)
    {
      shape.dims[d] = sizes[loop->labels[d]];
      for (int k = 0; k < 3; k++)
        strides[k][d] = operands[k]->strides[loop->labels[d]];
    }
  sonde_strided_init (&rows, &shape, 3, lists);
  last = rows.rank - 1;
  if (!sonde_strided_start (&rows, &cursor))
    return;
  do
    {
      const guint64 *pa = a->data + cursor.offsets[0], *pb = b->data + cursor.offsets[1];
      guint64 *py = y->data + cursor.offsets[2];

      if (floats)
        multiply_floats (rows.dims[last], (const double *) pa, rows.strides[0][last],
                         (const double *) pb, rows.strides[1][last], (double *) py,
                         rows.strides[2][last]);
      else
        multiply_integers (rows.dims[last], pa, rows.strides[0][last], pb, rows.strides[1][last],
                           py, rows.strides[2][last]);
    }
  while (sonde_strided_next (&rows, &cursor));
}

/* A repeated letter walks along a diagonal. */
static void
read_operand (Operand *operand, const SondeTensor *tensor, const SondeEinsumTerm *term)
{
  gint64 n = sonde_tensor_n_elements (tensor), strides[SONDE_MAX_RANK];
  SondeDtype dtype = sonde_dtype_is_float (tensor->dtype) ? SONDE_DTYPE_F64 : SONDE_DTYPE_I64;

  *operand = (Operand){ .data = g_new (guint64, n + 1) };
  sonde_dtype_convert (tensor->dtype, tensor->data, dtype, operand->data, (gsize) n);
  sonde_strided_row_major (&tensor->shape, strides);
  for (int d = 0; d < term->n; d++)
    if (tensor->shape.dims[d] != 1)
      operand->strides[term->labels[d]] += strides[d];
}

/* Zeros, row-major over the labels of @term. */
static void
make_operand (Operand *operand, const SondeEinsumTerm *term, const gint64 *sizes)
{
  gint64 n = 1;

  *operand = (Operand){ .data = NULL };
  for (int d = term->n - 1; d >= 0; d--)
    {
      operand->strides[term->labels[d]] = n;
      n *= sizes[term->labels[d]];
    }
  operand->data = g_new0 (guint64, n + 1);
}

/* The neutral operand that the first step starts from. */
static void
make_one (Operand *operand, gboolean floats)
{
  *operand = (Operand){ .data = g_new0 (guint64, 1) };
  if (floats)
    *(double *) operand->data = 1;
  else
    *operand->data = 1;
}

static void
read_sizes (const SondeKernelContext *context, const SondeEinsum *einsum, gint64 *sizes)
{
  for (int label = 0; label < SONDE_EINSUM_LABELS; label++)
    sizes[label] = 1;
  for (guint k = 0; k < einsum->n; k++)
    for (int d = 0; d < einsum->terms[k].n; d++)
      if (context->inputs[k]->shape.dims[d] != 1)
        sizes[einsum->terms[k].labels[d]] = context->inputs[k]->shape.dims[d];
}

static void
compute_einsum (const SondeKernelContext *context)
{
  SondeTensor *y = context->outputs[0];
  gboolean floats = sonde_dtype_is_float (y->dtype);
  g_autofree int *ranks = g_new0 (int, context->n_inputs + 1);
  gint64 sizes[SONDE_EINSUM_LABELS];
  SondeEinsumTerm before = { 0 }, result, loop;
  g_auto (SondeEinsum) einsum = { 0 };
  g_auto (Operand) made = { NULL };

  for (guint k = 0; k < context->n_inputs; k++)
    ranks[k] = context->inputs[k]->shape.rank;
  (void) sonde_einsum_read (&einsum, sonde_node_get_string (context->node, "equation", ""), ranks,
                            context->n_inputs, NULL);
  read_sizes (context, &einsum, sizes);
  make_one (&made, floats);
  for (guint k = 0; k < einsum.n; k++)
    {
      g_auto (Operand) old = made, next = { NULL };

      read_operand (&next, context->inputs[k], &einsum.terms[k]);
      (void) plan_step (&einsum, k, &before, &result, &loop);
      make_operand (&made, &result, sizes);
      contract (&loop, sizes, &old, &next, &made, floats);
      before = result;
    }
  sonde_dtype_convert (floats ? SONDE_DTYPE_F64 : SONDE_DTYPE_I64, made.data, y->dtype, y->data,
                       (gsize) sonde_tensor_n_elements (y));
}

static const SondeAttributeRule rules[]
    = { { "equation", SONDE_ATTRIBUTE_STRING, TRUE }, { NULL } };

/* ---- dependency ---------------------------------------------------------- */

static gboolean
reach_einsum (SondeReachContext *context)
{
  g_auto (SondeEinsum) einsum = { 0 };
  g_autofree int *ranks = g_new0 (int, context->n_inputs + 1);

  for (guint k = 0; k < context->n_inputs; k++)
    {
      if (context->inputs[k] == NULL)
        return FALSE;
      ranks[k] = context->inputs[k]->shape.rank;
    }
  if (!sonde_einsum_read (&einsum, sonde_node_get_string (context->node, "equation", ""), ranks,
                          context->n_inputs, NULL)
      || einsum.output.n != context->shape->rank)
    return FALSE;
  for (guint k = 0; k < context->n_inputs; k++)
    {
      SondeReach reach = sonde_reach_whole (context->inputs[k], k);

      for (int d = 0; d < reach.rank && d < einsum.terms[k].n; d++)
        for (int o = 0; o < einsum.output.n; o++)
          if (einsum.output.labels[o] == einsum.terms[k].labels[d] && reach.count[d] > 1)
            sonde_reach_at (&reach, d, context->index[o]);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

const SondeOpClass sonde_ops_einsum[] = {
  {
      .domain = "",
      .name = "Einsum",
      .since = 12,
      .min_inputs = 1,
      .max_inputs = -1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_MATRIX,
      .attributes = rules,
      .infer = infer_einsum,
      .compute = compute_einsum,
      .gradient = sonde_gradient_einsum,
      .reach = { reach_einsum, 0 },
      .typing = SONDE_TYPING_LEADING (SONDE_TYPING_ALL),
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
