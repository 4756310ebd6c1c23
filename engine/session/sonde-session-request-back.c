/* SPDX-License-Identifier: Apache-2.0
 * Requests that go back, as messages. */
#include "engine/session/sonde-session-client-private.h"

static char *
keep (SondeSessionRequest *request, const char *text)
{
  char *copy = g_strdup (text != NULL ? text : "");

  g_ptr_array_add (request->garbage, copy);
  return copy;
}

SondeSessionRequest *
sonde_session_request_go_back (const SondeBack *back)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_GO_BACK, sizeof (Sonde__Session__GoBack),
      (void (*) (void *)) sonde__session__go_back__init);
  Sonde__Session__GoBack *message = request->message.go_back;

  message->kind = back->kind;
  message->count = back->count;
  message->target = keep (request, back->target);
  return request;
}

SondeSessionRequest *
sonde_session_request_rewind (const char *path)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_REWIND, sizeof (Sonde__Session__Rewind),
      (void (*) (void *)) sonde__session__rewind__init);

  request->message.rewind->path = keep (request, path);
  return request;
}
