/* SPDX-License-Identifier: Apache-2.0
 * The request for an expression. */
#include "engine/session/sonde-session-client-private.h"

SondeSessionRequest *
sonde_session_request_evaluate (const char *expression, SondeSessionWant want, const char *path)
{
  SondeSessionRequest *request = sonde_session_request_new (
      SONDE__SESSION__REQUEST__BODY_EVALUATE, sizeof (Sonde__Session__Evaluate),
      (void (*) (void *)) sonde__session__evaluate__init);

  request->message.evaluate->expression = sonde_session_request_keep (request, expression);
  request->message.evaluate->want = want;
  request->message.evaluate->path = sonde_session_request_keep (request, path);
  return request;
}
