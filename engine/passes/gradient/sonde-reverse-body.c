/* SPDX-License-Identifier: Apache-2.0
 * Gradients of bodies. They are built inside the body, where all its values can be read; then the
 * body is copied, and of the two one loses the gradient and the other everything else. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/gradient/sonde-reverse-private.h"
#include "engine/passes/sonde-subgraphs.h"

gboolean
sonde_reverse_body_init (SondeReverseBody *body, SondeReverse *outer, SondeGraph *forward,
                         GError **error)
{
  *body = (SondeReverseBody){ .forward = forward,
                              .first = forward->nodes->len,
                              .first_value = forward->values->len };
  body->cuts = g_ptr_array_new ();
  body->order = sonde_graph_sort (forward, error);
  if (body->order == NULL)
    return FALSE;
  sonde_reverse_init (&body->reverse, forward, outer->request, outer->target);
  for (guint i = 0; i < forward->values->len; i++)
    {
      SondeGraphValue *value = forward->values->pdata[i];

      if (value != NULL && value->outer != NULL && sonde_reverse_varies (outer, value->outer))
        sonde_reverse_want (&body->reverse, value);
    }
  sonde_reverse_mark (&body->reverse, body->order);
  return TRUE;
}

void
sonde_reverse_body_clear (SondeReverseBody *body)
{
  sonde_reverse_clear (&body->reverse);
  g_clear_pointer (&body->order, g_ptr_array_unref);
  g_clear_pointer (&body->cuts, g_ptr_array_unref);
  g_clear_pointer (&body->backward, sonde_graph_unref);
}

gboolean
sonde_reverse_infer (SondeNode *node, GError **error)
{
  guint n = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, n + 1);
  g_autofree SondeType *types = g_new0 (SondeType, n_outputs + 1);

  for (guint k = 0; k < n; k++)
    {
      SondeValue *fixed
          = node->inputs->pdata[k] ? sonde_fixed_value (node->inputs->pdata[k]) : NULL;

      known[k] = fixed != NULL ? sonde_value_get_tensor (fixed) : NULL;
    }
  if (!sonde_op_infer_node (node, known, types, NULL, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++)
    if (node->outputs->pdata[k] != NULL && types[k].kind != SONDE_VALUE_NONE)
      sonde_node_get_output (node, k)->type = types[k];
  return TRUE;
}

SondeGraphValue *
sonde_reverse_body_add_given (SondeReverseBody *body, const char *format,
                              const SondeGraphValue *like)
{
  g_autoptr (GString) name = g_string_new (format);

  g_string_replace (name, "%s", like->name, 1);
  return sonde_graph_add_value (body->forward, name->str, &like->type);
}

SondeGraphValue *
sonde_reverse_body_map (const SondeReverseBody *body, const SondeGraphValue *value)
{
  return value != NULL ? body->backward->values->pdata[value->id] : NULL;
}

void
sonde_reverse_body_take (SondeReverseBody *body, GPtrArray *captured, GPtrArray *gradients)
{
  for (guint i = 0; i < body->first_value; i++)
    {
      SondeGraphValue *value = body->forward->values->pdata[i];
      gboolean counts
          = value != NULL && value->outer != NULL && sonde_reverse_varies (&body->reverse, value);
      SondeGraphValue *gradient = counts ? sonde_reverse_take (&body->reverse, value) : NULL;
      guint k;

      if (gradient == NULL)
        continue;
      if (g_ptr_array_find (captured, value->outer, &k))
        {
          gradients->pdata[k]
              = sonde_build_binary (body->forward, "Add", gradients->pdata[k], gradient);
          continue;
        }
      g_ptr_array_add (captured, value->outer);
      g_ptr_array_add (gradients, gradient);
    }
}

static gboolean
is_backward (const SondeReverseBody *body, const SondeNode *node)
{
  return node->id >= body->first
         && !g_hash_table_contains (body->reverse.extensions, (gpointer) node);
}

/* Nothing reads it, and it is no input or output. */
static gboolean
is_unused (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->producer == NULL && value->users->len == 0
         && (value->captures == NULL || value->captures->len == 0)
         && !g_ptr_array_find (graph->inputs, value, NULL)
         && !g_ptr_array_find (graph->outputs, value, NULL);
}

/* Values that @remove's nodes made or alone read go with them. */
static void
remove_nodes (SondeGraph *graph, const GByteArray *remove)
{
  g_autoptr (GPtrArray) touched = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint id = graph->nodes->len; id-- > 0;)
    {
      SondeNode *node = graph->nodes->pdata[id];

      if (node == NULL || !remove->data[id])
        continue;
      for (guint k = 0; k < node->inputs->len; k++)
        if (node->inputs->pdata[k] != NULL && g_hash_table_add (seen, node->inputs->pdata[k]))
          g_ptr_array_add (touched, node->inputs->pdata[k]);
      for (guint k = 0; k < node->outputs->len; k++)
        if (node->outputs->pdata[k] != NULL && g_hash_table_add (seen, node->outputs->pdata[k]))
          g_ptr_array_add (touched, node->outputs->pdata[k]);
      sonde_graph_remove_node (graph, node);
    }
  for (guint i = 0; i < touched->len; i++)
    if (is_unused (graph, touched->pdata[i]))
      sonde_graph_remove_value (graph, touched->pdata[i]);
}

