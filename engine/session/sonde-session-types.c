/* SPDX-License-Identifier: Apache-2.0
 * Names and ownership of the plain structs. */
#include "engine/session/sonde-session-types.h"

void
sonde_session_reply_free (SondeSessionReply *reply)
{
  if (reply == NULL)
    return;
  sonde_session_status_free (reply->status);
  g_clear_pointer (&reply->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&reply->watches, g_ptr_array_unref);
  g_clear_pointer (&reply->watch_hits, g_ptr_array_unref);
  g_clear_pointer (&reply->stops, g_ptr_array_unref);
  g_clear_pointer (&reply->steps, g_ptr_array_unref);
  g_clear_pointer (&reply->values, g_ptr_array_unref);
  g_clear_pointer (&reply->frames, g_ptr_array_unref);
  g_clear_pointer (&reply->tensor, sonde_tensor_unref);
  sonde_bins_free (reply->histogram);
  g_clear_pointer (&reply->bytes, g_bytes_unref);
  g_clear_pointer (&reply->edits, g_ptr_array_unref);
  g_clear_pointer (&reply->differences, g_ptr_array_unref);
  g_clear_pointer (&reply->branches, g_ptr_array_unref);
  sonde_origin_free (reply->origin);
  sonde_reduced_case_free (reply->reduction);
  g_free (reply->note);
  g_clear_pointer (&reply->divergence, sonde_divergence_free);
  g_clear_pointer (&reply->precision, sonde_precision_found_free);
  g_free (reply->name);
  g_free (reply->path);
  g_free (reply->text);
  g_free (reply->explanation);
  g_clear_pointer (&reply->result, g_variant_unref);
  g_clear_pointer (&reply->tensors, g_ptr_array_unref);
  g_free (reply->lines);
  g_free (reply);
}

SondeSessionEvent *
sonde_session_event_copy (const SondeSessionEvent *event)
{
  SondeSessionEvent *copy = g_new0 (SondeSessionEvent, 1);

  *copy = *event;
  copy->status = event->status != NULL ? sonde_session_status_copy (event->status) : NULL;
  copy->text = g_strdup (event->text);
  copy->node = g_strdup (event->node);
  copy->result = event->result != NULL ? g_variant_ref (event->result) : NULL;
  copy->tensors = event->tensors != NULL ? g_ptr_array_ref (event->tensors) : NULL;
  return copy;
}

void
sonde_session_event_free (SondeSessionEvent *event)
{
  if (event == NULL)
    return;
  sonde_session_status_free (event->status);
  g_free (event->text);
  g_free (event->node);
  g_clear_pointer (&event->result, g_variant_unref);
  g_clear_pointer (&event->tensors, g_ptr_array_unref);
  g_free (event);
}
