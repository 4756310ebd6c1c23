/* SPDX-License-Identifier: Apache-2.0
 * Looking at what runs. Engine thread. */
#include "engine/session/activity/sonde-activity-session.h"

#include <fnmatch.h>

#define MAX_CONSTANT_BYTES ((gsize) 64 << 10) /* of constants inside a graph that is sent */

/* ---- the graph ----------------------------------------------------------- */

static SondeGraph *
pick_graph (SondeSessionServer *server, const Sonde__Session__WhichGraph *which, GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const SondeActivityClass *klass = session->activity->klass;
  SondeExecution *execution
      = which->frame != 0 ? sonde_serve_pick_frame (server, which->frame, error) : NULL;
  SondeGraph *graph;

  if (which->frame != 0 && execution == NULL)
    return NULL;
  if (!which->original)
    return execution != NULL ? sonde_plan_get_graph (sonde_execution_get_plan (execution))
                             : klass->get_graph (session->activity);
  graph = klass->get_original != NULL ? klass->get_original (session->activity) : NULL;
  if (graph == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no original graph beside the executed one.");
  return graph;
}

gboolean
sonde_serve_graph (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                   GError **error)
{
  SondeSessionHost *host = server->options.host;
  SondeGraph *graph = pick_graph (server, job->request->graph, error);
  g_autoptr (GBytes) bytes
      = graph != NULL ? host->serialise_graph (host, graph, MAX_CONSTANT_BYTES, error) : NULL;

  return bytes != NULL && sonde_codec_write_graph (answer, bytes, error);
}

/* Lines of the listing by step of the plan. (nullable): NULL where it is that of another graph
 * (transfer full) (array length=n) */
static guint *
list_lines (SondeExecution *execution, const SondeGraph *graph, const guint *line_of_node, guint *n)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  guint *lines;

  *n = sonde_plan_get_n_steps (plan);
  if (sonde_plan_get_graph (plan) != graph)
    return NULL;
  lines = g_new0 (guint, *n + 1);
  for (guint k = 0; k < *n; k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);
      const SondeNode *last = step->n_nodes > 0 ? step->nodes[step->n_nodes - 1] : NULL;

      lines[k] = last != NULL ? line_of_node[last->id] : 0;
    }
  return lines;
}

gboolean
sonde_serve_listing (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                     GError **error)
{
  const Sonde__Session__WhichGraph *which = job->request->listing;
  SondeGraph *graph = pick_graph (server, which, error);
  g_autofree guint *line_of_node = graph != NULL ? g_new0 (guint, graph->nodes->len + 1) : NULL;
  g_autofree char *text = NULL;
  g_autofree guint *lines = NULL;
  guint n_lines = 0;

  if (graph == NULL)
    return FALSE;
  text = sonde_graph_listing (graph, line_of_node);
  if (!which->original)
    lines = list_lines (sonde_serve_pick_frame (server, which->frame, NULL), graph, line_of_node,
                        &n_lines);
  sonde_codec_write_listing (answer, text, lines, n_lines);
  return TRUE;
}

/* ---- steps --------------------------------------------------------------- */

static char **
dup_names (SondeGraphValue *const *values, guint n)
{
  char **names = g_new0 (char *, n + 1);

  for (guint i = 0, k = 0; i < n; i++)
    if (values[i] != NULL)
      names[k++] = g_strdup (values[i]->name);
  return names;
}

/* Types of the values that dup_names() names. */
static char **
dup_types (SondeExecution *execution, SondeGraphValue *const *values, guint n)
{
  char **types = g_new0 (char *, n + 1);

  for (guint i = 0, k = 0; i < n; i++)
    if (values[i] != NULL)
      {
        SondeType type;

        sonde_execution_get_type (execution, values[i], &type);
        types[k++] = sonde_type_to_string (&type);
      }
  return types;
}

static void
fill_nodes (const SondeStep *step, SondeStepInfo *info)
{
  g_autoptr (GPtrArray) originals = g_ptr_array_new ();

  info->nodes = g_new0 (char *, step->n_nodes + 1);
  for (guint i = 0; i < step->n_nodes; i++)
    {
      const SondeNode *node = step->nodes[i];

      info->nodes[i] = g_strdup (node->name);
      for (guint o = 0; o < node->origins->len; o++)
        g_ptr_array_add (originals, g_strdup (g_ptr_array_index (node->origins, o)));
    }
  g_ptr_array_add (originals, NULL);
  info->originals = (char **) g_ptr_array_steal (originals, NULL);
}

static SondeStepInfo *
make_step (SondeExecution *execution, guint k)
{
  const SondeStep *step = sonde_plan_get_step (sonde_execution_get_plan (execution), k);
  const SondeNode *last = step->n_nodes > 0 ? step->nodes[step->n_nodes - 1] : NULL;
  SondeStepInfo *info = g_new0 (SondeStepInfo, 1);

  info->name = g_strdup (step->name);
  info->op = g_strdup (step->op);
  info->phase = step->phase;
  info->scope = g_strdup (last != NULL ? last->scope : NULL);
  info->origin = last != NULL ? sonde_node_describe_origin (last) : g_strdup ("inserted");
  info->implementation = g_strdup (step->implementation);
  fill_nodes (step, info);
  info->inputs = dup_names (step->inputs, step->n_inputs);
  info->outputs = dup_names (step->outputs, step->n_outputs);
  info->types = dup_types (execution, step->outputs, step->n_outputs);
  info->last_ns = (guint64) sonde_execution_get_last_step_ns (execution, k);
  return info;
}

static GPtrArray *
list_steps (SondeExecution *execution)
{
  GPtrArray *steps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_step_info_free);

  for (guint k = 0; k < sonde_plan_get_n_steps (sonde_execution_get_plan (execution)); k++)
    g_ptr_array_add (steps, make_step (execution, k));
  return steps;
}

gboolean
sonde_serve_steps (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                   GError **error)
{
  SondeExecution *execution = sonde_serve_pick_frame (server, job->request->steps->frame, error);
  g_autoptr (GPtrArray) steps = NULL;

  if (execution == NULL)
    return FALSE;
  steps = list_steps (execution);
  sonde_codec_write_steps (answer, steps);
  return TRUE;
}

/* ---- values -------------------------------------------------------------- */

static SondeValueInfo *
make_value (SondeExecution *execution, SondeGraphValue *value)
{
  SondeValueInfo *info = g_new0 (SondeValueInfo, 1);
  SondeType actual;

  sonde_execution_get_type (execution, value, &actual);
  info->name = g_strdup (value->name);
  info->type = sonde_type_to_string (&actual);
  info->role = value->role;
  info->producer = value->producer != NULL ? g_strdup (value->producer->name) : NULL;
  info->available = sonde_execution_is_available (execution, value);
  return info;
}

static GPtrArray *
list_values (SondeExecution *execution, const char *glob)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_info_free);

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL
          && (*glob == '\0' || g_str_equal (glob, value->name)
              || fnmatch (glob, value->name, 0) == 0))
        g_ptr_array_add (values, make_value (execution, value));
    }
  return values;
}

gboolean
sonde_serve_values (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  SondeExecution *execution = sonde_serve_pick_frame (server, job->request->values->frame, error);
  g_autoptr (GPtrArray) values = NULL;

  if (execution == NULL)
    return FALSE;
  values = list_values (execution, job->request->values->glob);
  sonde_codec_write_values (answer, values);
  return TRUE;
}
