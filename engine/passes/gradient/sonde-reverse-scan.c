/* SPDX-License-Identifier: Apache-2.0
 * The Scan that is the gradient of a Loop or Scan: over the iterations, the last first. Values
 * whose sizes may change from iteration to iteration come as items of a sequence. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/gradient/sonde-reverse-loop-private.h"

/**
 * Backward: the Scan while it is put together; each array is of SondeGraphValue
 * @inputs, @initial: states: of its body, and what they are at first
 * @results: of the states
 * @entries, @sources: what is scanned, of its body and outside; @axes, @directions: of it (gint64)
 * @number: (nullable): the number of the iteration, in its body
 */
typedef struct
{
  GPtrArray *inputs, *initial, *results;
  GPtrArray *entries, *sources;
  GArray *axes, *directions;
  SondeGraphValue *number;
} Backward;

static void
backward_init (Backward *backward)
{
  *backward = (Backward){ .number = NULL };
  backward->inputs = g_ptr_array_new ();
  backward->initial = g_ptr_array_new ();
  backward->results = g_ptr_array_new ();
  backward->entries = g_ptr_array_new ();
  backward->sources = g_ptr_array_new ();
  backward->axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  backward->directions = g_array_new (FALSE, FALSE, sizeof (gint64));
}

static void
backward_clear (Backward *backward)
{
  g_clear_pointer (&backward->inputs, g_ptr_array_unref);
  g_clear_pointer (&backward->initial, g_ptr_array_unref);
  g_clear_pointer (&backward->results, g_ptr_array_unref);
  g_clear_pointer (&backward->entries, g_ptr_array_unref);
  g_clear_pointer (&backward->sources, g_ptr_array_unref);
  g_clear_pointer (&backward->axes, g_array_unref);
  g_clear_pointer (&backward->directions, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Backward, backward_clear)

static void
scan (Backward *backward, SondeGraphValue *entry, SondeGraphValue *source, gint64 axis,
      gint64 direction)
{
  g_ptr_array_add (backward->entries, entry);
  g_ptr_array_add (backward->sources, source);
  g_array_append_val (backward->axes, axis);
  g_array_append_val (backward->directions, direction);
}

static void
carry (Backward *backward, SondeGraphValue *input, SondeGraphValue *initial,
       SondeGraphValue *result)
{
  g_ptr_array_add (backward->inputs, input);
  g_ptr_array_add (backward->initial, initial);
  g_ptr_array_add (backward->results, result);
}

/* Scanned input @i of a Scan, the other way round. */
static void
scan_input (SondeReverseLoop *loop, Backward *backward, SondeGraphValue *entry, guint i)
{
  scan (backward, entry, sonde_node_get_input (loop->node, loop->before + loop->n_states + i),
        sonde_reverse_list_entry (loop->node, "scan_input_axes", i),
        !sonde_reverse_list_entry (loop->node, "scan_input_directions", i));
}

/* A value that the body of the Scan makes for itself. */
static SondeGraphValue *
build_inside (SondeReverseLoop *loop, const char *op, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *value = sonde_build_binary (loop->body.backward, op, a, b);

  value->producer->phase = SONDE_PHASE_BACKWARD;
  value->producer->scope = loop->node->scope;
  sonde_node_add_origin (value->producer, loop->node, SONDE_ORIGIN_GRADIENT);
  return value;
}

/* A Scan does not count: a state does, down from the end of @sequence. */
static void
add_number (SondeReverseLoop *loop, Backward *backward, SondeGraphValue *sequence)
{
  SondeGraph *graph = loop->outer->graph, *body = loop->body.backward;
  SondeGraphValue *length = sonde_build_unary (graph, "SequenceLength", sequence);
  SondeShape shape = sonde_shape_scalar ();
  SondeType type = sonde_type_tensor (SONDE_DTYPE_I64, &shape);

  backward->number = sonde_graph_add_value (body, "iteration", &type);
  carry (
      backward, backward->number,
      sonde_build_binary (graph, "Sub", length, sonde_build_scalar (graph, SONDE_DTYPE_I64, 1)),
      build_inside (loop, "Sub", backward->number, sonde_build_scalar (body, SONDE_DTYPE_I64, 1)));
}

/* The item of this iteration. */
static SondeGraphValue *
read_item (SondeReverseLoop *loop, Backward *backward, SondeGraphValue *sequence)
{
  if (backward->number == NULL)
    add_number (loop, backward, sequence);
  return build_inside (loop, "SequenceAt",
                       sonde_graph_add_capture (loop->body.backward, sequence->name, sequence),
                       backward->number);
}

static gboolean
give_saved (SondeReverseLoop *loop, Backward *backward, SondeGraphValue *cut, GError **error)
{
  SondeGraphValue *value = loop->body.forward->values->pdata[cut->id];

  if (sonde_reverse_can_stack (&value->type))
    scan (backward, cut, sonde_reverse_loop_save_stack (loop, value), 0, 1);
  else if (value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype != SONDE_DTYPE_INVALID)
    {
      SondeGraphValue *item
          = read_item (loop, backward, sonde_reverse_loop_save_sequence (loop, value));

      item->type = value->type;
      sonde_graph_replace_value (loop->body.backward, cut, item);
      sonde_graph_remove_value (loop->body.backward, cut);
    }
  else
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
          "node “%s” (%s): its gradient needs “%s” of every iteration, which is not a tensor "
          "of a known element "
          "type",
          loop->node->name, loop->node->op, value->name);
      return FALSE;
    }
  return TRUE;
}

