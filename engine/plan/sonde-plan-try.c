/* SPDX-License-Identifier: Apache-2.0
 * A plan with one change. What is only a matter of places is tried on a copy of its slots and steps,
 * which is laid out as those of a new plan are; what may lead to other groups and layouts is a new
 * plan of a changed graph. */
#include "engine/plan/sonde-plan-build.h"
#include "engine/plan/sonde-plan-lifetimes.h"

/* @slots, @steps: those of @plan, copied */
typedef struct
{
  SondePlan plan;
  GPtrArray *slots, *steps;
} Draft;

static void
draft_clear (Draft *draft)
{
  g_clear_pointer (&draft->slots, g_ptr_array_unref);
  g_clear_pointer (&draft->steps, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Draft, draft_clear)

/* A slot as it is before lifetimes are known. */
static void
add_slot (Draft *draft, const SondePlanSlot *like)
{
  SondePlanSlot *slot = g_memdup2 (like, sizeof *like);

  slot->root = slot->source;
  slot->overwritten_by = SONDE_NEVER;
  slot->offset = 0;
  slot->shared = slot->in_place = FALSE;
  g_ptr_array_add (draft->slots, slot);
}

static void
draft_init (Draft *draft, const SondePlan *plan)
{
  *draft = (Draft){ .plan = *plan,
                    .slots = g_ptr_array_new_with_free_func (g_free),
                    .steps = g_ptr_array_new_with_free_func (g_free) };
  for (guint i = 0; i < plan->slots->len; i++)
    add_slot (draft, sonde_plan_slot (plan, i));
  for (guint k = 0; k < plan->steps->len; k++)
    g_ptr_array_add (draft->steps, g_memdup2 (sonde_plan_step (plan, k), sizeof (SondePlanStep)));
  draft->plan.slots = draft->slots;
  draft->plan.steps = draft->steps;
}

static void
measure (Draft *draft, SondePlanMemory *memory)
{
  SondePlan *plan = &draft->plan;

  plan->arena_bytes = plan->own_bytes = plan->spare_bytes = plan->weight_bytes = 0;
  sonde_plan_lay_out (plan);
  sonde_plan_get_memory (plan, memory);
}

/* ---- in place ------------------------------------------------------------ */

static guint
find_output (const SondePlanStep *step, guint slot)
{
  guint i = 0;

  while (i < step->n_output_slots && step->output_slots[i] != slot)
    i++;
  return i;
}

static gboolean
try_in_place (const SondePlan *plan, guint index, SondePlanMemory *memory)
{
  g_auto (Draft) draft = { .slots = NULL };
  SondePlanStep *step;
  guint output;

  draft_init (&draft, plan);
  step = sonde_plan_step (&draft.plan, sonde_plan_slot (plan, index)->produced_by);
  output = find_output (step, index);
  if (step->kind != SONDE_STEP_KERNEL || output == step->n_output_slots)
    return FALSE;

  step->in_place = G_MAXUINT64;
  step->in_place_output = output;
  measure (&draft, memory);
  return sonde_plan_slot (&draft.plan, index)->root != index;
}

/* ---- plans made anew ----------------------------------------------------- */

/* What @plan would take, made like @like. FALSE: there is none */
static gboolean
measure_anew (const SondePlan *like, SondeGraph *graph, const gboolean *stays,
              SondePlanMemory *memory)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = sonde_plan_new_like (like, graph, stays, &error);

  if (plan == NULL)
    {
      g_debug ("a plan could not be made otherwise: %s", error->message);
      return FALSE;
    }
  sonde_plan_get_memory (plan, memory);
  return TRUE;
}

/* Whether the content of slot @index is that of slot @source. */
static gboolean
is_same_content (const SondePlan *plan, guint index, guint source)
{
  return index != SONDE_NO_SLOT && sonde_plan_slot (plan, index)->source == source;
}

static gboolean
try_earlier (const SondePlan *plan, guint index, SondePlanMemory *memory)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (plan->graph, FALSE);
  const guint n = plan->graph->values->len;
  g_autofree gboolean *stays = g_memdup2 (plan->stays, (n + 1) * sizeof *stays);

  if (plan->memory == SONDE_MEMORY_KEEP)
    return FALSE;
  for (guint i = 0; i < n; i++)
    if (plan->graph->values->pdata[i] != NULL
        && is_same_content (plan, plan->slot_of_value[i], sonde_plan_slot (plan, index)->source))
      {
        stays[i] = FALSE;
        g_ptr_array_remove (graph->outputs, graph->values->pdata[i]);
      }
  return measure_anew (plan, graph, stays, memory);
}

/* ---- made again ---------------------------------------------------------- */

