/* SPDX-License-Identifier: Apache-2.0
 * Gradient of ai.onnx.preview.training: a node that asks for derivatives of a value by its name
 * becomes the nodes that compute them. */
#include "engine/passes/sonde-legalise.h"

#include <string.h>

#define DOMAIN "ai.onnx.preview.training"

static gboolean
keep (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  return TRUE;
}

/* Known to legalise, and left for sonde_pass_expand_gradient(). */
const SondeLegalisation sonde_legalisations_training[] = {
  { "Gradient", 0, keep, DOMAIN },
  { NULL },
};

/* The node takes the values that xs and zs name, in that order; others would mean to run the graph
 * on them. */
static gboolean
check_inputs (const SondeGraph *graph, const SondeNode *node, GError **error)
{
  static const char *const lists[] = { "xs", "zs" };
  guint k = 0;

  for (gsize l = 0; l < G_N_ELEMENTS (lists); l++)
    {
      const SondeAttribute *names = sonde_node_find_attribute (node, lists[l]);

      for (gsize i = 0; names != NULL && names->kind == SONDE_ATTRIBUTE_STRINGS && i < names->n;
           i++, k++)
        {
          SondeGraphValue *value = sonde_graph_find_value (graph, names->u.strings[i]);

          if (value != NULL && value == sonde_node_get_input (node, k))
            continue;
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                           "node “%s” (Gradient): input %u must be the value “%s” itself; "
                           "derivatives at other points are not implemented",
                           node->name, k, names->u.strings[i]);
          return FALSE;
        }
    }
  return TRUE;
}

/* A gradient of several elements is that of their sum: ones, where the shape is known, so that
 * higher derivatives meet elementwise nodes only. */
static gboolean
differentiate (SondeGraph *graph, SondeGraphValue *y, SondeGraphValue *const *xs, guint n,
               SondeGraphValue **gradients, GError **error)
{
  SondeGraphValue *seed = NULL;
  SondeShape shape;

  if (y->type.rank != 0 && sonde_type_get_shape (&y->type, &shape)
      && sonde_dtype_is_float (y->type.dtype))
    {
      g_autoptr (SondeTensor) ones
          = sonde_tensor_try_new (y->type.dtype, &shape, NULL, y->name, error);

      if (ones == NULL)
        return FALSE;
      for (gint64 i = 0; i < sonde_tensor_n_elements (ones); i++)
        sonde_tensor_set_double (ones, i, 1);
      seed = sonde_build_constant (graph, "ones", ones);
    }
  else if (y->type.rank != 0)
    {
      y = sonde_build_unary (graph, "ReduceSum", y);
      sonde_node_set_int (y->producer, "keepdims", 0);
      (void) sonde_build_infer (graph, y->producer, NULL);
    }
  return sonde_pass_gradient (graph, y, seed, xs, n, gradients, error);
}

static gboolean
derive (SondeGraph *graph, SondeNode *node, GError **error)
{
  const SondeAttribute *names = sonde_node_find_attribute (node, "xs");
  SondeGraphValue *y = sonde_graph_find_value (graph, sonde_node_get_string (node, "y", ""));
  guint n = names && names->kind == SONDE_ATTRIBUTE_STRINGS ? (guint) names->n : 0;
  g_autofree SondeGraphValue **gradients = g_new0 (SondeGraphValue *, n + 1);

  if (y == NULL || n == 0 || node->outputs->len > n)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "node “%s” (Gradient): it needs a value y of this graph, and at most one "
                       "output for each of xs",
                       node->name);
      return FALSE;
    }
  if (!check_inputs (graph, node, error)
      || !differentiate (graph, y, (SondeGraphValue **) node->inputs->pdata, n, gradients, error))
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *output = sonde_legalise_take_output (graph, node, k);
      SondeNode *identity
          = output ? sonde_legalise_add_node (graph, "Identity", gradients[k], NULL, output) : NULL;

      if (identity == NULL)
        continue;
      sonde_node_add_origin (identity, node, SONDE_ORIGIN_LEGALISED);
      (void) sonde_build_infer (graph, identity, NULL);
    }
  sonde_graph_remove_node (graph, node);
  return TRUE;
}

gboolean
sonde_pass_expand_gradient (SondeGraph *graph, GError **error)
{
  guint n = graph->nodes->len;

  for (guint i = 0; i < n; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];

      if (node != NULL && strcmp (node->op, "Gradient") == 0 && strcmp (node->domain, DOMAIN) == 0
          && !derive (graph, node, error))
        return FALSE;
    }
  return TRUE;
}
