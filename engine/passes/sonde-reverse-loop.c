/* SPDX-License-Identifier: Apache-2.0
 * The gradient of Loop and Scan: a Scan over the iterations, the last first. Its states are the gradients of what the
 * forward loop carries, and sums for what its body captures; it scans what the forward body gives it: one entry an
 * iteration. Values whose sizes may change from iteration to iteration come as items of a sequence. */
#include "engine/passes/sonde-reverse-private.h"

#include <string.h>

/**
 * Loop:
 * @first_input, @first_result: where what is carried begins among the body's inputs and results; @before: among the
 *   node's inputs
 * @n_states, @n_scanned, @n_collected: carried, scanned (Scan), collected values
 * @active: by state: a gradient flows into its result
 * @seeds: by state: given to the gradient, NULL where none flows; @next: what it hands on
 * @collected: by collected value: its gradient of this iteration
 * @scanned: by scanned input: its gradient, of this iteration
 * @captured, @gradients, @sums: (element-type SondeGraphValue): what the body captures, its gradient of this iteration,
 *   the sum so far
 */
typedef struct
{
  SondeReverse *outer;
  SondeNode *node;
  SondeGraphValue *const *output_gradients;
  SondeReverseBody body;
  gboolean is_scan;
  guint first_input, first_result, before;
  guint n_states, n_scanned, n_collected;
  gboolean *active;
  SondeGraphValue **seeds, **next, **collected, **scanned;
  GPtrArray *captured, *gradients, *sums;
} Loop;

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
loop_clear (Loop *loop)
{
  sonde_reverse_body_clear (&loop->body);
  g_clear_pointer (&loop->active, g_free);
  g_clear_pointer (&loop->seeds, g_free);
  g_clear_pointer (&loop->next, g_free);
  g_clear_pointer (&loop->collected, g_free);
  g_clear_pointer (&loop->scanned, g_free);
  g_clear_pointer (&loop->captured, g_ptr_array_unref);
  g_clear_pointer (&loop->gradients, g_ptr_array_unref);
  g_clear_pointer (&loop->sums, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Loop, loop_clear)

static void
backward_init (Backward *backward)
{
  *backward = (Backward) { .number = NULL };
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

static gint64
list_entry (const SondeNode *node,
            const char      *name,
            guint            k)
{
  gsize n = 0;
  const gint64 *list = sonde_node_get_ints (node, name, &n);

  return list != NULL && k < n ? list[k] : 0;
}

static SondeGraphValue *
body_input (const Loop *loop,
            guint       k)
{
  return loop->body.forward->inputs->pdata[loop->first_input + k];
}

static SondeGraphValue *
body_result (const Loop *loop,
             guint       k)
{
  return loop->body.forward->outputs->pdata[loop->first_result + k];
}

/* ---- parts ------------------------------------------------------------------------------------ */

static gboolean
find_parts (Loop    *loop,
            GError **error)
{
  SondeNode *node = loop->node;
  SondeGraph *body = sonde_node_get_graph (node, "body");
  guint before = loop->is_scan ? 0 : 2;
  guint n = node->inputs->len > before ? node->inputs->len - before : 0;
  gint64 n_scanned = loop->is_scan ? sonde_node_get_int (node, "num_scan_inputs", 0) : 0;

  loop->before = loop->first_input = before;
  loop->first_result = loop->is_scan ? 0 : 1;
  if (body == NULL || n_scanned < 0 || n_scanned > n || (loop->is_scan && n_scanned == 0)
      || body->inputs->len != n + loop->first_input || body->outputs->len < n - (guint) n_scanned + loop->first_result)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "node “%s” (%s): its inputs do not go with what its body takes and gives", node->name, node->op);
      return FALSE;
    }
  loop->n_scanned = (guint) n_scanned;
  loop->n_states = n - loop->n_scanned;
  loop->n_collected = body->outputs->len - loop->first_result - loop->n_states;
  loop->active = g_new0 (gboolean, loop->n_states + 1);
  loop->seeds = g_new0 (SondeGraphValue *, loop->n_states + 1);
  loop->next = g_new0 (SondeGraphValue *, loop->n_states + 1);
  loop->collected = g_new0 (SondeGraphValue *, loop->n_collected + 1);
  loop->scanned = g_new0 (SondeGraphValue *, loop->n_scanned + 1);
  loop->captured = g_ptr_array_new ();
  loop->gradients = g_ptr_array_new ();
  loop->sums = g_ptr_array_new ();
  return sonde_reverse_body_init (&loop->body, loop->outer, body, error);
}

