/* SPDX-License-Identifier: Apache-2.0
 * What came from the server -> plain structs. The server is another process and may be of another
 * make: sizes, kinds and texts are checked. */
#include "engine/session/sonde-session-client-private.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "data/base/sonde-checked.h"
#include "engine/session/sonde-session-server-private.h"

char *
sonde_session_dup_text (const char *text)
{
  return g_utf8_make_valid (text != NULL ? text : "", -1);
}

/* "" is NULL */
char *
sonde_session_dup_optional (const char *text)
{
  return text != NULL && *text != '\0' ? sonde_session_dup_text (text) : NULL;
}

char **
sonde_session_dup_texts (char *const *texts, gsize n)
{
  char **copy = g_new0 (char *, n + 1);

  for (gsize i = 0; i < n; i++)
    copy[i] = sonde_session_dup_text (texts[i]);
  return copy;
}

/* ---- status -------------------------------------------------------------- */

static SondePhase
phase_of (guint32 number)
{
  return number <= SONDE_PHASE_OPTIMISER ? (SondePhase) number : SONDE_PHASE_FORWARD;
}

static void
decode_stop (const Sonde__Session__Stop *message, SondeStop *stop)
{
  stop->reason = message != NULL && message->reason <= SONDE_STOP_ERROR
                     ? (SondeStopReason) message->reason
                     : SONDE_STOP_NONE;
  stop->node = sonde_session_dup_text (message != NULL ? message->node : NULL);
  stop->op = sonde_session_dup_text (message != NULL ? message->op : NULL);
  if (message == NULL)
    return;
  stop->scope = sonde_session_dup_optional (message->scope);
  stop->phase = phase_of (message->phase);
  stop->moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  stop->position = message->position;
  stop->n_steps = message->n_steps;
  stop->step = message->step;
  stop->n_breakpoints = (guint) message->n_breakpoints;
  stop->breakpoints = g_memdup2 (message->breakpoints, message->n_breakpoints * sizeof (guint));
  stop->n_iterations = (guint) message->n_iterations;
  stop->iterations = g_memdup2 (message->iterations, message->n_iterations * sizeof (guint64));
  stop->frames = sonde_session_decode_frames (message->frames, message->n_frames);
  stop->condition_error = sonde_session_dup_optional (message->condition_error);
  if (message->n_watchpoints > 0)
    stop->watchpoints = sonde_session_decode_hits (message->watchpoints, message->n_watchpoints);
}

static SondeSessionStatus *
decode_status (const Sonde__Session__Status *message)
{
  SondeSessionStatus *status = g_new0 (SondeSessionStatus, 1);

  status->state = (SondeSessionState) MIN (message->state, SONDE_SESSION_ENDED);
  status->in_control = message->in_control;
  status->has_controller = message->has_controller;
  status->pid = (int) message->pid;
  decode_stop (message->stop, &status->stop);
  status->end.result = message->end <= SONDE_SESSION_FAILED ? (SondeSessionResult) message->end
                                                            : SONDE_SESSION_DONE;
  status->end.message = sonde_session_dup_optional (message->end_message);
  status->facts.kind = message->kind <= SONDE_ACTIVITY_DUMP ? (SondeActivityKind) message->kind
                                                            : SONDE_ACTIVITY_INFERENCE;
  status->facts.title = sonde_session_dup_optional (message->title);
  status->facts.run_directory = sonde_session_dup_optional (message->run_directory);
  status->facts.step = message->step;
  status->facts.total_steps = message->total_steps;
  status->facts.epoch = message->epoch;
  status->facts.n_epochs = message->n_epochs;
  status->facts.measured = message->measured;
  status->facts.loss = message->loss;
  status->facts.accuracy = message->accuracy;
  status->facts.learning_rate = message->learning_rate;
  status->facts.samples_per_second = message->samples_per_second;
  status->branch = message->branch;
  return status;
}

