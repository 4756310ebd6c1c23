/* SPDX-License-Identifier: Apache-2.0
 * A run with a node changed: the model is changed and planned anew, and the run is brought to where
 * it stood, step by step, every value getting the content it had. */
#include "engine/debug/changes/sonde-changes-private.h"

#include <string.h>

/* ---- the graph ----------------------------------------------------------- */

/* The executed graph of the branch with @change: of the model where that has the node, else of what
 * runs. @original: (out) (transfer full): the changed model. */
static SondeGraph *
change_graph (const SondeBranchEntry *branch, const SondeNodeChange *change, SondeGraph **original,
              gboolean *late, GError **error)
{
  g_autoptr (SondeGraph) model = sonde_graph_copy (branch->original, FALSE), graph = NULL;

  *late = sonde_find_node_deep (model, change->node, NULL) == NULL;
  if (!*late && !sonde_node_change_apply (change, model, error))
    return NULL;
  graph = sonde_prepare_editable_inference (model, error);
  for (guint i = 0; graph != NULL && i < branch->late->len; i++)
    if (!sonde_node_change_apply (g_ptr_array_index (branch->late, i), graph, error))
      return NULL;
  if (graph == NULL || (*late && !sonde_node_change_apply (change, graph, error)))
    return NULL;
  *original = g_steal_pointer (&model);
  return g_steal_pointer (&graph);
}

static SondeExecution *
plan_graph (SondeGraph *graph, SondeExecution *like, GError **error)
{
  SondePlan *old = sonde_execution_get_plan (like);
  SondeGraph *old_graph = sonde_plan_get_graph (old);
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, old_graph->inputs->len + 1);
  SondePlanOptions options
      = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE, .bindings = bindings };
  g_autoptr (SondePlan) plan = NULL;

  for (guint i = 0; i < old_graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (old_graph->inputs, i);

      if (sonde_graph_find_value (graph, input->name) == NULL)
        continue;
      bindings[options.n_bindings].name = input->name;
      sonde_execution_get_type (like, input, &bindings[options.n_bindings].type);
      options.n_bindings++;
    }
  plan = sonde_plan_new (graph, sonde_plan_get_device (old), &options, error);
  return plan != NULL ? sonde_execution_new (plan, error) : NULL;
}

/* ---- the place ----------------------------------------------------------- */

/* Step of the executed node or value of that name, or of an executed node that came of the original
 * node; -1: none. */
static int
find_step (SondePlan *plan, const char *name)
{
  SondeNode *node = sonde_graph_resolve_node (sonde_plan_get_graph (plan), name);
  guint n_steps = sonde_plan_get_n_steps (plan);

  if (node != NULL && sonde_plan_find_step (plan, node) >= 0)
    return sonde_plan_find_step (plan, node);
  for (guint k = 0; k < n_steps; k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);

      for (guint i = 0; i < step->n_nodes; i++)
        if (g_ptr_array_find_with_equal_func (step->nodes[i]->origins, name, g_str_equal, NULL))
          return (int) k;
    }
  return -1;
}

/* The outermost node around @name where that is inside a body of @graph; @name itself where it is
 * not. */
static const char *
outermost (SondeGraph *graph, const char *name)
{
  for (guint i = 0; sonde_graph_resolve_node (graph, name) == NULL && i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint a = 0; node != NULL && a < node->attributes->len; a++)
        {
          SondeAttribute *attribute = g_ptr_array_index (node->attributes, a);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH
              && sonde_find_node_deep (attribute->u.graph, name, NULL) != NULL)
            return node->name;
        }
    }
  return name;
}

/* What the run had at that step and may not be what the step makes: edits, and what was computed
 * before them. */
