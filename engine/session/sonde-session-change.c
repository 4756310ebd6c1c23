/* SPDX-License-Identifier: Apache-2.0
 * Changing what runs: values, nodes, branches. The run stands while it is changed. */
#include "engine/session/sonde-session-server-private.h"

#include <string.h>

#include "engine/debug/sonde-assign.h"

static gboolean
check_standing (SondeSessionServer *server,
                GError            **error)
{
  if (server->state != SONDE_SESSION_RUNNING)
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "It runs; pause it before it is changed.");
  return FALSE;
}

static SondeTensor *
load_value (SondeSessionServer *server,
            const char         *path,
            GError            **error)
{
  SondeSessionHost *host = server->options.host;

  if (host->load_value == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED, "This engine cannot read files of values.");
      return NULL;
    }
  if (!g_path_is_absolute (path))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s” must be an absolute path: the engine may run in another folder.", path);
      return NULL;
    }
  return host->load_value (host, path, error);
}

/* ---- set ------------------------------------------------------------------------------------- */

/* What stands on the right of “=”. Returns: (transfer full) */
static SondeTensor *
read_source (SondeSessionServer *server,
             const char         *text,
             GError            **error)
{
  SondeTensor *number = sonde_assign_parse_number (text);

  if (number != NULL)
    return number;
  if (g_str_has_prefix (text, "file:"))
    return load_value (server, text + strlen ("file:"), error);
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
               "“%s” is neither a number (nor inf, -inf, nan, true, false) nor file:F.npy.", text);
  return NULL;
}

/* Kept in the log and with what is recorded, told to everybody. */
static void
log_edit (SondeSessionServer *server,
          SondeEdit          *edit,
          const char         *text,
          SondeSessionAnswer *answer)
{
  const SondeActivityClass *klass = server->activity->klass;
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_autofree char *note = NULL;

  sonde_changes_log (server->changes, edit, text);
  g_ptr_array_add (one, edit);
  sonde_session_answer_edits (answer, one);
  note = g_strdup_printf ("step %" G_GUINT64_FORMAT ", before “%s”: %s", edit->step, edit->node, text);
  if (klass->note_change != NULL)
    klass->note_change (server->activity, note);
}

gboolean
sonde_session_handle_set (SondeSessionServer *server,
                          SondeSessionJob    *job,
                          SondeSessionAnswer *answer,
                          GError            **error)
{
  const Sonde__Session__SetValue *asked = job->request->set;
  g_autoptr (SondeTensor) source = check_standing (server, error) ? read_source (server, asked->what, error) : NULL;
  g_autoptr (SondeEdit) edit = source != NULL ? sonde_debugger_set (server->debugger, asked->target, source, error) : NULL;
  g_autofree char *text = g_strdup_printf ("set %s = %s", asked->target, asked->what);

  if (edit == NULL)
    return FALSE;
  log_edit (server, edit, text, answer);
  sonde_session_publish (server);
  sonde_session_tell (server, SONDE_SESSION_EVENT_EDITED, TRUE, text);
  return TRUE;
}

/* ---- branches -------------------------------------------------------------------------------- */

gboolean
sonde_session_handle_branch (SondeSessionServer *server,
                             SondeSessionJob    *job,
                             SondeSessionAnswer *answer,
                             GError            **error)
{
  sonde_session_answer_edits (answer, sonde_changes_get_edits (server->changes));
  return TRUE;
}