SondeSessionEvent *
sonde_session_decode_event (const Sonde__Session__Event *message)
{
  SondeSessionEvent *event = g_new0 (SondeSessionEvent, 1);

  event->kind = message->kind == SONDE_SESSION_EVENT_CALL_PART
                    ? SONDE_SESSION_EVENT_CALL_PART
                    : (SondeSessionEventKind) MIN (message->kind, SONDE_SESSION_EVENT_CLOSED);
  event->status = message->status != NULL ? decode_status (message->status) : NULL;
  event->text = sonde_session_dup_optional (message->text);
  event->fraction = message->fraction;
  event->node = sonde_session_dup_optional (message->node);
  event->breakpoint = message->breakpoint;
  event->moment = message->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  event->step = message->step;
  event->call = message->call;
  event->seconds_left = message->call != 0 ? message->seconds_left : -1;
  if (message->part != NULL)
    sonde_session_unpack_call (&message->part->result, message->part->tensors,
                               message->part->n_tensors, "a part of a call", &event->result,
                               &event->tensors, NULL);
  return event;
}

/* ---- lists --------------------------------------------------------------- */

static void
decode_breakpoints (const Sonde__Session__Reply *message, SondeSessionReply *reply)
{
  reply->breakpoints = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_breakpoint_free);
  for (gsize i = 0; i < message->n_breakpoints; i++)
    {
      const Sonde__Session__Breakpoint *from = message->breakpoints[i];
      SondeBreakpoint *info = g_new0 (SondeBreakpoint, 1);

      info->id = from->id;
      info->pattern = sonde_session_dup_text (from->pattern);
      info->moment = from->after ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
      info->temporary = from->temporary;
      info->enabled = from->enabled;
      info->hits = from->hits;
      info->ignore = from->ignore;
      info->n_positions = from->n_positions;
      info->condition = sonde_session_dup_optional (from->condition);
      info->hit_condition = sonde_session_dup_optional (from->hit_condition);
      info->log = sonde_session_dup_optional (from->log);
      info->note = sonde_session_dup_optional (from->note);
      g_ptr_array_add (reply->breakpoints, info);
    }
}

static void
step_free (void *data)
{
  SondeStepInfo *info = data;

  g_free (info->name);
  g_free (info->op);
  g_free (info->scope);
  g_free (info->origin);
  g_strfreev (info->nodes);
  g_strfreev (info->originals);
  g_strfreev (info->inputs);
  g_strfreev (info->outputs);
  g_free (info->implementation);
  g_free (info);
}

static void
decode_steps (const Sonde__Session__Reply *message, SondeSessionReply *reply)
{
  reply->steps = g_ptr_array_new_with_free_func (step_free);
  for (gsize i = 0; i < message->n_steps; i++)
    {
      const Sonde__Session__Step *from = message->steps[i];
      SondeStepInfo *info = g_new0 (SondeStepInfo, 1);

      info->name = sonde_session_dup_text (from->name);
      info->op = sonde_session_dup_text (from->op);
      info->phase = phase_of (from->phase);
      info->scope = sonde_session_dup_optional (from->scope);
      info->origin = sonde_session_dup_optional (from->origin);
      info->nodes = sonde_session_dup_texts (from->nodes, from->n_nodes);
      info->originals = sonde_session_dup_texts (from->originals, from->n_originals);
      info->inputs = sonde_session_dup_texts (from->inputs, from->n_inputs);
      info->outputs = sonde_session_dup_texts (from->outputs, from->n_outputs);
      info->implementation = sonde_session_dup_text (from->implementation);
      g_ptr_array_add (reply->steps, info);
    }
}

static void
value_free (void *data)
{
  SondeValueInfo *info = data;

  g_free (info->name);
  g_free (info->type);
  g_free (info->producer);
  g_free (info);
}

static void
decode_values (const Sonde__Session__Reply *message, SondeSessionReply *reply)
{
  reply->values = g_ptr_array_new_with_free_func (value_free);
  for (gsize i = 0; i < message->n_values; i++)
    {
      const Sonde__Session__ValueInfo *from = message->values[i];
      SondeValueInfo *info = g_new0 (SondeValueInfo, 1);

      info->name = sonde_session_dup_text (from->name);
      info->type = sonde_session_dup_text (from->type);
      info->role = (SondeValueRole) MIN (from->role, SONDE_ROLE_STATE);
      info->producer = sonde_session_dup_optional (from->producer);
      info->available = from->available;
      g_ptr_array_add (reply->values, info);
    }
}

void
sonde_session_decode_statistics (const Sonde__Session__Statistics *from,
                                 SondeStatistics *statistics)
{
  *statistics = (SondeStatistics){
    .count = from->count,
    .min = from->min,
    .max = from->max,
    .mean = from->mean,
    .std = from->std,
    .abs_mean = from->abs_mean,
    .zeros = from->zeros,
    .negatives = from->negatives,
    .nan = from->nan,
    .pos_inf = from->pos_inf,
    .neg_inf = from->neg_inf,
  };
}

