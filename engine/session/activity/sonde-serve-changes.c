/* SPDX-License-Identifier: Apache-2.0
 * Changing what runs: values, nodes, branches. The run stands while it is changed. */
#include "engine/session/activity/sonde-activity-session.h"

#include <string.h>

#include "engine/live/sonde-assign.h"
#include "engine/debug/changes/sonde-diff.h"
#include "engine/debug/changes/sonde-rerun.h"

#define AT_RUN "@run:"

static gboolean
check_paused (SondeSessionServer *server, GError **error)
{
  if (server->state != SONDE_SESSION_RUNNING)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Pause the run before changing it.");
  return FALSE;
}

static gboolean
check_change (SondeSessionServer *server, GError **error)
{
  return sonde_activity_session_check_computes (server, error) && check_paused (server, error);
}

static SondeTensor *
load_value (SondeSessionServer *server, const char *path, GError **error)
{
  SondeSessionHost *host = server->options.host;

  if (host->load_value == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "This engine cannot read files of values.");
      return NULL;
    }
  return sonde_session_check_path (path, error) ? host->load_value (host, path, error) : NULL;
}

/* "VALUE", "DIR" or "DIR:STEP" of "VALUE@run:…". Returns: (transfer full) */
static SondeTensor *
read_of_run (SondeSessionServer *server, const char *name, const char *where, GError **error)
{
  SondeSessionHost *host = server->options.host;
  const char *colon = strrchr (where, ':');
  guint64 step = 0;
  gboolean has_step
      = colon != NULL && g_ascii_string_to_unsigned (colon + 1, 10, 1, G_MAXINT64, &step, NULL);
  g_autofree char *run = has_step ? g_strndup (where, (gsize) (colon - where)) : g_strdup (where);

  if (host->read_recorded == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "This engine cannot read other runs.");
  else if (sonde_session_check_path (run, error))
    return host->read_recorded (host, run, name, step, error);
  return NULL;
}

/* A file, a value, an expression. Returns: (transfer full) */
static SondeTensor *
read_operand (SondeSessionServer *server, const char *text, GError **error)
{
  const char *at;

  if (g_str_has_prefix (text, "file:"))
    return load_value (server, text + strlen ("file:"), error);
  at = strstr (text, AT_RUN);
  if (at != NULL)
    {
      g_autofree char *name = g_strndup (text, (gsize) (at - text));

      return read_of_run (server, name, at + strlen (AT_RUN), error);
    }
  return sonde_changes_evaluate (sonde_activity_session_of (server)->changes, text, error);
}

/* ---- set ----------------------------------------------------------------- */

/* What stands on the right of “=”. Returns: (transfer full) */
static SondeTensor *
read_source (SondeSessionServer *server, const char *text, GError **error)
{
  SondeTensor *number = sonde_assign_parse_number (text);

  if (number != NULL)
    return number;
  return read_operand (server, text, error);
}

/* Kept in the log and with what is recorded, told to everybody. */
static void
log_edit (SondeSessionServer *server, SondeEdit *edit, const char *text, SondeSessionAnswer *answer)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const SondeActivityClass *klass = session->activity->klass;
  g_autoptr (GPtrArray) one = g_ptr_array_new ();
  g_autoptr (SondeMessage) note = NULL;

  sonde_changes_log (session->changes, edit, text);
  g_ptr_array_add (one, edit);
  sonde_codec_write_edits (answer, one);
  note = sonde_message_new ("step %" PRIu64 ", before “%s”: %s", edit->step, edit->node, text);
  if (klass->note_change != NULL)
    klass->note_change (session->activity, note);
}

gboolean
sonde_serve_set (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                 GError **error)
{
  const Sonde__Session__SetValue *asked = job->request->set;
  g_autoptr (SondeTensor) source
      = check_change (server, error) ? read_source (server, asked->what, error) : NULL;
  g_autoptr (SondeEdit) edit
      = source != NULL ? sonde_debugger_set (sonde_activity_session_of (server)->debugger,
                                             asked->target, source, error)
                       : NULL;
  g_autofree char *text = g_strdup_printf ("set %s = %s", asked->target, asked->what);

  if (edit == NULL)
    return FALSE;
  log_edit (server, edit, text, answer);
  sonde_session_publish (server);
  sonde_session_tell (server, SONDE_SESSION_EVENT_EDITED, TRUE, text);
  return TRUE;
}

/* ---- branches ------------------------------------------------------------ */

/* What runs is another execution: the state is what that is in. */
static void
entered_branch (SondeSessionServer *server, const char *text)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  SondeExecution *execution = sonde_debugger_get_execution (session->debugger);

  if (sonde_execution_is_running (execution))
    server->state = SONDE_SESSION_PAUSED;
  else
    server->state
        = sonde_execution_get_position (execution) > 0 ? SONDE_SESSION_ENDED : SONDE_SESSION_READY;
  if (server->state != SONDE_SESSION_ENDED)
    {
      sonde_activity_session_forget_end (session);
    }
  sonde_session_publish (server);
  sonde_session_tell (server, SONDE_SESSION_EVENT_BRANCH, TRUE, text);
}

