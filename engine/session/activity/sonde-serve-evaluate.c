/* SPDX-License-Identifier: Apache-2.0
 * Expressions that clients ask for: now when what they read is there, else after the step that
 * makes it. */
#include "engine/debug/sonde-debugger-source.h"
#include "engine/debug/changes/sonde-diff.h"
#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/server/sonde-serve-answer.h"
#include "engine/session/activity/sonde-activity-session.h"

/* What is wanted, kept until it can be answered. */
typedef struct
{
  SondeSessionServer *server;
  guint64 peer;
  guint32 id;
  SondeExpression *expression;
  guint32 want;
  char *path;
} Evaluation;

static void
evaluation_free (Evaluation *evaluation)
{
  sonde_expression_free (evaluation->expression);
  g_free (evaluation->path);
  g_free (evaluation);
}

static gboolean
answer_tensor (const Evaluation *evaluation, SondeTensor *tensor, SondeSessionAnswer *answer,
               GError **error)
{
  SondeSessionHost *host = evaluation->server->options.host;

  if (evaluation->want != SONDE_SESSION_WANT_SAVED)
    return sonde_serve_answer_wanted (answer, evaluation->want, tensor, error);
  answer->reply.path = sonde_codec_text (answer->memory, evaluation->path);
  sonde_codec_write_reading_form (answer, tensor->dtype, &tensor->shape);
  return host->save_value (host, tensor, evaluation->path, error);
}

static SondeTensor *
get_elsewhere (gpointer changes, const char *name, GError **error)
{
  return sonde_changes_evaluate (changes, name, error);
}

static gboolean
answer_evaluation (const Evaluation *evaluation, SondeSessionAnswer *answer, GError **error)
{
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (SondeTensor) tensor = NULL;
  g_autoptr (GError) failure = NULL;
  g_autoptr (SondeMessage) explanation = NULL;
  SondeValueSource source;
  gboolean checked = evaluation->want == SONDE_SESSION_WANT_CHECKED;

  sonde_debugger_source_init (&source, sonde_activity_session_of (evaluation->server)->debugger);
  source.get_elsewhere = get_elsewhere;
  source.data = sonde_activity_session_of (evaluation->server)->changes;
  sonde_codec_write_reading_name (answer, sonde_expression_get_text (evaluation->expression));
  if (!sonde_expression_evaluate (evaluation->expression, &source.source, &result, &failure))
    {
      if (checked && g_error_matches (failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE))
        return sonde_serve_answer_unknown (answer, failure);
      g_propagate_error (error, g_steal_pointer (&failure));
      return FALSE;
    }
  if (checked)
    {
      explanation = sonde_expression_explain (evaluation->expression, &source.source, error);
      if (explanation == NULL)
        return FALSE;
    }
  sonde_codec_write_reading_truth (answer, result.truth, FALSE, explanation);
  tensor = sonde_serve_dup_result (&result);
  return answer_tensor (evaluation, tensor, answer, error);
}

/* ---- waiting ------------------------------------------------------------- */

static gboolean wait_for_value (Evaluation *evaluation);

static void
probe_came (SondeExecution *execution, SondeGraphValue *value, gpointer data)
{
  Evaluation *evaluation = data;
  g_autoptr (GError) error = NULL;
  SondeSessionAnswer answer;

  sonde_session_answer_init (&answer);
  if (execution == NULL)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The run ended before the value was computed.");
  else if (!answer_evaluation (evaluation, &answer, &error)
           && g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE)
           && wait_for_value (evaluation))
    {
      sonde_session_answer_clear (&answer);
      return;
    }
  if (error != NULL)
    sonde_session_answer_error (&answer, error);
  sonde_session_reply (evaluation->server, evaluation->peer, evaluation->id, &answer);
  sonde_session_answer_clear (&answer);
  evaluation_free (evaluation);
}

/* TRUE when it runs on to a step that makes something that is missing; then probe_came()
 * answers. */
static gboolean
wait_for_value (Evaluation *evaluation)
{
  SondeDebugger *debugger = sonde_activity_session_of (evaluation->server)->debugger;

  for (guint k = 0; k < sonde_expression_get_n_references (evaluation->expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (evaluation->expression, k);
      g_autofree char *slice = NULL;
      SondeExecution *execution;
      SondeGraphValue *value
          = reference->previous || reference->glob
                ? NULL
                : sonde_debugger_find_value (debugger, reference->name, &execution, &slice, NULL);

      if (value != NULL && execution == sonde_debugger_get_execution (debugger)
          && !sonde_execution_is_available (execution, value)
          && sonde_debugger_add_probe (debugger, value, probe_came, evaluation, NULL))
        return TRUE;
    }
  return FALSE;
}

/* ---- the request --------------------------------------------------------- */

static gboolean
check_request (const Sonde__Session__Evaluate *asked, GError **error)
{
  if (asked->want > SONDE_SESSION_WANT_CHECKED)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "This engine does not support that use of an expression.");
      return FALSE;
    }
  return asked->want != SONDE_SESSION_WANT_SAVED || sonde_session_check_path (asked->path, error);
}

gboolean
sonde_serve_evaluate (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                      GError **error)
{
  const Sonde__Session__Evaluate *asked = job->request->evaluate;
  SondeExpression *expression
      = check_request (asked, error) ? sonde_expression_parse (asked->expression, error) : NULL;
  g_autoptr (GError) failure = NULL;
  Evaluation *evaluation;
  gboolean done;

  if (expression == NULL)
    return FALSE;
  evaluation = g_new0 (Evaluation, 1);
  *evaluation = (Evaluation){ .server = server,
                              .peer = job->peer,
                              .id = job->id,
                              .expression = expression,
                              .want = asked->want,
                              .path = g_strdup (asked->path) };
  done = answer_evaluation (evaluation, answer, &failure);
  if (!done && server->state == SONDE_SESSION_RUNNING
      && g_error_matches (failure, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE)
      && wait_for_value (evaluation))
    {
      answer->later = TRUE;
      return TRUE;
    }
  evaluation_free (evaluation);
  if (!done)
    g_propagate_error (error, g_steal_pointer (&failure));
  return done;
}
