/* SPDX-License-Identifier: Apache-2.0
 * Requests about watches. Engine thread. */
#include "engine/session/sonde-session-server-private.h"

/* ---- messages ------------------------------------------------------------ */

static char *
lend (char *text)
{
  return text != NULL ? text : (char *) "";
}

/* Strings are lent by @hit. */
static void
fill_hit (const SondeWatchHit *hit, Sonde__Session__WatchHit *message)
{
  sonde__session__watch_hit__init (message);
  message->watch = hit->watch;
  message->step = hit->step;
  message->node = lend (hit->node);
  message->value = lend (hit->value);
  message->condition = lend (hit->condition);
  message->parameter = lend (hit->parameter);
  message->threshold = hit->threshold;
  message->actual = hit->actual;
  message->unchecked = hit->unchecked;
  message->explanation = lend (hit->explanation);
}

Sonde__Session__WatchHit **
sonde_session_fill_hits (const GPtrArray *hits, GPtrArray *garbage, gsize *n)
{
  Sonde__Session__WatchHit *each, **messages;

  *n = hits != NULL ? hits->len : 0;
  each = g_new (Sonde__Session__WatchHit, *n + 1);
  messages = g_new (Sonde__Session__WatchHit *, *n + 1);
  g_ptr_array_add (garbage, each);
  g_ptr_array_add (garbage, messages);
  for (gsize i = 0; i < *n; i++)
    {
      fill_hit (g_ptr_array_index (hits, i), &each[i]);
      messages[i] = &each[i];
    }
  return messages;
}

static Sonde__Session__WatchHit *
answer_hit (SondeSessionAnswer *answer, const SondeWatchHit *hit)
{
  Sonde__Session__WatchHit *message = sonde_session_answer_alloc (answer, sizeof *message);

  fill_hit (hit, message);
  message->node = sonde_session_answer_strdup (answer, hit->node);
  message->value = sonde_session_answer_strdup (answer, hit->value);
  message->condition = sonde_session_answer_strdup (answer, hit->condition);
  message->parameter = sonde_session_answer_strdup (answer, hit->parameter);
  message->explanation = sonde_session_answer_strdup (answer, hit->explanation);
  return message;
}

static void
answer_hits (SondeSessionAnswer *answer, GPtrArray *hits)
{
  answer->reply.watch_hits
      = sonde_session_answer_alloc (answer, hits->len * sizeof (Sonde__Session__WatchHit *));
  answer->reply.n_watch_hits = hits->len;
  for (guint i = 0; i < hits->len; i++)
    answer->reply.watch_hits[i] = answer_hit (answer, g_ptr_array_index (hits, i));
}

static void
answer_list (SondeSessionAnswer *answer, GPtrArray *watches, guint id)
{
  answer->reply.watches
      = sonde_session_answer_alloc (answer, watches->len * sizeof (Sonde__Session__Watch *));
  for (guint i = 0; i < watches->len; i++)
    {
      const SondeWatch *watch = g_ptr_array_index (watches, i);
      Sonde__Session__Watch *message;

      if (id != 0 && watch->id != id)
        continue;
      message = sonde_session_answer_alloc (answer, sizeof *message);
      sonde__session__watch__init (message);
      message->id = watch->id;
      message->text = sonde_session_answer_strdup (answer, watch->text);
      message->pattern = sonde_session_answer_strdup (answer, watch->pattern);
      message->on_inputs = watch->on_inputs;
      message->log_only = watch->log_only;
      message->enabled = watch->enabled;
      message->hits = watch->hits;
      message->ignore = watch->ignore;
      message->unchecked = watch->unchecked;
      message->n_values = watch->n_values;
      message->last = watch->last != NULL ? answer_hit (answer, watch->last) : NULL;
      answer->reply.watches[answer->reply.n_watches++] = message;
    }
}

void
sonde_session_answer_watches (SondeSessionServer *server, SondeSessionAnswer *answer, guint id)
{
  answer_list (answer, sonde_debugger_get_watches (server->debugger), id);
}

/* ---- requests ------------------------------------------------------------ */

gboolean
sonde_session_handle_add_watch (SondeSessionServer *server, SondeSessionJob *job,
                                SondeSessionAnswer *answer, GError **error)
{
  g_autoptr (GPtrArray) added
      = sonde_debugger_add_watches (server->debugger, job->request->add_watch->text, error);

  if (added == NULL)
    return FALSE;
  answer_list (answer, added, 0);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BREAKPOINTS, FALSE, NULL);
  return TRUE;
}

gboolean
sonde_session_handle_list_watches (SondeSessionServer *server, SondeSessionJob *job,
                                   SondeSessionAnswer *answer, GError **error)
{
  sonde_session_answer_watches (server, answer, 0);
  return TRUE;
}

gboolean
sonde_session_handle_list_watch_hits (SondeSessionServer *server, SondeSessionJob *job,
                                      SondeSessionAnswer *answer, GError **error)
{
  g_autoptr (GPtrArray) hits
      = sonde_debugger_get_watch_hits (server->debugger, job->request->list_watch_hits->id);

  answer_hits (answer, hits);
  return TRUE;
}

gboolean
sonde_session_handle_recheck (SondeSessionServer *server, SondeSessionJob *job,
                              SondeSessionAnswer *answer, GError **error)
{
  guint64 step = job->request->recheck->step;
  /* what was set by hand would be lost on a way back */
  gboolean may_go = job->in_control && server->state != SONDE_SESSION_RUNNING
                    && sonde_changes_get_edits (server->changes)->len == 0;
  g_autoptr (GPtrArray) hits = may_go ? sonde_debugger_recheck_again (server->debugger, step, error)
                                      : sonde_debugger_recheck (server->debugger, step, error);

  if (hits == NULL)
    return FALSE;
  answer_hits (answer, hits);
  return TRUE;
}
