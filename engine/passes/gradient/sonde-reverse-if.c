/* SPDX-License-Identifier: Apache-2.0
 * The gradient of If: an If with the same condition. What the gradient of a branch reads becomes an
 * output of the forward If; the other branch gives something empty in its place. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/gradient/sonde-reverse-private.h"

#include <string.h>

static const char *const branch_names[] = { "then_branch", "else_branch" };

/**
 * Branches: of one If; all arrays are of SondeGraphValue
 * @given, @seeds: of each branch: what its gradient is given, and what that is outside
 * @captured, @results: of each branch: what it captures, and the gradients
 * @outputs: what either captures: their gradients are the outputs
 */
typedef struct
{
  SondeReverse *outer;
  SondeNode *node;
  SondeGraphValue *const *output_gradients;
  SondeReverseBody bodies[2];
  GPtrArray *given[2], *seeds[2], *captured[2], *results[2];
  GPtrArray *outputs;
} Branches;

static void
branches_init (Branches *branches, SondeReverse *outer, SondeNode *node,
               SondeGraphValue *const *output_gradients)
{
  *branches = (Branches){ .outer = outer, .node = node, .output_gradients = output_gradients };
  branches->outputs = g_ptr_array_new ();
  for (int b = 0; b < 2; b++)
    {
      branches->given[b] = g_ptr_array_new ();
      branches->seeds[b] = g_ptr_array_new ();
      branches->captured[b] = g_ptr_array_new ();
      branches->results[b] = g_ptr_array_new ();
    }
}

