/* SPDX-License-Identifier: Apache-2.0
 * Making a plan, in order: shapes, order of nodes, groups, prepared steps, memory; and its
 * getters. */
#include "engine/plan/sonde-plan-build.h"

#include <string.h>

static void
slot_free (SondePlan *plan, SondePlanSlot *slot)
{
  if (slot->layout != NULL)
    plan->device->klass->layout_unref (plan->device, slot->layout);
  g_free (slot);
}

static void
plan_free (SondePlan *plan)
{
  for (guint i = 0; i < plan->steps->len; i++)
    sonde_plan_step_free (plan, sonde_plan_step (plan, i));
  for (guint i = 0; i < plan->slots->len; i++)
    slot_free (plan, sonde_plan_slot (plan, i));

  g_ptr_array_unref (plan->steps);
  g_ptr_array_unref (plan->slots);
  g_ptr_array_unref (plan->pinned);
  g_ptr_array_unref (plan->names);
  g_hash_table_unref (plan->updates);
  g_hash_table_unref (plan->outputs);
  g_strfreev (plan->globs);
  g_free (plan->stays);
  g_free (plan->slot_of_value);
  g_free (plan->step_of_node);
  sonde_graph_unref (plan->graph);
  sonde_device_unref (plan->device);
  g_free (plan);
}

SondePlan *
sonde_plan_ref (SondePlan *plan)
{
  plan->ref_count++;
  return plan;
}

void
sonde_plan_unref (SondePlan *plan)
{
  if (plan != NULL && --plan->ref_count == 0)
    plan_free (plan);
}

static gboolean
is_pinned (const SondePlan *plan, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 0; i < plan->pinned->len; i++)
    if (g_pattern_spec_match (g_ptr_array_index (plan->pinned, i), length, name, NULL))
      return TRUE;

  return FALSE;
}

static void
find_staying (SondePlan *plan, const char *const *kept)
{
  const SondeGraph *graph = plan->graph;
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (; kept != NULL && *kept != NULL; kept++)
    g_hash_table_add (names, (gpointer) *kept);

  plan->stays = g_new0 (gboolean, graph->values->len + 1);
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      plan->stays[i]
          = value != NULL
            && (is_pinned (plan, value->name) || g_hash_table_contains (names, value->name));
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    plan->stays[((SondeGraphValue *) g_ptr_array_index (graph->outputs, i))->id] = TRUE;
}

static SondePlan *
plan_start (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options)
{
  SondePlan *plan = g_new0 (SondePlan, 1);

  plan->ref_count = 1;
  plan->graph = sonde_graph_ref (graph);
  plan->device = sonde_device_ref (device);
  plan->memory = options->memory;
  plan->plain_layouts = options->plain_layouts;
  plan->no_fusion = options->no_fusion;
  plan->update_in_place = options->update_in_place && options->memory == SONDE_MEMORY_PLAN
                          && device->klass->host_memory;
  plan->steps = g_ptr_array_new ();
  plan->slots = g_ptr_array_new ();
  plan->names = g_ptr_array_new_with_free_func (g_free);
  plan->updates = g_hash_table_new (NULL, NULL);
  plan->outputs = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < graph->outputs->len; i++)
    g_hash_table_add (plan->outputs, graph->outputs->pdata[i]);
  plan->pinned = g_ptr_array_new_with_free_func ((GDestroyNotify) g_pattern_spec_free);
  plan->globs = g_strdupv ((char **) options->pinned);
  for (const char *const *glob = options->pinned; glob != NULL && *glob != NULL; glob++)
    g_ptr_array_add (plan->pinned, g_pattern_spec_new (*glob));

  find_staying (plan, options->kept);
  plan->slot_of_value = g_new (guint, graph->values->len + 1);
  plan->step_of_node = g_new (guint, graph->nodes->len + 1);
  for (guint i = 0; i < graph->nodes->len; i++)
    plan->step_of_node[i] = SONDE_NEVER;

  return plan;
}

/* What the device takes of @nodes, from the first on; one node at least. Returns: how many, 0: an
 * error */
static guint
add_some (SondePlan *plan, SondeNode *const *nodes, guint n_nodes, gboolean chain, GError **error)
{
  for (guint n = n_nodes; n > 1; n--)
    if ((chain || n == n_nodes) && sonde_plan_add_group (plan, nodes, n, NULL))
      return n;

  return sonde_plan_add_group (plan, nodes, 1, error) ? 1 : 0;
}

