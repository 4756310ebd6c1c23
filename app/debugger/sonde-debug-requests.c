/* SPDX-License-Identifier: Apache-2.0
 * What is asked of a session: commands of the user, and requests of the panels. */
#include "app/debugger/sonde-debug-controller-private.h"

/* ---- commands ------------------------------------------------------------ */

void
sonde_debug_controller_resume (SondeDebugController *controller, SondeResumeKind kind,
                               const char *target)
{
  SondeResume resume = { .kind = kind, .target = target };

  controller->going = controller->client != NULL && kind != SONDE_RESUME_CONTINUE;
  sonde_debug_controller_ask (controller, sonde_session_request_resume (&resume), NULL, TRUE);
}

void
sonde_debug_controller_go_back (SondeDebugController *controller, const SondeBack *back)
{
  controller->going = controller->client != NULL;
  sonde_debug_controller_ask (controller, sonde_session_request_go_back (back), NULL, TRUE);
}

static void
take_rewound (SondeDebugController *self, SondeSessionReply *reply)
{
  g_autofree char *sentence
      = g_strdup_printf ("The batch of step %" G_GUINT64_FORMAT " was written to %s",
                         self->status != NULL ? self->status->stop.step : 0, reply->path);

  sonde_debug_controller_report (self, sentence);
}

void
sonde_debug_controller_rewind (SondeDebugController *controller)
{
  controller->going = controller->client != NULL;
  sonde_debug_controller_ask (controller, sonde_session_request_rewind (NULL), take_rewound, TRUE);
}

void
sonde_debug_controller_pause (SondeDebugController *controller)
{
  sonde_debug_controller_ask (controller, sonde_session_request_pause (), NULL, FALSE);
}

void
sonde_debug_controller_restart (SondeDebugController *controller)
{
  sonde_debug_controller_ask (controller, sonde_session_request_restart (),
                              sonde_debug_controller_take_status, FALSE);
}

void
sonde_debug_controller_toggle_breakpoint (SondeDebugController *controller, const char *pattern)
{
  SondeBreakpointSpec spec = { .pattern = pattern, .moment = SONDE_MOMENT_BEFORE };
  gboolean removed = FALSE;

  for (guint i = 0; controller->breakpoints != NULL && i < controller->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (controller->breakpoints, i);

      if (g_strcmp0 (info->pattern, pattern) != 0)
        continue;
      sonde_debug_controller_ask (controller, sonde_session_request_remove_breakpoint (info->id),
                                  NULL, FALSE);
      removed = TRUE;
    }
  if (!removed)
    sonde_debug_controller_ask (controller, sonde_session_request_add_breakpoint (&spec), NULL,
                                FALSE);
  sonde_debug_controller_refresh_breakpoints (controller);
}

void
sonde_debug_controller_remove_breakpoint (SondeDebugController *controller, guint id)
{
  sonde_debug_controller_ask (controller, sonde_session_request_remove_breakpoint (id), NULL,
                              FALSE);
  sonde_debug_controller_refresh_breakpoints (controller);
}

void
sonde_debug_controller_enable_breakpoint (SondeDebugController *controller, guint id,
                                          gboolean enabled)
{
  sonde_debug_controller_ask (controller, sonde_session_request_enable_breakpoint (id, enabled),
                              NULL, FALSE);
  sonde_debug_controller_refresh_breakpoints (controller);
}

void
sonde_debug_controller_recheck (SondeDebugController *controller)
{
  sonde_debug_controller_ask (controller, sonde_session_request_recheck (0),
                              sonde_debug_controller_take_hits, FALSE);
}

void
sonde_debug_controller_report_edits (SondeDebugController *controller, SondeSessionReply *reply)
{
  for (guint i = 0; reply->edits != NULL && i < reply->edits->len; i++)
    {
      const SondeEdit *edit = g_ptr_array_index (reply->edits, i);

      if (edit->warning != NULL)
        sonde_debug_controller_report (controller, edit->warning);
    }
  if (reply->note != NULL)
    sonde_debug_controller_report (controller, reply->note);
}

void
sonde_debug_controller_bypass (SondeDebugController *controller, const char *node)
{
  sonde_debug_controller_ask (controller, sonde_session_request_bypass (node),
                              sonde_debug_controller_report_edits, FALSE);
}

void
sonde_debug_controller_branch (SondeDebugController *controller, SondeBranchRequest what,
                               const char *name)
{
  sonde_debug_controller_ask (controller, sonde_session_request_branch (what, name), NULL, FALSE);
}

/* ---- asking for others --------------------------------------------------- */

typedef struct
{
  SondeDebugController *self;
  GAsyncReadyCallback callback;
  gpointer data;
} Passed;

static void
on_passed (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Passed *passed = data;
  g_autoptr (SondeDebugController) self = passed->self;

  passed->callback (source, result, passed->data);
  sonde_debug_controller_answered (self);
}

static Passed *
pass (SondeDebugController *self, GAsyncReadyCallback callback, gpointer data)
{
  Passed *passed = g_new0 (Passed, 1);

  *passed = (Passed){ g_object_ref (self), callback, data };
  self->n_asked++;
  return passed;
}

gboolean
sonde_debug_controller_send (SondeDebugController *controller, SondeSessionRequest *request,
                             GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data)
{
  if (controller->client == NULL)
    {
      sonde_session_request_free (request);
      return FALSE;
    }
  sonde_session_client_send (controller->client, request, cancellable, on_passed,
                             pass (controller, callback, data));
  return TRUE;
}

void
sonde_debug_controller_hold (SondeDebugController *controller)
{
  controller->n_asked++;
}

void
sonde_debug_controller_release (SondeDebugController *controller)
{
  sonde_debug_controller_answered (controller);
}
