/* SPDX-License-Identifier: Apache-2.0
 * Where a bad element comes from, and a small model that shows it. The run stands meanwhile. */
#include "engine/session/sonde-session-server-private.h"

#include <string.h>

#include "engine/debug/sonde-origin.h"
#include "engine/debug/sonde-reduce.h"

static Sonde__Session__OriginLink *
make_link (SondeSessionAnswer *answer, const char *value, const SondeShape *shape, gint64 element,
           double number)
{
  Sonde__Session__OriginLink *message = sonde_session_answer_alloc (answer, sizeof *message);
  const gsize bytes = (gsize) shape->rank * sizeof (gint64);

  sonde__session__origin_link__init (message);
  message->value = sonde_session_answer_strdup (answer, value);
  message->n_dims = (gsize) shape->rank;
  message->dims = sonde_session_answer_alloc (answer, bytes);
  memcpy (message->dims, shape->dims, bytes);
  message->element = element;
  message->number = number;
  message->iteration = -1;
  return message;
}

static void
answer_origin (SondeSessionAnswer *answer, const SondeOrigin *origin)
{
  Sonde__Session__Origin *message = sonde_session_answer_alloc (answer, sizeof *message);

  sonde__session__origin__init (message);
  message->chain = sonde_session_answer_alloc (answer, origin->chain->len * sizeof *message->chain);
  message->n_chain = origin->chain->len;
  for (guint i = 0; i < origin->chain->len; i++)
    {
      const SondeOriginLink *link = g_ptr_array_index (origin->chain, i);

      message->chain[i]
          = make_link (answer, link->value, &link->shape, link->element, link->number);
      message->chain[i]->node = sonde_session_answer_strdup (answer, link->node);
      message->chain[i]->op = sonde_session_answer_strdup (answer, link->op);
      message->chain[i]->phase = link->phase;
      message->chain[i]->iteration = link->iteration;
      message->chain[i]->step = link->step;
    }
  if (origin->cause_value != NULL)
    message->to_blame = make_link (answer, origin->cause_value, &origin->cause_shape,
                                   origin->cause_element, origin->cause_number);
  message->first_bad_node = sonde_session_answer_strdup (answer, origin->first_bad_node);
  message->cause = sonde_session_answer_strdup (answer, origin->cause);
  message->executed_node = sonde_session_answer_strdup (answer, origin->executed_node);
  message->step = origin->step;
  answer->reply.origin = message;
}

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
check_standing (SondeSessionServer *server, GError **error)
{
  if (server->state != SONDE_SESSION_RUNNING)
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "It runs; pause it before you ask.");
  return FALSE;
}

static gboolean
tick (double fraction, gpointer data)
{
  return sonde_session_work_tick ((guint) (1000 * CLAMP (fraction, 0, 1)), 1000, data);
}

gboolean
sonde_session_handle_origin (SondeSessionServer *server, SondeSessionJob *job,
                             SondeSessionAnswer *answer, GError **error)
{
  const char *text = job->request->origin->expression;
  SondeSessionWork work = { server, "searching the steps before", 0 };
  g_autoptr (SondeOrigin) origin = NULL;

  if (!check_standing (server, error))
    return FALSE;
  /* what was set by hand would be lost on a way back */
  if (sonde_changes_get_edits (server->changes)->len > 0)
    origin = sonde_debugger_find_origin (server->debugger, text, error);
  else
    origin = sonde_debugger_trace_origin (server->debugger, text, tick, &work, error);
  if (origin == NULL)
    return FALSE;
  answer_origin (answer, origin);
  sonde_session_remember_failure (server, node_that_fails (origin), NULL);
  return TRUE;
}

/* ---- reduce -------------------------------------------------------------- */

void
sonde_session_remember_failure (SondeSessionServer *server, const char *node,
                                const char *comparison)
{
  g_free (server->failed_node);
  g_free (server->failed_comparison);
  server->failed_node = g_strdup (node);
  server->failed_comparison = g_strdup (comparison);
}

static gboolean
check_request (SondeSessionServer *server, const char *node, const char *path, GError **error)
{
  if (server->options.host->save_model == NULL)
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                         "This engine cannot write models.");
  else if (!g_path_is_absolute (path))
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                 "“%s” must be an absolute path: the engine may run in another folder.", path);
  else if (node == NULL)
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
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

static gboolean
write_files (SondeSessionServer *server, const SondeReduction *reduction, const char *path,
             SondeSessionAnswer *answer, GError **error)
{
  SondeSessionHost *host = server->options.host;
  Sonde__Session__Reduction *message = sonde_session_answer_alloc (answer, sizeof *message);
  const char *comparison
      = server->failed_comparison != NULL ? server->failed_comparison : "print out";
  g_autoptr (GString) command = g_string_new ("sonde debug");
  const SondeGraphValue *output = g_ptr_array_index (reduction->graph->outputs, 0);
  g_autofree char *check
      = g_strdup_printf ("nan(%s) > 0 || inf(%s) > 0", output->name, output->name);
  const guint n = reduction->inputs->len;

  sonde__session__reduction__init (message);
  if (!host->save_model (host, reduction->graph, path, error))
    return FALSE;
  append_quoted (command, path);
  message->names = sonde_session_answer_strings (answer, n);
  message->files = sonde_session_answer_strings (answer, n);
  message->n_names = message->n_files = n;
  for (guint k = 0; k < n; k++)
    {
      const SondeReducedInput *input = g_ptr_array_index (reduction->inputs, k);
      g_autofree char *file = file_of_input (path, k),
                      *pair = g_strdup_printf ("%s=%s", input->name, file);

      if (!host->save_value (host, input->tensor, file, error))
        return FALSE;
      message->names[k] = sonde_session_answer_strdup (answer, input->name);
      message->files[k] = sonde_session_answer_strdup (answer, file);
      g_string_append (command, " --input");
      append_quoted (command, pair);
    }
  g_string_append (command, reduction->bad ? " --check" : " --repl --json");
  if (reduction->bad)
    append_quoted (command, check);
  else
    {
      g_autofree char *script = g_strdup_printf ("printf 'run\\n%s\\n' | ", comparison);

      g_string_prepend (command, script);
    }
  message->model = sonde_session_answer_strdup (answer, path);
  message->command = sonde_session_answer_strdup (answer, command->str);
  message->n_nodes = reduction->n_nodes;
  message->node = sonde_session_answer_strdup (answer, reduction->node);
  message->value = sonde_session_answer_strdup (answer, reduction->value);
  answer->reply.reduction = message;
  return TRUE;
}

gboolean
sonde_session_handle_reduce (SondeSessionServer *server, SondeSessionJob *job,
                             SondeSessionAnswer *answer, GError **error)
{
  const Sonde__Session__Value *asked = job->request->reduce;
  const SondeActivityClass *klass = server->activity->klass;
  const char *node = *asked->expression != '\0' ? asked->expression : server->failed_node;
  g_autoptr (SondeReduction) reduction = NULL;

  if (!check_standing (server, error) || !check_request (server, node, asked->path, error))
    return FALSE;
  reduction
      = sonde_reduce (sonde_debugger_get_execution (server->debugger),
                      klass->get_original != NULL ? klass->get_original (server->activity) : NULL,
                      node, server->failed_comparison != NULL && *asked->expression == '\0', error);
  return reduction != NULL && write_files (server, reduction, asked->path, answer, error);
}
