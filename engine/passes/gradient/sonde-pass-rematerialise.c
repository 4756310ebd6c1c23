/* SPDX-License-Identifier: Apache-2.0
 * Time for memory: forward values that the backward phase reads are dropped and computed again
 * there. A plan runs what is ready by id; so nodes after the forward phase get new ids, in their
 * order, with clones where they are needed: nothing runs earlier and holds memory. Which values to
 * drop is tried out: the peak is what the caller's planner says. */
#include "engine/passes/sonde-passes.h"
#include "engine/passes/sonde-subgraphs.h"

#include <string.h>

/**
 * Recompute:
 * @order: topological, without clones; @place: by node id: in @order
 * @kept: by value id: stays in memory, so it is read where it lies
 * @keeps_products: so does what convolutions and matrix products make
 * @clones: value -> the one that is computed again
 * @made: (element-type SondeNode): set of forward nodes that have a clone
 */
typedef struct
{
  SondeGraph *graph;
  GPtrArray *order;
  guint *place;
  GByteArray *kept;
  gboolean keeps_products;
  GHashTable *clones;
  GHashTable *made;
} Recompute;

static void
recompute_clear (Recompute *recompute)
{
  g_clear_pointer (&recompute->order, g_ptr_array_unref);
  g_clear_pointer (&recompute->place, g_free);
  g_clear_pointer (&recompute->kept, g_byte_array_unref);
  g_clear_pointer (&recompute->clones, g_hash_table_unref);
  g_clear_pointer (&recompute->made, g_hash_table_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Recompute, recompute_clear)

/* ---- what can be computed again ------------------------------------------ */

/* Random numbers are a function of the node's name, so a clone would draw others. */
static gboolean
can_run_again (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return node->phase == SONDE_PHASE_FORWARD && klass != NULL
         && (klass->flags & (SONDE_OP_RANDOM | SONDE_OP_CONTROL | SONDE_OP_DYNAMIC)) == 0;
}

static gint64
bytes_of (const SondeGraphValue *value)
{
  SondeShape shape;

  if (!sonde_type_get_shape (&value->type, &shape) || value->type.dtype == SONDE_DTYPE_STRING)
    return 0;
  return sonde_shape_n_elements (&shape) * (gint64) sonde_dtype_size (value->type.dtype);
}

/* A forward value that lies in memory until the backward phase. */
static gboolean
is_candidate (const SondeGraph *graph, const SondeGraphValue *value)
{
  if (value == NULL || value->producer == NULL || !can_run_again (value->producer)
      || bytes_of (value) == 0 || value->update_of != NULL
      || (value->captures != NULL && value->captures->len > 0)
      || g_ptr_array_find (graph->outputs, (gpointer) value, NULL))
    return FALSE;
  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = value->users->pdata[i];

      for (guint k = 0; user->phase != SONDE_PHASE_FORWARD && k < user->inputs->len; k++)
        if (user->inputs->pdata[k] == value && sonde_reads_bytes (user, k))
          return TRUE;
    }
  return FALSE;
}

/* ---- choice -------------------------------------------------------------- */

/* Little work compared to the memory: no products. */
static gboolean
is_cheap (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass->family != SONDE_FAMILY_CONVOLUTION && klass->family != SONDE_FAMILY_MATRIX;
}

/* @every 0: what is cheap is dropped; else all candidates but each @every-th one, by order of
 * computing. */
static guint
choose_kept (Recompute *recompute, guint every)
{
  guint n = 0;

  recompute->keeps_products = every == 0;
  for (guint i = 0; i < recompute->order->len; i++)
    {
      const SondeNode *node = recompute->order->pdata[i];

      for (guint k = 0; k < node->outputs->len; k++)
        {
          const SondeGraphValue *value = node->outputs->pdata[k];

          if (!is_candidate (recompute->graph, value))
            continue;
          recompute->kept->data[value->id] = every > 0 && n % every == every - 1;
          n++;
        }
    }
  return n;
}

