/* SPDX-License-Identifier: Apache-2.0
 * Requests one after the other, their answers, questions to the session. */
#include "app/dap/sonde-dap-request.h"

#include "data/arrays/sonde-json.h"
#include "engine/ops/sonde-engine-error.h"

/* ---- the queue ------------------------------------------------------------- */

SondeDapRequest *
sonde_dap_request_new (SondeDap *dap, gint64 seq, const char *command, JsonObject *arguments)
{
  SondeDapRequest *request = g_new0 (SondeDapRequest, 1);

  request->dap = dap;
  request->seq = seq;
  request->command = g_strdup (command);
  request->arguments = arguments != NULL ? json_object_ref (arguments) : json_object_new ();
  return request;
}

void
sonde_dap_request_free (SondeDapRequest *request)
{
  g_free (request->command);
  json_object_unref (request->arguments);
  g_free (request);
}

static void
handle_next (SondeDap *dap)
{
  while (dap->current == NULL && !g_queue_is_empty (&dap->waiting))
    {
      dap->current = g_queue_pop_head (&dap->waiting);
      dap->handle (dap->current);
    }
}

void
sonde_dap_request_enqueue (SondeDapRequest *request)
{
  g_queue_push_tail (&request->dap->waiting, request);
  handle_next (request->dap);
}

/* ---- answers and events ---------------------------------------------------- */

/* Sends the answer and frees the request. */
static void
answer (SondeDapRequest *request, gboolean success, const char *message, JsonBuilder *body)
{
  SondeDap *dap = request->dap;
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "type", "response");
  json_object_set_int_member (object, "request_seq", request->seq);
  json_object_set_boolean_member (object, "success", success);
  json_object_set_string_member (object, "command", request->command);
  if (message != NULL)
    json_object_set_string_member (object, "message", message);
  if (body != NULL)
    json_object_set_object_member (object, "body", sonde_dap_body_end (body));
  sonde_dap_channel_send (dap->channel, object);
  if (dap->current == request)
    {
      dap->current = NULL;
      handle_next (dap);
    }
  sonde_dap_request_free (request);
}

void
sonde_dap_request_reply (SondeDapRequest *request, JsonBuilder *body)
{
  answer (request, TRUE, NULL, body);
}

void
sonde_dap_request_fail (SondeDapRequest *request, const GError *error)
{
  JsonBuilder *body = sonde_dap_body_new ();
  g_autofree char *message = g_utf8_make_valid (sonde_error_get_text (error), -1);

  sonde_json_begin_object (body, "error");
  sonde_json_set_int (body, "id", error->code + 1);
  sonde_json_set_string (body, "format", message);
  sonde_json_set_boolean (body, "showUser", TRUE);
  json_builder_end_object (body);
  answer (request, FALSE, message, body);
}

void
sonde_dap_request_refuse (SondeDapRequest *request, int code, const char *sentence)
{
  g_autoptr (GError) error = NULL;

  sonde_set_error (&error, SONDE_ENGINE_ERROR, code, "%-s", sentence);
  sonde_dap_request_fail (request, error);
}

void
sonde_dap_request_defer (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;

  if (dap->current != request)
    return;
  dap->current = NULL;
  handle_next (dap);
}

void
sonde_dap_send_event (SondeDap *dap, const char *event, JsonBuilder *body)
{
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "type", "event");
  json_object_set_string_member (object, "event", event);
  if (body != NULL)
    json_object_set_object_member (object, "body", sonde_dap_body_end (body));
  sonde_dap_channel_send (dap->channel, object);
}

void
sonde_dap_send_output (SondeDap *dap, const char *category, const char *text)
{
  JsonBuilder *body = sonde_dap_body_new ();
  g_autofree char *line = g_strconcat (text, "\n", NULL);

  sonde_json_set_string (body, "category", category);
  sonde_json_set_string (body, "output", line);
  sonde_dap_send_event (dap, "output", body);
}

/* ---- questions ----------------------------------------------------------- */

/* Several questions; @n_left: without an answer so far */
typedef struct
{
  SondeDapRequest *request;
  GPtrArray *answers;
  guint n_left;
  SondeDapTakeAll *take;
  gpointer data;
} Batch;

/* One of them. */
typedef struct
{
  Batch *batch;
  guint number;
} Question;

static void
answer_free (gpointer data)
{
  SondeDapAnswer *one = data;

  sonde_session_reply_free (one->reply);
  g_clear_error (&one->error);
  g_free (one);
}

static void
finish (Batch *batch)
{
  batch->take (batch->request, batch->answers, batch->data);
  g_ptr_array_unref (batch->answers);
  g_free (batch);
}

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autofree Question *question = data;
  Batch *batch = question->batch;
  SondeDapAnswer *one = g_ptr_array_index (batch->answers, question->number);

  batch->request->dap->n_asked--;
  one->reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &one->error);
  if (--batch->n_left == 0)
    finish (batch);
}

void
sonde_dap_ask_all (SondeDapRequest *request, GPtrArray *questions, SondeDapTakeAll *take,
                   gpointer data)
{
  Batch *batch = g_new0 (Batch, 1);
  SondeDap *dap = request->dap;
  guint n = questions->len;

  *batch = (Batch){ request, g_ptr_array_new_with_free_func (answer_free), n, take, data };
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (batch->answers, g_new0 (SondeDapAnswer, 1));
  dap->n_asked += n;
  for (guint i = 0; i < n; i++)
    {
      Question *question = g_new0 (Question, 1);

      *question = (Question){ batch, i };
      sonde_session_client_send (dap->client, g_ptr_array_index (questions, i), NULL, on_answer,
                                 question);
    }
  g_ptr_array_unref (questions);
  if (n == 0)
    finish (batch);
}

static void
take_one (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  SondeDapAnswer *one = g_ptr_array_index (answers, 0);
  SondeDapTake *take = data;

  if (one->reply != NULL)
    take (request, one->reply);
  else
    sonde_dap_request_fail (request, one->error);
}

void
sonde_dap_ask (SondeDapRequest *request, SondeSessionRequest *question, SondeDapTake *take)
{
  GPtrArray *questions = g_ptr_array_new ();

  g_ptr_array_add (questions, question);
  sonde_dap_ask_all (request, questions, take_one, take);
}

static void
on_told (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDap *dap = data;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, NULL);

  dap->n_asked--;
}

void
sonde_dap_tell (SondeDap *dap, SondeSessionRequest *question)
{
  dap->n_asked++;
  sonde_session_client_send (dap->client, question, NULL, on_told, dap);
}

gboolean
sonde_dap_need_pause (SondeDapRequest *request)
{
  if (!request->dap->running)
    return TRUE;
  sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_STATE, N_ ("Pause the run first."));
  return FALSE;
}