/* @cut becomes something that is there in every iteration. */
static gboolean
give_cut (SondeReverseLoop *loop, Backward *backward, SondeGraphValue *cut, GError **error)
{
  SondeGraph *forward = loop->body.forward;
  guint k = 0;

  while (k < forward->inputs->len && ((SondeGraphValue *) forward->inputs->pdata[k])->id != cut->id)
    k++;
  if (loop->is_scan && k >= loop->n_states && k < forward->inputs->len)
    {
      scan_input (loop, backward, cut, k - loop->n_states);
      return TRUE;
    }
  if (!loop->is_scan && k == 1) /* the condition: it held */
    {
      SondeShape shape = { .rank = cut->type.rank == 1 ? 1 : 0, .dims = { 1 } };
      g_autoptr (SondeTensor) truth = sonde_tensor_new (SONDE_DTYPE_BOOL, &shape);

      sonde_tensor_set_double (truth, 0, 1);
      sonde_graph_replace_value (loop->body.backward, cut,
                                 sonde_build_constant (loop->body.backward, NULL, truth));
      sonde_graph_remove_value (loop->body.backward, cut);
      return TRUE;
    }
  return give_saved (loop, backward, cut, error);
}

/* A value of the forward body that the Scan can be told to scan, so that it knows how often. */
static void
count_iterations (SondeReverseLoop *loop, Backward *backward)
{
  SondeGraphValue *value = loop->body.forward->inputs->pdata[loop->is_scan ? loop->n_states : 0],
                  *entry = NULL;

  if (backward->entries->len > 0)
    return;
  entry = sonde_graph_add_value (loop->body.backward, value->name, &value->type);
  if (loop->is_scan)
    scan_input (loop, backward, entry, 0);
  else
    scan (backward, entry, sonde_reverse_loop_save_stack (loop, value), 0, 1);
}

/* The gradient that flows into what is carried after the last iteration. */
static SondeGraphValue *
final_gradient (SondeReverseLoop *loop, guint k)
{
  if (k < loop->node->outputs->len && loop->output_gradients[k] != NULL)
    return loop->output_gradients[k];
  return sonde_reverse_fill (
      loop->outer->graph,
      sonde_reverse_loop_ensure_output (loop, k, sonde_reverse_loop_result (loop, k)), 0, NULL);
}

static gboolean
give_all (SondeReverseLoop *loop, Backward *backward, guint n_states, GError **error)
{
  SondeGraph *body = loop->body.backward;
  g_autoptr (GPtrArray) given = g_ptr_array_copy (body->inputs, NULL, NULL);
  guint n = 0;

  for (guint k = 0; k < n_states; k++)
    if (loop->active[k])
      {
        carry (backward, given->pdata[n], final_gradient (loop, k), body->outputs->pdata[n]);
        n++;
      }
  for (guint i = 0; i < loop->captured->len; i++, n++)
    carry (backward, given->pdata[n],
           sonde_reverse_fill (loop->outer->graph, loop->captured->pdata[i], 0, NULL),
           body->outputs->pdata[n]);
  for (guint i = 0; i < loop->n_collected; i++)
    if (loop->collected[i] != NULL)
      {
        guint k = n_states + i;

        scan (backward, given->pdata[n++], loop->output_gradients[k],
              sonde_reverse_list_entry (loop->node, "scan_output_axes", i),
              !sonde_reverse_list_entry (loop->node, "scan_output_directions", i));
      }
  for (guint i = 0; i < loop->body.cuts->len; i++)
    if (!give_cut (loop, backward, loop->body.cuts->pdata[i], error))
      return FALSE;
  count_iterations (loop, backward);
  return TRUE;
}

