/* SPDX-License-Identifier: Apache-2.0
 * What is asked of a session: commands of the user, and requests of the panels. */
#include "app/debugger/sonde-debug-session-private.h"

#include "data/base/sonde-text.h"

/* ---- commands ------------------------------------------------------------ */

void
sonde_debug_session_resume (SondeDebugSession *session, SondeResumeKind kind, const char *target)
{
  SondeResume resume = { .kind = kind, .target = target };

  session->going = session->client != NULL && kind != SONDE_RESUME_CONTINUE;
  sonde_debug_session_ask (session, sonde_session_request_resume (&resume), NULL, TRUE);
}

void
sonde_debug_session_go_back (SondeDebugSession *session, const SondeBack *back)
{
  session->going = session->client != NULL;
  sonde_debug_session_ask (session, sonde_session_request_go_back (back), NULL, TRUE);
}

static void
take_rewound (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_autofree char *sentence
      = g_strdup_printf (_ ("The batch of step %" PRIu64 " was written to %s."),
                         self->status != NULL ? self->status->stop.step : 0, reply->path);

  sonde_debug_session_report (self, sentence);
}

void
sonde_debug_session_rewind (SondeDebugSession *session)
{
  session->going = session->client != NULL;
  sonde_debug_session_ask (session, sonde_session_request_rewind (NULL), take_rewound, TRUE);
}

void
sonde_debug_session_pause (SondeDebugSession *session)
{
  sonde_debug_session_ask (session, sonde_session_request_pause (), NULL, FALSE);
}

void
sonde_debug_session_restart (SondeDebugSession *session)
{
  sonde_debug_session_ask (session, sonde_session_request_restart (),
                           sonde_debug_session_take_status, FALSE);
}

void
sonde_debug_session_toggle_breakpoint (SondeDebugSession *session, const char *pattern)
{
  SondeBreakpointSpec spec = { .pattern = pattern, .moment = SONDE_MOMENT_BEFORE };
  gboolean removed = FALSE;

  for (guint i = 0; session->breakpoints != NULL && i < session->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (session->breakpoints, i);

      if (g_strcmp0 (info->pattern, pattern) != 0)
        continue;
      sonde_debug_session_ask (session, sonde_session_request_remove_breakpoint (info->id), NULL,
                               FALSE);
      removed = TRUE;
    }
  if (!removed)
    sonde_debug_session_ask (session, sonde_session_request_add_breakpoint (&spec), NULL, FALSE);
  sonde_debug_session_refresh_breakpoints (session);
}

void
sonde_debug_session_remove_breakpoint (SondeDebugSession *session, guint id)
{
  sonde_debug_session_ask (session, sonde_session_request_remove_breakpoint (id), NULL, FALSE);
  sonde_debug_session_refresh_breakpoints (session);
}

void
sonde_debug_session_enable_breakpoint (SondeDebugSession *session, guint id, gboolean enabled)
{
  sonde_debug_session_ask (session, sonde_session_request_enable_breakpoint (id, enabled), NULL,
                           FALSE);
  sonde_debug_session_refresh_breakpoints (session);
}

void
sonde_debug_session_recheck (SondeDebugSession *session)
{
  sonde_debug_session_ask (session, sonde_session_request_recheck (0),
                           sonde_debug_session_take_hits, FALSE);
}

void
sonde_debug_session_report_edits (SondeDebugSession *session, SondeSessionReply *reply)
{
  for (guint i = 0; reply->edits != NULL && i < reply->edits->len; i++)
    {
      const SondeEdit *edit = g_ptr_array_index (reply->edits, i);

      if (edit->warning != NULL)
        sonde_debug_session_report (session, edit->warning);
    }
  if (reply->note != NULL)
    sonde_debug_session_report (session, reply->note);
}

void
sonde_debug_session_bypass (SondeDebugSession *session, const char *node)
{
  sonde_debug_session_ask (session, sonde_session_request_bypass (node),
                           sonde_debug_session_report_edits, FALSE);
}

void
sonde_debug_session_branch (SondeDebugSession *session, SondeBranchRequest what, const char *name)
{
  sonde_debug_session_ask (session, sonde_session_request_branch (what, name), NULL, FALSE);
}

/* ---- asking for others --------------------------------------------------- */

typedef struct
{
  SondeDebugSession *self;
  GAsyncReadyCallback callback;
  gpointer data;
} Passed;

static void
on_passed (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Passed *passed = data;
  g_autoptr (SondeDebugSession) self = passed->self;

  passed->callback (source, result, passed->data);
  sonde_debug_session_answered (self);
}

static Passed *
pass (SondeDebugSession *self, GAsyncReadyCallback callback, gpointer data)
{
  Passed *passed = g_new0 (Passed, 1);

  *passed = (Passed){ g_object_ref (self), callback, data };
  self->n_asked++;
  return passed;
}

gboolean
sonde_debug_session_send (SondeDebugSession *session, SondeSessionRequest *request,
                          GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  if (session->client == NULL)
    {
      sonde_session_request_free (request);
      return FALSE;
    }
  sonde_session_client_send (session->client, request, cancellable, on_passed,
                             pass (session, callback, data));
  return TRUE;
}

void
sonde_debug_session_hold (SondeDebugSession *session)
{
  session->n_asked++;
}

void
sonde_debug_session_release (SondeDebugSession *session)
{
  sonde_debug_session_answered (session);
}
