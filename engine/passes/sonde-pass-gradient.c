/* SPDX-License-Identifier: Apache-2.0
 * Reverse mode: nodes of the gradient, in the reverse of the topological order. Rules of the operators are
 * in engine/ops. */
#include "engine/passes/sonde-passes-private.h"

#include <string.h>

/* One path into a value: its user's gradient. */
typedef struct
{
  guint user, input;
  SondeGraphValue *gradient;
} Contribution;

/**
 * Reverse:
 * @varies: by value id: depends on something that is differentiated with respect to
 * @contributions: value -> GArray of Contribution
 * @kept: values whose gradient must have its own name
 */
typedef struct
{
  SondeGraph *graph;
  SondeGraphValue *target;
  GByteArray *varies;
  GHashTable *contributions;
  GHashTable *kept;
} Reverse;

static gboolean
varies (const Reverse         *reverse,
        const SondeGraphValue *value)
{
  return value != NULL && value->id < reverse->varies->len && reverse->varies->data[value->id];
}

static gboolean
is_differentiable (const SondeGraphValue *value)
{
  return value->type.dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (value->type.dtype);
}

/* ---- forward: what varies --------------------------------------------------------------------- */

static void
mark_varying_outputs (Reverse         *reverse,
                      const SondeNode *node)
{
  gboolean any = FALSE;

  for (guint k = 0; k < node->inputs->len && !any; k++)
    any = varies (reverse, node->inputs->pdata[k]);
  for (guint k = 0; k < node->outputs->len && any; k++)
    {
      const SondeGraphValue *output = node->outputs->pdata[k];

      if (output != NULL && is_differentiable (output))
        reverse->varies->data[output->id] = TRUE;
    }
}

static void
mark_varying (Reverse                *reverse,
              const GPtrArray        *order,
              SondeGraphValue *const *with_respect_to,
              guint                   n)
{
  for (guint i = 0; i < n; i++)
    reverse->varies->data[with_respect_to[i]->id] = TRUE;
  for (guint i = 0; i < order->len; i++)
    mark_varying_outputs (reverse, order->pdata[i]);
}

/* ---- sums and names --------------------------------------------------------------------------- */

static void
contribute (Reverse         *reverse,
            SondeGraphValue *value,
            guint            user,
            guint            input,
            SondeGraphValue *gradient)
{
  Contribution contribution = { user, input, gradient };
  GArray *list = g_hash_table_lookup (reverse->contributions, value);

  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (Contribution));
      g_hash_table_insert (reverse->contributions, value, list);
    }
  g_array_append_val (list, contribution);
}

static int
compare_contributions (gconstpointer a,
                       gconstpointer b)
{
  const Contribution *left = a, *right = b;

  if (left->user != right->user)
    return left->user < right->user ? -1 : 1;
  return left->input < right->input ? -1 : left->input > right->input;
}

static SondeGraphValue *
sum_contributions (Reverse *reverse,
                   GArray  *list)
{
  g_autofree SondeGraphValue **terms = g_new (SondeGraphValue *, list->len);

  g_array_sort (list, compare_contributions);
  for (guint i = 0; i < list->len; i++)
    terms[i] = g_array_index (list, Contribution, i).gradient;
  if (list->len == 1)
    return terms[0];
  return sonde_build_op (reverse->graph, NULL, "", list->len == 2 ? "Add" : "Sum", list->len, terms);
}

/* Gives @gradient the name "grad(V)". Where it is a value with a name of its own already (both inputs of an
 * Add get the same one), a wanted gradient becomes a copy under its name. */
static SondeGraphValue *
name_gradient (Reverse         *reverse,
               SondeGraphValue *value,
               SondeGraphValue *gradient)
{
  g_autofree char *name = g_strdup_printf ("grad(%s)", value->name);
  gboolean taken = gradient->producer == NULL || gradient->producer->phase != SONDE_PHASE_BACKWARD
                   || g_str_has_prefix (gradient->name, "grad(");

  if (strcmp (gradient->name, name) == 0 || (taken && !g_hash_table_contains (reverse->kept, value)))
    return gradient;
  if (taken)
    gradient = sonde_build_unary (reverse->graph, "Identity", gradient);
  (void) sonde_graph_rename_value (reverse->graph, gradient, name);
  if (gradient->type.kind == SONDE_VALUE_NONE)
    gradient->type = value->type;
  return gradient;
}