static gboolean
decode_histogram (const Sonde__Session__Histogram *from, SondeSessionReply *reply, GError **error)
{
  SondeBins *bins = from->n_rights == from->n_lefts && from->n_counts == from->n_lefts
                        ? sonde_bins_new (from->n_lefts)
                        : NULL;

  if (bins == NULL)
    {
      g_set_error_literal (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
          "The engine sent a histogram whose edges and counts do not go together.");
      return FALSE;
    }
  for (gsize i = 0; i < bins->n; i++)
    {
      bins->lefts[i] = from->lefts[i];
      bins->rights[i] = from->rights[i];
      bins->counts[i] = from->counts[i];
    }
  bins->count = from->count;
  bins->min = from->min;
  bins->max = from->max;
  bins->sum = from->sum;
  bins->sum_squares = from->sum_squares;
  bins->nan = from->nan;
  bins->pos_inf = from->pos_inf;
  bins->neg_inf = from->neg_inf;
  reply->histogram = bins;
  return TRUE;
}

/* ---- bytes --------------------------------------------------------------- */

/* Memory that a tensor or bytes keep: mapped, or copied out of the frame. */
typedef struct
{
  guint8 *data;
  gsize length;
  gboolean mapped;
} Memory;

static void
memory_free (void *data)
{
  Memory *memory = data;

  if (memory->mapped)
    munmap (memory->data, memory->length);
  else
    g_free (memory->data);
  g_free (memory);
}

static Memory *
take_memory (const Sonde__Session__Data *data, SondeSessionChannel *channel, guint64 *taken,
             GError **error)
{
  Memory *memory = g_new0 (Memory, 1);
  int fd;

  if (!data->outside)
    {
      memory->length = data->inside.len;
      memory->data = g_memdup2 (data->inside.data, data->inside.len);
      return memory;
    }
  fd = sonde_session_channel_take_fd (channel);
  memory->mapped = TRUE;
  memory->length = data->outside_bytes;
  memory->data = fd >= 0 ? sonde_session_map_memfd (fd, data->outside_bytes, error) : NULL;
  if (fd >= 0)
    close (fd);
  else
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                         "The engine announced a value and did not send its memory.");
  *taken += data->outside_bytes;
  if (memory->data != NULL)
    return memory;
  g_free (memory);
  return NULL;
}

/* Elements of a string tensor out of @memory; FALSE when it does not hold exactly @n of them. */
static gboolean
unpack_strings (const Memory *memory, gint64 n, char **strings)
{
  gsize position = 0;

  for (gint64 i = 0; i < n; i++)
    {
      guint32 length;

      if (memory->length - position < sizeof length)
        return FALSE;
      memcpy (&length, memory->data + position, sizeof length);
      length = GUINT32_FROM_LE (length);
      position += sizeof length;
      if (memory->length - position < length)
        return FALSE;
      strings[i] = g_strndup ((const char *) memory->data + position, length);
      position += length;
    }
  return position == memory->length;
}

static SondeTensor *
make_strings (const SondeShape *shape, gint64 n, Memory *memory)
{
  g_autoptr (GPtrArray) strings = NULL;
  SondeTensor *tensor = NULL;

  if ((guint64) n <= memory->length / sizeof (guint32)) /* each has at least its length */
    {
      strings = g_ptr_array_new_with_free_func (g_free);
      g_ptr_array_set_size (strings, (int) n);
      if (unpack_strings (memory, n, (char **) strings->pdata))
        tensor = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, shape, strings->pdata);
    }
  memory_free (memory);
  return tensor;
}

gboolean
sonde_session_decode_form (const Sonde__Session__Tensor *message, SondeDtype *dtype,
                           SondeShape *shape, GError **error)
{
  *dtype = sonde_session_dtype_of_number (message->dtype);
  if (*dtype != SONDE_DTYPE_INVALID && message->n_dims <= SONDE_MAX_RANK)
    {
      *shape = sonde_shape_from_array ((int) message->n_dims, message->dims);
      if (sonde_shape_n_elements (shape) >= 0)
        return TRUE;
    }
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
               "The engine sent a tensor of element type %u and %" G_GSIZE_FORMAT
               " dimensions that cannot be.",
               message->dtype, message->n_dims);
  return FALSE;
}

