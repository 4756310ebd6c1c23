/* SPDX-License-Identifier: Apache-2.0
 * Operators that copy elements. What comes from where the operator says itself: it runs on tensors
 * whose elements are numbered, so that indices, pads and permutations are understood by one program
 * only. */
#include "engine/ops/sonde-op-dependency-rules.h"

#define MAX_COPIES                                                                                 \
  65536 /* of one element that a gradient sums up; beyond that everything is reached */

/* 1, 2, 3, … from @first on; 0 is what no input holds. */
static SondeTensor *
number (const SondeShape *shape, SondeDtype dtype, gint64 first)
{
  SondeTensor *tensor = sonde_tensor_new (dtype, shape);
  const gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    if (dtype == SONDE_DTYPE_I64)
      ((gint64 *) (void *) tensor->data)[i] = first + i;
    else
      ((double *) (void *) tensor->data)[i] = (double) (first + i);
  return tensor;
}

/* Copying operators take any type; those that compare, and gradients, want floats, all of one
 * type. */
static SondeDtype
numbers_dtype (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);
  const gboolean any = klass != NULL && *node->domain == '\0'
                       && (klass->family == SONDE_FAMILY_SHAPE || klass->family == SONDE_FAMILY_DATA
                           || sonde_node_is (node, SONDE_OP_ID_WHERE));

  return any ? SONDE_DTYPE_I64 : SONDE_DTYPE_F64;
}

/* (element-type SondeTensor) (transfer full) */
static GPtrArray *
number_inputs (const SondeReachContext *context, SondeDtype dtype)
{
  GPtrArray *tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  gint64 next = 1;

  for (guint k = 0; k < context->n_inputs; k++)
    {
      SondeTensor *tensor = context->inputs[k];

      if (tensor == NULL)
        g_ptr_array_add (tensors, NULL);
      else if (context->mask >> MIN (k, 31) & 1)
        {
          g_ptr_array_add (tensors, number (&tensor->shape, dtype, next));
          next += sonde_tensor_n_elements (tensor);
        }
      else if (dtype == SONDE_DTYPE_F64 && sonde_dtype_is_float (tensor->dtype))
        g_ptr_array_add (tensors, sonde_tensor_cast (tensor, SONDE_DTYPE_F64));
      else
        g_ptr_array_add (tensors, sonde_tensor_ref (tensor));
    }
  return tensors;
}

/* Adds the element that has @found as its number. */
static void
add_numbered (SondeReachContext *context, gint64 found)
{
  gint64 next = 1;

  for (guint k = 0; k < context->n_inputs && found >= next; k++)
    if (context->inputs[k] != NULL && (context->mask >> MIN (k, 31) & 1))
      {
        const gint64 n = sonde_tensor_n_elements (context->inputs[k]);

        if (found < next + n)
          sonde_reach_add_element (context, k, found - next);
        next += n;
      }
}

gboolean
sonde_reach_moved (SondeReachContext *context)
{
  g_autoptr (GPtrArray) tensors = number_inputs (context, numbers_dtype (context->node));
  const guint n_outputs = context->node->outputs->len;
  g_autofree SondeTensor **outputs = g_new0 (SondeTensor *, n_outputs + 1);
  gboolean good;

  if (!sonde_op_run_reference (context->node, (SondeTensor *const *) tensors->pdata,
                               context->n_inputs, outputs, n_outputs, NULL))
    return FALSE;
  good = context->output < n_outputs && outputs[context->output] != NULL
         && context->element < sonde_tensor_n_elements (outputs[context->output]);
  if (good)
    add_numbered (context,
                  (gint64) sonde_tensor_get_double (outputs[context->output], context->element));
  for (guint k = 0; k < n_outputs; k++)
    sonde_tensor_unref (outputs[k]);
  return good;
}

/* With a reduction several updates meet in an element; which ones is left to a trial. */
gboolean
sonde_reach_scatter (SondeReachContext *context)
{
  if (g_str_equal (sonde_node_get_string (context->node, "reduction", "none"), "none"))
    return sonde_reach_moved (context);
  sonde_reach_add_element (context, 0, context->element);
  sonde_reach_add_whole (context, 2);
  return TRUE;
}

/* ---- gradients of copies ------------------------------------------------- */

/* The gradient's inputs without dy are the operator's own. @third: absent input put in behind the
 * second */
static const struct
{
  const char *op, *forward;
  gboolean third;
} backs[] = {
  { "SliceGrad", "Slice", FALSE },       { "PadGrad", "Pad", TRUE },
  { "TileGrad", "Tile", FALSE },         { "GatherGrad", "Gather", FALSE },
  { "GatherNDGrad", "GatherND", FALSE },
};

/* Which element of x each element of dy belongs to, from 1. (transfer full) (nullable) */
static SondeTensor *
run_forward (const SondeReachContext *context, const char *op, gboolean third)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  g_autoptr (SondeTensor) numbers = number (&context->inputs[1]->shape, SONDE_DTYPE_I64, 1);
  SondeTensor *result = NULL;
  SondeNode *node;

  for (guint k = 1; k < context->n_inputs; k++)
    {
      SondeTensor *tensor = k == 1 ? numbers : context->inputs[k];

      if (k == 3 && third)
        {
          g_ptr_array_add (tensors, NULL);
          g_ptr_array_add (values, NULL);
        }
      g_ptr_array_add (tensors, tensor);
      g_ptr_array_add (values, tensor != NULL ? sonde_graph_add_value (graph, NULL, NULL) : NULL);
    }
  node = sonde_graph_add_node (graph, NULL, "", op, (SondeGraphValue *const *) values->pdata,
                               values->len, 1);
  for (guint i = 0; i < context->node->attributes->len; i++)
    sonde_node_take_attribute (
        node, sonde_attribute_copy (g_ptr_array_index (context->node->attributes, i)));
  sonde_op_run_reference (node, (SondeTensor *const *) tensors->pdata, tensors->len, &result, 1,
                          NULL);
  return result;
}

gboolean
sonde_reach_moved_back (SondeReachContext *context)
{
  g_autoptr (SondeTensor) places = NULL;
  const gint64 *numbers;
  gint64 n, found = 0;

  if (context->n_inputs < 2 || context->inputs[0] == NULL || context->inputs[1] == NULL)
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (backs); i++)
    if (g_str_equal (backs[i].op, context->node->op))
      places = run_forward (context, backs[i].forward, backs[i].third);
  n = sonde_tensor_n_elements (context->inputs[0]);
  if (places == NULL || places->dtype != SONDE_DTYPE_I64 || sonde_tensor_n_elements (places) != n)
    return FALSE;
  numbers = (const gint64 *) (const void *) places->data;
  for (gint64 i = 0; i < n && found <= MAX_COPIES; i++)
    if (numbers[i] == context->element + 1)
      {
        sonde_reach_add_element (context, 0, i);
        found++;
      }
  return found <= MAX_COPIES;
}
