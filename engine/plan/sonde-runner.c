/* SPDX-License-Identifier: Apache-2.0
 * Plans by the types of inputs, the last used ones kept. */
#include "engine/plan/sonde-runner.h"

#include "engine/plan/execution/sonde-execution-sharing.h"

#define MOST 4

typedef struct
{
  GBytes *key;
  SondeExecution *execution;
} Entry;

/**
 * SondeRunner:
 * @entries: (element-type Entry): the last used one first
 */
struct _SondeRunner
{
  SondeGraph *graph;
  SondeDevice *device;
  SondePlanOptions options;
  char **pinned;
  guint most, n_plans;
  SondeWeightStore *store;
  GPtrArray *entries;
};

static void
entry_free (Entry *entry)
{
  sonde_execution_free (entry->execution);
  g_bytes_unref (entry->key);
  g_free (entry);
}

SondeRunner *
sonde_runner_new (SondeGraph *graph, SondeDevice *device, const SondePlanOptions *options,
                  guint most)
{
  SondeRunner *runner = g_new0 (SondeRunner, 1);

  runner->graph = sonde_graph_ref (graph);
  runner->device = sonde_device_ref (device);
  runner->options = options != NULL ? *options : (SondePlanOptions){ 0 };
  runner->pinned = g_strdupv ((char **) runner->options.pinned);
  runner->options.pinned = (const char *const *) runner->pinned;
  runner->most = most > 0 ? most : MOST;
  runner->store = sonde_weight_store_new (device);
  runner->entries = g_ptr_array_new_with_free_func ((GDestroyNotify) entry_free);
  return runner;
}

void
sonde_runner_free (SondeRunner *runner)
{
  if (runner == NULL)
    return;

  g_ptr_array_unref (runner->entries);
  sonde_weight_store_unref (runner->store);
  sonde_device_unref (runner->device);
  sonde_graph_unref (runner->graph);
  g_strfreev (runner->pinned);
  g_free (runner);
}

static SondeValue *
find_given (const SondeGraphValue *input, const char *const *names, SondeValue *const *values,
            guint n)
{
  for (guint i = 0; i < n; i++)
    if (g_str_equal (names[i], input->name))
      return values[i];

  return NULL;
}

/* Sequences, optionals and maps have no sizes to plan for. */
static gboolean
is_bound (const SondeGraphValue *input, const SondeValue *value)
{
  return sonde_value_get_tensor (value) != NULL
         && (input->type.kind == SONDE_VALUE_TENSOR || input->type.kind == SONDE_VALUE_NONE);
}

static GBytes *
make_key (const SondeRunner *runner, const char *const *names, SondeValue *const *values, guint n)
{
  GArray *key = g_array_new (FALSE, FALSE, sizeof (gint64));
  gsize size;

  for (guint i = 0; i < runner->graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (runner->graph->inputs, i);
      SondeValue *value = find_given (input, names, values, n);
      SondeType type
          = is_bound (input, value) ? sonde_type_of_value (value) : sonde_type_unknown ();
      gint64 head = (gint64) type.dtype * 64 + type.rank;

      g_array_append_val (key, head);
      for (int d = 0; d < type.rank; d++)
        g_array_append_val (key, type.dims[d].size);
    }

  size = key->len * sizeof (gint64);
  return g_bytes_new_take (g_array_free (key, FALSE), size);
}

static SondeExecution *
make_execution (SondeRunner *runner, const char *const *names, SondeValue *const *values, guint n,
                GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (runner->graph, FALSE);
  g_autoptr (SondePlan) plan = NULL;
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, n + 1);
  SondePlanOptions options = runner->options;

  options.bindings = bindings;
  options.n_bindings = 0;
  for (guint i = 0; i < n; i++)
    {
      const SondeGraphValue *input = sonde_graph_find_value (graph, names[i]);

      if (input != NULL && is_bound (input, values[i]))
        bindings[options.n_bindings++]
            = (SondeBinding){ names[i], sonde_type_of_value (values[i]) };
    }

  plan = sonde_plan_new (graph, runner->device, &options, error);
  if (plan == NULL)
    return NULL;

  runner->n_plans++;
  return sonde_execution_new_sharing (plan, runner->store, error);
}

static SondeExecution *
find_execution (SondeRunner *runner, const char *const *names, SondeValue *const *values, guint n,
                GError **error)
{
  g_autoptr (GBytes) key = make_key (runner, names, values, n);
  SondeExecution *execution;
  Entry *entry;

  for (guint i = 0; i < runner->entries->len; i++)
    {
      entry = g_ptr_array_index (runner->entries, i);
      if (!g_bytes_equal (entry->key, key))
        continue;

      if (i > 0)
        g_ptr_array_insert (runner->entries, 0, g_ptr_array_steal_index (runner->entries, i));
      return entry->execution;
    }

  execution = make_execution (runner, names, values, n, error);
  if (execution == NULL)
    return NULL;

  if (runner->entries->len == runner->most)
    g_ptr_array_set_size (runner->entries, (int) runner->most - 1);
  entry = g_new (Entry, 1);
  *entry = (Entry){ g_steal_pointer (&key), execution };
  g_ptr_array_insert (runner->entries, 0, entry);
  return execution;
}

SondeExecution *
sonde_runner_prepare (SondeRunner *runner, const char *const *names, SondeValue *const *values,
                      guint n, GError **error)
{
  SondeExecution *execution = find_execution (runner, names, values, n, error);

  if (execution == NULL)
    return NULL;

  sonde_execution_abandon (execution);
  for (guint i = 0; i < n; i++)
    if (!sonde_execution_set_input_value (execution, names[i], values[i], error))
      return NULL;

  return execution;
}

guint
sonde_runner_get_n_plans (const SondeRunner *runner)
{
  return runner->n_plans;
}
