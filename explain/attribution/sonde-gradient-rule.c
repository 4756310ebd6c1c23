/* SPDX-License-Identifier: Apache-2.0
 * What rules that change the backward pass share. */
#include "explain/attribution/sonde-gradient-rule.h"

SondeGraphValue *
sonde_gradient_rule_dy (const SondeGradientContext *context)
{
  return context->output_gradients[0];
}

SondeGraphValue *
sonde_gradient_rule_x (const SondeGradientContext *context, guint k)
{
  return k < context->node->inputs->len ? g_ptr_array_index (context->node->inputs, k) : NULL;
}

gboolean
sonde_gradient_rule_own (const SondeGradientContext *context, SondeNode *node, SondeGraphValue *dy,
                         SondeGraphValue **gradients, GError **error)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  g_autofree SondeGraphValue **output_gradients
      = g_new0 (SondeGraphValue *, node->outputs->len + 8);
  SondeGradientContext own = *context;

  output_gradients[0] = dy;
  own.node = node;
  own.output_gradients = output_gradients;
  own.input_gradients = gradients;
  own.by_decomposition = FALSE;
  if (klass != NULL && klass->gradient != NULL && !klass->gradient (&own, error))
    return FALSE;
  if (klass != NULL && klass->gradient != NULL && !own.by_decomposition)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s”: the gradient of operator %s cannot be modified by this method",
                   context->node->name, node->op);
  return FALSE;
}

SondeGraphValue *
sonde_gradient_rule_own_first (const SondeGradientContext *context, SondeNode *node,
                               SondeGraphValue *dy, GError **error)
{
  g_autofree SondeGraphValue **gradients = g_new0 (SondeGraphValue *, node->inputs->len + 1);
  g_autofree gboolean *wanted = g_new0 (gboolean, node->inputs->len + 1);
  SondeGradientContext first = *context;

  wanted[0] = TRUE;
  first.wanted = wanted;
  if (!sonde_gradient_rule_own (&first, node, dy, gradients, error))
    return NULL;
  if (gradients[0] == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "node “%s”: no gradient reaches the input of %s", context->node->name,
                     node->op);
  return gradients[0];
}

SondeNode *
sonde_gradient_rule_copy (const SondeGradientContext *context, SondeGraphValue *const *inputs,
                          guint n)
{
  const SondeNode *like = context->node;
  SondeNode *node
      = sonde_graph_add_node (context->graph, NULL, like->domain, like->op, inputs, n, 1);

  node->version = like->version;
  for (guint i = 0; i < like->attributes->len; i++)
    sonde_node_take_attribute (node,
                               sonde_attribute_copy (g_ptr_array_index (like->attributes, i)));
  (void) sonde_build_infer (context->graph, node, NULL);
  return node;
}

SondeGraphValue *
sonde_gradient_rule_binary (const SondeGradientContext *context, const char *op, SondeGraphValue *a,
                            SondeGraphValue *b)
{
  return sonde_build_binary (context->graph, op, a, b);
}

SondeGraphValue *
sonde_gradient_rule_with_number (const SondeGradientContext *context, const char *op,
                                 SondeGraphValue *a, double b)
{
  return sonde_build_binary (context->graph, op, a,
                             sonde_build_scalar (context->graph, a->type.dtype, b));
}

SondeGraphValue *
sonde_gradient_rule_where (const SondeGradientContext *context, SondeGraphValue *condition,
                           SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { condition, a, b };

  return sonde_build_op (context->graph, NULL, "", "Where", 3, inputs);
}

SondeTensor *
sonde_gradient_rule_constant (const SondeGraphValue *value)
{
  return value != NULL && value->constant != NULL && value->producer == NULL
             ? sonde_value_get_tensor (value->constant)
             : NULL;
}

SondeGradientRule *
sonde_gradient_rules_of_classes (SondeGradientRuleBuild *const builds[SONDE_N_ATTRIBUTION_CLASSES],
                                 SondeGradientRuleBuild *otherwise, const char *name, gpointer data,
                                 guint *n)
{
  gsize n_rows;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n_rows);
  SondeGradientRule *rules = g_new0 (SondeGradientRule, n_rows + 1);

  *n = 0;
  for (gsize i = 0; i < n_rows; i++)
    {
      SondeGradientRuleBuild *build = builds[rows[i]->attribution];

      if (*rows[i]->domain == '\0' && build != NULL)
        rules[(*n)++] = (SondeGradientRule){ "", rows[i]->name, NULL, name, build, data };
    }
  if (otherwise != NULL)
    rules[(*n)++] = (SondeGradientRule){ NULL, NULL, NULL, name, otherwise, data };
  return rules;
}