/* Inputs and weights lie there anyway; so does what cannot be computed again. */
static gboolean
is_kept (const Recompute *recompute, const SondeGraphValue *value)
{
  return value->producer == NULL || !can_run_again (value->producer)
         || recompute->kept->data[value->id]
         || (recompute->keeps_products && !is_cheap (value->producer));
}

static gboolean
recompute_init (Recompute *recompute, SondeGraph *graph, GError **error)
{
  *recompute = (Recompute){ .graph = graph };
  recompute->order = sonde_graph_sort (graph, error);
  if (recompute->order == NULL)
    return FALSE;
  recompute->place = g_new0 (guint, graph->nodes->len + 1);
  for (guint i = 0; i < recompute->order->len; i++)
    recompute->place[((SondeNode *) recompute->order->pdata[i])->id] = i;
  recompute->kept = g_byte_array_new ();
  g_byte_array_set_size (recompute->kept, graph->values->len);
  if (graph->values->len > 0)
    memset (recompute->kept->data, 0, graph->values->len);
  for (guint i = 0; i < graph->outputs->len; i++)
    recompute->kept->data[((SondeGraphValue *) graph->outputs->pdata[i])->id] = TRUE;
  recompute->clones = g_hash_table_new (NULL, NULL);
  recompute->made = g_hash_table_new (NULL, NULL);
  return TRUE;
}

/* ---- clones -------------------------------------------------------------- */

static int
compare_places (gconstpointer a, gconstpointer b, gpointer data)
{
  const guint *place = data;
  guint left = place[(*(SondeNode *const *) a)->id], right = place[(*(SondeNode *const *) b)->id];

  return left < right ? -1 : left > right;
}

/* Forward nodes without clone that @value takes, back to what is kept; in the order of the
 * graph. */
static GPtrArray *
collect_nodes (Recompute *recompute, SondeGraphValue *value)
{
  GPtrArray *nodes = g_ptr_array_new ();
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, value->producer);
  while (stack->len > 0)
    {
      SondeNode *node = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (!g_hash_table_add (recompute->made, node))
        continue;
      g_ptr_array_add (nodes, node);
      for (guint k = 0; k < node->inputs->len; k++)
        if (node->inputs->pdata[k] != NULL && !is_kept (recompute, node->inputs->pdata[k]))
          g_ptr_array_add (stack, ((SondeGraphValue *) node->inputs->pdata[k])->producer);
    }
  g_ptr_array_sort_with_data (nodes, compare_places, recompute->place);
  return nodes;
}

static void
clone_node (Recompute *recompute, const SondeNode *node)
{
  SondeGraph *graph = recompute->graph;
  g_autofree char *name = g_strdup_printf ("recompute(%s)", node->name);
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, node->inputs->len + 1);
  SondeNode *clone = NULL;

  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *input = node->inputs->pdata[k];
      SondeGraphValue *again
          = input != NULL ? g_hash_table_lookup (recompute->clones, input) : NULL;

      inputs[k] = again != NULL ? again : input;
    }
  clone = sonde_graph_add_node (graph, name, node->domain, node->op, inputs, node->inputs->len, 0);
  clone->version = node->version;
  clone->overload = node->overload;
  clone->scope = node->scope;
  clone->phase = SONDE_PHASE_BACKWARD;
  sonde_node_add_origin (clone, node, SONDE_ORIGIN_INSERTED);
  for (guint i = 0; i < node->attributes->len; i++)
    sonde_node_take_attribute (clone, sonde_attribute_copy (node->attributes->pdata[i]));
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeGraphValue *output = node->outputs->pdata[k], *again = NULL;
      g_autofree char *label = output ? g_strdup_printf ("recompute(%s)", output->name) : NULL;

      if (output == NULL)
        continue;
      again = sonde_graph_add_value (graph, label, &output->type);
      sonde_node_set_output (graph, clone, k, again);
      g_hash_table_insert (recompute->clones, output, again);
    }
}