/* What is carried varies when it does at first, or when an iteration makes it so. */
static void
mark_states (Loop *loop)
{
  SondeReverse *reverse = &loop->body.reverse;
  gboolean changed = TRUE;

  for (guint k = 0; k < loop->n_states + loop->n_scanned; k++)
    if (sonde_reverse_varies (loop->outer, sonde_node_get_input (loop->node, loop->before + k))
        && sonde_reverse_is_differentiable (body_input (loop, k)))
      sonde_reverse_want (reverse, body_input (loop, k));
  while (changed)
    {
      changed = FALSE;
      sonde_reverse_mark (reverse, loop->body.order);
      for (guint k = 0; k < loop->n_states; k++)
        if (sonde_reverse_varies (reverse, body_result (loop, k)) && !sonde_reverse_varies (reverse, body_input (loop, k))
            && sonde_reverse_is_differentiable (body_input (loop, k)))
          {
            sonde_reverse_want (reverse, body_input (loop, k));
            changed = TRUE;
          }
    }
}

/* A gradient flows into a result that somebody outside reads, and into what such a one is made from. */
static void
mark_active (Loop *loop)
{
  SondeReverse *reverse = &loop->body.reverse;
  g_autoptr (GHashTable) reached = g_hash_table_new (NULL, NULL);
  gboolean changed = TRUE;

  for (guint k = 0; k < loop->n_states + loop->n_collected; k++)
    if (k < loop->node->outputs->len && loop->output_gradients[k] != NULL)
      {
        g_hash_table_add (reached, body_result (loop, k));
        if (k < loop->n_states)
          loop->active[k] = sonde_reverse_varies (reverse, body_input (loop, k))
                            || sonde_reverse_varies (reverse, body_result (loop, k));
      }
  while (changed)
    {
      changed = FALSE;
      sonde_reverse_reach (reverse, loop->body.order, reached);
      for (guint k = 0; k < loop->n_states; k++)
        if (!loop->active[k] && sonde_reverse_varies (reverse, body_input (loop, k))
            && g_hash_table_contains (reached, body_input (loop, k)))
          {
            loop->active[k] = changed = TRUE;
            g_hash_table_add (reached, body_result (loop, k));
          }
    }
}

static gboolean
check_states (const Loop *loop,
              GError    **error)
{
  for (guint k = 0; k < loop->n_states; k++)
    {
      const SondeGraphValue *input = body_input (loop, k);

      if (!loop->active[k] || input->type.kind == SONDE_VALUE_TENSOR || input->type.kind == SONDE_VALUE_NONE)
        continue;
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s” (%s): “%s”, which it carries, is no tensor, and “%s” depends on it; only tensors that are "
                   "carried have gradients", loop->node->name, loop->node->op, input->name, loop->outer->target);
      return FALSE;
    }
  return TRUE;
}

/* ---- the gradient inside the body ------------------------------------------------------------- */

