/* SPDX-License-Identifier: Apache-2.0
 * Reverse mode: nodes of the gradient, in the reverse of the topological order. Rules of the
 * operators are in engine/ops, those of If, Loop and Scan in files of their own. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/gradient/sonde-reverse-private.h"
#include "engine/passes/sonde-subgraphs.h"

#include <string.h>

#define MOST_NAMED 8 /* nodes of a path that a message names */

/* One path into a value: its user's gradient; or, once @is_sum, that of all of them. */
typedef struct
{
  guint user, input;
  SondeGraphValue *gradient;
  gboolean is_sum;
} Contribution;

void
sonde_reverse_init (SondeReverse *reverse, SondeGraph *graph, const SondeGradientRequest *request,
                    const char *target)
{
  *reverse = (SondeReverse){ .graph = graph, .request = request, .target = target };
  reverse->varies = g_byte_array_new ();
  g_byte_array_set_size (reverse->varies, graph->values->len);
  if (graph->values->len > 0)
    memset (reverse->varies->data, 0, graph->values->len);
  reverse->contributions = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_array_unref);
  reverse->kept = g_hash_table_new (NULL, NULL);
  reverse->extensions = g_hash_table_new (NULL, NULL);
}

void
sonde_reverse_clear (SondeReverse *reverse)
{
  g_clear_pointer (&reverse->varies, g_byte_array_unref);
  g_clear_pointer (&reverse->contributions, g_hash_table_unref);
  g_clear_pointer (&reverse->kept, g_hash_table_unref);
  g_clear_pointer (&reverse->extensions, g_hash_table_unref);
}

/* ---- what varies --------------------------------------------------------- */

gboolean
sonde_reverse_varies (const SondeReverse *reverse, const SondeGraphValue *value)
{
  return value != NULL && value->id < reverse->varies->len && reverse->varies->data[value->id];
}

/* Floats (of sequences, their items); and what QuantizeLinear makes: its gradient, a float, is that
 * of the number before it was rounded. */
gboolean
sonde_reverse_is_differentiable (const SondeGraphValue *value)
{
  return value->type.dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (value->type.dtype)
         || sonde_node_is (value->producer, SONDE_OP_ID_QUANTIZE_LINEAR);
}

static gboolean
is_stopped (const SondeReverse *reverse, const SondeGraphValue *value)
{
  for (guint i = 0; i < reverse->request->n_stop; i++)
    if (reverse->request->stop[i] == value)
      return TRUE;
  return FALSE;
}

void
sonde_reverse_want (SondeReverse *reverse, SondeGraphValue *value)
{
  reverse->varies->data[value->id] = TRUE;
  g_hash_table_add (reverse->kept, value);
}

GPtrArray *
sonde_reverse_reads (const SondeNode *node)
{
  GPtrArray *reads = g_ptr_array_copy (node->inputs, NULL, NULL);
  g_autoptr (GPtrArray) bodies = sonde_bodies_of (node);
  g_autoptr (GHashTable) seen = bodies != NULL ? g_hash_table_new (NULL, NULL) : NULL;

  for (guint b = 0; bodies != NULL && b < bodies->len; b++)
    {
      const SondeGraph *body = bodies->pdata[b];

      for (guint i = 0; i < body->values->len; i++)
        {
          const SondeGraphValue *value = body->values->pdata[i];

          if (value != NULL && value->outer != NULL && g_hash_table_add (seen, value->outer))
            g_ptr_array_add (reads, value->outer);
        }
    }
  return reads;
}

static void
mark_outputs (SondeReverse *reverse, const SondeNode *node)
{
  g_autoptr (GPtrArray) reads = sonde_reverse_reads (node);
  gboolean any = FALSE;

  if (sonde_node_is (node, SONDE_OP_ID_STOP_GRADIENT))
    return;
  for (guint k = 0; k < reads->len && !any; k++)
    any = sonde_reverse_varies (reverse, reads->pdata[k]);
  for (guint k = 0; k < node->outputs->len && any; k++)
    {
      const SondeGraphValue *output = node->outputs->pdata[k];

      if (output != NULL && output->id < reverse->varies->len
          && sonde_reverse_is_differentiable (output) && !is_stopped (reverse, output))
        reverse->varies->data[output->id] = TRUE;
    }
}

