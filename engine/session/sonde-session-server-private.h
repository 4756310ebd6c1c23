/* SPDX-License-Identifier: Apache-2.0
 * Inside of the server: who is connected, what is asked, what the engine thread owns. Shared by the
 * files of the server. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "engine/debug/sonde-changes.h"
#include "engine/debug/sonde-watch.h"
#include "engine/session/sonde-session-channel-private.h"
#include "engine/session/sonde-session-server.h"

G_BEGIN_DECLS

#define SONDE_SESSION_TOKEN_CHARS 64
#define SONDE_SESSION_PENDING_JOBS 64 /* of one client; more are not read before */

/* A connected client. Everything in it is protected by the server's lock. */
typedef struct
{
  guint64 id;
  SondeSessionChannel channel;
  gboolean inherited; /* came by sonde_session_server_add_fd(): no token */
  gboolean welcome;   /* its hello was right */
  guint pending;      /* jobs of it that are not answered */
  guint64 outside;    /* bytes in memfds that it has not taken over yet */
  gint64 since_ns;    /* when it connected */
  gint64 heard_ns;    /* when it last said something while a ping was out */
  gint64 pinged_ns;   /* last ping, 0: none */
} SondeSessionPeer;

/* What the engine thread is to do. @request: NULL: the client is lost or said goodbye
 * (@detached). */
typedef struct
{
  guint64 peer;
  guint32 id;
  gboolean in_control; /* of a lost client: it was */
  gboolean detached;
  gboolean cancelled; /* a call: not wanted any more before it began */
  Sonde__Session__Request *request;
} SondeSessionJob;

/**
 * SondeSessionListener: socket and token of a server that listens
 * @fd: -1 when it does not; @token_fd: locked as long as the server lives
 * @accept_after_ns: not before: after wrong tokens
 */
typedef struct
{
  int fd, token_fd, directory_fd;
  char *socket_path, *token_path;
  char token[SONDE_SESSION_TOKEN_CHARS + 1];
  guint failures;
  gint64 accept_after_ns;
} SondeSessionListener;

struct _SondeSessionServer
{
  SondeSessionServerOptions options;
  const SondeIo *io;
  SondeSessionListener listener;
  pthread_t thread;
  gboolean has_thread;
  int wake;                  /* eventfd: the socket thread is to look again */
  _Atomic gboolean closing;  /* the socket thread ends */
  _Atomic gboolean quitting; /* serve() ends */
  _Atomic guint n_welcome;   /* clients that listen */

  pthread_mutex_t lock; /* protects what follows, to the next mark */
  pthread_cond_t work;
  GPtrArray *peers; /* (element-type SondeSessionPeer) */
  guint64 last_peer;
  guint64 controller; /* id, 0: nobody */
  GQueue jobs;
  SondeActivity *activity; /* written by the engine thread only */
  SondeDebugger *debugger; /* " */
  SondeChanges *changes;   /* " */
  /* (nullable): see sonde_session_remember_failure(); engine thread only */
  char *failed_node;
  char *failed_comparison; /* " */
  gboolean running;        /* the engine thread is inside the activity's run */
  guint64 calling_peer;    /* the engine thread is inside a call of that client, 0: it is not */
  guint32 calling_id;
  _Atomic gboolean call_cancelled; /* that call is to end */
  SondeSessionStatus *status;      /* as last published */
  gboolean stale;                  /* nobody listened while it ran: @status is of long ago */

  /* engine thread only */
  SondeSessionState state;
  gboolean run_now;
  SondeSessionResult end;
  char *end_message;
  gint64 progress_ns;
  gboolean done; /* serve() is to return */
  GError *failure;
};

/* ---- sonde-session-socket.c: the thread that serves clients; sending in sonde-session-send.c
 * ---- */

gboolean sonde_session_socket_start (SondeSessionServer *server, GError **error);
void sonde_session_socket_stop (SondeSessionServer *server);
void sonde_session_socket_wake (SondeSessionServer *server);
gboolean sonde_session_socket_add_peer (SondeSessionServer *server, int fd, gboolean inherited);
void sonde_session_job_free (SondeSessionJob *job);

/* The lock is held for these. */
SondeSessionPeer *sonde_session_find_peer (SondeSessionServer *server, guint64 id);
/* Packs and queues; a large message becomes a memfd. @memfd: (transfer full), or -1 */
void sonde_session_send (SondeSessionServer *server, SondeSessionPeer *peer,
                         Sonde__Session__Message *message, int memfd);
/* To every client; @event's status is filled for each from server->status when @with_status. */
void sonde_session_broadcast (SondeSessionServer *server, Sonde__Session__Event *event,
                              gboolean with_status);

/* Says why, as far as the socket takes it at once. */
void sonde_session_say_goodbye (SondeSessionChannel *channel, const char *reason);

/* ---- sonde-session-listener.c -------------------------------------------- */

