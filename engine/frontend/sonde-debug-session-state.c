/* SPDX-License-Identifier: Apache-2.0
 * What is known of a session. */
#include "engine/frontend/sonde-debug-session-private.h"

#include <string.h>

#include "engine/debug/changes/sonde-change-node.h"
#include "engine/frontend/sonde-debug-step-findings.h"

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

SondeNode *
sonde_debug_session_get_inner_node (SondeDebugSession *session)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);
  SondeGraph *graph = sonde_debug_session_get_graph (session);

  if (graph == NULL || status == NULL || status->stop.frames == NULL
      || status->stop.frames->len < 2)
    return NULL;
  return sonde_find_node_deep (graph, status->stop.node, NULL);
}

/* ---- what is known ------------------------------------------------------- */

const SondeDebugFindings *
sonde_debug_session_get_findings (SondeDebugSession *session)
{
  return &session->findings;
}

void
sonde_debug_session_take_divergence (SondeDebugSession *session, const SondeDivergence *divergence)
{
  if (divergence->is_step)
    sonde_debug_step_findings_take (&session->findings, divergence, session->steps);
  else
    sonde_debug_findings_take_divergence (&session->findings, divergence);
  g_signal_emit_by_name (session, "findings");
}

void
sonde_debug_session_take_precision (SondeDebugSession *session, const SondePrecisionFound *found)
{
  sonde_debug_findings_take_precision (&session->findings, found);
  g_signal_emit_by_name (session, "findings");
}

gboolean
sonde_debug_session_is_loaded (SondeDebugSession *session)
{
  return session->client != NULL && session->is_loaded;
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

double
sonde_debug_session_get_pace (SondeDebugSession *session)
{
  return sonde_debug_pace_get (&session->pace);
}

SondeGraph *
sonde_debug_session_get_graph (SondeDebugSession *session)
{
  return session->graph;
}

SondeDebugSteps *
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