static void
give_seeds (Loop *loop)
{
  SondeReverse *reverse = &loop->body.reverse;

  for (guint k = 0; k < loop->n_states; k++)
    if (loop->active[k])
      {
        loop->seeds[k] = sonde_reverse_body_add_given (&loop->body, "grad(%s)", body_result (loop, k));
        sonde_reverse_contribute (reverse, body_result (loop, k), G_MAXUINT, k, loop->seeds[k]);
      }
  for (guint i = 0; i < loop->n_collected; i++)
    {
      guint k = loop->n_states + i;

      if (k >= loop->node->outputs->len || loop->output_gradients[k] == NULL
          || !sonde_reverse_varies (reverse, body_result (loop, k)))
        continue;
      loop->collected[i] = sonde_reverse_body_add_given (&loop->body, "grad(%s, collected)", body_result (loop, k));
      sonde_reverse_contribute (reverse, body_result (loop, k), G_MAXUINT, k, loop->collected[i]);
    }
}

static gboolean
differentiate (Loop    *loop,
               GError **error)
{
  SondeReverse *reverse = &loop->body.reverse;
  SondeGraph *forward = loop->body.forward;

  give_seeds (loop);
  if (!sonde_reverse_run (reverse, loop->body.order, error))
    {
      g_prefix_error (error, "in the body of node “%s”: ", loop->node->name);
      return FALSE;
    }
  for (guint k = 0; k < loop->n_states; k++)
    {
      if (!loop->active[k])
        continue;
      loop->next[k] = sonde_reverse_varies (reverse, body_input (loop, k))
                        ? sonde_reverse_take (reverse, body_input (loop, k))
                        : NULL;
      if (loop->next[k] == NULL)
        loop->next[k] = sonde_reverse_fill (forward, body_input (loop, k), 0, NULL);
    }
  for (guint i = 0; i < loop->n_scanned; i++)
    if (sonde_reverse_varies (reverse, body_input (loop, loop->n_states + i)))
      loop->scanned[i] = sonde_reverse_take (reverse, body_input (loop, loop->n_states + i));
  sonde_reverse_body_take (&loop->body, loop->captured, loop->gradients);
  for (guint i = 0; i < loop->captured->len; i++)
    {
      SondeGraphValue *sum = sonde_reverse_body_add_given (&loop->body, "sum(grad(%s))", loop->captured->pdata[i]);

      g_ptr_array_add (loop->sums, sum);
      loop->gradients->pdata[i] = sonde_build_binary (forward, "Add", sum, loop->gradients->pdata[i]);
    }
  return TRUE;
}

/* ---- what the forward loop gives -------------------------------------------------------------- */

/* The same in every iteration, and there is room for one dimension more. */
static gboolean
can_stack (const SondeType *type)
{
  if (type->kind != SONDE_VALUE_TENSOR || type->rank < 0 || type->rank >= SONDE_MAX_RANK)
    return FALSE;
  for (int d = 0; d < type->rank; d++)
    if (type->dims[d].size < 0 && type->dims[d].symbol == NULL)
      return FALSE;
  return TRUE;
}

/* Output @k of the node, which may have had no name yet. */
static SondeGraphValue *
ensure_output (Loop                  *loop,
               guint                  k,
               const SondeGraphValue *value)
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

/* @value of all iterations, along dimension 0: perhaps collected already. */
static SondeGraphValue *
save_stack (Loop            *loop,
            SondeGraphValue *value)
{
  SondeGraph *forward = loop->body.forward;
  guint k = loop->first_result + loop->n_states;

  for (guint i = 0; k < forward->outputs->len; i++, k++)
    if (forward->outputs->pdata[k] == value && list_entry (loop->node, "scan_output_axes", i) == 0
        && list_entry (loop->node, "scan_output_directions", i) == 0)
      break;
  if (k == forward->outputs->len)
    sonde_graph_add_output (forward, value);
  return ensure_output (loop, k - loop->first_result, value);
}

