/* SPDX-License-Identifier: Apache-2.0
 * The client's side of comparisons: requests, and answers as plain structs. */
#include "engine/session/sonde-session-client-private.h"

#include <string.h>

SondeSessionRequest *
sonde_session_request_diverge (const SondeDivergeRequest *diverge)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_DIVERGE, sizeof (Sonde__Session__Diverge),
      (void (*) (void *)) sonde__session__diverge__init);
  Sonde__Session__Diverge *message = request->message.diverge;

  message->device = sonde_session_request_keep (request, diverge->device);
  message->precision = sonde_session_request_keep (request, diverge->precision);
  message->tensors_path = sonde_session_request_keep (request, diverge->tensors_path);
  message->model_path = sonde_session_request_keep (request, diverge->model_path);
  message->weights_path = sonde_session_request_keep (request, diverge->weights_path);
  message->optimise_off = diverge->optimise_off;
  message->has_rtol = diverge->has_rtol;
  message->rtol = diverge->rtol;
  message->pattern = sonde_session_request_keep (request, diverge->pattern);
  message->threads = diverge->threads;
  return request;
}

SondeSessionRequest *
sonde_session_request_precision (const char *path, const char *precision, double tolerance,
                                 const char *const *values)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_PRECISION, sizeof (Sonde__Session__Precision),
      (void (*) (void *)) sonde__session__precision__init);
  Sonde__Session__Precision *message = request->message.precision;

  message->path = sonde_session_request_keep (request, path);
  message->precision = sonde_session_request_keep (request, precision);
  message->tolerance = tolerance;
  message->n_values = values != NULL ? g_strv_length ((char **) values) : 0;
  message->values = g_new0 (char *, message->n_values + 1);
  g_ptr_array_add (request->garbage, message->values);
  for (gsize i = 0; i < message->n_values; i++)
    message->values[i] = sonde_session_request_keep (request, values[i]);
  return request;
}

/* ---- answers ------------------------------------------------------------- */

static GPtrArray *
decode_texts (char *const *texts, gsize n)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < n; i++)
    g_ptr_array_add (copy, g_utf8_make_valid (texts[i], -1));
  return copy;
}

static void
decode_value (const Sonde__Session__Diverged *message, SondeDivergence *divergence)
{
  SondeDivergedValue *value = g_new0 (SondeDivergedValue, 1);

  value->node = g_utf8_make_valid (message->node, -1);
  value->op = g_utf8_make_valid (message->op, -1);
  value->value = g_utf8_make_valid (message->value, -1);
  value->reference
      = *message->reference != '\0' ? g_utf8_make_valid (message->reference, -1) : NULL;
  value->phase
      = message->phase <= SONDE_PHASE_OPTIMISER ? (SondePhase) message->phase : SONDE_PHASE_FORWARD;
  value->own_error = message->own_error;
  value->inherited_error = message->inherited_error;
  value->largest = message->largest;
  value->tolerance = message->tolerance;
  value->over = message->over;
  value->n_fused = message->n_fused;
  value->n_nodes = message->n_nodes;
  value->index = message->index;
  value->shape.rank = (int) MIN (message->n_dims, SONDE_MAX_RANK);
  for (int d = 0; d < value->shape.rank; d++)
    value->shape.dims[d] = MAX (message->dims[d], 0);
  value->number = message->number;
  value->wanted = message->wanted;
  g_ptr_array_add (divergence->values, value);
}

SondeDivergence *
sonde_session_decode_divergence (const Sonde__Session__Divergence *message)
{
  SondeDivergence *divergence = sonde_divergence_new ();

  for (gsize i = 0; i < message->n_values; i++)
    decode_value (message->values[i], divergence);
  g_ptr_array_unref (divergence->unmatched);
  g_ptr_array_unref (divergence->unused);
  divergence->unmatched = decode_texts (message->unmatched, message->n_unmatched);
  divergence->unused = decode_texts (message->unused, message->n_unused);
  divergence->first
      = message->first >= 0 && (gsize) message->first < message->n_values ? message->first : -1;
  return divergence;
}

SondePrecisionFound *
sonde_session_decode_precision (const Sonde__Session__PrecisionFound *message)
{
  SondePrecisionFound *found = sonde_precision_found_new ();

  found->precision = sonde_dtype_from_name (message->precision);
  found->tolerance = message->tolerance;
  found->reached = message->reached;
  found->lowest = message->lowest;
  found->n_nodes = message->n_nodes;
  found->n_runs = message->n_runs;
  found->whole_runs = message->whole_runs;
  g_ptr_array_unref (found->kept);
  g_ptr_array_unref (found->values);
  found->kept = decode_texts (message->kept, message->n_kept);
  found->values = decode_texts (message->values, message->n_values);
  return found;
}
