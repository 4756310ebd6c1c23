/* SPDX-License-Identifier: Apache-2.0
 * Which function of the server does which request: the rows of all features. A feature's rows stand
 * in the header of its codec: body of the message, name of the function sonde_serve_NAME(), what it
 * needs. */
#pragma once

#include "engine/session/codec/sonde-codec-breakpoints.h"
#include "engine/session/codec/sonde-codec-call.h"
#include "engine/session/codec/sonde-codec-changes.h"
#include "engine/session/codec/sonde-codec-frames.h"
#include "engine/session/codec/sonde-codec-graph.h"
#include "engine/session/codec/sonde-codec-profile.h"
#include "engine/session/codec/sonde-codec-reading.h"
#include "engine/session/codec/sonde-codec-run.h"
#include "engine/session/codec/sonde-codec-search.h"
#include "engine/session/codec/sonde-codec-status.h"
#include "engine/session/codec/sonde-codec-watches.h"
#include "engine/session/server/sonde-serve.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS(X)                                                                  \
  SONDE_SESSION_REQUESTS_STATUS (X)                                                                \
  SONDE_SESSION_REQUESTS_RUN (X)                                                                   \
  SONDE_SESSION_REQUESTS_BREAKPOINTS (X)                                                           \
  SONDE_SESSION_REQUESTS_WATCHES (X)                                                               \
  SONDE_SESSION_REQUESTS_FRAMES (X)                                                                \
  SONDE_SESSION_REQUESTS_GRAPH (X)                                                                 \
  SONDE_SESSION_REQUESTS_READING (X)                                                               \
  SONDE_SESSION_REQUESTS_CHANGES (X)                                                               \
  SONDE_SESSION_REQUESTS_SEARCH (X)                                                                \
  SONDE_SESSION_REQUESTS_CALL (X)                                                                  \
  SONDE_SESSION_REQUESTS_PROFILE (X)

#define SONDE_SESSION_DECLARE_HANDLE(body, name, flags) SondeSessionHandle sonde_serve_##name;
SONDE_SESSION_REQUESTS (SONDE_SESSION_DECLARE_HANDLE)
#undef SONDE_SESSION_DECLARE_HANDLE

G_END_DECLS