static void
remove_unused (SondeGraph *graph, guint first)
{
  for (guint i = first; i < graph->values->len; i++)
    if (graph->values->pdata[i] != NULL && is_unused (graph, graph->values->pdata[i]))
      sonde_graph_remove_value (graph, graph->values->pdata[i]);
}

/* Of @value only the type is looked at, which is the same in every run. */
static gboolean
is_shape_only (const SondeGraph *graph, const SondeGraphValue *value)
{
  SondeShape shape;

  if (!sonde_type_get_shape (&value->type, &shape) || value->type.dtype == SONDE_DTYPE_STRING
      || (value->captures != NULL && value->captures->len > 0)
      || g_ptr_array_find (graph->outputs, value, NULL))
    return FALSE;
  for (int d = 0; d < value->type.rank; d++)
    if (value->type.dims[d].symbol != NULL)
      return FALSE;
  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = value->users->pdata[i];

      for (guint k = 0; k < user->inputs->len; k++)
        if (user->inputs->pdata[k] == value && sonde_reads_bytes (user, k))
          return FALSE;
    }
  return TRUE;
}

/* Something of its type will do for @value: it need not be kept from the forward run. */
static void
make_stand_in (SondeGraphValue *value)
{
  SondeShape shape;
  g_autoptr (SondeTensor) zeros = NULL;

  (void) sonde_type_get_shape (&value->type, &shape);
  zeros = sonde_tensor_new (value->type.dtype, &shape);
  value->constant = sonde_value_new_tensor (zeros);
  value->role = SONDE_ROLE_CONSTANT;
}

/* The copy keeps the gradient alone. */
static void
make_backward (SondeReverseBody *body, const GByteArray *forward_nodes, GPtrArray *given,
               GPtrArray *results)
{
  SondeGraph *backward = sonde_graph_copy (body->forward, FALSE);

  body->backward = backward;
  g_ptr_array_set_size (backward->inputs, 0);
  g_ptr_array_set_size (backward->outputs, 0);
  for (guint i = 0; i < results->len; i++)
    sonde_graph_add_output (backward, sonde_reverse_body_map (body, results->pdata[i]));
  for (guint i = 0; i < given->len; i++)
    g_ptr_array_add (backward->inputs, sonde_reverse_body_map (body, given->pdata[i]));
  for (guint i = 0; i < backward->values->len; i++)
    if (backward->values->pdata[i] != NULL)
      {
        ((SondeGraphValue *) backward->values->pdata[i])->role
            = ((SondeGraphValue *) backward->values->pdata[i])->constant != NULL
                  ? SONDE_ROLE_CONSTANT
                  : SONDE_ROLE_NORMAL;
        ((SondeGraphValue *) backward->values->pdata[i])->update_of = NULL;
      }
  remove_nodes (backward, forward_nodes);
  remove_unused (backward, 0);
  for (guint i = 0; i < backward->values->len; i++)
    {
      SondeGraphValue *value = backward->values->pdata[i];

      if (value == NULL || value->producer != NULL || value->outer != NULL
          || value->constant != NULL || g_ptr_array_find (backward->inputs, value, NULL))
        continue;
      if (is_shape_only (backward, value))
        make_stand_in (value);
      else
        g_ptr_array_add (body->cuts, value);
    }
}

void
sonde_reverse_body_split (SondeReverseBody *body, const SondeNode *origin, GPtrArray *given,
                          GPtrArray *results)
{
  SondeGraph *forward = body->forward;
  g_autoptr (GByteArray) backward_nodes = g_byte_array_new (), forward_nodes = g_byte_array_new ();

  for (guint id = 0; id < forward->nodes->len; id++)
    {
      SondeNode *node = forward->nodes->pdata[id];
      guint8 is_new = node != NULL && is_backward (body, node), is_old = !is_new;

      if (is_new && node->origins->len == 0)
        sonde_node_add_origin (node, origin, SONDE_ORIGIN_GRADIENT);
      if (is_new)
        node->phase = SONDE_PHASE_BACKWARD;
      g_byte_array_append (backward_nodes, &is_new, 1);
      g_byte_array_append (forward_nodes, &is_old, 1);
    }
  make_backward (body, forward_nodes, given, results);
  remove_nodes (forward, backward_nodes);
  remove_unused (forward, body->first_value);
}
