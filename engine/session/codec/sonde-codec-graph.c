/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/codec/sonde-codec-graph.h"

#include "engine/session/codec/sonde-codec-reply.h"

/* ---- requests ------------------------------------------------------------ */

SondeSessionRequest *
sonde_session_request_graph (SondeSessionGraph which)
{
  SondeSessionRequest *request
      = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_GRAPH, SONDE_SESSION_REPLY_GRAPH);

  request->message.graph->original = which == SONDE_SESSION_GRAPH_ORIGINAL;
  return request;
}

SondeSessionRequest *
sonde_session_request_listing (SondeSessionGraph which)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_LISTING,
                                                            SONDE_SESSION_REPLY_LISTING);

  request->message.listing->original = which == SONDE_SESSION_GRAPH_ORIGINAL;
  return request;
}

SondeSessionRequest *
sonde_session_request_steps (void)
{
  return sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_STEPS, SONDE_SESSION_REPLY_STEPS);
}

SondeSessionRequest *
sonde_session_request_values (const char *pattern)
{
  SondeSessionRequest *request = sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_VALUES,
                                                            SONDE_SESSION_REPLY_VALUES);

  request->message.values->glob = sonde_codec_text (request->memory, pattern);
  return request;
}

/* ---- the graph ----------------------------------------------------------- */

gboolean
sonde_codec_write_graph (SondeSessionAnswer *answer, GBytes *bytes, GError **error)
{
  Sonde__Session__Data *data
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_GRAPH);

  return sonde_codec_write_bytes (answer, data, g_bytes_get_data (bytes, NULL),
                                  g_bytes_get_size (bytes), error);
}

static gboolean
read_graph (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  reply->bytes = sonde_codec_read_bytes (message->graph, source, error);
  return reply->bytes != NULL;
}

static void
clear_graph (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->bytes, g_bytes_unref);
}

const SondeReplyCodec sonde_codec_graph = { SONDE_SESSION_REPLY_GRAPH, read_graph, clear_graph };

/* ---- its listing --------------------------------------------------------- */

void
sonde_codec_write_listing (SondeSessionAnswer *answer, const char *text, const guint *lines,
                           guint n_lines)
{
  Sonde__Session__Listing *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_LISTING);

  message->text = sonde_codec_text (answer->memory, text);
  message->n_lines = lines != NULL ? n_lines : 0;
  message->lines = g_memdup2 (lines, message->n_lines * sizeof (guint));
  g_ptr_array_add (answer->memory, message->lines);
}

static gboolean
read_listing (const Sonde__Session__Reply *message, SondeSessionReply *reply,
              SondeReplySource *source, GError **error)
{
  const Sonde__Session__Listing *from = message->listing;

  reply->text = sonde_codec_dup_optional (from->text);
  reply->n_lines = (guint) from->n_lines;
  reply->lines = g_memdup2 (from->lines, from->n_lines * sizeof (guint));
  return TRUE;
}

static void
clear_listing (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->text, g_free);
  g_clear_pointer (&reply->lines, g_free);
}

const SondeReplyCodec sonde_codec_listing
    = { SONDE_SESSION_REPLY_LISTING, read_listing, clear_listing };

/* ---- steps --------------------------------------------------------------- */

static char **
write_names (GPtrArray *memory, char *const *names, gsize *n)
{
  return sonde_codec_texts (memory, (const char *const *) names, n);
}

static Sonde__Session__Step *
write_step (GPtrArray *memory, const SondeStepInfo *step)
{
  Sonde__Session__Step *message = sonde_codec_new (memory, &sonde__session__step__descriptor);

  message->name = sonde_codec_text (memory, step->name);
  message->op = sonde_codec_text (memory, step->op);
  message->phase = step->phase;
  message->scope = sonde_codec_text (memory, step->scope);
  message->origin = sonde_codec_text (memory, step->origin);
  message->nodes = write_names (memory, step->nodes, &message->n_nodes);
  message->originals = write_names (memory, step->originals, &message->n_originals);
  message->inputs = write_names (memory, step->inputs, &message->n_inputs);
  message->outputs = write_names (memory, step->outputs, &message->n_outputs);
  message->types = write_names (memory, step->types, &message->n_types);
  message->implementation = sonde_codec_text (memory, step->implementation);
  if (step->functions != NULL)
    message->functions = write_names (memory, step->functions, &message->n_functions);
  message->last_ns = step->last_ns;
  return message;
}