void
sonde_reverse_mark (SondeReverse *reverse, const GPtrArray *order)
{
  for (guint i = 0; i < order->len; i++)
    mark_outputs (reverse, order->pdata[i]);
}

void
sonde_reverse_reach (SondeReverse *reverse, const GPtrArray *order, GHashTable *set)
{
  for (guint i = order->len; i-- > 0;)
    {
      const SondeNode *node = order->pdata[i];
      g_autoptr (GPtrArray) reads = NULL;
      gboolean flows = FALSE;

      for (guint k = 0; k < node->outputs->len && !flows; k++)
        flows = node->outputs->pdata[k] != NULL
                && g_hash_table_contains (set, node->outputs->pdata[k])
                && !is_stopped (reverse, node->outputs->pdata[k]);
      if (!flows)
        continue;
      reads = sonde_reverse_reads (node);
      for (guint k = 0; k < reads->len; k++)
        if (sonde_reverse_varies (reverse, reads->pdata[k])
            && sonde_reverse_is_differentiable (reads->pdata[k]))
          g_hash_table_add (set, reads->pdata[k]);
    }
}

/* ---- sums and names ------------------------------------------------------ */

void
sonde_reverse_contribute (SondeReverse *reverse, SondeGraphValue *value, guint user, guint input,
                          SondeGraphValue *gradient)
{
  Contribution contribution = { user, input, gradient, FALSE };
  GArray *list = g_hash_table_lookup (reverse->contributions, value);

  if (list == NULL)
    {
      list = g_array_new (FALSE, FALSE, sizeof (Contribution));
      g_hash_table_insert (reverse->contributions, value, list);
    }
  g_array_append_val (list, contribution);
}

static int
compare_contributions (gconstpointer a, gconstpointer b)
{
  const Contribution *left = a, *right = b;

  if (left->user != right->user)
    return left->user < right->user ? -1 : 1;
  return left->input < right->input ? -1 : left->input > right->input;
}

/* Item by item. */
static SondeGraphValue *
sum_sequences (SondeGraph *graph, SondeGraphValue **terms, guint n)
{
  for (guint i = 1; i < n; i++)
    {
      SondeGraphValue *pair[] = { terms[0], terms[i] };

      terms[0] = sonde_build_op (graph, NULL, SONDE_DOMAIN, "SequenceAdd", 2, pair);
    }
  return terms[0];
}

static SondeGraphValue *
sum_contributions (SondeReverse *reverse, const SondeGraphValue *value, GArray *list)
{
  g_autofree SondeGraphValue **terms = g_new (SondeGraphValue *, list->len);

  g_array_sort (list, compare_contributions);
  for (guint i = 0; i < list->len; i++)
    terms[i] = g_array_index (list, Contribution, i).gradient;
  if (list->len == 1)
    return terms[0];
  if (value->type.kind == SONDE_VALUE_SEQUENCE || value->type.kind == SONDE_VALUE_OPTIONAL)
    return sum_sequences (reverse->graph, terms, list->len);
  return sonde_build_op (reverse->graph, NULL, "", list->len == 2 ? "Add" : "Sum", list->len,
                         terms);
}

/* @wanted, or "WANTED 2" and so on where others have it. */
static void
rename_value (SondeGraph *graph, SondeGraphValue *value, const char *wanted)
{
  gboolean done = sonde_graph_rename_value (graph, value, wanted);

  for (guint i = 2; !done; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s %u", wanted, i);

      done = sonde_graph_rename_value (graph, value, name);
    }
}

/* Gives @gradient the name "grad(V)", with a number where an earlier gradient has it. Where it is a
 * value with a name of its own already (both inputs of an Add get the same one), a wanted gradient
 * becomes a copy under its name. */
static SondeGraphValue *
name_gradient (SondeReverse *reverse, SondeGraphValue *value, SondeGraphValue *gradient)
{
  g_autofree char *name = g_strdup_printf ("grad(%s)", value->name);
  gboolean taken = gradient->producer == NULL || gradient->producer->phase != SONDE_PHASE_BACKWARD
                   || g_str_has_prefix (gradient->name, "grad(");

  if (strcmp (gradient->name, name) == 0
      || (taken && !g_hash_table_contains (reverse->kept, value)))
    return gradient;
  if (taken)
    gradient = sonde_build_unary (reverse->graph, "Identity", gradient);
  rename_value (reverse->graph, gradient, name);
  if (gradient->type.kind == SONDE_VALUE_NONE)
    gradient->type = value->type;
  return gradient;
}

