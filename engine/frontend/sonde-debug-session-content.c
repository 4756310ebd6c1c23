/* SPDX-License-Identifier: Apache-2.0
 * What the answers of a session say: its position, graph, steps, listing, breakpoints, hits and
 * branches. */
#include "engine/frontend/sonde-debug-session-private.h"

#include "engine/frontend/sonde-debug-foreign-graph.h"

#include "data/base/sonde-error.h"

static void
go_to_start_node (SondeDebugSession *self)
{
  g_autofree char *at = g_steal_pointer (&self->at);
  const char *node;

  if (at == NULL)
    return;
  node = *at != '\0' ? at : sonde_debug_steps_find_middle (self->steps);
  if (node != NULL)
    sonde_debug_session_resume (self, SONDE_RESUME_UNTIL, node);
}

static void
fact_arrived (SondeDebugSession *self)
{
  if (++self->n_facts < 3)
    return;
  self->is_loaded = TRUE;
  g_signal_emit_by_name (self, "loaded");
  go_to_start_node (self);
}

/* Large parameters come without their values, as inputs: they are told from the real ones by their
 * roles. */
static void
take_values (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->values, g_ptr_array_unref);
  self->values = g_steal_pointer (&reply->values);
}

static void
take_branches (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->branches, g_ptr_array_unref);
  self->branches = g_steal_pointer (&reply->branches);
}

static void
give_roles (SondeDebugSession *self)
{
  for (guint i = 0; self->values != NULL && i < self->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (self->values, i);
      SondeGraphValue *value
          = info->producer == NULL ? sonde_graph_find_value (self->graph, info->name) : NULL;

      if (value != NULL && value->producer == NULL && value->constant == NULL
          && info->role != SONDE_ROLE_NORMAL)
        value->role = info->role;
    }
}

static void
take_graph (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&self->graph, sonde_graph_unref);
  if (reply->bytes != NULL)
    self->graph = self->parse (g_bytes_get_data (reply->bytes, NULL),
                               g_bytes_get_size (reply->bytes), "graph of the session", &error);
  if (self->graph != NULL)
    give_roles (self);
  if (error != NULL)
    sonde_debug_session_report (self, sonde_error_get_text (error));
  fact_arrived (self);
}

/* A loop that is not the engine's has no graph but the nodes that ran. */
static gboolean
is_foreign (const SondeDebugSession *self)
{
  return self->status->facts.kind == SONDE_ACTIVITY_PYTORCH;
}

static void
make_graph (SondeDebugSession *self, const GPtrArray *steps)
{
  g_clear_pointer (&self->graph, sonde_graph_unref);
  self->graph = sonde_debug_foreign_graph_new (steps);
  give_roles (self);
  fact_arrived (self);
}

static void
take_steps (SondeDebugSession *self, SondeSessionReply *reply)
{
  if (is_foreign (self))
    make_graph (self, reply->steps);
  sonde_debug_steps_set (self->steps, g_steal_pointer (&reply->steps));
  fact_arrived (self);
}

static void
take_listing (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_free (self->listing);
  sonde_debug_steps_set_lines (self->steps, g_steal_pointer (&reply->lines), reply->n_lines);
  self->listing
      = sonde_debug_steps_insert_lines (self->steps, reply->text != NULL ? reply->text : "");
  fact_arrived (self);
}

void
sonde_debug_session_take_breakpoints (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->breakpoints, g_ptr_array_unref);
  self->breakpoints = g_steal_pointer (&reply->breakpoints);
  self->breakpoints_serial++;
}

static void
take_watches (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->watches, g_ptr_array_unref);
  self->watches = g_steal_pointer (&reply->watches);
}

void
sonde_debug_session_refresh_breakpoints (SondeDebugSession *session)
{
  /* The answers come in this order: the serial changes once both are there. */
  sonde_debug_session_ask (session, sonde_session_request_list_watches (), take_watches, FALSE);
  sonde_debug_session_ask (session, sonde_session_request_list_breakpoints (),
                           sonde_debug_session_take_breakpoints, FALSE);
}

void
sonde_debug_session_take_hits (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_clear_pointer (&self->hits, g_ptr_array_unref);
  self->hits = g_steal_pointer (&reply->watch_hits);
  g_signal_emit_by_name (self, "hits");
}

void
sonde_debug_session_ask_hits (SondeDebugSession *self)
{
  if (sonde_debug_session_has_position (self))
    sonde_debug_session_ask (self, sonde_session_request_list_watch_hits (0),
                             sonde_debug_session_take_hits, FALSE);
}

static void
ask_facts (SondeDebugSession *self)
{
  self->n_facts = 0;
  self->shown_listing = self->status->stop.listing;
  sonde_debug_session_ask (self, sonde_session_request_values (NULL), take_values, FALSE);
  if (!is_foreign (self))
    {
      sonde_debug_session_ask (self, sonde_session_request_branch (SONDE_BRANCH_LIST, NULL),
                               take_branches, FALSE);
      sonde_debug_session_ask (self, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED),
                               take_graph, FALSE);
    }
  sonde_debug_session_ask (self, sonde_session_request_steps (), take_steps, FALSE);
  sonde_debug_session_ask (self, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED),
                           take_listing, FALSE);
  sonde_debug_session_refresh_breakpoints (self);
}

static gboolean
is_open (const SondeSessionStatus *status)
{
  return status != NULL && status->state != SONDE_SESSION_EMPTY
         && status->state != SONDE_SESSION_LOADING;
}

/* Another listing than the one that is known: what ran is known by running it. */
static gboolean
has_other_nodes (const SondeDebugSession *self, const SondeSessionStatus *status)
{
  return status->facts.kind == SONDE_ACTIVITY_PYTORCH && status->state == SONDE_SESSION_PAUSED
         && status->stop.listing != self->shown_listing;
}

/* Another place, not only another number of a training that runs. */
static gboolean
is_elsewhere (const SondeSessionStatus *a, const SondeSessionStatus *b)
{
  return a == NULL || a->state != b->state
         || (b->state != SONDE_SESSION_RUNNING
             && (a->stop.position != b->stop.position || a->stop.step != b->stop.step));
}

void
sonde_debug_session_set_status (SondeDebugSession *self, SondeSessionStatus *status)
{
  gboolean was_open = is_open (self->status), moved = is_elsewhere (self->status, status), other;

  /* Another branch may have another graph. */
  other = was_open && (self->status->branch != status->branch || has_other_nodes (self, status));
  g_clear_pointer (&self->status, sonde_session_status_free);
  self->status = status;
  if (status->state == SONDE_SESSION_RUNNING)
    sonde_debug_pace_add (&self->pace, status->facts.step, g_get_monotonic_time ());
  else
    sonde_debug_pace_clear (&self->pace);
  if (is_open (status) && (!was_open || other))
    ask_facts (self);
  moved = moved || other;
  if (!moved)
    return;
  self->focus = SONDE_DEBUG_NO_STEP;
  sonde_debug_session_ask_hits (self);
  g_signal_emit_by_name (self, "moved");
}

void
sonde_debug_session_take_status (SondeDebugSession *self, SondeSessionReply *reply)
{
  if (reply->status != NULL)
    sonde_debug_session_set_status (self, g_steal_pointer (&reply->status));
}
