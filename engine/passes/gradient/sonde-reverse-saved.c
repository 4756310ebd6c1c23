/* SPDX-License-Identifier: Apache-2.0
 * What a Loop or Scan gives for its gradient to read: values of its body, of all iterations. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/gradient/sonde-reverse-loop-private.h"

gint64
sonde_reverse_list_entry (const SondeNode *node, const char *name, guint k)
{
  gsize n = 0;
  const gint64 *list = sonde_node_get_ints (node, name, &n);

  return list != NULL && k < n ? list[k] : 0;
}

SondeGraphValue *
sonde_reverse_loop_input (const SondeReverseLoop *loop, guint k)
{
  return loop->body.forward->inputs->pdata[loop->first_input + k];
}

SondeGraphValue *
sonde_reverse_loop_result (const SondeReverseLoop *loop, guint k)
{
  return loop->body.forward->outputs->pdata[loop->first_result + k];
}

gboolean
sonde_reverse_can_stack (const SondeType *type)
{
  if (type->kind != SONDE_VALUE_TENSOR || type->rank < 0 || type->rank >= SONDE_MAX_RANK)
    return FALSE;
  for (int d = 0; d < type->rank; d++)
    if (type->dims[d].size < 0 && type->dims[d].symbol == NULL)
      return FALSE;
  return TRUE;
}

SondeGraphValue *
sonde_reverse_loop_ensure_output (SondeReverseLoop *loop, guint k, const SondeGraphValue *value)
{
  g_autofree char *name = g_strdup_printf ("saved(%s)", value->name);
  SondeGraphValue *output = sonde_node_get_output (loop->node, k);

  if (output == NULL)
    {
      output = sonde_graph_add_value (loop->outer->graph, name, NULL);
      sonde_node_set_output (loop->outer->graph, loop->node, k, output);
    }
  return output;
}

SondeGraphValue *
sonde_reverse_loop_save_stack (SondeReverseLoop *loop, SondeGraphValue *value)
{
  SondeGraph *forward = loop->body.forward;
  guint k = loop->first_result + loop->n_states;

  for (guint i = 0; k < forward->outputs->len; i++, k++)
    if (forward->outputs->pdata[k] == value
        && sonde_reverse_list_entry (loop->node, "scan_output_axes", i) == 0
        && sonde_reverse_list_entry (loop->node, "scan_output_directions", i) == 0)
      break;
  if (k == forward->outputs->len)
    sonde_graph_add_output (forward, value);
  return sonde_reverse_loop_ensure_output (loop, k - loop->first_result, value);
}

/* Carried value @k more, after the others. */
static void
insert_state (SondeReverseLoop *loop, SondeGraphValue *initial, SondeGraphValue *input,
              SondeGraphValue *result, SondeGraphValue *output)
{
  SondeNode *node = loop->node;
  SondeGraph *forward = loop->body.forward;
  guint k = loop->n_states++;

  input->role = SONDE_ROLE_INPUT;
  g_ptr_array_insert (forward->inputs, (int) (loop->first_input + k), input);
  g_ptr_array_insert (forward->outputs, (int) (loop->first_result + k), result);
  sonde_node_set_input (loop->outer->graph, node, node->inputs->len, initial);
  g_ptr_array_insert (node->inputs, (int) (loop->before + k),
                      g_ptr_array_steal_index (node->inputs, node->inputs->len - 1));
  while (node->outputs->len < k)
    g_ptr_array_add (node->outputs, NULL);
  g_ptr_array_insert (node->outputs, (int) k, output);
  output->producer = node;
  for (guint i = k; i < node->outputs->len; i++)
    if (node->outputs->pdata[i] != NULL)
      ((SondeGraphValue *) node->outputs->pdata[i])->producer_output = i;
}

SondeGraphValue *
sonde_reverse_loop_save_sequence (SondeReverseLoop *loop, SondeGraphValue *value)
{
  SondeGraph *graph = loop->outer->graph, *forward = loop->body.forward;
  g_autofree char *name = g_strdup_printf ("saved(%s)", value->name);
  SondeType type = { .kind = SONDE_VALUE_SEQUENCE, .dtype = value->type.dtype, .rank = -1 };
  SondeNode *empty = sonde_graph_add_node (graph, NULL, "", "SequenceEmpty", NULL, 0, 1);
  SondeGraphValue *input = sonde_graph_add_value (forward, name, &type);
  SondeGraphValue *inserted[] = { input, value };
  SondeNode *insert = sonde_graph_add_node (forward, NULL, "", "SequenceInsert", inserted, 2, 1);
  SondeGraphValue *output = sonde_graph_add_value (graph, name, &type);

  sonde_node_set_int (empty, "dtype", sonde_dtype_to_onnx (value->type.dtype));
  (void) sonde_build_infer (graph, empty, NULL);
  (void) sonde_build_infer (forward, insert, NULL);
  sonde_reverse_mark_extension (loop->outer, empty, loop->node);
  sonde_reverse_mark_extension (&loop->body.reverse, insert, loop->node);
  insert_state (loop, sonde_node_get_output (empty, 0), input, sonde_node_get_output (insert, 0),
                output);
  return output;
}
