/* SPDX-License-Identifier: Apache-2.0
 * Random sequences of valid requests of two clients, and what must hold whatever they ask. */
#pragma once

#include "tests/engine/session/session-fixture.h"

G_BEGIN_DECLS

#define MACHINE_CLIENTS 2

typedef struct _Machine Machine;

/**
 * MachineNet: what is opened in a sequence
 * @words: names of nodes, values, patterns, numbers of steps; wrong ones, too (array
 * zero-terminated=1)
 * @output: value that tells whether the run came out as one that nobody looked at
 * @runs: of a training; 0: an inference
 * @fails: it cannot come to an end
 */
typedef struct
{
  const char *subject;
  const char *const *words;
  const char *output;
  guint64 runs;
  gboolean fails;
} MachineNet;

/**
 * MachineClient:
 * @state: as its events told last
 * @seen: what they told, to be compared with the other's
 * @n_ends: how often the run came to an end
 */
typedef struct
{
  Machine *machine;
  SondeSessionClient *client;
  SondeSessionState state;
  gboolean in_control;
  GString *seen;
  guint n_ends;
} MachineClient;

/**
 * Machine: one sequence
 * @open: requests that must be answered before anything can be looked at; @waiting: those that a
 * run may answer later
 * @edited: the run need not come out as it would
 * @ids: (element-type guint): of stops that are there; a temporary one may be gone
 * @temporary: some of them
 * @trace: what was asked, for whoever looks for a failure
 */
struct _Machine
{
  SessionFixture fixture;
  const MachineNet *net;
  guint64 seed, sequence, drawn;
  GMainContext *context;
  MachineClient clients[MACHINE_CLIENTS];
  guint open, waiting;
  gboolean edited, timed_out, lists_known;
  guint last_id;
  GHashTable *ids, *temporary;
  GString *trace;
};

/**
 * MachineRequest: a kind of request
 * @weight: how often it comes
 * @control: only the client in control may ask
 * @waits: while it runs, it may be answered much later
 * @edits: the run need not come out as it would
 */
typedef struct
{
  const char *name;
  SondeSessionRequest *(*make) (Machine *machine);
  guint weight;
  gboolean control, waits, edits;
} MachineRequest;

extern const MachineRequest machine_requests[];
extern const guint machine_n_requests;

/* Runs one sequence of @n_turns; ends the program with its trace when something does not hold. */
void machine_run (const MachineNet *net, guint64 seed, guint64 sequence, guint n_turns);

/* That this process has open. */
guint machine_count_descriptors (void);

guint machine_draw (Machine *machine, guint n);
const char *machine_word (Machine *machine);

#define machine_assert(machine, condition)                                                         \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if (!(condition))                                                                              \
      machine_fail (machine, G_STRLOC, #condition);                                                \
  }                                                                                                \
  G_STMT_END
G_NORETURN void machine_fail (Machine *machine, const char *where, const char *what);

G_END_DECLS
