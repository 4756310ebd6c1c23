/* SPDX-License-Identifier: Apache-2.0
 * A program that is no part of Sonde and is debugged by libsonde-live: a training of a weight in
 * three nodes a step, on a thread of its own, and a real client. For one test at a time. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "collector/live/sonde-program.h"
#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

#define N_NODES 4 /* a module, its two operators, the weight when the step is over */

enum
{
  MODULE,
  MULTIPLY,
  HALF, /* every second row of what was multiplied */
  WEIGHT,
};

/* @numbers: "lin/mul", 4 rows of 3. @asked: of the library, by a call that waits. */
typedef struct
{
  SondeProgram *live;
  const volatile unsigned char *flags;
  SondeSessionClient *client;
  pthread_t thread;
  guint32 ids[N_NODES];
  float numbers[4][3];
  float weight;
  guint64 step;
  int n_released;
  gboolean is_broken; /* gives tensors that cannot be */
  guint64 fails_at;   /* step in which MULTIPLY fails; 0: none */
  guint64 breaks_at;  /* step in which MULTIPLY makes a NaN; 0: none */
  guint64 rests_at;   /* step in which the weight is not changed; 0: none */
  gboolean goes_back; /* once, before MULTIPLY, when it goes on */
  _Atomic int n_calls;
  _Atomic int n_bad; /* places where it stood for a NaN */
  _Atomic gboolean ends;
  _Atomic guint64 n_steps;
} Program;

/* What the library asks of it; its data is a Program. */
extern const SondeProgramHooks program_hooks;

/* Begins with one client in control, and stands ready. */
void begin (Program *program);
/* Ends with its clients. */
void finish (Program *program);

/* What the client asks; the reply is (transfer full). */
SondeSessionReply *ask (Program *program, SondeSessionRequest *request);
void tell (Program *program, SondeSessionRequest *request);
void tell_fails (Program *program, SondeSessionRequest *request, int code, const char *text);
/* The event that tells of @state. (transfer full) */
SondeSessionEvent *wait_for (Program *program, SondeSessionState state);
/* Goes on to the next stop. @target: (nullable) */
SondeSessionEvent *go (Program *program, SondeResumeKind kind, const char *target);
void stop_at (Program *program, const char *pattern, gboolean after);

G_END_DECLS
