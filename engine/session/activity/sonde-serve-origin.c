/* SPDX-License-Identifier: Apache-2.0
 * Where a bad element comes from, and a small model that shows it. The run stands meanwhile. */
#include "engine/session/activity/sonde-activity-session.h"

#include <string.h>

#include "engine/debug/searches/sonde-origin.h"
#include "engine/debug/searches/sonde-reduce.h"

/* The first bad node; where what it read was bad before, the node that read that first. */
static const char *
node_that_fails (const SondeOrigin *origin)
{
  if (origin->executed_node != NULL || origin->first_bad_node != NULL)
    return origin->executed_node != NULL ? origin->executed_node : origin->first_bad_node;
  for (guint i = origin->chain->len; i > 0; i--)
    {
      const SondeOriginLink *link = g_ptr_array_index (origin->chain, i - 1);

      if (link->node != NULL)
        return link->node;
    }
  return NULL;
}

static gboolean
check_paused (SondeSessionServer *server, GError **error)
{
  if (server->state != SONDE_SESSION_RUNNING)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "Pause the run first.");
  return FALSE;
}

static gboolean
tick (double fraction, gpointer data)
{
  return sonde_session_work_tick ((guint) (1000 * CLAMP (fraction, 0, 1)), 1000, data);
}

gboolean
sonde_serve_origin (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const char *text = job->request->origin->expression;
  SondeSessionWork work = { server, N_ ("searching earlier steps"), 0 };
  g_autoptr (SondeOrigin) origin = NULL;

  if (!check_paused (server, error))
    return FALSE;
  /* what was set by hand would be lost by reverse execution */
  if (sonde_changes_get_edits (session->changes)->len > 0)
    origin = sonde_debugger_find_origin (session->debugger, text, error);
  else
    origin = sonde_debugger_trace_origin (session->debugger, text, tick, &work, error);
  if (origin == NULL)
    return FALSE;
  sonde_codec_write_origin (answer, origin);
  sonde_activity_session_remember_failure (session, node_that_fails (origin), NULL);
  return TRUE;
}

/* ---- reduce -------------------------------------------------------------- */

void
sonde_activity_session_remember_failure (SondeActivitySession *session, const char *node,
                                         const char *comparison)
{
  g_free (session->failed_node);
  g_free (session->failed_comparison);
  session->failed_node = g_strdup (node);
  session->failed_comparison = g_strdup (comparison);
}

static gboolean
check_request (SondeSessionServer *server, const char *node, const char *path, GError **error)
{
  if (server->options.host->save_model == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "This engine cannot write models.");
  else if (!sonde_session_check_path (path, error))
    return FALSE;
  else if (node == NULL)
    sonde_session_refuse (error,
                          "Reduce what? Ask for an origin first, or name the node that fails.");
  else
    return TRUE;
  return FALSE;
}

/* "DIR/F.onnx" -> "DIR/F.input_K.npy" */
static char *
file_of_input (const char *path, guint k)
{
  const gsize length = strlen (path) - (g_str_has_suffix (path, ".onnx") ? strlen (".onnx") : 0);

  return g_strdup_printf ("%.*s.input_%u.npy", (int) length, path, k);
}

static void
append_quoted (GString *command, const char *text)
{
  const gboolean plain
      = strspn (text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=:+,")
        == strlen (text);
  g_autofree char *quoted = plain ? NULL : g_shell_quote (text);

  g_string_append_printf (command, " %s", plain ? text : quoted);
}

/* The command that shows the failure in the model at @path. (transfer full) */
static char *
make_command (SondeSessionServer *server, const SondeReduction *reduction, const char *path,
              char *const *names, char *const *files)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const char *comparison
      = session->failed_comparison != NULL ? session->failed_comparison : "print out";
  const SondeGraphValue *output = g_ptr_array_index (reduction->graph->outputs, 0);
  GString *command = g_string_new ("sonde debug");

  append_quoted (command, path);
  for (guint k = 0; names[k] != NULL; k++)
    {
      g_autofree char *pair = g_strdup_printf ("%s=%s", names[k], files[k]);

      g_string_append (command, " --input");
      append_quoted (command, pair);
    }
  g_string_append (command, reduction->bad ? " --check" : " --repl --json");
  if (reduction->bad)
    {
      g_autofree char *check
          = g_strdup_printf ("nan(%s) > 0 || inf(%s) > 0", output->name, output->name);

      append_quoted (command, check);
    }
  else
    {
      g_autofree char *script = g_strdup_printf ("printf 'run\\n%s\\n' | ", comparison);

      g_string_prepend (command, script);
    }
  return g_string_free (command, FALSE);
}

static gboolean
write_files (SondeSessionServer *server, const SondeReduction *reduction, const char *path,
             SondeSessionAnswer *answer, GError **error)
{
  SondeSessionHost *host = server->options.host;
  const guint n = reduction->inputs->len;
  g_auto (GStrv) names = g_new0 (char *, n + 1), files = g_new0 (char *, n + 1);
  g_autofree char *command = NULL;

  if (!host->save_model (host, reduction->graph, path, error))
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      const SondeReducedInput *input = g_ptr_array_index (reduction->inputs, k);

      names[k] = g_strdup (input->name);
      files[k] = file_of_input (path, k);
      if (!host->save_value (host, input->tensor, files[k], error))
        return FALSE;
    }
  command = make_command (server, reduction, path, names, files);
  sonde_codec_write_reduction (answer, &(SondeReducedCase){ .model = (char *) path,
                                                            .names = names,
                                                            .files = files,
                                                            .n_nodes = reduction->n_nodes,
                                                            .command = command,
                                                            .node = reduction->node,
                                                            .value = reduction->value });
  return TRUE;
}

gboolean
sonde_serve_reduce (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                    GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const Sonde__Session__Value *asked = job->request->reduce;
  const SondeActivityClass *klass = session->activity->klass;
  const char *node = *asked->expression != '\0' ? asked->expression : session->failed_node;
  g_autoptr (SondeReduction) reduction = NULL;

  if (!sonde_activity_session_check_computes (server, error) || !check_paused (server, error)
      || !check_request (server, node, asked->path, error))
    return FALSE;
  reduction = sonde_reduce (
      sonde_debugger_get_execution (session->debugger),
      klass->get_original != NULL ? klass->get_original (session->activity) : NULL, node,
      session->failed_comparison != NULL && *asked->expression == '\0', error);
  return reduction != NULL && write_files (server, reduction, asked->path, answer, error);
}