SondeGraphValue *
sonde_reverse_take (SondeReverse *reverse, SondeGraphValue *value)
{
  GArray *list = g_hash_table_lookup (reverse->contributions, value);
  SondeGraphValue *gradient = NULL;
  guint first = reverse->graph->nodes->len;

  if (list == NULL)
    return NULL;
  if (g_array_index (list, Contribution, 0).is_sum)
    return g_array_index (list, Contribution, 0).gradient;
  gradient = sum_contributions (reverse, value, list);
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
  g_array_index (list, Contribution, 0).gradient = gradient;
  g_array_index (list, Contribution, 0).is_sum = TRUE;
  return gradient;
}

SondeGraphValue *
sonde_reverse_fill (SondeGraph *graph, SondeGraphValue *value, double number, const char *name)
{
  SondeShape shape, one = sonde_shape_make (1, 1);
  SondeDtype dtype = sonde_dtype_is_float (value->type.dtype) ? value->type.dtype : SONDE_DTYPE_F32;
  gboolean is_known = sonde_type_get_shape (&value->type, &shape);
  g_autoptr (SondeTensor) tensor
      = sonde_tensor_new (dtype, is_known && (number == 0 || shape.rank == 0) ? &shape : &one);
  SondeGraphValue *filled = NULL;

  sonde_tensor_set_double (tensor, 0, number);
  if (is_known && (number == 0 || shape.rank == 0))
    return sonde_build_constant (graph, name, tensor);
  filled = sonde_build_unary (graph, "ConstantOfShape", sonde_build_unary (graph, "Shape", value));
  sonde_node_set_tensor (filled->producer, "value", tensor);
  filled->type = value->type;
  filled->type.dtype = dtype;
  if (name != NULL)
    rename_value (graph, filled, name);
  return filled;
}

/* ---- one node ------------------------------------------------------------ */

void
sonde_reverse_mark_extension (SondeReverse *reverse, SondeNode *node, const SondeNode *origin)
{
  node->phase = origin->phase;
  node->scope = origin->scope;
  sonde_node_add_origin (node, origin, SONDE_ORIGIN_INSERTED);
  g_hash_table_add (reverse->extensions, node);
}

/* Each new node belongs to the first input whose gradient needs it. */
void
sonde_reverse_mark_nodes (SondeReverse *reverse, const SondeNode *origin, guint first,
                          SondeGraphValue *const *input_gradients, guint n)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new (), fresh = g_ptr_array_new ();
  g_autoptr (GHashTable) open = g_hash_table_new (NULL, NULL);

  for (guint id = first; id < reverse->graph->nodes->len; id++)
    {
      SondeNode *node = reverse->graph->nodes->pdata[id];

      if (node == NULL || g_hash_table_contains (reverse->extensions, node))
        continue;
      node->phase = SONDE_PHASE_BACKWARD;
      node->scope = origin->scope;
      node->origin_input = 0;
      sonde_node_add_origin (node, origin, SONDE_ORIGIN_GRADIENT);
      g_hash_table_add (open, node);
    }
  for (guint k = 0; k < n; k++)
    {
      if (input_gradients[k] == NULL || input_gradients[k]->producer == NULL)
        continue;
      g_ptr_array_add (stack, input_gradients[k]->producer);
      while (stack->len > 0)
        {
          SondeNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);

          if (!g_hash_table_remove (open, node))
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
}

/* ---- messages ------------------------------------------------------------ */

