/* SPDX-License-Identifier: Apache-2.0
 * What explanations send back in the place of gradients, as one node each: multipliers of DeepLift
 * and relevance. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/math/sonde-unary-private.h"

#define T float
#define S f32
#define CLONES
#include "engine/ops/nn/sonde-relevance-template.h"
#define T double
#define S f64
#define CLONES
#include "engine/ops/nn/sonde-relevance-template.h"

typedef void (*RelevanceLoop) (gint64 n, const void *r, const void *y, const void *z, void *to,
                               double epsilon, double factor);

/* An operand of one sample stands for all of them. */
static void
run (const SondeKernelContext *context, RelevanceLoop single, RelevanceLoop twice)
{
  SondeTensor *r = context->inputs[0], *y = context->inputs[1],
              *z = context->inputs[context->n_inputs - 1];
  gsize size = sonde_dtype_size (r->dtype);
  gint64 n = sonde_tensor_n_elements (r), n_y = sonde_tensor_n_elements (y),
         n_z = sonde_tensor_n_elements (z), part = MIN (n_y, n_z);
  RelevanceLoop loop = r->dtype == SONDE_DTYPE_F64 ? twice : single;

  for (gint64 k = 0; k < n; k += part)
    loop (part, r->data + (gsize) k * size, y->data + (gsize) (k % n_y) * size,
          z->data + (gsize) (k % n_z) * size, context->outputs[0]->data + (gsize) k * size,
          sonde_node_get_float (context->node, "epsilon", 0),
          sonde_node_get_float (context->node, "factor", 0));
}

#define COMPUTE(name)                                                                              \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    run (context, name##_f32, name##_f64);                                                         \
  }
COMPUTE (relu_rescale)
COMPUTE (share)
COMPUTE (split)
COMPUTE (above)
COMPUTE (below)

static gboolean
infer_relevance (SondeInferContext *context, GError **error)
{
  const SondeType *r = &context->inputs[0];

  if (!sonde_infer_float_like_first (context, error)
      || !sonde_infer_need_same (context, 0, 2, error))
    return FALSE;
  for (guint k = 1; k < context->n_inputs; k++)
    {
      const SondeType *other = &context->inputs[k];

      if (r->rank < 0 || other->rank < 0)
        continue;
      if (r->rank != other->rank)
        return sonde_infer_fail (error, "inputs of rank %d and %d must have one shape", r->rank,
                                 other->rank);
      for (int d = 0; d < r->rank; d++)
        if (r->dims[d].size >= 0 && other->dims[d].size >= 0
            && r->dims[d].size != other->dims[d].size && (d > 0 || other->dims[d].size != 1))
          return sonde_infer_fail (error,
                                   "sizes %" PRIi64 " and %" PRIi64 " of dimension %d differ",
                                   r->dims[d].size, other->dims[d].size, d);
    }
  return TRUE;
}

static const SondeAttributeRule parameters[] = {
  { "epsilon", SONDE_ATTRIBUTE_FLOAT },
  { "factor", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};

#define ROW(own, inputs, loop)                                                                     \
  {                                                                                                \
    .domain = SONDE_DOMAIN, .name = own, .since = 1, .min_inputs = inputs, .max_inputs = inputs,   \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_IN_PLACE,                                \
    .family = SONDE_FAMILY_GRADIENT, .attributes = parameters, .infer = infer_relevance,           \
    .compute = compute_##loop, .cost = sonde_unary_cost, .reach = { sonde_reach_elementwise, 0 },  \
    .typing = SONDE_TYPING_OWN,                                                                    \
  }

const SondeOpClass sonde_ops_relevance[] = {
  ROW ("AboveShareGrad", 3, above),
  ROW ("BelowShareGrad", 3, below),
  ROW ("ReluRescaleGrad", 3, relu_rescale),
  ROW ("ShareGrad", 2, share),
  ROW ("SplitGrad", 3, split),
  { .name = NULL },
};