void
sonde_codec_write_steps (SondeSessionAnswer *answer, const GPtrArray *steps)
{
  Sonde__Session__Steps *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_STEPS);

  message->steps = sonde_codec_list (answer->memory, steps->len);
  message->n_steps = steps->len;
  for (guint k = 0; k < steps->len; k++)
    message->steps[k] = write_step (answer->memory, g_ptr_array_index (steps, k));
}

static SondeStepInfo *
read_step (const Sonde__Session__Step *message)
{
  SondeStepInfo *step = g_new0 (SondeStepInfo, 1);

  step->name = sonde_codec_dup (message->name);
  step->op = sonde_codec_dup (message->op);
  step->phase = sonde_codec_phase (message->phase);
  step->scope = sonde_codec_dup_optional (message->scope);
  step->origin = sonde_codec_dup_optional (message->origin);
  step->nodes = sonde_codec_dup_texts (message->nodes, message->n_nodes);
  step->originals = sonde_codec_dup_texts (message->originals, message->n_originals);
  step->inputs = sonde_codec_dup_texts (message->inputs, message->n_inputs);
  step->outputs = sonde_codec_dup_texts (message->outputs, message->n_outputs);
  step->types = sonde_codec_dup_texts (message->types, message->n_types);
  step->implementation = sonde_codec_dup (message->implementation);
  step->functions = sonde_codec_dup_texts (message->functions, message->n_functions);
  step->last_ns = message->last_ns;
  return step;
}

static gboolean
read_steps (const Sonde__Session__Reply *message, SondeSessionReply *reply,
            SondeReplySource *source, GError **error)
{
  reply->steps = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_step_info_free);
  for (gsize i = 0; i < message->steps->n_steps; i++)
    g_ptr_array_add (reply->steps, read_step (message->steps->steps[i]));
  return TRUE;
}

static void
clear_steps (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->steps, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_steps = { SONDE_SESSION_REPLY_STEPS, read_steps, clear_steps };

/* ---- values -------------------------------------------------------------- */

static Sonde__Session__ValueInfo *
write_value (GPtrArray *memory, const SondeValueInfo *value)
{
  Sonde__Session__ValueInfo *message
      = sonde_codec_new (memory, &sonde__session__value_info__descriptor);

  message->name = sonde_codec_text (memory, value->name);
  message->type = sonde_codec_text (memory, value->type);
  message->role = value->role;
  message->producer = sonde_codec_text (memory, value->producer);
  message->available = value->available;
  return message;
}

void
sonde_codec_write_values (SondeSessionAnswer *answer, const GPtrArray *values)
{
  Sonde__Session__Values *message
      = sonde_session_answer_body (answer, SONDE__SESSION__REPLY__BODY_VALUES);

  message->values = sonde_codec_list (answer->memory, values->len);
  message->n_values = values->len;
  for (guint i = 0; i < values->len; i++)
    message->values[i] = write_value (answer->memory, g_ptr_array_index (values, i));
}

static SondeValueInfo *
read_value (const Sonde__Session__ValueInfo *message)
{
  SondeValueInfo *value = g_new0 (SondeValueInfo, 1);

  value->name = sonde_codec_dup (message->name);
  value->type = sonde_codec_dup (message->type);
  value->role = (SondeValueRole) MIN (message->role, SONDE_ROLE_STATE);
  value->producer = sonde_codec_dup_optional (message->producer);
  value->available = message->available;
  return value;
}

static gboolean
read_values (const Sonde__Session__Reply *message, SondeSessionReply *reply,
             SondeReplySource *source, GError **error)
{
  reply->values = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_info_free);
  for (gsize i = 0; i < message->values->n_values; i++)
    g_ptr_array_add (reply->values, read_value (message->values->values[i]));
  return TRUE;
}

static void
clear_values (SondeSessionReply *reply)
{
  g_clear_pointer (&reply->values, g_ptr_array_unref);
}

const SondeReplyCodec sonde_codec_values
    = { SONDE_SESSION_REPLY_VALUES, read_values, clear_values };