/* What the Scan gives: its states, then the gradients of what was scanned. */
static SondeNode *
build_scan (SondeReverseLoop *loop, Backward *backward, GPtrArray *scanned, GArray *axes,
            GArray *directions)
{
  SondeGraph *graph = loop->outer->graph, *body = loop->body.backward;
  g_autofree char *name = g_strdup_printf ("grad(%s)", loop->node->name);
  g_autoptr (GPtrArray) inputs = g_ptr_array_copy (backward->initial, NULL, NULL);
  SondeNode *node = NULL;

  g_ptr_array_extend (inputs, backward->sources, NULL, NULL);
  g_ptr_array_set_size (body->inputs, 0);
  g_ptr_array_set_size (body->outputs, 0);
  g_ptr_array_extend (body->inputs, backward->inputs, NULL, NULL);
  g_ptr_array_extend (body->inputs, backward->entries, NULL, NULL);
  g_ptr_array_extend (body->outputs, backward->results, NULL, NULL);
  g_ptr_array_extend (body->outputs, scanned, NULL, NULL);
  for (guint i = 0; i < body->inputs->len; i++)
    ((SondeGraphValue *) body->inputs->pdata[i])->role = SONDE_ROLE_INPUT;
  node = sonde_graph_add_node (graph, name, "", "Scan", (SondeGraphValue *const *) inputs->pdata,
                               inputs->len, body->outputs->len);
  sonde_node_take_graph (node, "body", sonde_graph_ref (body));
  sonde_node_set_int (node, "num_scan_inputs", backward->entries->len);
  sonde_node_set_ints (node, "scan_input_axes", (gint64 *) (void *) backward->axes->data,
                       backward->axes->len);
  sonde_node_set_ints (node, "scan_input_directions",
                       (gint64 *) (void *) backward->directions->data, backward->directions->len);
  if (scanned->len > 0)
    {
      sonde_node_set_ints (node, "scan_output_axes", (gint64 *) (void *) axes->data, axes->len);
      sonde_node_set_ints (node, "scan_output_directions", (gint64 *) (void *) directions->data,
                           directions->len);
    }
  return node;
}

static void
contribute_scanned (SondeReverseLoop *loop, guint i, guint n_states, SondeGraphValue *gradient)
{
  guint k = loop->before + n_states + i;
  SondeGraphValue *source = sonde_node_get_input (loop->node, loop->before + loop->n_states + i);
  SondeGraphValue *pair[] = { gradient, source };
  SondeShape shape;

  /* Without an iteration the other sizes are not known to the Scan. */
  if (!sonde_type_get_shape (&gradient->type, &shape))
    gradient = sonde_build_op (loop->outer->graph, NULL, SONDE_DOMAIN, "ReshapeLike", 2, pair);
  sonde_reverse_contribute (loop->outer, source, loop->node->id, k, gradient);
}

gboolean
sonde_reverse_loop_add_scan (SondeReverseLoop *loop, GError **error)
{
  g_auto (Backward) backward = { NULL };
  g_autoptr (GPtrArray) scanned = g_ptr_array_new ();
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) directions = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint first = loop->outer->graph->nodes->len, n_states = loop->n_states,
        n_inputs = loop->node->inputs->len, n = 0;
  SondeNode *node = NULL;

  for (guint k = 0; k < n_states; k++)
    n += loop->active[k] ? 1 : 0;
  n += loop->captured->len;
  for (guint i = 0; i < loop->n_scanned; i++)
    if (loop->scanned[i] != NULL)
      {
        gint64 axis = sonde_reverse_list_entry (loop->node, "scan_input_axes", i);
        gint64 direction = !sonde_reverse_list_entry (loop->node, "scan_input_directions", i);

        g_ptr_array_add (scanned, loop->body.backward->outputs->pdata[n + scanned->len]);
        g_array_append_val (axes, axis);
        g_array_append_val (directions, direction);
      }
  backward_init (&backward);
  if (!give_all (loop, &backward, n_states, error) || !sonde_reverse_infer (loop->node, error))
    return FALSE;
  node = build_scan (loop, &backward, scanned, axes, directions);
  if (!sonde_reverse_infer (node, error))
    return FALSE;
  n = 0;
  for (guint k = 0; k < n_states; k++)
    if (loop->active[k])
      {
        if (sonde_reverse_varies (loop->outer, sonde_node_get_input (loop->node, loop->before + k)))
          sonde_reverse_contribute (loop->outer,
                                    sonde_node_get_input (loop->node, loop->before + k),
                                    loop->node->id, loop->before + k, node->outputs->pdata[n]);
        n++;
      }
  for (guint i = 0; i < loop->captured->len; i++)
    sonde_reverse_contribute (loop->outer, loop->captured->pdata[i], loop->node->id, n_inputs + i,
                              node->outputs->pdata[n++]);
  n = backward.results->len;
  for (guint i = 0; i < loop->n_scanned; i++)
    if (loop->scanned[i] != NULL)
      contribute_scanned (loop, i, n_states, node->outputs->pdata[n++]);
  sonde_reverse_mark_nodes (loop->outer, loop->node, first, NULL, 0);
  return TRUE;
}