/* Carried value @k more, after the others. */
static void
insert_state (Loop            *loop,
              SondeGraphValue *initial,
              SondeGraphValue *input,
              SondeGraphValue *result,
              SondeGraphValue *output)
{
  SondeNode *node = loop->node;
  SondeGraph *forward = loop->body.forward;
  guint k = loop->n_states++;

  input->role = SONDE_ROLE_INPUT;
  g_ptr_array_insert (forward->inputs, (int) (loop->first_input + k), input);
  g_ptr_array_insert (forward->outputs, (int) (loop->first_result + k), result);
  sonde_node_set_input (loop->outer->graph, node, node->inputs->len, initial);
  g_ptr_array_insert (node->inputs, (int) (loop->before + k), g_ptr_array_steal_index (node->inputs, node->inputs->len - 1));
  while (node->outputs->len < k)
    g_ptr_array_add (node->outputs, NULL);
  g_ptr_array_insert (node->outputs, (int) k, output);
  output->producer = node;
  for (guint i = k; i < node->outputs->len; i++)
    if (node->outputs->pdata[i] != NULL)
      ((SondeGraphValue *) node->outputs->pdata[i])->producer_output = i;
}

/* @value of all iterations as a sequence. */
static SondeGraphValue *
save_sequence (Loop            *loop,
               SondeGraphValue *value)
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
  insert_state (loop, sonde_node_get_output (empty, 0), input, sonde_node_get_output (insert, 0), output);
  return output;
}

/* ---- the Scan --------------------------------------------------------------------------------- */

static void
scan (Backward        *backward,
      SondeGraphValue *entry,
      SondeGraphValue *source,
      gint64           axis,
      gint64           direction)
{
  g_ptr_array_add (backward->entries, entry);
  g_ptr_array_add (backward->sources, source);
  g_array_append_val (backward->axes, axis);
  g_array_append_val (backward->directions, direction);
}

static void
carry (Backward        *backward,
       SondeGraphValue *input,
       SondeGraphValue *initial,
       SondeGraphValue *result)
{
  g_ptr_array_add (backward->inputs, input);
  g_ptr_array_add (backward->initial, initial);
  g_ptr_array_add (backward->results, result);
}

/* Scanned input @i of a Scan, the other way round. */
static void
scan_input (Loop            *loop,
            Backward        *backward,
            SondeGraphValue *entry,
            guint            i)
{
  scan (backward, entry, sonde_node_get_input (loop->node, loop->before + loop->n_states + i),
        list_entry (loop->node, "scan_input_axes", i), !list_entry (loop->node, "scan_input_directions", i));
}

/* A value that the body of the Scan makes for itself. */
static SondeGraphValue *
build_inside (Loop            *loop,
              const char      *op,
              SondeGraphValue *a,
              SondeGraphValue *b)
{
  SondeGraphValue *value = sonde_build_binary (loop->body.backward, op, a, b);

  value->producer->phase = SONDE_PHASE_BACKWARD;
  value->producer->scope = loop->node->scope;
  sonde_node_add_origin (value->producer, loop->node, SONDE_ORIGIN_GRADIENT);
  return value;
}

/* A Scan does not count: a state does, down from the end of @sequence. */
static void
add_number (Loop            *loop,
            Backward        *backward,
            SondeGraphValue *sequence)
{
  SondeGraph *graph = loop->outer->graph, *body = loop->body.backward;
  SondeGraphValue *length = sonde_build_unary (graph, "SequenceLength", sequence);
  SondeShape shape = sonde_shape_scalar ();
  SondeType type = sonde_type_tensor (SONDE_DTYPE_I64, &shape);

  backward->number = sonde_graph_add_value (body, "iteration", &type);
  carry (backward, backward->number,
         sonde_build_binary (graph, "Sub", length, sonde_build_scalar (graph, SONDE_DTYPE_I64, 1)),
         build_inside (loop, "Sub", backward->number, sonde_build_scalar (body, SONDE_DTYPE_I64, 1)));
}

/* The item of this iteration. */
static SondeGraphValue *
read_item (Loop            *loop,
           Backward        *backward,
           SondeGraphValue *sequence)
{
  if (backward->number == NULL)
    add_number (loop, backward, sequence);
  return build_inside (loop, "SequenceAt", sonde_graph_add_capture (loop->body.backward, sequence->name, sequence),
                       backward->number);
}