/* From a wanted value to @node, then on to the target: "w → conv1 → relu1 → loss". */
static char *
describe_path (const SondeReverse *reverse, const SondeNode *node)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GString) text = g_string_new (NULL);
  const SondeNode *at = node;
  guint here;

  while (at != NULL && names->len < reverse->graph->nodes->len)
    {
      g_autoptr (GPtrArray) reads = sonde_reverse_reads (at);
      const SondeGraphValue *from = NULL;

      g_ptr_array_insert (names, 0, at->name);
      for (guint k = 0; k < reads->len && from == NULL; k++)
        if (sonde_reverse_varies (reverse, reads->pdata[k]))
          from = reads->pdata[k];
      if (from != NULL
          && (g_hash_table_contains (reverse->kept, (gpointer) from) || from->producer == NULL))
        g_ptr_array_insert (names, 0, from->name);
      at = from != NULL && !g_hash_table_contains (reverse->kept, (gpointer) from) ? from->producer
                                                                                   : NULL;
    }
  here = names->len;
  for (at = node; at != NULL && names->len < here + reverse->graph->nodes->len;)
    {
      const GArray *list = NULL;
      guint user = G_MAXUINT;

      for (guint k = 0; k < at->outputs->len && list == NULL; k++)
        list = at->outputs->pdata[k]
                   ? g_hash_table_lookup (reverse->contributions, at->outputs->pdata[k])
                   : NULL;
      if (list != NULL)
        user = g_array_index (list, Contribution, 0).user;
      at = user < reverse->graph->nodes->len ? reverse->graph->nodes->pdata[user] : NULL;
      if (at != NULL)
        g_ptr_array_add (names, at->name);
    }
  for (guint i = 0; i < names->len; i++)
    if (i < MOST_NAMED / 2 || i + MOST_NAMED / 2 >= names->len || i + 1 == here)
      g_string_append_printf (text, "%s%s", i > 0 ? " → " : "", (char *) names->pdata[i]);
    else if (i == MOST_NAMED / 2 || i == here)
      g_string_append (text, " → …");
  g_string_append_printf (text, " → %s", reverse->target);
  return g_strdup (text->str);
}

/* ---- rules --------------------------------------------------------------- */

static const SondeGradientRule *
find_rule (const SondeReverse *reverse, const SondeNode *node)
{
  for (guint i = 0; i < reverse->request->n_rules; i++)
    {
      const SondeGradientRule *rule = &reverse->request->rules[i];

      if ((rule->domain == NULL || strcmp (rule->domain, node->domain) == 0)
          && (rule->op == NULL || strcmp (rule->op, node->op) == 0)
          && (rule->node == NULL || g_pattern_match_simple (rule->node, node->name)))
        return rule;
    }
  return NULL;
}

static gboolean reverse_node (SondeReverse *reverse, SondeNode *node, GError **error);

/* New nodes from @first on make @origin's outputs again. */
static void
mark_parts (SondeReverse *reverse, const SondeNode *origin, guint first)
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
      mark_outputs (reverse, node);
    }
}

/* The gradient of a node that its row takes apart: back through the parts. */
static gboolean
reverse_parts (SondeReverse *reverse, const SondeOpClass *klass, SondeGradientContext *context,
               GError **error)
{
  SondeNode *node = context->node;
  guint first = reverse->graph->nodes->len, last;
  g_autofree SondeGraphValue **outputs = g_new0 (SondeGraphValue *, node->outputs->len + 1);

  if (!klass->decompose (context, outputs, error))
    return FALSE;
  last = reverse->graph->nodes->len;
  mark_parts (reverse, node, first);
  for (guint k = 0; k < node->outputs->len; k++)
    if (context->output_gradients[k] != NULL && sonde_reverse_varies (reverse, outputs[k]))
      sonde_reverse_contribute (reverse, outputs[k], G_MAXUINT, k, context->output_gradients[k]);
  for (guint id = last; id-- > first;)
    if (!reverse_node (reverse, reverse->graph->nodes->pdata[id], error))
      return FALSE;
  return TRUE;
}

static gboolean
call_table (SondeReverse *reverse, SondeGradientContext *context, GError **error)
{
  guint first = reverse->graph->nodes->len;
  SondeNode *node = context->node;
  const SondeOpClass *klass = sonde_op_of_node (node);
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);

  if (klass == NULL || (klass->gradient == NULL && klass->decompose == NULL))
    {
      g_autofree char *path = describe_path (reverse, node);

      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s”: the operator %s%s%s has no gradient, but “%s” depends on it: %s",
                       node->name, node->domain, *node->domain != '\0' ? "." : "", node->op,
                       reverse->target, path);
      return FALSE;
    }
  /* Rules rely on arity and attributes. */
  if (!sonde_op_check_node (node, problems))
    {
      sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                               sonde_message_copy (problems->pdata[0]));
      return FALSE;
    }
  context->by_decomposition = klass->gradient == NULL;
  if (klass->gradient != NULL && !klass->gradient (context, error))
    return FALSE;
  if (context->by_decomposition)
    return reverse_parts (reverse, klass, context, error);
  sonde_reverse_mark_nodes (reverse, context->node, first, context->input_gradients,
                            context->node->inputs->len);
  return TRUE;
}