static gboolean
check_control (SondeSessionServer *server, SondeSessionJob *job, GError **error)
{
  if (job->in_control)
    return check_change (server, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Another client controls this session; this client can only observe.");
  return FALSE;
}

static gboolean
change_branch (SondeSessionServer *server, SondeSessionJob *job,
               const Sonde__Session__Branch *asked, GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  gboolean make = asked->what == SONDE_BRANCH_MAKE;
  const char *name = asked->name != NULL && *asked->name != '\0' ? asked->name : NULL;
  g_autofree char *text
      = g_strdup_printf ("branch%s%s", name != NULL ? " " : "", name != NULL ? name : "");

  if (!check_control (server, job, error))
    return FALSE;
  if (make ? !sonde_changes_branch (session->changes, name, error)
           : !sonde_changes_switch (session->changes, name != NULL ? name : "", error))
    return FALSE;
  if (make)
    {
      sonde_session_publish (server);
      sonde_session_tell (server, SONDE_SESSION_EVENT_BRANCH, TRUE, text);
    }
  else
    entered_branch (server, text);
  return TRUE;
}

gboolean
sonde_serve_branch (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const Sonde__Session__Branch *asked = job->request->branch;

  if (asked->what == SONDE_BRANCH_EDITS)
    {
      sonde_codec_write_edits (answer, sonde_changes_get_edits (session->changes));
      return TRUE;
    }
  if (asked->what > SONDE_BRANCH_EDITS)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "This version does not support that operation on branches.");
      return FALSE;
    }
  if (asked->what != SONDE_BRANCH_LIST && !change_branch (server, job, asked, error))
    return FALSE;
  sonde_codec_write_branches (answer, sonde_changes_get_branches (session->changes));
  return TRUE;
}

gboolean
sonde_serve_change_node (SondeSessionServer *server, SondeSessionJob *job,
                         SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__ChangeNode *asked = job->request->change_node;
  g_autoptr (SondeNodeChange) change
      = sonde_node_change_new (asked->node, asked->bypass ? NULL : asked->key, asked->value);
  g_autoptr (SondeMessage) note = NULL;
  g_autofree char *text = NULL;
  g_autoptr (SondeEdit) edit = NULL;

  if (!check_change (server, error))
    return FALSE;
  edit = sonde_changes_change_node (sonde_activity_session_of (server)->changes, change, &note,
                                    error);
  if (edit == NULL)
    return FALSE;
  text = asked->bypass ? g_strdup_printf ("bypass %s", asked->node)
                       : g_strdup_printf ("attr %s.%s = %s", asked->node, asked->key, asked->value);
  log_edit (server, edit, text, answer);
  sonde_codec_write_note (answer, note);
  entered_branch (server, text);
  return TRUE;
}

/* ---- rerun, diff --------------------------------------------------------- */

static char *
describe_rerun (const Sonde__Session__Rerun *asked)
{
  gboolean precision = *asked->precision != '\0', device = *asked->device != '\0';

  return g_strdup_printf ("rerun %s%s%s%s%s --take", asked->node, precision ? " --precision " : "",
                          asked->precision, device ? " --device " : "", asked->device);
}

static void
log_taken (SondeSessionServer *server, const Sonde__Session__Rerun *asked, GPtrArray *edits,
           SondeSessionAnswer *answer)
{
  g_autofree char *text = describe_rerun (asked);

  for (guint i = 0; i < edits->len; i++)
    log_edit (server, g_ptr_array_index (edits, i), text, answer);
  sonde_codec_write_edits (answer, edits);
  if (edits->len == 0)
    return;
  sonde_session_publish (server);
  sonde_session_tell (server, SONDE_SESSION_EVENT_EDITED, TRUE, text);
}

gboolean
sonde_serve_rerun (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                   GError **error)
{
  const Sonde__Session__Rerun *asked = job->request->rerun;
  SondeRerunOptions options;
  g_autoptr (GPtrArray) edits = NULL, differences = NULL;
  g_autoptr (SondeMessage) note = NULL;

  if (!check_change (server, error))
    return FALSE;
  sonde_codec_read_rerun (asked, &options);
  differences = sonde_debugger_rerun (sonde_activity_session_of (server)->debugger, &options, &note,
                                      &edits, error);
  if (differences == NULL)
    return FALSE;
  log_taken (server, asked, edits, answer);
  sonde_codec_write_differences (answer, differences, FALSE);
  sonde_codec_write_note (answer, note);
  return TRUE;
}

static GPtrArray *
diff_values (SondeSessionServer *server, const Sonde__Session__Diff *asked, GError **error)
{
  g_autoptr (SondeTensor) a = read_operand (server, asked->a, error);
  g_autoptr (SondeTensor) b = a != NULL ? read_operand (server, asked->b, error) : NULL;
  g_autoptr (SondeDifference) difference
      = b != NULL ? sonde_difference_new (asked->a, NULL, NULL, a, b) : NULL;
  GPtrArray *one;

  if (difference == NULL)
    return NULL;
  if (difference->problem != NULL)
    {
      sonde_set_error_message (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                               g_steal_pointer (&difference->problem));
      return NULL;
    }
  one = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_difference_free);
  g_ptr_array_add (one, g_steal_pointer (&difference));
  return one;
}

gboolean
sonde_serve_diff (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                  GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const Sonde__Session__Diff *asked = job->request->diff;
  gboolean alone = *asked->b == '\0';
  gboolean branches = sonde_changes_is_branch (session->changes, asked->a)
                      && (alone || sonde_changes_is_branch (session->changes, asked->b));
  g_autoptr (GPtrArray) differences = NULL;

  if (!branches && alone)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "There is no branch “%s”. To compare two values, use diff A B.", asked->a);
      return FALSE;
    }
  differences = branches ? sonde_changes_diff_branches (session->changes, asked->a,
                                                        alone ? NULL : asked->b, error)
                         : diff_values (server, asked, error);
  if (differences == NULL)
    return FALSE;
  sonde_codec_write_differences (answer, differences, branches);
  return TRUE;
}