static gboolean
give_saved (Loop            *loop,
            Backward        *backward,
            SondeGraphValue *cut,
            GError         **error)
{
  SondeGraphValue *value = loop->body.forward->values->pdata[cut->id];

  if (can_stack (&value->type))
    scan (backward, cut, save_stack (loop, value), 0, 1);
  else if (value->type.kind == SONDE_VALUE_TENSOR && value->type.dtype != SONDE_DTYPE_INVALID)
    {
      SondeGraphValue *item = read_item (loop, backward, save_sequence (loop, value));

      item->type = value->type;
      sonde_graph_replace_value (loop->body.backward, cut, item);
      sonde_graph_remove_value (loop->body.backward, cut);
    }
  else
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "node “%s” (%s): its gradient needs “%s” of every iteration, which is no tensor of a known element "
                   "type", loop->node->name, loop->node->op, value->name);
      return FALSE;
    }
  return TRUE;
}

/* @cut becomes something that is there in every iteration. */
static gboolean
give_cut (Loop            *loop,
          Backward        *backward,
          SondeGraphValue *cut,
          GError         **error)
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
      sonde_graph_replace_value (loop->body.backward, cut, sonde_build_constant (loop->body.backward, NULL, truth));
      sonde_graph_remove_value (loop->body.backward, cut);
      return TRUE;
    }
  return give_saved (loop, backward, cut, error);
}

/* A value of the forward body that the Scan can be told to scan, so that it knows how often. */
static void
count_iterations (Loop     *loop,
                  Backward *backward)
{
  SondeGraphValue *number = NULL;

  if (backward->entries->len > 0)
    return;
  number = loop->body.forward->inputs->pdata[0];
  if (loop->is_scan)
    number = body_input (loop, loop->n_states);
  else
    number->type = (SondeType) { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_I64,
                                 .rank = number->type.rank == 1 ? 1 : 0, .dims = { { 1, NULL } } };
  number = sonde_graph_add_value (loop->body.backward, number->name, &number->type);
  if (loop->is_scan)
    scan_input (loop, backward, number, 0);
  else
    scan (backward, number, save_stack (loop, loop->body.forward->inputs->pdata[0]), 0, 1);
}

/* The gradient that flows into what is carried after the last iteration. */
static SondeGraphValue *
final_gradient (Loop *loop,
                guint k)
{
  if (k < loop->node->outputs->len && loop->output_gradients[k] != NULL)
    return loop->output_gradients[k];
  return sonde_reverse_fill (loop->outer->graph, ensure_output (loop, k, body_result (loop, k)), 0, NULL);
}

static gboolean
give_all (Loop         *loop,
          Backward     *backward,
          guint         n_states,
          GError      **error)
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
           sonde_reverse_fill (loop->outer->graph, loop->captured->pdata[i], 0, NULL), body->outputs->pdata[n]);
  for (guint i = 0; i < loop->n_collected; i++)
    if (loop->collected[i] != NULL)
      {
        guint k = n_states + i;

        scan (backward, given->pdata[n++], loop->output_gradients[k],
              list_entry (loop->node, "scan_output_axes", i), !list_entry (loop->node, "scan_output_directions", i));
      }
  for (guint i = 0; i < loop->body.cuts->len; i++)
    if (!give_cut (loop, backward, loop->body.cuts->pdata[i], error))
      return FALSE;
  count_iterations (loop, backward);
  return TRUE;
}