/**
 * Repeat: a value that is made again
 * @step: where it shall not live; @source: its slot
 * @shown: by value id: it is the value, or a view of it
 * @late: by node id: it reads one of these after @step
 * @first: the first step with a late node
 * @again: value of @graph -> the one that is made for late readers
 */
typedef struct
{
  const SondePlan *plan;
  guint step, source;
  gboolean *shown, *late;
  guint first;
  SondeGraph *graph;
  GHashTable *again;
} Repeat;

static gboolean
is_repeatable (const SondePlanStep *step)
{
  if (step->kind != SONDE_STEP_KERNEL)
    return FALSE;
  for (guint i = 0; i < step->info.n_nodes; i++)
    {
      const SondeOpClass *klass = sonde_op_of_node (step->info.nodes[i]);

      if (klass == NULL
          || (klass->flags
              & (SONDE_OP_RANDOM | SONDE_OP_CONTROL | SONDE_OP_DYNAMIC | SONDE_OP_UPDATES))
                 != 0)
        return FALSE;
    }
  return TRUE;
}

/* Whether it may go at all: nobody but steps reads it. */
static gboolean
find_shown (Repeat *repeat)
{
  const SondePlan *plan = repeat->plan;

  if (plan->memory == SONDE_MEMORY_KEEP)
    return FALSE;
  for (guint i = 0; i < plan->graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (plan->graph->values, i);

      repeat->shown[i]
          = value != NULL && is_same_content (plan, plan->slot_of_value[i], repeat->source);
      if (repeat->shown[i]
          && (plan->stays[i] || value->update_of != NULL
              || (value->captures != NULL && value->captures->len > 0)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
reads_shown (const Repeat *repeat, const SondeNode *node)
{
  for (guint k = 0; k < node->inputs->len; k++)
    {
      const SondeGraphValue *input = g_ptr_array_index (node->inputs, k);

      if (input != NULL && repeat->shown[input->id])
        return TRUE;
    }
  return FALSE;
}

/* FALSE: there is none, or the step itself reads it. */
static gboolean
find_late (Repeat *repeat)
{
  const SondeGraph *graph = repeat->plan->graph;

  repeat->first = G_MAXUINT;
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);
      const guint step = node != NULL ? repeat->plan->step_of_node[i] : SONDE_NEVER;

      if (step == SONDE_NEVER || step < repeat->step || !reads_shown (repeat, node))
        continue;
      if (step == repeat->step)
        return FALSE;
      repeat->late[i] = TRUE;
      repeat->first = MIN (repeat->first, step);
    }
  return repeat->first != G_MAXUINT;
}

/* Once more, in the phase of who reads it. */
static SondeNode *
clone_node (Repeat *repeat, const SondeNode *node, SondePhase phase)
{
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, node->inputs->len + 1);
  SondeNode *clone;

  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *again = g_hash_table_lookup (repeat->again, node->inputs->pdata[k]);

      inputs[k] = again != NULL ? again : node->inputs->pdata[k];
    }
  clone = sonde_graph_add_node (repeat->graph, NULL, node->domain, node->op, inputs,
                                node->inputs->len, 0);
  clone->version = node->version;
  clone->overload = node->overload;
  clone->phase = phase;
  for (guint i = 0; i < node->attributes->len; i++)
    sonde_node_take_attribute (clone, sonde_attribute_copy (node->attributes->pdata[i]));
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeGraphValue *output = node->outputs->pdata[k], *again;

      if (output == NULL)
        continue;
      again = sonde_graph_add_value (repeat->graph, NULL, &output->type);
      sonde_node_set_output (repeat->graph, clone, k, again);
      g_hash_table_insert (repeat->again, output, again);
    }
  return clone;
}

/* Whether a late node reads the view that @node makes. */
static gboolean
is_view_read_late (const Repeat *repeat, const SondeNode *node)
{
  const SondeGraphValue *view = sonde_node_get_output (node, 0);

  for (guint i = 0; i < view->users->len; i++)
    if (repeat->late[((SondeNode *) g_ptr_array_index (view->users, i))->id])
      return TRUE;
  return FALSE;
}

/* The nodes of the step that makes it, then the views that are there by then. Returns: (transfer
 * full) */
static GPtrArray *
clone_nodes (Repeat *repeat, SondePhase phase)
{
  const SondePlan *plan = repeat->plan;
  const guint made = sonde_plan_slot (plan, repeat->source)->produced_by;
  GPtrArray *clones = g_ptr_array_new ();

  for (guint k = made; k <= repeat->step; k++)
    {
      const SondePlanStep *step = sonde_plan_step (plan, k);
      const SondeNode *const *nodes = (const SondeNode *const *) step->info.nodes;
      const SondeGraphValue *view
          = k != made && step->kind == SONDE_STEP_VIEW && step->info.n_nodes == 1
                ? sonde_node_get_output (nodes[0], 0)
                : NULL;

      if (k != made
          && (view == NULL || !repeat->shown[view->id] || !is_view_read_late (repeat, nodes[0])))
        continue;
      for (guint i = 0; i < step->info.n_nodes; i++)
        g_ptr_array_add (clones,
                         clone_node (repeat, repeat->graph->nodes->pdata[nodes[i]->id], phase));
    }
  return clones;
}

