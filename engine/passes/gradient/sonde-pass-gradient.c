/* SPDX-License-Identifier: Apache-2.0
 * The gradient pass: seeds at the targets, the reverse in between (sonde-reverse.c), zeros for what
 * no target depends on. */
#include "engine/passes/gradient/sonde-reverse-private.h"

/* Ones for a tensor of which nothing is known before the run: in the element type of what is
 * differentiated with respect to. */
static SondeGraphValue *
make_open_seed (SondeGraph *graph, SondeGraphValue *target, SondeDtype dtype, const char *name)
{
  SondeShape one = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &one);
  SondeGraphValue *seed = sonde_reverse_fill (graph, target, 1, name);

  sonde_tensor_set_double (tensor, 0, 1);
  sonde_node_set_tensor (seed->producer, "value", tensor);
  seed->type.dtype = dtype;
  return seed;
}

static SondeGraphValue *
make_seed (SondeGraph *graph, SondeGraphValue *target, const SondeGradientRequest *request,
           GError **error)
{
  g_autofree char *name = g_strdup_printf ("grad(%s)", target->name), *type = NULL;
  SondeDtype fallback
      = request->n > 0 ? request->with_respect_to[0]->type.dtype : SONDE_DTYPE_INVALID;
  gboolean is_tensor
      = target->type.kind == SONDE_VALUE_TENSOR || target->type.kind == SONDE_VALUE_NONE;

  if (is_tensor && sonde_dtype_is_float (target->type.dtype))
    return sonde_reverse_fill (graph, target, 1, name);
  if (is_tensor && target->type.dtype == SONDE_DTYPE_INVALID && sonde_dtype_is_float (fallback))
    return make_open_seed (graph, target, fallback, name);
  type = sonde_type_to_string (&target->type);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "“%s” is %s, but only a floating-point tensor can be differentiated",
                   target->name, type);
  return NULL;
}

static void
mark_backward (SondeGraph *graph, guint first)
{
  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *node = graph->nodes->pdata[id];

      node->phase = SONDE_PHASE_BACKWARD;
      node->origin_kind = SONDE_ORIGIN_GRADIENT;
    }
}

static gboolean
seed_targets (SondeReverse *reverse, const SondeGradientRequest *request, GError **error)
{
  guint first = reverse->graph->nodes->len;

  for (guint i = 0; i < request->n_targets; i++)
    {
      SondeGraphValue *target = request->targets[i];
      SondeGraphValue *seed = request->seeds != NULL ? request->seeds[i] : NULL;

      if (!sonde_reverse_varies (reverse, target))
        continue;
      if (seed == NULL)
        seed = make_seed (reverse->graph, target, request, error);
      if (seed == NULL)
        return FALSE;
      sonde_reverse_contribute (reverse, target, G_MAXUINT, i, seed);
    }
  mark_backward (reverse->graph, first);
  return TRUE;
}

static SondeGraphValue *
take_or_zeros (SondeReverse *reverse, SondeGraphValue *value)
{
  g_autofree char *name = g_strdup_printf ("grad(%s)", value->name);
  SondeGraphValue *gradient = sonde_reverse_take (reverse, value);
  guint first = reverse->graph->nodes->len;

  if (gradient != NULL)
    return gradient;
  gradient = sonde_reverse_fill (reverse->graph, value, 0, name);
  mark_backward (reverse->graph, first);
  return gradient;
}

gboolean
sonde_pass_gradient_of (SondeGraph *graph, const SondeGradientRequest *request,
                        SondeGraphValue **gradients, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  g_auto (SondeReverse) reverse = { .graph = NULL };

  if (order == NULL)
    return FALSE;
  sonde_reverse_init (&reverse, graph, request,
                      request->n_targets > 0 ? request->targets[0]->name : "");
  for (guint i = 0; i < request->n; i++)
    sonde_reverse_want (&reverse, request->with_respect_to[i]);
  sonde_reverse_mark (&reverse, order);
  if (!seed_targets (&reverse, request, error) || !sonde_reverse_run (&reverse, order, error))
    return FALSE;
  for (guint i = 0; i < request->n; i++)
    gradients[i] = take_or_zeros (&reverse, request->with_respect_to[i]);
  return TRUE;
}

gboolean
sonde_pass_gradient (SondeGraph *graph, SondeGraphValue *target, SondeGraphValue *target_gradient,
                     SondeGraphValue *const *with_respect_to, guint n, SondeGraphValue **gradients,
                     GError **error)
{
  SondeGradientRequest request = {
    .targets = &target,
    .seeds = &target_gradient,
    .n_targets = 1,
    .with_respect_to = with_respect_to,
    .n = n,
  };

  return sonde_pass_gradient_of (graph, &request, gradients, error);
}