static gboolean
restore_step (SondeExecution *to, SondeExecution *from, guint index, GError **error)
{
  const SondeStep *step = sonde_plan_get_step (sonde_execution_get_plan (to), index);
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (from));

  for (guint i = 0; step->n_nodes > 0 && i < step->n_outputs; i++)
    {
      SondeGraphValue *old = sonde_graph_find_value (graph, step->outputs[i]->name);
      g_autoptr (SondeTensor) was = NULL, is = NULL;

      if (old == NULL || !sonde_execution_is_available (from, old))
        continue;
      was = sonde_execution_read (from, old, NULL);
      is = was != NULL ? sonde_execution_read (to, step->outputs[i], NULL) : NULL;
      if (is != NULL && sonde_shape_equal (&was->shape, &is->shape) && !sonde_tensor_equal (was, is)
          && !sonde_execution_write (to, step->outputs[i], was, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
bring_to (SondeExecution *to, SondeExecution *from, guint position, GError **error)
{
  for (guint k = 0; k <= position; k++)
    if (sonde_execution_run_to (to, k, error) != SONDE_RUN_PAUSED
        || (k > 0 && !restore_step (to, from, k - 1, error)))
      return FALSE;
  return TRUE;
}

/* Where the new run is to stand: before the step that was next, or before the changed node where
 * that has run. @moved: (out): it is the latter */
static guint
find_position (SondeExecution *to, SondeExecution *from, const char *changed, gboolean *moved)
{
  SondePlan *plan = sonde_execution_get_plan (to), *old = sonde_execution_get_plan (from);
  guint n_steps = sonde_plan_get_n_steps (plan), stood = sonde_execution_get_position (from);
  int was = find_step (old, changed), is = find_step (plan, changed), next = -1;

  /* inserted steps may be others */
  for (guint k = stood; k < sonde_plan_get_n_steps (old) && next < 0; k++)
    if (sonde_plan_get_step (old, k)->n_nodes > 0)
      next = find_step (plan, sonde_plan_get_step (old, k)->name);
  if (stood >= sonde_plan_get_n_steps (old))
    next = (int) n_steps;
  *moved = was >= 0 && (guint) was < stood;
  if (*moved || next < 0)
    next = is >= 0 ? is : was >= 0 ? MIN (was, (int) n_steps) : 0;
  return is >= 0 ? (guint) MIN (is, next) : (guint) next;
}

/* ---- what there is to say ------------------------------------------------ */

static guint
count_other_types (SondeExecution *to, SondeExecution *from)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (to));
  SondeGraph *old = sonde_plan_get_graph (sonde_execution_get_plan (from));
  guint n = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      const SondeGraphValue *other
          = value != NULL ? sonde_graph_find_value (old, value->name) : NULL;
      g_autofree char *a = other != NULL ? sonde_type_to_string (&value->type) : NULL;
      g_autofree char *b = other != NULL ? sonde_type_to_string (&other->type) : NULL;

      n += other != NULL && !g_str_equal (a, b);
    }
  return n;
}

static SondeMessage *
describe (SondeExecution *to, SondeExecution *from, gboolean moved)
{
  SondePlan *plan = sonde_execution_get_plan (to);
  guint n_types = count_other_types (to, from), position = sonde_execution_get_position (to);
  const char *step = position < sonde_plan_get_n_steps (plan)
                         ? sonde_plan_get_step (plan, position)->name
                         : NULL;
  SondeMessage *message;

  if (!sonde_execution_is_running (to))
    message = sonde_message_new ("The run has not begun.");
  else if (step == NULL)
    message = sonde_message_new ("The run is at its end.");
  else if (moved)
    message = sonde_message_new ("The run has moved back and is paused before “%s”.", step);
  else
    message = sonde_message_new ("The run is still paused before “%s”.", step);
  if (n_types > 0)
    {
      g_autoptr (SondeMessage) more
          = sonde_message_new (" Values whose type or shape has changed: %u.", n_types);

      sonde_message_append (message, more);
    }
  return message;
}

/* ---- bypass -------------------------------------------------------------- */

static gboolean
same_type (const SondeNode *node)
{
  const SondeGraphValue *input = sonde_node_get_input (node, 0),
                        *output = sonde_node_get_output (node, 0);
  g_autofree char *a = input != NULL ? sonde_type_to_string (&input->type) : NULL;
  g_autofree char *b = output != NULL ? sonde_type_to_string (&output->type) : NULL;

  return a != NULL && b != NULL && g_str_equal (a, b);
}

/* Names of up to three nodes near @step that could be bypassed. (transfer full) */
static char *
suggest (SondePlan *plan, int step)
{
  GString *names = g_string_new (NULL);
  int n_steps = (int) sonde_plan_get_n_steps (plan);
  guint n = 0;

  for (int distance = 1; distance < n_steps && n < 3; distance++)
    for (int side = -1; side <= 1 && n < 3; side += 2)
      {
        int k = step + side * distance;
        const SondeStep *near
            = k >= 0 && k < n_steps ? sonde_plan_get_step (plan, (guint) k) : NULL;

        if (near != NULL && near->n_nodes == 1 && same_type (near->nodes[0]))
          g_string_append_printf (names, "%s“%s”", n++ > 0 ? ", " : "", near->nodes[0]->name);
      }
  return g_string_free (names, FALSE);
}

/* Types of what runs, before the model is touched. */
static gboolean
check_bypass (SondeExecution *execution, const char *name, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  SondeGraph *graph = sonde_plan_get_graph (plan);
  SondeNode *node = sonde_find_node_deep (graph, name, NULL), *top;
  const SondeGraphValue *input = node != NULL ? sonde_node_get_input (node, 0) : NULL;
  const SondeGraphValue *output = node != NULL ? sonde_node_get_output (node, 0) : NULL;
  g_autofree char *from = NULL, *to = NULL, *others = NULL;

  if (input == NULL || output == NULL || same_type (node))
    return TRUE;
  from = sonde_type_to_string (&input->type);
  to = sonde_type_to_string (&output->type);
  /* a step of the plan, where @node may be inside a body */
  top = sonde_graph_resolve_node (graph, outermost (graph, name));
  others = suggest (plan, top != NULL ? sonde_plan_find_step (plan, top) : 0);
  if (*others != '\0')
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                     "“%s” (%s) cannot be bypassed: it turns %s into %s. Nodes near it that can be "
                     "bypassed: %s.",
                     node->name, node->op, from, to, others);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                     "“%s” (%s) cannot be bypassed: it turns %s into %s. No node near it can be "
                     "bypassed.",
                     node->name, node->op, from, to);
  return FALSE;
}