/* Returns: (nullable): d(target)/d@value, complete since all users were visited */
static SondeGraphValue *
take_gradient (Reverse         *reverse,
               SondeGraphValue *value)
{
  GArray *list = g_hash_table_lookup (reverse->contributions, value);
  SondeGraphValue *gradient = NULL;
  guint first = reverse->graph->nodes->len;

  if (list == NULL)
    return NULL;
  gradient = sum_contributions (reverse, list);
  for (guint id = first; id < reverse->graph->nodes->len; id++)
    ((SondeNode *) reverse->graph->nodes->pdata[id])->phase = SONDE_PHASE_BACKWARD;
  gradient = name_gradient (reverse, value, gradient);
  for (guint id = first; id < reverse->graph->nodes->len; id++)
    {
      SondeNode *node = reverse->graph->nodes->pdata[id];

      node->phase = SONDE_PHASE_BACKWARD;
      if (value->producer != NULL)
        sonde_node_add_origin (node, value->producer, SONDE_ORIGIN_GRADIENT);
      else
        node->origin_kind = SONDE_ORIGIN_GRADIENT;
    }
  g_array_set_size (list, 1);
  g_array_index (list, Contribution, 0) = (Contribution) { 0, 0, gradient };
  return gradient;
}

/* ---- one node --------------------------------------------------------------------------------- */

/* New nodes from @first on are the rule's; each belongs to the first input whose gradient needs it. */
static void
mark_new_nodes (SondeGraph             *graph,
                const SondeNode        *origin,
                guint                   first,
                SondeGraphValue *const *input_gradients)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *node = graph->nodes->pdata[id];

      node->phase = SONDE_PHASE_BACKWARD;
      node->scope = origin->scope;
      node->origin_input = -1;
      sonde_node_add_origin (node, origin, SONDE_ORIGIN_GRADIENT);
    }
  for (guint k = 0; k < origin->inputs->len; k++)
    {
      if (input_gradients[k] == NULL || input_gradients[k]->producer == NULL)
        continue;
      g_ptr_array_add (stack, input_gradients[k]->producer);
      while (stack->len > 0)
        {
          SondeNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);

          if (node->id < first || node->origin_input >= 0)
            continue;
          node->origin_input = (int) k;
          for (guint i = 0; i < node->inputs->len; i++)
            {
              SondeGraphValue *input = node->inputs->pdata[i];

              if (input != NULL && input->producer != NULL)
                g_ptr_array_add (stack, input->producer);
            }
        }
    }
  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *node = graph->nodes->pdata[id];

      node->origin_input = MAX (node->origin_input, 0);
    }
}

static gboolean reverse_node (Reverse   *reverse,
                              SondeNode *node,
                              GError   **error);

/* New nodes from @first on make @origin's outputs again. */
static void
mark_parts (Reverse         *reverse,
            const SondeNode *origin,
            guint            first)
{
  guint known = reverse->varies->len;

  g_byte_array_set_size (reverse->varies, reverse->graph->values->len);
  memset (reverse->varies->data + known, 0, reverse->varies->len - known);
  for (guint id = first; id < reverse->graph->nodes->len; id++)
    {
      SondeNode *node = reverse->graph->nodes->pdata[id];

      node->phase = SONDE_PHASE_BACKWARD;
      node->scope = origin->scope;
      node->origin_input = 0;
      sonde_node_add_origin (node, origin, SONDE_ORIGIN_GRADIENT);
      mark_varying_outputs (reverse, node);
    }
}

