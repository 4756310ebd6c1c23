/* SPDX-License-Identifier: Apache-2.0
 * Where a bad element comes from. The run stands while it is looked for. */
#include "engine/session/sonde-session-server-private.h"

#include <string.h>

static Sonde__Session__OriginLink *
make_link (SondeSessionAnswer *answer,
           const char         *value,
           const SondeShape   *shape,
           gint64              element,
           double              number)
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
answer_origin (SondeSessionAnswer *answer,
               const SondeOrigin  *origin)
{
  Sonde__Session__Origin *message = sonde_session_answer_alloc (answer, sizeof *message);

  sonde__session__origin__init (message);
  message->chain = sonde_session_answer_alloc (answer, origin->chain->len * sizeof *message->chain);
  message->n_chain = origin->chain->len;
  for (guint i = 0; i < origin->chain->len; i++)
    {
      const SondeOriginLink *link = g_ptr_array_index (origin->chain, i);

      message->chain[i] = make_link (answer, link->value, &link->shape, link->element, link->number);
      message->chain[i]->node = sonde_session_answer_strdup (answer, link->node);
      message->chain[i]->op = sonde_session_answer_strdup (answer, link->op);
      message->chain[i]->phase = link->phase;
      message->chain[i]->iteration = link->iteration;
    }
  if (origin->cause_value != NULL)
    message->to_blame = make_link (answer, origin->cause_value, &origin->cause_shape, origin->cause_element,
                                   origin->cause_number);
  message->first_bad_node = sonde_session_answer_strdup (answer, origin->first_bad_node);
  message->cause = sonde_session_answer_strdup (answer, origin->cause);
  message->executed_node = sonde_session_answer_strdup (answer, origin->executed_node);
  message->step = origin->step;
  answer->reply.origin = message;
}

static gboolean
check_standing (SondeSessionServer *server,
                GError            **error)
{
  if (server->state != SONDE_SESSION_RUNNING)
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "It runs; pause it before you ask.");
  return FALSE;
}

gboolean
sonde_session_handle_origin (SondeSessionServer *server,
                             SondeSessionJob    *job,
                             SondeSessionAnswer *answer,
                             GError            **error)
{
  g_autoptr (SondeOrigin) origin = NULL;

  if (!check_standing (server, error))
    return FALSE;
  origin = sonde_debugger_find_origin (server->debugger, job->request->origin->expression, error);
  if (origin == NULL)
    return FALSE;
  answer_origin (answer, origin);
  return TRUE;
}