/* Later phases read clones of what is dropped. */
static void
redirect_node (Recompute *recompute, SondeNode *node)
{
  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *input = node->inputs->pdata[k];

      if (input == NULL || input->id >= recompute->kept->len || is_kept (recompute, input)
          || !sonde_reads_bytes (node, k) || !is_candidate (recompute->graph, input))
        continue;
      if (!g_hash_table_contains (recompute->made, input->producer))
        {
          g_autoptr (GPtrArray) nodes = collect_nodes (recompute, input);

          for (guint i = 0; i < nodes->len; i++)
            clone_node (recompute, nodes->pdata[i]);
        }
      sonde_node_set_input (recompute->graph, node, k,
                            g_hash_table_lookup (recompute->clones, input));
    }
}

/* Behind all others, where it also comes in the order. */
static void
renumber (SondeGraph *graph, SondeNode *node)
{
  graph->nodes->pdata[node->id] = NULL;
  node->id = graph->nodes->len;
  g_ptr_array_add (graph->nodes, node);
}

static gboolean
drop_values (SondeGraph *graph, guint every, guint *n_candidates, GError **error)
{
  g_auto (Recompute) recompute = { NULL };

  if (!recompute_init (&recompute, graph, error))
    return FALSE;
  *n_candidates = choose_kept (&recompute, every);
  for (guint i = 0; i < recompute.order->len; i++)
    {
      SondeNode *node = recompute.order->pdata[i];

      if (node->phase == SONDE_PHASE_FORWARD)
        continue;
      redirect_node (&recompute, node);
      renumber (graph, node);
    }
  return TRUE;
}

/* ---- the pass ------------------------------------------------------------ */

static gboolean
measure_choice (SondeGraph *graph, const SondeRematerialiseRequest *request, guint every,
                guint *n_candidates, guint64 *peak, GError **error)
{
  g_autoptr (SondeGraph) copy = sonde_graph_copy (graph, FALSE);

  return drop_values (copy, every, n_candidates, error)
         && request->measure (copy, peak, request->data, error);
}

/* Cheap values first, then each second one, each third one, … until it fits. The peak falls, then
 * rises again, as segments get long: past twice the length of the best one it is not looked for. */
static gboolean
find_choice (SondeGraph *graph, const SondeRematerialiseRequest *request, guint *choice,
             guint64 *lowest, GError **error)
{
  guint n = 0, best = 0;
  guint64 peak;

  if (!measure_choice (graph, request, 0, &n, &peak, error))
    return FALSE;
  *choice = 0;
  *lowest = MIN (*lowest, peak);
  for (guint every = 2; *lowest > request->budget && every <= n + 1 && every <= MAX (8, 3 * best);
       every += 1 + every / 4)
    {
      if (!measure_choice (graph, request, every, &n, &peak, error))
        return FALSE;
      if (peak >= *lowest)
        continue;
      *lowest = peak;
      *choice = best = every;
    }
  return TRUE;
}

gboolean
sonde_pass_rematerialise (SondeGraph *graph, const SondeRematerialiseRequest *request,
                          guint64 *peak, GError **error)
{
  guint64 before, lowest;
  guint choice = 0, n;

  if (!request->measure (graph, &before, request->data, error))
    return FALSE;
  *peak = lowest = before;
  if (before <= request->budget)
    return TRUE;
  if (!find_choice (graph, request, &choice, &lowest, error))
    return FALSE;
  *peak = lowest;
  if (lowest > request->budget)
    {
      g_autofree char *allowed = g_format_size (request->budget), *least = g_format_size (lowest),
                      *plain = g_format_size (before);

      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "a step would take %s of memory, or %s with activation recomputation, but "
                       "only %s are allowed; use a smaller batch, a smaller model or more memory",
                       plain, least, allowed);
      return FALSE;
    }
  return drop_values (graph, choice, &n, error);
}