/* The gradient of a node that its row takes apart: back through the parts. */
static gboolean
reverse_parts (Reverse              *reverse,
               const SondeOpClass   *klass,
               SondeGradientContext *context,
               GError              **error)
{
  SondeNode *node = context->node;
  guint first = reverse->graph->nodes->len, last;
  g_autofree SondeGraphValue **outputs = g_new0 (SondeGraphValue *, node->outputs->len + 1);

  if (!klass->decompose (context, outputs, error))
    return FALSE;
  last = reverse->graph->nodes->len;
  mark_parts (reverse, node, first);
  for (guint k = 0; k < node->outputs->len; k++)
    if (context->output_gradients[k] != NULL && varies (reverse, outputs[k]))
      contribute (reverse, outputs[k], G_MAXUINT, k, context->output_gradients[k]);
  for (guint id = last; id-- > first;)
    if (!reverse_node (reverse, reverse->graph->nodes->pdata[id], error))
      return FALSE;
  return TRUE;
}

static gboolean
call_rule (Reverse          *reverse,
           SondeNode        *node,
           SondeGraphValue **output_gradients,
           const gboolean   *wanted,
           SondeGraphValue **input_gradients,
           GError          **error)
{
  const SondeOpClass *klass = sonde_op_table_find (node->domain, node->op);
  SondeGradientContext context = { reverse->graph, node, output_gradients, wanted, input_gradients, FALSE };
  guint first = reverse->graph->nodes->len;
  g_autoptr (GPtrArray) problems = g_ptr_array_new_with_free_func (g_free);

  if (klass == NULL || (klass->gradient == NULL && klass->decompose == NULL))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s”: the operator %s%s%s has no gradient, but “%s” depends on it", node->name, node->domain,
                   *node->domain != '\0' ? "." : "", node->op, reverse->target->name);
      return FALSE;
    }
  /* Rules rely on arity and attributes. */
  if (!sonde_op_check_node (node, problems))
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, problems->pdata[0]);
      return FALSE;
    }
  context.by_parts = klass->gradient == NULL;
  if (klass->gradient != NULL && !klass->gradient (&context, error))
    return FALSE;
  if (context.by_parts)
    return reverse_parts (reverse, klass, &context, error);
  mark_new_nodes (reverse->graph, node, first, input_gradients);
  return TRUE;
}

static gboolean
reverse_node (Reverse   *reverse,
              SondeNode *node,
              GError   **error)
{
  guint n = node->inputs->len, n_outputs = node->outputs->len;
  /* A rule may add outputs to the node, never more than a few. */
  g_autofree SondeGraphValue **output_gradients = g_new0 (SondeGraphValue *, n_outputs + 8);
  g_autofree SondeGraphValue **input_gradients = g_new0 (SondeGraphValue *, n + 1);
  g_autofree gboolean *wanted = g_new0 (gboolean, n + 1);
  gboolean flows = FALSE, wants = FALSE;

  for (guint k = 0; k < n; k++)
    {
      const SondeGraphValue *input = node->inputs->pdata[k];

      wanted[k] = varies (reverse, input) && is_differentiable (input);
      wants |= wanted[k];
    }
  for (guint k = 0; k < n_outputs && wants; k++)
    {
      SondeGraphValue *output = node->outputs->pdata[k];

      if (varies (reverse, output))
        output_gradients[k] = take_gradient (reverse, output);
      flows |= output_gradients[k] != NULL;
    }
  if (!wants || !flows)
    return TRUE;
  if (!call_rule (reverse, node, output_gradients, wanted, input_gradients, error))
    return FALSE;
  for (guint k = 0; k < n; k++)
    if (wanted[k] && input_gradients[k] != NULL)
      contribute (reverse, node->inputs->pdata[k], node->id, k, input_gradients[k]);
  return TRUE;
}

/* ---- the pass --------------------------------------------------------------------------------- */

/* Ones of the target's shape. */
static SondeGraphValue *
make_seed (SondeGraph      *graph,
           SondeGraphValue *target,
           GError         **error)
{
  SondeShape shape, one = sonde_shape_make (1, 1);
  SondeDtype dtype = target->type.dtype;
  g_autofree char *name = g_strdup_printf ("grad(%s)", target->name);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeGraphValue *seed = NULL;

  if (!sonde_dtype_is_float (dtype))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "“%s” is %s: only a float value can be differentiated", target->name, sonde_dtype_name (dtype));
      return NULL;
    }
  if (sonde_type_get_shape (&target->type, &shape) && shape.rank == 0)
    {
      tensor = sonde_tensor_new (dtype, &shape);
      sonde_tensor_set_double (tensor, 0, 1);
      return sonde_build_constant (graph, name, tensor);
    }
  tensor = sonde_tensor_new (dtype, &one);
  sonde_tensor_set_double (tensor, 0, 1);
  seed = sonde_build_unary (graph, "ConstantOfShape", sonde_build_unary (graph, "Shape", target));
  sonde_node_set_tensor (seed->producer, "value", tensor);
  seed->type = target->type;
  (void) sonde_graph_rename_value (graph, seed, name);
  return seed;
}