/* ---- the whole ----------------------------------------------------------- */

static char *
describe_change (const SondeBranchEntry *branch, const SondeNodeChange *change)
{
  SondeGraph *model = branch->original;
  const SondeNode *node = sonde_find_node_deep (model, change->node, NULL);
  g_autofree char *old = NULL;

  if (change->key == NULL)
    return g_strdup_printf ("bypass %s", change->node);
  if (node == NULL)
    node = sonde_find_node_deep (
        sonde_plan_get_graph (sonde_execution_get_plan (branch->execution)), change->node, NULL);
  old = sonde_attribute_to_text (node != NULL ? sonde_node_find_attribute (node, change->key)
                                              : NULL);
  return g_strdup_printf ("attr %s.%s = %s (was %s)", change->node, change->key, change->value,
                          old);
}

static SondeEdit *
make_edit (SondeChanges *changes, const SondeNodeChange *change)
{
  SondeEdit *edit = g_new0 (SondeEdit, 1);
  SondeStop stop;

  sonde_debugger_get_stop (changes->debugger, &stop);
  edit->kind = sonde_edit_kind (change->key != NULL ? "attr" : "bypass");
  edit->value = g_strdup (change->node);
  edit->step = stop.step;
  edit->position = stop.position;
  edit->node = g_strdup (stop.node);
  edit->shape = sonde_shape_scalar ();
  edit->effect = TRUE;
  return edit;
}

static gboolean
check_possible (SondeChanges *changes, const SondeNodeChange *change, GError **error)
{
  SondeExecution *execution = changes->current->execution;

  if ((changes->adopt == NULL && changes->rebuild == NULL) || changes->current->original == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "A training's graph cannot be changed while it runs: gradients and "
                       "updates were made for it. Change "
                       "the model and train again, or debug the model in inference.");
      return FALSE;
    }
  return change->key != NULL || check_bypass (execution, change->node, error);
}

/* In a training: gradients and updates are made anew of the changed model. */
static SondeEdit *
rebuild_training (SondeChanges *changes, const SondeNodeChange *change, SondeMessage **note,
                  GError **error)
{
  SondeBranchEntry *branch = changes->current, *entry;
  g_autoptr (SondeGraph) model = sonde_graph_copy (branch->original, FALSE);
  g_autofree char *text = describe_change (branch, change);
  g_autoptr (SondeEdit) edit = make_edit (changes, change);
  SondeExecution *to;

  if (sonde_find_node_deep (model, change->node, NULL) == NULL)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
          "“%s” is no node of the model: in a training gradients and updates follow from "
          "the model's nodes, and only those "
          "can be changed.",
          change->node);
      return NULL;
    }
  if (sonde_changes_get_branches (changes)->len >= SONDE_MAX_BRANCHES)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "This session has %d branches already; that is the most.",
                       SONDE_MAX_BRANCHES);
      return NULL;
    }
  if (!sonde_node_change_apply (change, model, error)
      || (to = changes->rebuild (model, changes->data, error)) == NULL)
    return NULL;
  entry = sonde_changes_add_lent_branch (changes, text, to, model);
  changes->current = entry;
  sonde_debugger_moved (changes->debugger, to, model);
  *note = sonde_message_new ("Training step %" PRIu64
                             " begins again with the change. Going back before that step undoes "
                             "it.",
                             edit->step);
  return g_steal_pointer (&edit);
}

SondeEdit *
sonde_changes_change_node (SondeChanges *changes, const SondeNodeChange *change,
                           SondeMessage **note, GError **error)
{
  SondeBranchEntry *branch = changes->current, *entry;
  SondeExecution *from = branch->execution;
  g_autoptr (SondeGraph) original = NULL, graph = NULL;
  g_autoptr (SondeExecution) to = NULL;
  g_autofree char *text = NULL;
  gboolean late = FALSE, moved = FALSE, began;
  guint position = 0;

  if (!check_possible (changes, change, error))
    return NULL;
  if (changes->adopt == NULL)
    return rebuild_training (changes, change, note, error);
  graph = change_graph (branch, change, &original, &late, error);
  to = graph != NULL ? plan_graph (graph, from, error) : NULL;
  if (to == NULL || !sonde_execution_copy_sources (to, from, error))
    return NULL;
  began = sonde_execution_is_running (from) || sonde_execution_get_position (from) > 0;
  if (began)
    position = find_position (
        to, from, outermost (sonde_plan_get_graph (sonde_execution_get_plan (from)), change->node),
        &moved);
  if (began && !bring_to (to, from, position, error))
    return NULL;
  text = describe_change (branch, change);
  *note = describe (to, from, moved);
  entry = sonde_changes_add_branch (changes, text, g_steal_pointer (&to), original, error);
  if (entry == NULL)
    return NULL;
  if (late)
    g_ptr_array_add (entry->late, sonde_node_change_new (change->node, change->key, change->value));
  sonde_changes_enter (changes, entry);
  return make_edit (changes, change);
}
