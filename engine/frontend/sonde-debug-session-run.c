/* SPDX-License-Identifier: Apache-2.0
 * Letting the run go on, back, or stop. */
#include "engine/frontend/sonde-debug-session-private.h"

#include "data/base/sonde-text.h"

void
sonde_debug_session_resume (SondeDebugSession *session, SondeResumeKind kind, const char *target)
{
  SondeResume resume = { .kind = kind, .target = target };

  session->going = session->client != NULL && kind != SONDE_RESUME_CONTINUE;
  sonde_debug_session_ask (session, sonde_session_request_resume (&resume), NULL, TRUE);
}

void
sonde_debug_session_go_back (SondeDebugSession *session, const SondeBack *back)
{
  session->going = session->client != NULL;
  sonde_debug_session_ask (session, sonde_session_request_go_back (back), NULL, TRUE);
}

static void
take_rewound (SondeDebugSession *self, SondeSessionReply *reply)
{
  g_autofree char *sentence
      = g_strdup_printf (_ ("The batch of step %" PRIu64 " was written to %s."),
                         self->status != NULL ? self->status->stop.step : 0, reply->path);

  sonde_debug_session_report (self, sentence);
}

void
sonde_debug_session_rewind (SondeDebugSession *session)
{
  session->going = session->client != NULL;
  sonde_debug_session_ask (session, sonde_session_request_rewind (NULL), take_rewound, TRUE);
}

void
sonde_debug_session_pause (SondeDebugSession *session)
{
  sonde_debug_session_ask (session, sonde_session_request_pause (), NULL, FALSE);
}