static gboolean
decode_tensor (const Sonde__Session__Tensor *message, SondeSessionChannel *channel,
               SondeSessionReply *reply, guint64 *taken, GError **error)
{
  Memory *memory;
  gint64 n;
  gsize bytes;

  if (!sonde_session_decode_form (message, &reply->dtype, &reply->shape, error)
      || message->data == NULL)
    return message->data == NULL;
  memory = take_memory (message->data, channel, taken, error);
  if (memory == NULL)
    return FALSE;
  n = sonde_shape_n_elements (&reply->shape);
  if (reply->dtype == SONDE_DTYPE_STRING)
    reply->tensor = make_strings (&reply->shape, n, memory);
  else if (sonde_checked_mul (&bytes, (gsize) n, sonde_dtype_size (reply->dtype))
           && bytes == memory->length)
    reply->tensor
        = sonde_tensor_new_take (reply->dtype, &reply->shape, memory->data, memory_free, memory);
  else
    memory_free (memory);
  if (reply->tensor == NULL)
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                         "The engine sent a tensor whose bytes do not fit its shape.");
  return reply->tensor != NULL;
}

static gboolean
decode_bytes (const Sonde__Session__Data *data, SondeSessionChannel *channel,
              SondeSessionReply *reply, guint64 *taken, GError **error)
{
  Memory *memory = take_memory (data, channel, taken, error);

  if (memory == NULL)
    return FALSE;
  reply->bytes = g_bytes_new_with_free_func (memory->data, memory->length, memory_free, memory);
  return TRUE;
}

/* ---- the whole ----------------------------------------------------------- */

static GError *
decode_error (const Sonde__Session__Error *message)
{
  g_autofree char *text = sonde_session_dup_text (message->message);

  return g_error_new_literal (SONDE_ENGINE_ERROR,
                              (int) MIN (message->code, SONDE_ENGINE_ERROR_PROTOCOL), text);
}

SondeSessionReply *
sonde_session_decode_reply (const Sonde__Session__Reply *message, SondeSessionChannel *channel,
                            guint64 *taken, GError **error)
{
  g_autoptr (SondeSessionReply) reply = g_new0 (SondeSessionReply, 1);

  if (message->error != NULL)
    {
      g_propagate_error (error, decode_error (message->error));
      return NULL;
    }
  reply->state = (SondeSessionState) MIN (message->state, SONDE_SESSION_ENDED);
  reply->status = message->status != NULL ? decode_status (message->status) : NULL;
  decode_breakpoints (message, reply);
  decode_steps (message, reply);
  decode_values (message, reply);
  sonde_session_decode_watches (message, reply);
  sonde_session_decode_changes (message, reply);
  sonde_session_decode_origin (message, reply);
  reply->stops = sonde_session_decode_stops (message);
  reply->name = sonde_session_dup_optional (message->name);
  reply->path = sonde_session_dup_optional (message->path);
  reply->text = sonde_session_dup_optional (message->text);
  reply->frames = sonde_session_decode_frames (message->frames, message->n_frames);
  reply->selected = message->selected;
  reply->truth = message->truth;
  reply->unknown = message->unknown;
  reply->explanation = sonde_session_dup_optional (message->explanation);
  reply->divergence
      = message->divergence != NULL ? sonde_session_decode_divergence (message->divergence) : NULL;
  reply->precision
      = message->precision != NULL ? sonde_session_decode_precision (message->precision) : NULL;
  reply->n_lines = (guint) message->n_lines;
  reply->lines = g_memdup2 (message->lines, message->n_lines * sizeof (guint));
  if (message->statistics != NULL)
    sonde_session_decode_statistics (message->statistics, &reply->statistics);
  if (message->histogram != NULL && !decode_histogram (message->histogram, reply, error))
    return NULL;
  if (message->tensor != NULL && !decode_tensor (message->tensor, channel, reply, taken, error))
    return NULL;
  if (message->call != NULL
      && !sonde_session_unpack_call (&message->call->result, message->call->tensors,
                                     message->call->n_tensors, "the result of a call",
                                     &reply->result, &reply->tensors, error))
    return NULL;
  if (message->data != NULL && !decode_bytes (message->data, channel, reply, taken, error))
    return NULL;
  return g_steal_pointer (&reply);
}
