/* SPDX-License-Identifier: Apache-2.0
 * Whether an engine still responds: when it is to be pinged, and when it counts as unresponsive. */
#pragma once

#include "data/base/sonde-clock.h"
#include "data/base/sonde-message.h"

G_BEGIN_DECLS

/* What the owner of a monitor is to do. */
typedef enum
{
  SONDE_RESPONSE_NOTHING,
  SONDE_RESPONSE_PING, /* ask it whether it is there */
  SONDE_RESPONSE_LOST, /* it has become unresponsive */
  SONDE_RESPONSE_BACK, /* it responds again */
} SondeResponseAction;

/**
 * SondeResponseMonitor: zero-initialised
 * @clock: (nullable)
 * @active: FALSE: nothing is noticed
 * @unresponsive: a ping was not answered in time
 * @heard_ns: when something came last
 * @pinged_ns: since then: when it was pinged; 0: it was not
 */
typedef struct
{
  const SondeClock *clock;
  gboolean active;
  gboolean unresponsive;
  gint64 heard_ns;
  gint64 pinged_ns;
} SondeResponseMonitor;

/* From here on it is to respond. @clock: (nullable) */
void sonde_response_monitor_start (SondeResponseMonitor *monitor, const SondeClock *clock);
/* @heard: something came just now. @timeout_ms: (out): until it must be looked at again, -1: not
 * before something comes */
SondeResponseAction sonde_response_monitor_check (SondeResponseMonitor *monitor, gboolean heard,
                                                  int *timeout_ms);
/* Why process @pid does not respond, as far as the system knows, and what helps. (transfer full) */
SondeMessage *sonde_response_monitor_describe (int pid);

G_END_DECLS
