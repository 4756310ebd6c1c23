/* SPDX-License-Identifier: Apache-2.0
 * Time as a table, so that a test can stand still or jump. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeClock:
 * @wall_ns: required; ns since 1970-01-01 UTC
 * @monotonic_ns: required; ns since some fixed moment, never goes back
 */
typedef struct _SondeClock SondeClock;
struct _SondeClock
{
  gint64 (*wall_ns) (const SondeClock *clock);
  gint64 (*monotonic_ns) (const SondeClock *clock);
};

/* The system's clock; static, never freed. */
const SondeClock *sonde_clock_system (void);

/* @clock: (nullable): NULL is the system's clock */
gint64 sonde_clock_wall_ns (const SondeClock *clock);
gint64 sonde_clock_monotonic_ns (const SondeClock *clock);

G_END_DECLS