/* What the Scan gives: its states, then the gradients of what was scanned. */
static SondeNode *
build_scan (Loop      *loop,
            Backward  *backward,
            GPtrArray *scanned,
            GArray    *axes,
            GArray    *directions)
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
  node = sonde_graph_add_node (graph, name, "", "Scan", (SondeGraphValue *const *) inputs->pdata, inputs->len,
                               body->outputs->len);
  sonde_node_take_graph (node, "body", sonde_graph_ref (body));
  sonde_node_set_int (node, "num_scan_inputs", backward->entries->len);
  sonde_node_set_ints (node, "scan_input_axes", (gint64 *) (void *) backward->axes->data, backward->axes->len);
  sonde_node_set_ints (node, "scan_input_directions", (gint64 *) (void *) backward->directions->data,
                       backward->directions->len);
  if (scanned->len > 0)
    {
      sonde_node_set_ints (node, "scan_output_axes", (gint64 *) (void *) axes->data, axes->len);
      sonde_node_set_ints (node, "scan_output_directions", (gint64 *) (void *) directions->data, directions->len);
    }
  return node;
}

/* ---- all -------------------------------------------------------------------------------------- */

static void
contribute_scanned (Loop            *loop,
                    guint            i,
                    guint            n_states,
                    SondeGraphValue *gradient)
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

static gboolean
add_scan (Loop    *loop,
          GError **error)
{
  g_auto (Backward) backward = { NULL };
  g_autoptr (GPtrArray) scanned = g_ptr_array_new ();
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_autoptr (GArray) directions = g_array_new (FALSE, FALSE, sizeof (gint64));
  guint first = loop->outer->graph->nodes->len, n_states = loop->n_states, n_inputs = loop->node->inputs->len, n = 0;
  SondeNode *node = NULL;

  for (guint k = 0; k < n_states; k++)
    n += loop->active[k] ? 1 : 0;
  n += loop->captured->len;
  for (guint i = 0; i < loop->n_scanned; i++)
    if (loop->scanned[i] != NULL)
      {
        gint64 axis = list_entry (loop->node, "scan_input_axes", i);
        gint64 direction = !list_entry (loop->node, "scan_input_directions", i);

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
          sonde_reverse_contribute (loop->outer, sonde_node_get_input (loop->node, loop->before + k), loop->node->id,
                                    loop->before + k, node->outputs->pdata[n]);
        n++;
      }
  for (guint i = 0; i < loop->captured->len; i++)
    sonde_reverse_contribute (loop->outer, loop->captured->pdata[i], loop->node->id, n_inputs + i, node->outputs->pdata[n++]);
  n = backward.results->len;
  for (guint i = 0; i < loop->n_scanned; i++)
    if (loop->scanned[i] != NULL)
      contribute_scanned (loop, i, n_states, node->outputs->pdata[n++]);
  sonde_reverse_mark_nodes (loop->outer, loop->node, first, NULL, 0);
  return TRUE;
}

gboolean
sonde_reverse_loop (SondeReverse           *reverse,
                    SondeNode              *node,
                    SondeGraphValue *const *output_gradients,
                    GError                **error)
{
  g_auto (Loop) loop = { .outer = reverse, .node = node, .output_gradients = output_gradients };
  g_autoptr (GPtrArray) given = g_ptr_array_new (), results = g_ptr_array_new ();

  loop.is_scan = sonde_node_is_op (node, "Scan");
  if (!find_parts (&loop, error))
    return FALSE;
  mark_states (&loop);
  mark_active (&loop);
  if (!check_states (&loop, error) || !differentiate (&loop, error))
    return FALSE;
  for (guint k = 0; k < loop.n_states; k++)
    if (loop.active[k])
      {
        g_ptr_array_add (given, loop.seeds[k]);
        g_ptr_array_add (results, loop.next[k]);
      }
  g_ptr_array_extend (given, loop.sums, NULL, NULL);
  g_ptr_array_extend (results, loop.gradients, NULL, NULL);
  for (guint i = 0; i < loop.n_collected; i++)
    if (loop.collected[i] != NULL)
      g_ptr_array_add (given, loop.collected[i]);
  for (guint i = 0; i < loop.n_scanned; i++)
    if (loop.scanned[i] != NULL)
      g_ptr_array_add (results, loop.scanned[i]);
  sonde_reverse_body_split (&loop.body, node, given, results);
  return add_scan (&loop, error);
}
