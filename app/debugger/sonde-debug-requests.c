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
sonde_debug_controller_refresh_breakpoints (SondeDebugController *controller)
{
  sonde_debug_controller_ask (controller, sonde_session_request_list_breakpoints (),
                              sonde_debug_controller_take_breakpoints, FALSE);
}

/* ---- asking for others --------------------------------------------------- */

typedef struct
{
  SondeDebugController *self;
  GAsyncReadyCallback callback; /* (nullable) */
  gpointer data;
} Passed;

void
sonde_debug_controller_tell (SondeDebugController *controller, JsonObject *answer)
{
  static const char *const keys[] = { "warning", "note" };
  const char *file = json_object_get_string_member_with_default (answer, "file", NULL);
  g_autofree char *saved
      = file != NULL
            ? g_strdup_printf ("The batch of step %" G_GINT64_FORMAT " is in %s",
                               json_object_get_int_member_with_default (answer, "step", 0), file)
            : NULL;

  if (saved != NULL)
    sonde_debug_controller_report (controller, saved);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    {
      JsonNode *node = json_object_get_member (answer, keys[i]);

      if (node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_string (node) != NULL)
        sonde_debug_controller_report (controller, json_node_get_string (node));
    }
}

static void
on_passed (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Passed *passed = data;
  g_autoptr (SondeDebugController) self = passed->self;

  if (passed->callback != NULL)
    passed->callback (source, result, passed->data);
  else
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (JsonObject) answer
          = sonde_debug_runner_run_finish_json (SONDE_DEBUG_RUNNER (source), result, &error);

      if (answer != NULL)
        sonde_debug_controller_tell (self, answer);
      else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        sonde_debug_controller_report (self, error->message);
    }
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

gboolean
sonde_debug_controller_command (SondeDebugController *controller, const char *line,
                                GAsyncReadyCallback callback, gpointer data)
{
  if (controller->commands == NULL)
    return FALSE;
  sonde_debug_runner_run (controller->commands, line, on_passed, pass (controller, callback, data));
  return TRUE;
}

gboolean
sonde_debug_controller_search (SondeDebugController *controller, const char *line,
                               GAsyncReadyCallback callback, gpointer data)
{
  if (controller->searches == NULL)
    return FALSE;
  sonde_debug_runner_run (controller->searches, line, on_passed, pass (controller, callback, data));
  return TRUE;
}

void
sonde_debug_controller_give_up (SondeDebugController *controller)
{
  if (controller->searches != NULL)
    sonde_debug_runner_interrupt (controller->searches);
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
