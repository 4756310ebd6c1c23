/* SPDX-License-Identifier: Apache-2.0
 * What is known of a session, and the steps of its plan, found by what the user sees of them. */
#include "app/debugger/sonde-debug-session-private.h"

#include <string.h>

gboolean
sonde_debug_session_has_position (SondeDebugSession *session)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);

  return status != NULL
         && (status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_READY
             || status->state == SONDE_SESSION_ENDED);
}

gboolean
sonde_debug_session_can_go (SondeDebugSession *session)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);

  return status != NULL && status->in_control
         && (status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_READY);
}

const SondeStepInfo *
sonde_debug_session_get_step (SondeDebugSession *session, guint position)
{
  GPtrArray *steps = sonde_debug_session_get_steps (session);

  return steps != NULL && position < steps->len ? g_ptr_array_index (steps, position) : NULL;
}

const char *
sonde_debug_session_get_step_name (SondeDebugSession *session, guint position)
{
  const SondeStepInfo *step = sonde_debug_session_get_step (session, position);

  if (step == NULL)
    return NULL;
  return step->nodes != NULL && step->nodes[0] != NULL ? step->nodes[0] : step->name;
}

guint
sonde_debug_session_find_line (SondeDebugSession *session, guint line)
{
  GPtrArray *steps = sonde_debug_session_get_steps (session);

  for (guint i = 0; line > 0 && steps != NULL && i < steps->len; i++)
    if (sonde_debug_session_get_line (session, i) == line)
      return i;
  return SONDE_DEBUG_NO_STEP;
}

static gboolean
holds (char **names, const char *name)
{
  return names != NULL && g_strv_contains ((const char *const *) names, name);
}

guint
sonde_debug_session_find_node (SondeDebugSession *session, const char *name)
{
  GPtrArray *steps = sonde_debug_session_get_steps (session);

  for (guint i = 0; name != NULL && steps != NULL && i < steps->len; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, i);

      if (g_strcmp0 (step->name, name) == 0 || holds (step->nodes, name))
        return i;
    }
  for (guint i = 0; name != NULL && steps != NULL && i < steps->len; i++)
    if (holds (((SondeStepInfo *) g_ptr_array_index (steps, i))->originals, name))
      return i;
  return SONDE_DEBUG_NO_STEP;
}

guint
sonde_debug_session_find_producer (SondeDebugSession *session, const char *value)
{
  GPtrArray *steps = sonde_debug_session_get_steps (session);
  SondeGraph *graph = sonde_debug_session_get_graph (session);
  SondeGraphValue *inner;

  for (guint i = 0; value != NULL && steps != NULL && i < steps->len; i++)
    if (holds (((SondeStepInfo *) g_ptr_array_index (steps, i))->outputs, value))
      return i;
  /* A value inside of a fused step. */
  inner = value != NULL && graph != NULL ? sonde_graph_find_value (graph, value) : NULL;
  return inner != NULL && inner->producer != NULL
             ? sonde_debug_session_find_node (session, inner->producer->name)
             : SONDE_DEBUG_NO_STEP;
}

gboolean
sonde_debug_step_is_meant (const SondeStepInfo *step, const char *pattern)
{
  gboolean by_op = g_str_has_prefix (pattern, "op:");
  const char *glob = by_op ? pattern + 3 : pattern;

  if (by_op)
    return g_pattern_match_simple (glob, step->op);
  for (gsize i = 0; step->nodes != NULL && step->nodes[i] != NULL; i++)
    if (g_pattern_match_simple (glob, step->nodes[i]))
      return TRUE;
  for (gsize i = 0; step->outputs != NULL && step->outputs[i] != NULL; i++)
    if (g_pattern_match_simple (glob, step->outputs[i]))
      return TRUE;
  return step->originals != NULL
         && g_strv_contains ((const char *const *) step->originals, pattern);
}

