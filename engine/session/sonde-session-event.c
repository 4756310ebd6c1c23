/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/sonde-session-event.h"

SondeSessionEvent *
sonde_session_event_copy (const SondeSessionEvent *event)
{
  SondeSessionEvent *copy = g_new0 (SondeSessionEvent, 1);

  *copy = *event;
  copy->status = event->status != NULL ? sonde_session_status_copy (event->status) : NULL;
  copy->text = g_strdup (event->text);
  copy->message = sonde_message_copy (event->message);
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
  sonde_message_free (event->message);
  g_free (event->node);
  g_clear_pointer (&event->result, g_variant_unref);
  g_clear_pointer (&event->tensors, g_ptr_array_unref);
  g_free (event);
}
