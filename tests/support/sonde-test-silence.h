/* SPDX-License-Identifier: Apache-2.0
 * A real engine that is stopped by a signal, and a client's clock that is turned until it says so:
 * nothing sleeps. */
#pragma once

#include <stdatomic.h>

#include "data/base/sonde-clock.h"
#include "engine/session/client/sonde-session-client.h"

/* Zero-initialise; outlives begin() … clear(). */
typedef struct
{
  SondeClock clock; /* first member */
  _Atomic gint64 now;
  SondeSessionClient *client;
} SondeTestSilence;

/* Stops the engine, a child of this process, and lets six seconds pass for @client: it is silent,
 * or will be in no time. */
void sonde_test_silence_begin (SondeTestSilence *silence, SondeSessionClient *client);
/* The engine goes on. */
void sonde_test_silence_end (SondeTestSilence *silence);
/* The client has the system's clock again. */
void sonde_test_silence_clear (SondeTestSilence *silence);