/* "x[0, :]" of a value x; a value's name may hold brackets itself. */
static gboolean
is_value (SondeDebugSession *session, const char *text)
{
  SondeGraph *graph = sonde_debug_session_get_graph (session);
  const char *bracket = text;

  if (graph == NULL || sonde_graph_find_value (graph, text) != NULL)
    return TRUE;
  while (g_str_has_suffix (text, "]") && (bracket = strchr (bracket + 1, '[')) != NULL)
    {
      g_autofree char *name = g_strndup (text, (gsize) (bracket - text));

      if (sonde_graph_find_value (graph, name) != NULL)
        return strchr (bracket, ']') == text + strlen (text) - 1;
    }
  return FALSE;
}

SondeSessionRequest *
sonde_debug_session_statistics_request (SondeDebugSession *session, const char *text)
{
  return is_value (session, text)
             ? sonde_session_request_statistics (text)
             : sonde_session_request_evaluate (text, SONDE_SESSION_WANT_STATISTICS, NULL);
}

SondeSessionRequest *
sonde_debug_session_tensor_request (SondeDebugSession *session, const char *text)
{
  return is_value (session, text)
             ? sonde_session_request_tensor (text)
             : sonde_session_request_evaluate (text, SONDE_SESSION_WANT_TENSOR, NULL);
}

#define MAX_DEPTH 16 /* of bodies in bodies */

static SondeNode *
find_inside (SondeGraph *graph, const char *name, int depth)
{
  for (guint i = 0; depth < MAX_DEPTH && i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i), *found = NULL;

      if (node == NULL)
        continue;
      if (depth > 0 && g_str_equal (node->name, name))
        return node;
      for (guint k = 0; k < node->attributes->len && found == NULL; k++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, k);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            found = find_inside (attribute->u.graph, name, depth + 1);
        }
      if (found != NULL)
        return found;
    }
  return NULL;
}

SondeNode *
sonde_debug_session_get_inner_node (SondeDebugSession *session)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);
  SondeGraph *graph = sonde_debug_session_get_graph (session);

  if (graph == NULL || status == NULL || status->stop.frames == NULL
      || status->stop.frames->len < 2)
    return NULL;
  return find_inside (graph, status->stop.node, 0);
}

/* ---- what is known ------------------------------------------------------- */

gboolean
sonde_debug_session_is_loaded (SondeDebugSession *session)
{
  return session->client != NULL && session->is_loaded && session->steps != NULL;
}

gboolean
sonde_debug_session_is_busy (SondeDebugSession *session)
{
  return session->n_asked > 0 || session->going;
}

const SondeSessionStatus *
sonde_debug_session_get_status (SondeDebugSession *session)
{
  return session->status;
}

SondeGraph *
sonde_debug_session_get_graph (SondeDebugSession *session)
{
  return session->graph;
}

GPtrArray *
sonde_debug_session_get_steps (SondeDebugSession *session)
{
  return session->steps;
}

GPtrArray *
sonde_debug_session_get_breakpoints (SondeDebugSession *session)
{
  return session->breakpoints;
}

GPtrArray *
sonde_debug_session_get_watches (SondeDebugSession *session)
{
  return session->watches;
}

GPtrArray *
sonde_debug_session_get_hits (SondeDebugSession *session)
{
  return session->hits;
}

guint
sonde_debug_session_get_breakpoints_serial (SondeDebugSession *session)
{
  return session->breakpoints_serial;
}

const char *
sonde_debug_session_get_listing (SondeDebugSession *session)
{
  return session->listing;
}

GPtrArray *
sonde_debug_session_get_values (SondeDebugSession *session)
{
  return session->values;
}

GPtrArray *
sonde_debug_session_get_branches (SondeDebugSession *session)
{
  return session->branches;
}

SondeCommandRunner *
sonde_debug_session_get_console (SondeDebugSession *session)
{
  return session->console;
}

guint
sonde_debug_session_get_line (SondeDebugSession *session, guint position)
{
  return position < session->n_lines ? session->lines[position] : 0;
}

SondeSessionClient *
sonde_debug_session_get_client (SondeDebugSession *session)
{
  return session->client;
}

const char *
sonde_debug_session_get_silence (SondeDebugSession *session)
{
  return session->silence;
}