void sonde_session_listener_init (SondeSessionListener *listener);
gboolean sonde_session_listener_open (SondeSessionListener *listener, const SondeIo *io,
                                      const char *directory, const char *title, GError **error);
void sonde_session_listener_close (SondeSessionListener *listener, const SondeIo *io);
void sonde_session_listener_set_title (SondeSessionListener *listener, const char *title);
/* A connected descriptor of this very user, or -1. */
int sonde_session_listener_accept (SondeSessionListener *listener);
/* In constant time. */
gboolean sonde_session_listener_check_token (const SondeSessionListener *listener,
                                             const char *token);

/* Connects to a socket below a directory, whatever the length of the path. */
int sonde_session_connect_path (const char *path, GError **error);
/* An own directory of mode 0700, or an error. Returns: its descriptor (O_PATH) */
int sonde_session_open_directory (const SondeIo *io, const char *path, gboolean make,
                                  GError **error);

/* ---- sonde-session-answer.c: plain structs -> messages ------------------- */

/**
 * SondeSessionAnswer: a reply being made
 * @garbage: memory of it, freed with it; @frames: lists whose strings it lends; @memfd: goes along,
 * or -1
 * @later: it will be sent by a probe
 */
typedef struct
{
  Sonde__Session__Reply reply;
  GPtrArray *garbage, *frames;
  int memfd;
  gboolean later;
} SondeSessionAnswer;

void sonde_session_answer_init (SondeSessionAnswer *answer);
void sonde_session_answer_clear (SondeSessionAnswer *answer);
void *sonde_session_answer_alloc (SondeSessionAnswer *answer, gsize bytes); /* zeroed */
char *sonde_session_answer_strdup (SondeSessionAnswer *answer,
                                   const char *text); /* NULL gives "" */
char **sonde_session_answer_strings (SondeSessionAnswer *answer, guint n);

/* Fills a message's structs; strings are lent by @status. @garbage: with a function that frees:
 * gets memory of them */
void sonde_session_fill_status (const SondeSessionStatus *status, gboolean in_control,
                                Sonde__Session__Status *message, Sonde__Session__Stop *stop,
                                GPtrArray *garbage);
void sonde_session_answer_breakpoint (SondeSessionAnswer *answer, guint k,
                                      const SondeBreakpoint *breakpoint);
void sonde_session_answer_steps (SondeSessionAnswer *answer, SondePlan *plan);
void sonde_session_answer_values (SondeSessionAnswer *answer, SondeExecution *execution,
                                  const char *glob);
void sonde_session_answer_statistics (SondeSessionAnswer *answer,
                                      const SondeStatistics *statistics);
void sonde_session_answer_histogram (SondeSessionAnswer *answer, SondeTensor *tensor);
/* A tensor without its elements. */
void sonde_session_answer_form (SondeSessionAnswer *answer, SondeDtype dtype,
                                const SondeShape *shape);
/* With them. Errors: MEMORY. */
gboolean sonde_session_answer_tensor (SondeSessionAnswer *answer, SondeTensor *tensor,
                                      GError **error);
/* Errors: MEMORY. */
gboolean sonde_session_answer_data (SondeSessionAnswer *answer, Sonde__Session__Data *data,
                                    const void *bytes, gsize length, GError **error);
void sonde_session_answer_error (SondeSessionAnswer *answer, const GError *error);

guint32 sonde_session_number_of_dtype (SondeDtype dtype);
SondeDtype sonde_session_dtype_of_number (guint32 number);
/* Bytes of string elements: length and bytes, one after the other. Returns: (transfer full) */
GByteArray *sonde_session_pack_strings (const SondeTensor *tensor);

/* ---- sonde-session-requests.c: engine thread ----------------------------- */

/* Does what @job asks and answers it. (transfer full) */
void sonde_session_handle (SondeSessionServer *server, SondeSessionJob *job);
/* Sends the reply, unless its client is gone or it comes later. */
void sonde_session_reply (SondeSessionServer *server, guint64 peer, guint32 id,
                          SondeSessionAnswer *answer);
/* As messages; strings are lent by @frames, memory goes to @garbage. */
Sonde__Session__Frame **sonde_session_fill_frames (const GPtrArray *frames, GPtrArray *garbage,
                                                   gsize *n);
/* The execution of a frame as numbered in the protocol. */
SondeExecution *sonde_session_pick_frame (SondeSessionServer *server, guint32 frame,
                                          GError **error);
/* Reading values, in sonde-session-read.c */
gboolean sonde_session_handle_read (SondeSessionServer *server, SondeSessionJob *job,
                                    SondeSessionAnswer *answer, GError **error);

/* Breakpoints, in sonde-session-breakpoints.c */
typedef gboolean SondeSessionHandle (SondeSessionServer *server, SondeSessionJob *job,
                                     SondeSessionAnswer *answer, GError **error);
SondeSessionHandle sonde_session_handle_list_breakpoints, sonde_session_handle_add_breakpoint,
    sonde_session_handle_remove_breakpoint, sonde_session_handle_enable_breakpoint,
    sonde_session_handle_ignore_breakpoint;
