/* SPDX-License-Identifier: Apache-2.0
 * Reading values: now when they are there, else by a probe right after the step that makes them. */
#include "engine/session/codec/sonde-codec-message.h"
#include "engine/session/server/sonde-serve-answer.h"
#include "engine/session/activity/sonde-activity-session.h"

/* What a read wants, kept until it can be answered. */
typedef struct
{
  SondeSessionServer *server;
  guint64 peer;
  guint32 id;
  Sonde__Session__Request__BodyCase kind;
  char *slice; /* (nullable) */
  char *path;
} Read;

static void
read_free (Read *read)
{
  g_free (read->slice);
  g_free (read->path);
  g_free (read);
}

/* What the slice leaves of the value. The elements may be the run's own: they are only looked
 * at. */
static SondeTensor *
take_part (const Read *read, SondeExecution *execution, SondeGraphValue *value, GError **error)
{
  g_autoptr (SondeValue) whole = sonde_execution_read_value (execution, value, error);
  g_autoptr (SondeTensor) copy = NULL;
  SondeTensor *tensor = whole != NULL ? sonde_value_get_tensor (whole) : NULL;

  if (whole == NULL)
    return NULL;
  if (tensor == NULL)
    tensor = copy = sonde_execution_read (execution, value, error); /* says what it is instead */
  return tensor != NULL ? sonde_tensor_slice (tensor, read->slice, error) : NULL;
}

/* Without a copy where nothing is cut out of the value. */
static gboolean
answer_statistics (const Read *read, SondeExecution *execution, SondeGraphValue *value,
                   SondeSessionAnswer *answer, GError **error)
{
  SondeStatistics statistics;
  g_autoptr (SondeTensor) part = NULL;
  SondeShape shape;

  if (read->slice == NULL && sonde_type_get_shape (&value->type, &shape))
    {
      if (!sonde_execution_read_statistics (execution, value, &statistics, error))
        return FALSE;
      sonde_codec_write_reading_form (answer, value->type.dtype, &shape);
    }
  else
    {
      part = take_part (read, execution, value, error);
      if (part == NULL)
        return FALSE;
      sonde_statistics_compute (part, &statistics);
      sonde_codec_write_reading_form (answer, part->dtype, &part->shape);
    }
  sonde_codec_write_reading_statistics (answer, &statistics);
  return TRUE;
}

static gboolean
answer_save (const Read *read, SondeTensor *part, SondeSessionAnswer *answer, GError **error)
{
  SondeSessionHost *host = read->server->options.host;

  if (!sonde_session_check_path (read->path, error))
    return FALSE;
  answer->reply.path = sonde_codec_text (answer->memory, read->path);
  sonde_codec_write_reading_form (answer, part->dtype, &part->shape);
  return host->save_value (host, part, read->path, error);
}

static gboolean
answer_read (const Read *read, SondeExecution *execution, SondeGraphValue *value,
             SondeSessionAnswer *answer, GError **error)
{
  g_autoptr (SondeTensor) part = NULL;

  sonde_codec_write_reading_name (answer, value->name);
  if (read->kind == SONDE__SESSION__REQUEST__BODY_STATISTICS)
    return answer_statistics (read, execution, value, answer, error);
  part = take_part (read, execution, value, error);
  if (part == NULL)
    return FALSE;
  if (read->kind == SONDE__SESSION__REQUEST__BODY_HISTOGRAM)
    return sonde_serve_answer_histogram (answer, value->name, part, error);
  if (read->kind == SONDE__SESSION__REQUEST__BODY_SAVE)
    return answer_save (read, part, answer, error);
  return sonde_codec_write_reading_tensor (answer, part, error);
}

/* The step that makes the value has run, or (@execution NULL) never will. */
static void
probe_came (SondeExecution *execution, SondeGraphValue *value, gpointer data)
{
  Read *read = data;
  g_autoptr (GError) error = NULL;
  SondeSessionAnswer answer;

  sonde_session_answer_init (&answer);
  if (execution == NULL)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The run ended before the value was computed.");
  if (execution == NULL || !answer_read (read, execution, value, &answer, &error))
    sonde_session_answer_error (&answer, error);
  sonde_session_reply (read->server, read->peer, read->id, &answer);
  sonde_session_answer_clear (&answer);
  read_free (read);
}

gboolean
sonde_serve_read (SondeSessionServer *server, SondeSessionJob *job, SondeSessionAnswer *answer,
                  GError **error)
{
  SondeActivitySession *session = sonde_activity_session_of (server);
  const Sonde__Session__Value *asked = sonde_codec_read_value_request (job->request);
  SondeExecution *execution;
  SondeGraphValue *value;
  char *slice = NULL;
  Read *read;

  value
      = sonde_debugger_find_value (session->debugger, asked->expression, &execution, &slice, error);
  if (value == NULL)
    return FALSE;
  read = g_new0 (Read, 1);
  *read = (Read){ .server = server,
                  .peer = job->peer,
                  .id = job->id,
                  .kind = job->request->body_case,
                  .slice = slice,
                  .path = g_strdup (asked->path) };
  if (server->state == SONDE_SESSION_RUNNING && !sonde_execution_is_available (execution, value)
      && sonde_debugger_add_probe (session->debugger, value, probe_came, read, NULL))
    {
      answer->later = TRUE;
      return TRUE;
    }
  if (answer_read (read, execution, value, answer, error))
    {
      read_free (read);
      return TRUE;
    }
  read_free (read);
  return FALSE;
}