static void
redirect (Repeat *repeat, guint n_nodes)
{
  for (guint i = 0; i < n_nodes; i++)
    {
      SondeNode *node = g_ptr_array_index (repeat->graph->nodes, i);

      for (guint k = 0; node != NULL && repeat->late[i] && k < node->inputs->len; k++)
        {
          SondeGraphValue *input = g_ptr_array_index (node->inputs, k), *again;

          again = input != NULL && repeat->shown[input->id]
                      ? g_hash_table_lookup (repeat->again, input)
                      : NULL;
          if (again != NULL)
            sonde_node_set_input (repeat->graph, node, k, again);
        }
    }
}

/* Among ready nodes the one with the smallest number comes first: the clones get theirs right before
 * the step that reads them, and all behind them new ones. */
static void
renumber (Repeat *repeat, const GPtrArray *order, const GPtrArray *clones)
{
  const SondePlan *plan = repeat->plan;
  GPtrArray *nodes = repeat->graph->nodes;
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  guint at = 0;

  while (plan->step_of_node[((SondeNode *) order->pdata[at])->id] != repeat->first
         && !repeat->late[((SondeNode *) order->pdata[at])->id])
    at++;
  for (guint i = 0; i < order->len; i++)
    {
      for (guint c = 0; i == at && c < clones->len; c++)
        g_ptr_array_add (all, clones->pdata[c]);
      g_ptr_array_add (all, order->pdata[i]);
    }
  for (guint i = 0; i < all->len; i++)
    {
      SondeNode *node = g_ptr_array_index (all, i);

      nodes->pdata[node->id] = NULL;
      node->id = nodes->len;
      g_ptr_array_add (nodes, node);
    }
}

static gboolean
change_graph (Repeat *repeat, SondePlanMemory *memory)
{
  const SondePlan *plan = repeat->plan;
  const guint n_nodes = plan->graph->nodes->len;
  const SondePhase phase = sonde_plan_step (plan, repeat->first)->info.phase;
  g_autoptr (GPtrArray) order = sonde_graph_sort (repeat->graph, NULL);
  g_autoptr (GPtrArray) clones = NULL;

  if (order == NULL)
    return FALSE;
  clones = clone_nodes (repeat, phase);
  redirect (repeat, n_nodes);
  renumber (repeat, order, clones);
  return measure_anew (plan, repeat->graph, plan->stays, memory);
}

static gboolean
try_recompute (const SondePlan *plan, guint index, guint step, SondePlanMemory *memory)
{
  const SondeGraphValue *value = sonde_plan_slot (plan, index)->value;
  g_autoptr (SondeGraph) graph = NULL;
  g_autofree gboolean *shown = g_new0 (gboolean, plan->graph->values->len + 1);
  g_autofree gboolean *late = g_new0 (gboolean, plan->graph->nodes->len + 1);
  g_autoptr (GHashTable) again = g_hash_table_new (NULL, NULL);
  Repeat repeat = { .plan = plan,
                    .step = step,
                    .source = plan->slot_of_value[value->id],
                    .shown = shown,
                    .late = late,
                    .again = again };
  guint made;

  if (value->producer == NULL || repeat.source == SONDE_NO_SLOT)
    return FALSE;
  made = sonde_plan_slot (plan, repeat.source)->produced_by;
  if (made >= step || sonde_plan_slot (plan, index)->produced_by >= step
      || !is_repeatable (sonde_plan_step (plan, made)) || !find_shown (&repeat)
      || !find_late (&repeat))
    return FALSE;

  repeat.graph = graph = sonde_graph_copy (plan->graph, FALSE);
  return change_graph (&repeat, memory);
}

gboolean
sonde_plan_try (const SondePlan *plan, const SondePlanLifetime *lifetime, SondePlanTry change,
                guint step, SondePlanMemory *memory)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, lifetime->slot);

  g_return_val_if_fail (lifetime->room == SONDE_ROOM_ARENA, FALSE);

  if (slot->source != lifetime->slot)
    return FALSE;
  switch (change)
    {
    case SONDE_TRY_IN_PLACE:
      return slot->root == lifetime->slot && try_in_place (plan, lifetime->slot, memory);
    case SONDE_TRY_EARLIER:
      return slot->last_use >= plan->steps->len && try_earlier (plan, lifetime->slot, memory);
    case SONDE_TRY_RECOMPUTE:
      return try_recompute (plan, lifetime->slot, step, memory);
    }
  return FALSE;
}