SondeSessionHandle sonde_session_handle_frames, sonde_session_handle_select_frame;
/* sonde-session-evaluate.c */
SondeSessionHandle sonde_session_handle_evaluate;
/* Going back, in sonde-session-back.c */
SondeSessionHandle sonde_session_handle_go_back, sonde_session_handle_rewind;

/* Where a bad element comes from, in sonde-session-origin.c */
SondeSessionHandle sonde_session_handle_origin, sonde_session_handle_reduce;
/* What reduce is to cut out, when nobody says it: a node that origin or diverge found; NULL:
 * nothing. @comparison: (nullable): the line that parts it from a reference: "diverge --device
 * reference" */
void sonde_session_remember_failure (SondeSessionServer *server, const char *node,
                                     const char *comparison);
/* Watches, in sonde-session-watch.c */
SondeSessionHandle sonde_session_handle_add_watch, sonde_session_handle_list_watches,
    sonde_session_handle_list_watch_hits, sonde_session_handle_recheck;
/* All, or the one with @id. */
void sonde_session_answer_watches (SondeSessionServer *server, SondeSessionAnswer *answer,
                                   guint id);
/* As messages; strings are lent by @hits (nullable), memory goes to @garbage. */
Sonde__Session__WatchHit **sonde_session_fill_hits (const GPtrArray *hits, GPtrArray *garbage,
                                                    gsize *n);

/* Changes of the run, in sonde-session-change.c; what they answer in
 * sonde-session-answer-change.c */
SondeSessionHandle sonde_session_handle_set, sonde_session_handle_change_node,
    sonde_session_handle_rerun, sonde_session_handle_branch, sonde_session_handle_diff;
void sonde_session_answer_edits (SondeSessionAnswer *answer, GPtrArray *edits);
void sonde_session_answer_differences (SondeSessionAnswer *answer, GPtrArray *differences);
Sonde__Session__BranchInfo *sonde_session_make_branch (SondeSessionAnswer *answer,
                                                       const SondeBranch *branch);
Sonde__Session__Statistics *sonde_session_make_statistics (SondeSessionAnswer *answer,
                                                           const SondeStatistics *statistics);
Sonde__Session__Tensor *sonde_session_make_form (SondeSessionAnswer *answer, SondeDtype dtype,
                                                 const SondeShape *shape);
/* Long searches, in sonde-session-diverge.c */
SondeSessionHandle sonde_session_handle_diverge, sonde_session_handle_precision;

/* Calls, in sonde-session-call.c */
SondeSessionHandle sonde_session_handle_call;
/* The lock is held: @job was just taken from the queue. From here on it can be cancelled while it
 * is done. */
void sonde_session_begin_call (SondeSessionServer *server, const SondeSessionJob *job);
/* The lock is held. @id 0: all of that client, which is gone. */
void sonde_session_cancel_call (SondeSessionServer *server, guint64 peer, guint32 id);

/* Captures, in sonde-session-capture.c */
SondeSessionHandle sonde_session_handle_capture;
/* What came with what was opened. */
void sonde_session_answer_stops (SondeSessionServer *server, SondeSessionAnswer *answer);

/* ---- sonde-session-publish.c: engine thread ------------------------------ */

SondeSessionStatus *sonde_session_empty_status (const char *title);
/* Takes a picture of the state for clients. */
void sonde_session_publish (SondeSessionServer *server);
/* An event to all. Any thread. @text: (nullable) */
void sonde_session_tell (SondeSessionServer *server, SondeSessionEventKind kind,
                         gboolean with_status, const char *text);
/* What a breakpoint says; @data: the server. */
void sonde_session_tell_line (const SondeLogLine *line, gpointer data);
/* New state: published and told to all. */
void sonde_session_set_state (SondeSessionServer *server, SondeSessionState state,
                              SondeSessionEventKind event);

/* ---- sonde-session-server.c: engine thread ------------------------------- */

/* After a way back: the model may be the one of before. */
void sonde_session_follow_model (SondeSessionServer *server);
/* Takes over what a client opened, or what serve() was given. */
void sonde_session_adopt (SondeSessionServer *server, SondeActivity *activity);
/* What is open is finished and goes; nothing open is fine. */
gboolean sonde_session_close_activity (SondeSessionServer *server, GError **error);
gboolean sonde_session_finish (SondeSessionServer *server, GError **error);

/**
 * SondeSessionWork: something long that a request asked for (sonde-session-diverge.c)
 * @told_ns: when clients heard of it last
 */
typedef struct
{
  SondeSessionServer *server;
  const char *what;
  gint64 told_ns;
} SondeSessionWork;

/* Tells clients how far it is; TRUE: somebody asked for a pause or the end. @data: a
 * SondeSessionWork */
gboolean sonde_session_work_tick (guint step, guint n_steps, gpointer data);

G_END_DECLS