/* Who looks at the gradient shall see that it is none. */
static void
mark_custom (SondeReverse *reverse, const SondeGradientRule *rule, guint first)
{
  for (guint id = first; id < reverse->graph->nodes->len; id++)
    {
      SondeNode *node = reverse->graph->nodes->pdata[id];

      if (node == NULL || rule->name == NULL || node->doc != NULL)
        continue;
      node->doc = g_strdup_printf ("by the rule “%s”", rule->name);
    }
}

static gboolean
call_rule (SondeReverse *reverse, SondeNode *node, SondeGraphValue **output_gradients,
           const gboolean *wanted, SondeGraphValue **input_gradients, GError **error)
{
  const SondeGradientRule *rule = find_rule (reverse, node);
  SondeGradientContext context
      = { reverse->graph, node, output_gradients, wanted, input_gradients, FALSE };
  guint first = reverse->graph->nodes->len;

  if (rule == NULL)
    return call_table (reverse, &context, error);
  if (!rule->build (&context, rule->data, error))
    {
      sonde_prefix_error (error, "node “%s”, rule “%s”: ", node->name,
                          rule->name ? rule->name : "?");
      return FALSE;
    }
  sonde_reverse_mark_nodes (reverse, node, first, input_gradients, node->inputs->len);
  mark_custom (reverse, rule, first);
  return TRUE;
}

static gboolean
reverse_plain (SondeReverse *reverse, SondeNode *node, SondeGraphValue **output_gradients,
               GError **error)
{
  guint n = node->inputs->len;
  g_autofree SondeGraphValue **input_gradients = g_new0 (SondeGraphValue *, n + 1);
  g_autofree gboolean *wanted = g_new0 (gboolean, n + 1);

  for (guint k = 0; k < n; k++)
    wanted[k] = sonde_reverse_varies (reverse, node->inputs->pdata[k])
                && sonde_reverse_is_differentiable (node->inputs->pdata[k]);
  if (!call_rule (reverse, node, output_gradients, wanted, input_gradients, error))
    return FALSE;
  for (guint k = 0; k < n; k++)
    if (wanted[k] && input_gradients[k] != NULL)
      sonde_reverse_contribute (reverse, node->inputs->pdata[k], node->id, k, input_gradients[k]);
  return TRUE;
}

static gboolean
is_wanted (SondeReverse *reverse, const SondeNode *node)
{
  g_autoptr (GPtrArray) reads = sonde_reverse_reads (node);

  for (guint k = 0; k < reads->len; k++)
    if (sonde_reverse_varies (reverse, reads->pdata[k])
        && sonde_reverse_is_differentiable (reads->pdata[k]))
      return TRUE;
  return FALSE;
}

static gboolean
reverse_node (SondeReverse *reverse, SondeNode *node, GError **error)
{
  guint n_outputs = node->outputs->len;
  /* A rule may add outputs to the node, never more than a few. */
  g_autofree SondeGraphValue **output_gradients = g_new0 (SondeGraphValue *, n_outputs + 8);
  gboolean flows = FALSE;

  if (!is_wanted (reverse, node))
    return TRUE;
  for (guint k = 0; k < n_outputs; k++)
    {
      SondeGraphValue *output = node->outputs->pdata[k];

      if (sonde_reverse_varies (reverse, output) && !is_stopped (reverse, output))
        output_gradients[k] = sonde_reverse_take (reverse, output);
      flows |= output_gradients[k] != NULL;
    }
  if (!flows)
    return TRUE;
  if (find_rule (reverse, node) == NULL && sonde_node_is (node, SONDE_OP_ID_IF))
    return sonde_reverse_if (reverse, node, output_gradients, error);
  if (find_rule (reverse, node) == NULL
      && (sonde_node_is (node, SONDE_OP_ID_LOOP) || sonde_node_is (node, SONDE_OP_ID_SCAN)))
    return sonde_reverse_loop (reverse, node, output_gradients, error);
  return reverse_plain (reverse, node, output_gradients, error);
}

gboolean
sonde_reverse_run (SondeReverse *reverse, const GPtrArray *order, GError **error)
{
  for (guint i = order->len; i-- > 0;)
    if (!reverse_node (reverse, order->pdata[i], error))
      return FALSE;
  return TRUE;
}