/* A group that the device refuses after all runs node by node; a chain in pieces. */
static gboolean
add_group (SondePlan *plan, const GPtrArray *group, GError **error)
{
  const SondeDeviceClass *klass = plan->device->klass;
  SondeNode *const *nodes = (SondeNode *const *) group->pdata;
  gboolean chain;

  if (group->len == 1 && sonde_node_is_recorded (nodes[0]))
    {
      sonde_plan_add_recorded (plan, nodes[0]);
      return TRUE;
    }

  if (group->len == 1 && sonde_plan_is_deferred (nodes[0]))
    {
      sonde_plan_add_deferred (plan, nodes[0]);
      return TRUE;
    }

  chain = group->len > 1 && klass->can_chain != NULL
          && klass->can_chain (plan->device, nodes, group->len);
  for (guint i = 0, n; i < group->len; i += n)
    {
      n = i == 0 || chain ? group->len - i : 1;
      n = add_some (plan, nodes + i, n, chain, error);
      if (n == 0)
        return FALSE;
    }

  return TRUE;
}

static gboolean
add_groups (SondePlan *plan, GPtrArray *order, GError **error)
{
  g_autoptr (GPtrArray) groups = sonde_plan_group_nodes (plan, order);

  for (guint i = 0; i < groups->len; i++)
    if (!add_group (plan, g_ptr_array_index (groups, i), error))
      return FALSE;

  return TRUE;
}

static void
drop_recorded (GPtrArray *order)
{
  guint n = 0;

  for (guint i = 0; i < order->len; i++)
    if (!sonde_node_is_recorded (order->pdata[i]))
      order->pdata[n++] = order->pdata[i];
  g_ptr_array_set_size (order, (int) n);
}

/* @like: (nullable): what is made anew, where values @stays live to the end */
static SondePlan *
make_plan (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options,
           gboolean open_sizes, const SondePlan *like, const gboolean *stays, GError **error)
{
  static const SondePlanOptions defaults = { 0 };
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (GPtrArray) order = NULL;

  g_return_val_if_fail (graph != NULL && device != NULL, NULL);

  options = options != NULL ? options : &defaults;
  if (!sonde_pass_infer (graph, options->bindings, options->n_bindings, error))
    return NULL;

  order = sonde_graph_sort (graph, error);
  if (order == NULL)
    return NULL;
  if (!options->recorded_steps)
    drop_recorded (order);

  plan = plan_start (graph, device, options);
  plan->open_sizes = open_sizes;
  plan->has_kept = options->kept != NULL;
  if (like != NULL)
    memcpy (plan->stays, stays, like->graph->values->len * sizeof *stays);
  if (plan->update_in_place)
    sonde_plan_defer_updates (order);
  if (!sonde_plan_add_sources (plan, error) || !add_groups (plan, order, error))
    return NULL;

  if (options->kept != NULL)
    sonde_plan_add_kept_copies (plan);
  sonde_plan_lay_out (plan);
  sonde_plan_end_boxes (plan);
  return g_steal_pointer (&plan);
}

SondePlan *
sonde_plan_new (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options,
                GError **error)
{
  return make_plan (graph, device, options, FALSE, NULL, NULL, error);
}

SondePlan *
sonde_plan_new_open (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options,
                     GError **error)
{
  return make_plan (graph, device, options, TRUE, NULL, NULL, error);
}

SondePlan *
sonde_plan_new_like (const SondePlan *like, SondeGraph *graph, const gboolean *stays,
                     GError **error)
{
  static const char *const none[] = { NULL };
  const SondePlanOptions options = { .memory = like->memory,
                                     .pinned = (const char *const *) like->globs,
                                     .kept = like->has_kept ? none : NULL,
                                     .update_in_place = like->update_in_place,
                                     .no_fusion = like->no_fusion,
                                     .plain_layouts = like->plain_layouts };

  return make_plan (graph, like->device, &options, like->open_sizes, like, stays, error);
}

SondeGraph *
sonde_plan_get_graph (SondePlan *plan)
{
  return plan->graph;
}

SondeDevice *
sonde_plan_get_device (SondePlan *plan)
{
  return plan->device;
}

SondeMemoryMode
sonde_plan_get_memory_mode (const SondePlan *plan)
{
  return plan->memory;
}

guint
sonde_plan_get_n_steps (const SondePlan *plan)
{
  return plan->steps->len;
}

const SondeStep *
sonde_plan_get_step (const SondePlan *plan, guint index)
{
  g_return_val_if_fail (index < plan->steps->len, NULL);

  return &sonde_plan_step (plan, index)->info;
}

int
sonde_plan_find_step (const SondePlan *plan, const SondeNode *node)
{
  g_return_val_if_fail (node->id < plan->graph->nodes->len, -1);

  return (int) plan->step_of_node[node->id]; /* SONDE_NEVER is -1 */
}

guint64
sonde_plan_get_arena_bytes (const SondePlan *plan)
{
  return plan->arena_bytes;
}

guint64
sonde_plan_get_weight_bytes (const SondePlan *plan)
{
  return plan->weight_bytes;
}
