/* SPDX-License-Identifier: Apache-2.0
 * Asking for an origin or a small failing case, and what comes back. */
#include "engine/session/sonde-session-client-private.h"

#define NEW(KIND, type, member)                                                                    \
  sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_##KIND,                                 \
                             sizeof (Sonde__Session__##type),                                      \
                             (void (*) (void *)) sonde__session__##member##__init)

SondeSessionRequest *
sonde_session_request_origin (const char *value)
{
  SondeSessionRequest *request = NEW (ORIGIN, Value, value);

  request->message.origin->expression = sonde_session_request_keep (request, value);
  return request;
}

SondeSessionRequest *
sonde_session_request_reduce (const char *node, const char *path)
{
  SondeSessionRequest *request = NEW (REDUCE, Value, value);

  request->message.reduce->expression = sonde_session_request_keep (request, node);
  request->message.reduce->path = sonde_session_request_keep (request, path);
  return request;
}

/* A place that makes no sense becomes a scalar's. */
static void
decode_place (const Sonde__Session__OriginLink *message, SondeShape *shape, gint64 *element)
{
  *shape = sonde_shape_scalar ();
  *element = 0;
  if (message->n_dims > SONDE_MAX_RANK)
    return;
  shape->rank = (int) message->n_dims;
  for (gsize d = 0; d < message->n_dims; d++)
    shape->dims[d] = message->dims[d];
  if (message->element >= 0 && message->element < sonde_shape_n_elements (shape))
    *element = message->element;
  else
    *shape = sonde_shape_scalar ();
}

static SondeOriginLink *
decode_link (const Sonde__Session__OriginLink *message)
{
  SondeOriginLink *link = g_new0 (SondeOriginLink, 1);

  link->node = sonde_session_dup_optional (message->node);
  link->op = sonde_session_dup_optional (message->op);
  link->value = sonde_session_dup_text (message->value);
  link->phase = (SondePhase) MIN (message->phase, SONDE_PHASE_OPTIMISER);
  link->iteration = message->iteration;
  link->number = message->number;
  link->step = message->step;
  decode_place (message, &link->shape, &link->element);
  return link;
}

static void
decode_reduction (const Sonde__Session__Reply *message, SondeSessionReply *reply)
{
  const Sonde__Session__Reduction *from = message->reduction;
  SondeReducedCase *info;

  if (from == NULL)
    return;
  info = g_new0 (SondeReducedCase, 1);
  info->model = sonde_session_dup_text (from->model);
  info->names = sonde_session_dup_texts (from->names, MIN (from->n_names, from->n_files));
  info->files = sonde_session_dup_texts (from->files, MIN (from->n_names, from->n_files));
  info->n_nodes = from->n_nodes;
  info->command = sonde_session_dup_text (from->command);
  info->node = sonde_session_dup_text (from->node);
  info->value = sonde_session_dup_text (from->value);
  reply->reduction = info;
}

void
sonde_session_decode_origin (const Sonde__Session__Reply *message, SondeSessionReply *reply)
{
  const Sonde__Session__Origin *from = message->origin;
  SondeOrigin *origin;

  decode_reduction (message, reply);
  if (from == NULL)
    return;
  origin = g_new0 (SondeOrigin, 1);
  origin->chain = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_origin_link_free);
  for (gsize i = 0; i < from->n_chain; i++)
    g_ptr_array_add (origin->chain, decode_link (from->chain[i]));
  origin->first_bad_node = sonde_session_dup_optional (from->first_bad_node);
  origin->cause = sonde_session_dup_text (from->cause);
  origin->executed_node = sonde_session_dup_optional (from->executed_node);
  origin->step = from->step;
  if (from->to_blame != NULL)
    {
      origin->cause_value = sonde_session_dup_text (from->to_blame->value);
      origin->cause_number = from->to_blame->number;
      decode_place (from->to_blame, &origin->cause_shape, &origin->cause_element);
    }
  reply->origin = origin;
}
