/* SPDX-License-Identifier: Apache-2.0
 * Requests that are counted until their answers have been shown. */
#include "engine/frontend/sonde-debug-session-private.h"

#include "data/base/sonde-error.h"

void
sonde_debug_session_answered (SondeDebugSession *self)
{
  if (--self->n_asked == 0)
    g_signal_emit_by_name (self, "idle");
}

void
sonde_debug_session_report (SondeDebugSession *self, const char *sentence)
{
  g_signal_emit_by_name (self, "problem", sentence);
}

/* ---- asking -------------------------------------------------------------- */

/* One request; @take gets its answer. */
typedef struct
{
  SondeDebugSession *self;
  SondeDebugTake take; /* (nullable) */
  gboolean goes;       /* it makes the run go on */
} Asked;

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugSession) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (SONDE_SESSION_CLIENT (source) != self->client)
    {
      sonde_debug_session_answered (self);
      return;
    }
  if (reply != NULL && asked->take != NULL)
    asked->take (self, reply);
  if (reply == NULL && asked->goes)
    self->going = FALSE;
  if (reply == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !sonde_session_client_is_closed (self->client))
    sonde_debug_session_report (self, sonde_error_get_text (error));
  g_signal_emit_by_name (self, "changed");
  sonde_debug_session_answered (self);
}

void
sonde_debug_session_ask (SondeDebugSession *self, SondeSessionRequest *request, SondeDebugTake take,
                         gboolean goes)
{
  Asked *asked;

  if (self->client == NULL)
    {
      sonde_session_request_free (request);
      return;
    }
  asked = g_new0 (Asked, 1);
  asked->self = g_object_ref (self);
  asked->take = take;
  asked->goes = goes;
  self->n_asked++;
  sonde_session_client_send (self->client, request, self->cancellable, on_reply, asked);
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