/* Zeros for a value that the target does not depend on. */
static SondeGraphValue *
make_zeros (SondeGraph      *graph,
            SondeGraphValue *value)
{
  g_autofree char *name = g_strdup_printf ("grad(%s)", value->name);
  SondeShape shape, one = sonde_shape_make (1, 1);
  SondeDtype dtype = sonde_dtype_is_float (value->type.dtype) ? value->type.dtype : SONDE_DTYPE_F32;
  g_autoptr (SondeTensor) tensor = NULL;
  SondeGraphValue *zeros = NULL;

  if (sonde_type_get_shape (&value->type, &shape))
    {
      tensor = sonde_tensor_new (dtype, &shape);
      return sonde_build_constant (graph, name, tensor);
    }
  tensor = sonde_tensor_new (dtype, &one);
  zeros = sonde_build_unary (graph, "ConstantOfShape", sonde_build_unary (graph, "Shape", value));
  sonde_node_set_tensor (zeros->producer, "value", tensor);
  zeros->type = value->type;
  zeros->type.dtype = dtype;
  (void) sonde_graph_rename_value (graph, zeros, name);
  return zeros;
}

static void
mark_backward (SondeGraph *graph,
               guint       first)
{
  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *node = graph->nodes->pdata[id];

      node->phase = SONDE_PHASE_BACKWARD;
      node->origin_kind = SONDE_ORIGIN_GRADIENT;
    }
}

static void
reverse_clear (Reverse *reverse)
{
  g_clear_pointer (&reverse->varies, g_byte_array_unref);
  g_clear_pointer (&reverse->contributions, g_hash_table_unref);
  g_clear_pointer (&reverse->kept, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reverse, reverse_clear)

static void
reverse_init (Reverse                *reverse,
              SondeGraph             *graph,
              SondeGraphValue        *target,
              SondeGraphValue *const *with_respect_to,
              guint                   n)
{
  *reverse = (Reverse) { .graph = graph, .target = target };
  reverse->varies = g_byte_array_new ();
  g_byte_array_set_size (reverse->varies, graph->values->len);
  memset (reverse->varies->data, 0, graph->values->len);
  reverse->contributions = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  reverse->kept = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n; i++)
    g_hash_table_add (reverse->kept, with_respect_to[i]);
}

gboolean
sonde_pass_gradient (SondeGraph             *graph,
                     SondeGraphValue        *target,
                     SondeGraphValue        *target_gradient,
                     SondeGraphValue *const *with_respect_to,
                     guint                   n,
                     SondeGraphValue       **gradients,
                     GError                **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  g_auto (Reverse) reverse = { .graph = NULL };
  guint first = graph->nodes->len;

  if (order == NULL)
    return FALSE;
  reverse_init (&reverse, graph, target, with_respect_to, n);
  mark_varying (&reverse, order, with_respect_to, n);
  if (varies (&reverse, target))
    {
      SondeGraphValue *seed = target_gradient ? target_gradient : make_seed (graph, target, error);

      if (seed == NULL)
        return FALSE;
      mark_backward (graph, first);
      contribute (&reverse, target, G_MAXUINT, 0, seed);
    }
  for (guint i = order->len; i-- > 0;)
    if (!reverse_node (&reverse, order->pdata[i], error))
      return FALSE;

  for (guint i = 0; i < n; i++)
    {
      guint before = graph->nodes->len;

      gradients[i] = take_gradient (&reverse, with_respect_to[i]);
      if (gradients[i] == NULL)
        {
          gradients[i] = make_zeros (graph, with_respect_to[i]);
          mark_backward (graph, before);
        }
    }
  return TRUE;
}