static void
branches_clear (Branches *branches)
{
  for (int b = 0; b < 2; b++)
    {
      sonde_reverse_body_clear (&branches->bodies[b]);
      g_clear_pointer (&branches->given[b], g_ptr_array_unref);
      g_clear_pointer (&branches->seeds[b], g_ptr_array_unref);
      g_clear_pointer (&branches->captured[b], g_ptr_array_unref);
      g_clear_pointer (&branches->results[b], g_ptr_array_unref);
    }
  g_clear_pointer (&branches->outputs, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Branches, branches_clear)

/* A capture in the gradient of what @outer is, in the place of @value. */
static void
capture_instead (SondeGraph *backward, SondeGraphValue *value, SondeGraphValue *outer)
{
  SondeGraphValue *capture = sonde_graph_add_capture (backward, outer->name, outer);

  sonde_graph_replace_value (backward, value, capture);
  sonde_graph_remove_value (backward, value);
}

/* ---- one branch ---------------------------------------------------------- */

static gboolean
differentiate (Branches *branches, guint b, GError **error)
{
  SondeReverseBody *body = &branches->bodies[b];
  SondeGraph *forward = body->forward;

  for (guint k = 0; k < branches->node->outputs->len && k < forward->outputs->len; k++)
    {
      SondeGraphValue *result = forward->outputs->pdata[k], *seed = NULL;

      if (branches->output_gradients[k] == NULL || !sonde_reverse_varies (&body->reverse, result))
        continue;
      seed = sonde_reverse_body_add_given (body, "grad(%s)", result);
      g_ptr_array_add (branches->given[b], seed);
      g_ptr_array_add (branches->seeds[b], branches->output_gradients[k]);
      sonde_reverse_contribute (&body->reverse, result, G_MAXUINT, k, seed);
    }
  if (!sonde_reverse_run (&body->reverse, body->order, error))
    {
      sonde_prefix_error (error, "in the %s of node “%s”: ", branch_names[b], branches->node->name);
      return FALSE;
    }
  sonde_reverse_body_take (body, branches->captured[b], branches->results[b]);
  for (guint i = 0; i < branches->captured[b]->len; i++)
    if (!g_ptr_array_find (branches->outputs, branches->captured[b]->pdata[i], NULL))
      g_ptr_array_add (branches->outputs, branches->captured[b]->pdata[i]);
  return TRUE;
}

/* ---- what the forward If gives ------------------------------------------- */

/* As good as nothing, of the type of @value as far as that is known. */
static SondeGraphValue *
add_empty (SondeReverse *reverse, const SondeNode *origin, SondeGraph *graph,
           const SondeGraphValue *value)
{
  SondeShape shape = { .rank = CLAMP (value->type.rank, 0, SONDE_MAX_RANK) };
  SondeDtype dtype = value->type.dtype != SONDE_DTYPE_INVALID ? value->type.dtype : SONDE_DTYPE_F32;
  g_autoptr (SondeTensor) tensor = NULL;

  if (value->type.kind == SONDE_VALUE_SEQUENCE)
    {
      SondeNode *node = sonde_graph_add_node (graph, NULL, "", "SequenceEmpty", NULL, 0, 1);

      sonde_node_set_int (node, "dtype", sonde_dtype_to_onnx (dtype));
      node->phase = origin->phase;
      sonde_node_add_origin (node, origin, SONDE_ORIGIN_INSERTED);
      (void) sonde_build_infer (graph, node, NULL);
      return sonde_node_get_output (node, 0);
    }
  tensor = sonde_tensor_new (dtype, &shape);
  return sonde_build_constant (graph, NULL, tensor);
}

/* @value of branch @b as an output of the If, perhaps one that is there already. */
static SondeGraphValue *
save_value (Branches *branches, guint b, SondeGraphValue *value)
{
  SondeNode *node = branches->node;
  SondeGraph *forward = branches->bodies[b].forward, *other = branches->bodies[1 - b].forward;
  g_autofree char *name = g_strdup_printf ("saved(%s)", value->name);
  SondeGraphValue *saved = NULL;
  guint k = 0;

  while (k < forward->outputs->len && forward->outputs->pdata[k] != value)
    k++;
  if (k == forward->outputs->len)
    {
      sonde_graph_add_output (forward, value);
      sonde_graph_add_output (other, add_empty (branches->outer, node, other, value));
    }
  saved = sonde_node_get_output (node, k);
  if (saved == NULL)
    {
      saved = sonde_graph_add_value (branches->outer->graph, name, NULL);
      sonde_node_set_output (branches->outer->graph, node, k, saved);
    }
  return saved;
}

/* ---- the If of the gradient ---------------------------------------------- */

/* The gradients of branch @b in the order of the outputs. */
static GPtrArray *
order_results (Branches *branches, guint b)
{
  GPtrArray *ordered = g_ptr_array_new ();
  SondeGraph *forward = branches->bodies[b].forward;

  for (guint i = 0; i < branches->outputs->len; i++)
    {
      SondeGraphValue *value = branches->outputs->pdata[i];
      guint k;

      if (g_ptr_array_find (branches->captured[b], value, &k))
        g_ptr_array_add (ordered, branches->results[b]->pdata[k]);
      else
        g_ptr_array_add (
            ordered, sonde_reverse_fill (
                         forward, sonde_graph_add_capture (forward, value->name, value), 0, NULL));
    }
  return ordered;
}

static void
split (Branches *branches, guint b)
{
  SondeReverseBody *body = &branches->bodies[b];
  g_autoptr (GPtrArray) results = order_results (branches, b);
  g_autoptr (GPtrArray) inputs = NULL;

  sonde_reverse_body_split (body, branches->node, branches->given[b], results);
  inputs = g_ptr_array_copy (body->backward->inputs, NULL, NULL);
  g_ptr_array_set_size (body->backward->inputs, 0);
  for (guint i = 0; i < inputs->len; i++)
    capture_instead (body->backward, inputs->pdata[i], branches->seeds[b]->pdata[i]);
  for (guint i = 0; i < body->cuts->len; i++)
    {
      SondeGraphValue *cut = body->cuts->pdata[i];

      capture_instead (body->backward, cut,
                       save_value (branches, b, body->forward->values->pdata[cut->id]));
    }
}

static gboolean
add_node (Branches *branches, GError **error)
{
  SondeReverse *outer = branches->outer;
  SondeGraph *graph = outer->graph;
  SondeNode *origin = branches->node;
  g_autofree char *name = g_strdup_printf ("grad(%s)", origin->name);
  guint first = graph->nodes->len;
  SondeNode *node = NULL;

  if (!sonde_reverse_infer (origin, error))
    return FALSE;
  node = sonde_graph_add_node (graph, name, "", "If",
                               (SondeGraphValue *const *) origin->inputs->pdata, 1,
                               branches->outputs->len);
  for (int b = 0; b < 2; b++)
    sonde_node_take_graph (node, branch_names[b], sonde_graph_ref (branches->bodies[b].backward));
  if (!sonde_reverse_infer (node, error))
    return FALSE;
  sonde_reverse_mark_nodes (outer, origin, first, NULL, 0);
  for (guint k = 0; k < branches->outputs->len; k++)
    sonde_reverse_contribute (outer, branches->outputs->pdata[k], origin->id,
                              origin->inputs->len + k, node->outputs->pdata[k]);
  return TRUE;
}

/* Zeros for what one branch alone reads are tensors. */
static gboolean
check_outputs (const Branches *branches, GError **error)
{
  for (guint i = 0; i < branches->outputs->len; i++)
    {
      SondeGraphValue *value = branches->outputs->pdata[i];

      if (value->type.kind == SONDE_VALUE_TENSOR || value->type.kind == SONDE_VALUE_NONE
          || (g_ptr_array_find (branches->captured[0], value, NULL)
              && g_ptr_array_find (branches->captured[1], value, NULL)))
        continue;
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s” (If): “%s” is read by one branch only and is not a tensor, and "
                       "“%s” depends on it; such a value has no gradient",
                       branches->node->name, value->name, branches->outer->target);
      return FALSE;
    }
  return TRUE;
}

/* What one branch gives on must be what the other gives in that place. */
static gboolean
check_branches (const SondeNode *node, GError **error)
{
  const SondeGraph *branches[]
      = { sonde_node_get_graph (node, "then_branch"), sonde_node_get_graph (node, "else_branch") };

  if (branches[0] != NULL && branches[1] != NULL && branches[0] != branches[1]
      && node->inputs->len == 1 && branches[0]->outputs->len == branches[1]->outputs->len
      && branches[0]->outputs->len >= node->outputs->len)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "node “%s” (If): for a gradient, both branches must return as many values as "
                   "the node has outputs",
                   node->name);
  return FALSE;
}

gboolean
sonde_reverse_if (SondeReverse *reverse, SondeNode *node, SondeGraphValue *const *output_gradients,
                  GError **error)
{
  g_auto (Branches) branches = { .outer = NULL };

  branches_init (&branches, reverse, node, output_gradients);
  if (!check_branches (node, error))
    return FALSE;
  for (guint b = 0; b < 2; b++)
    if (!sonde_reverse_body_init (&branches.bodies[b], reverse,
                                  sonde_node_get_graph (node, branch_names[b]), error)
        || !differentiate (&branches, b, error))
      return FALSE;
  if (branches.outputs->len == 0)
    return TRUE;
  if (!check_outputs (&branches, error))
    return FALSE;
  for (guint b = 0; b < 2; b++)
    split (&branches, b);
  return add_node (&branches, error);
}
