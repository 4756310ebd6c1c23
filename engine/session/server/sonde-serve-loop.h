/* SPDX-License-Identifier: Apache-2.0
 * What a loop that is not ours answers only where its host offers it (going back, where a bad value
 * comes from, captures, profiles), and what it refuses, since the graph is not ours to change. */
#pragma once

#include "engine/live/sonde-live-loop.h"
#include "engine/session/server/sonde-serve.h"

G_BEGIN_DECLS

#define SONDE_LOOP_REQUESTS(X)                                                                     \
  X (GO_BACK, loop_go_back, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                \
  X (REWIND, loop_rewind, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                  \
  X (RESTART, loop_restart, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                                \
  X (ORIGIN, loop_origin, SONDE_NEEDS_OPEN)                                                        \
  X (CAPTURE, loop_capture, SONDE_NEEDS_OPEN)                                                      \
  X (PROFILE_START, loop_profile_start, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                    \
  X (PROFILE_STOP, loop_profile_stop, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                      \
  X (PROFILE_KEEP, loop_profile_keep, SONDE_NEEDS_OPEN | SONDE_NEEDS_CONTROL)                      \
  X (PROFILE_STATUS, loop_profile_status, SONDE_NEEDS_OPEN)                                        \
  X (CHANGE_NODE, loop_change_node, 0)                                                             \
  X (RERUN, loop_rerun, 0)                                                                         \
  X (BRANCH, loop_branch, 0)                                                                       \
  X (REDUCE, loop_reduce, 0)                                                                       \
  X (PRECISION, loop_precision, 0)

#define SONDE_LOOP_DECLARE(body, name, flags) SondeSessionHandle sonde_serve_##name;
SONDE_LOOP_REQUESTS (SONDE_LOOP_DECLARE)
#undef SONDE_LOOP_DECLARE

/* What is joined to a server; @title: owned. */
typedef struct
{
  SondeSessionService service; /* first member */
  SondeLiveLoop *loop;
  SondeActivityKind kind;
  char *title;
  gint64 steps_before;
} SondeJoinedLoop;

G_END_DECLS
