/* SPDX-License-Identifier: Apache-2.0
 * A client of a session: the window, the REPL, the DAP server and the tests all use this object. No
 * GTK. It owns the engine child that it spawned.
 *
 * Requests are made by the sonde_session_request_*() functions and sent in one of two ways:
 * sonde_session_client_call() waits for the answer, sonde_session_client_send() returns at once and
 * calls back on the main context that was the thread default of the sender. Any thread may send.
 *
 * Events come as signals, on the main context that was the thread default when the client was made;
 * a program without main loop takes them with sonde_session_client_wait_event() instead (each event
 * goes one way only: whoever takes it first).
 *
 * Signals (GObject, all G_SIGNAL_RUN_LAST, without return value):
 *   "stopped"  (SondeStop *stop)          boxed as pointer, valid during the call
 *   "ended"    (SondeSessionEnd *end)            "
 *   "progress" (SondeSessionEvent *event)     "
 *   "event"    (SondeSessionEvent *event)     every event, after the special signal
 *   "closed"   (const char *reason)           in words: "the engine ended with exit status 1",
 *                                             "the engine was killed by signal 9 (Killed), …" */
#pragma once

#include <gio/gio.h>

#include "engine/session/sonde-open-request.h"
#include "engine/session/sonde-session-types.h"
#include "data/base/sonde-io.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SESSION_CLIENT (sonde_session_client_get_type ())
G_DECLARE_FINAL_TYPE (SondeSessionClient, sonde_session_client, SONDE, SESSION_CLIENT, GObject)

/* ---- connecting ---------------------------------------------------------- */

/**
 * sonde_session_client_new_fd:
 * @fd: (transfer full): connected Unix stream socket
 * Returns: (transfer full). The first frames are exchanged here (at most 10 s).
 * Errors: PROTOCOL when the other end is no Sonde session or of another version.
 */
SondeSessionClient *sonde_session_client_new_fd (int fd, GError **error);

/**
 * sonde_session_client_spawn:
 * @program: path of `sonde`; run as {program, "engine", "--fd", "N"} with the environment of
 *   sonde_session_dup_environment(), its stdin from /dev/null, stdout joined to stderr
 * @threads: 0: as many as the affinity mask allows
 *
 * The child ends when the client is disposed or sonde_session_client_quit_child() is called; a
 * terminal's Ctrl-C does not reach it. Errors: PROTOCOL, G_SPAWN_ERROR.
 */
SondeSessionClient *sonde_session_client_spawn (const char *program, int threads, GError **error);

/**
 * sonde_session_client_attach:
 * @pid: of a session in sonde_session_list()
 * @directory: (nullable): instead of sonde_session_dup_directory()
 * Asks for control; where another client has it, this one watches.
 * Errors: NOT_FOUND naming the sessions there are; PROTOCOL, IO.
 */
SondeSessionClient *sonde_session_client_attach (int pid, const char *directory, GError **error);

/* By socket path; the token is read from the file beside it. */
SondeSessionClient *sonde_session_client_attach_path (const char *path, GError **error);

gboolean sonde_session_client_is_attached (SondeSessionClient *client); /* not spawned by it */
int sonde_session_client_get_pid (SondeSessionClient *client);          /* of the engine */
gboolean sonde_session_client_is_closed (SondeSessionClient *client);
/* The engine has not answered for five seconds: it is stopped, swapped out, or hangs. Events SILENT
 * and ANSWERS tell when that changes. It need not be between two steps for that: its other thread
 * answers. */
gboolean sonde_session_client_is_silent (SondeSessionClient *client);
/* Why it is closed. (transfer full) (nullable) */
char *sonde_session_client_dup_close_reason (SondeSessionClient *client);

/* Says goodbye: an attached session goes on, breakpoints of this client in control are removed. One
 * that is silent learns of it when it answers again; that is not waited for. */
void sonde_session_client_detach (SondeSessionClient *client);

/**
 * sonde_session_client_quit_child:
 * Ends a spawned engine: lets it finish (checkpoint), waits up to @timeout_ms, then kills it.
 * Returns: its exit status, or 128 + signal; -1 when nothing was spawned.
 */
int sonde_session_client_quit_child (SondeSessionClient *client, int timeout_ms);

/* ---- requests ------------------------------------------------------------ */

typedef struct _SondeSessionRequest SondeSessionRequest;        /* sent once; sending takes it */
void sonde_session_request_free (SondeSessionRequest *request); /* one that was not sent */

/* Replies carry .status. */
SondeSessionRequest *sonde_session_request_status (void);
/* Answered when it is open; progress comes as events. Control needed. Replies .status, and .stops
 * of a capture. */
SondeSessionRequest *sonde_session_request_open (const SondeOpenRequest *open);
/* TRUE: take control when nobody has it; FALSE: give it up. Replies .status. */
SondeSessionRequest *sonde_session_request_control (gboolean take);

/* The run goes on; control needed. Answered at once; then a "stopped" or "ended" comes. In the
 * READY state this starts the run. Errors: STATE when it runs already or is over. */
SondeSessionRequest *sonde_session_request_resume (const SondeResume *resume);
/* It stops before the next step; then "stopped". No error when it is paused already. Control
 * needed. */
SondeSessionRequest *sonde_session_request_pause (void);
/* Back to READY, before the first step. Control needed. Replies .status. Errors: STATE,
 * UNSUPPORTED. */
SondeSessionRequest *sonde_session_request_restart (void);
/* Back to an earlier place, also from the end; control needed. Answered at once; then "stopped"
 * comes: at the place, or with reason "beginning" where there was nothing further back. Errors:
 * STATE, NOT_FOUND. */
SondeSessionRequest *sonde_session_request_go_back (const SondeBack *back);
/* Of a training: writes the batch of the present step to @path (absolute; NULL:
 * RUN/captures/batch-stepNNNNNNNN.npz) and goes back to before its first node. Replies .path; then
 * "stopped" comes. Control needed. */
SondeSessionRequest *sonde_session_request_rewind (const char *path);
/* The run is finished (checkpoint written) and the engine ends. Control needed. */
SondeSessionRequest *sonde_session_request_quit (void);

/* Breakpoints; control needed but for the list. All reply .breakpoints: those that were added or
 * changed, or (list, and remove: those that are left) all. @id 0: all. */
SondeSessionRequest *sonde_session_request_list_breakpoints (void);
SondeSessionRequest *sonde_session_request_add_breakpoint (const SondeBreakpointSpec *spec);
SondeSessionRequest *sonde_session_request_remove_breakpoint (guint id);
SondeSessionRequest *sonde_session_request_enable_breakpoint (guint id, gboolean enabled);
SondeSessionRequest *sonde_session_request_ignore_breakpoint (guint id, guint64 count);
/* .watches; the three above answer with them, too. @text: see sonde_debugger_add_watches() */
SondeSessionRequest *sonde_session_request_add_watch (const char *text);
SondeSessionRequest *sonde_session_request_list_watches (void);
/* .watch_hits; @id 0: all; @step 0: the present one */
SondeSessionRequest *sonde_session_request_list_watch_hits (guint id);
SondeSessionRequest *sonde_session_request_recheck (guint64 step);

/* Which graph. */
typedef enum
{
  SONDE_SESSION_GRAPH_EXECUTED,
  SONDE_SESSION_GRAPH_ORIGINAL, /* as the user wrote it */
} SondeSessionGraph;

/* Replies .bytes: the graph as ONNX; constants above 64 KiB are left out. */
SondeSessionRequest *sonde_session_request_graph (SondeSessionGraph which);
/* Replies .text and, for the executed graph, .lines. */
SondeSessionRequest *sonde_session_request_listing (SondeSessionGraph which);
/* Replies .steps. */
SondeSessionRequest *sonde_session_request_steps (void);
/* @pattern: (nullable): glob. Replies .values of the executed graph. */
SondeSessionRequest *sonde_session_request_values (const char *pattern);

/* Where it stands, from the innermost frame. Replies .frames .selected */
SondeSessionRequest *sonde_session_request_frames (void);
/* The frame that names are looked up in first; 0 after every stop. Replies .frames .selected.
 * Errors: NOT_FOUND. */
SondeSessionRequest *sonde_session_request_select_frame (guint level);

/* Whose graph a request of the executed graph, its listing, steps or values is about; without it
 * the outermost. */
#define SONDE_SESSION_FRAME_OUTERMOST 0u
#define SONDE_SESSION_FRAME_LEVEL(level) ((guint) (level) + 1u)
#define SONDE_SESSION_FRAME_SELECTED G_MAXUINT32
/* Returns: @request */
SondeSessionRequest *sonde_session_request_in_frame (SondeSessionRequest *request, guint frame);

/* "VALUE" or "VALUE[slice]", see sonde_debugger_find_value(). Answered at the present position;
 * while it runs and the value is not there yet, right after the step that makes it next.
 * Errors: STATE when it was not computed yet, NOT_FOUND, INVALID for the slice. */
/* .name .dtype .shape .statistics */
SondeSessionRequest *sonde_session_request_statistics (const char *value);
/* .name .dtype .shape .histogram */
SondeSessionRequest *sonde_session_request_histogram (const char *value);
/* .name .dtype .shape .tensor */
SondeSessionRequest *sonde_session_request_tensor (const char *value);
/* @path: absolute; written by the engine. Replies .path .dtype .shape */
SondeSessionRequest *sonde_session_request_save (const char *value, const char *path);

/* ---- finding ------------------------------------------------------------- */

/* "VALUE" or "VALUE[index]", at the present position; see sonde_origin_find(). Replies .origin.
 * Errors: STATE while it runs and for a finite element. */
SondeSessionRequest *sonde_session_request_origin (const char *value);
/* @node: (nullable): that of the last origin or divergence. @path: absolute, of the model; files of
 * its inputs lie beside it. See sonde_reduce(). Replies .reduction. */
SondeSessionRequest *sonde_session_request_reduce (const char *node, const char *path);

/* ---- changing: control needed; the run must stand, but for the lists and diff ---- */

/* @target: "VALUE[slice]"; @what: a number, "file:F.npy" (absolute), or an expression. Replies
 * .edits: the one. See sonde_debugger_set(). */
SondeSessionRequest *sonde_session_request_set (const char *target, const char *what);
/* Attribute @key of @node; @value as text: "3", "0.5", "[1, 1]", "SAME_UPPER". Replies .edits
 * .status .note: another branch. */
SondeSessionRequest *sonde_session_request_set_attribute (const char *node, const char *key,
                                                          const char *value);
/* Output 0 of @node is its input 0. Replies as the one before. */
SondeSessionRequest *sonde_session_request_bypass (const char *node);

/* Replies .differences, one an output (a: computed again, b: of the run), .note: how it was
 * computed; .edits with take. */
SondeSessionRequest *sonde_session_request_rerun (const SondeRerunOptions *spec);

SondeSessionRequest *sonde_session_request_branch (SondeBranchRequest what, const char *name);
/* Values, expressions, VALUE@BRANCH, VALUE@prev, "file:F.npy" (absolute), or two branches (@b NULL:
 * the present one). Replies .differences: one, or of two branches one for each value, in order;
 * .name: "values" or "branches". */
SondeSessionRequest *sonde_session_request_diff (const char *a, const char *b);
/**
 * SondeDivergeRequest: what the run is compared with: one of these; zero-initialise
 * @device: (nullable): @precision: (nullable): "f64", "bf16", "f16"; both may be given
 * @tensors_path, @model_path, @weights_path: (nullable): absolute, read by the engine
 * @optimise_off: the optimised run against the run as it is
 * @rtol: with @has_rtol; @pattern: (nullable): glob of nodes or values
 */
typedef struct
{
  const char *device, *precision;
  const char *tensors_path, *model_path, *weights_path;
  gboolean optimise_off, has_rtol;
  double rtol;
  const char *pattern;
  guint threads;
} SondeDivergeRequest;

/* While paused, ready or ended; control needed. Progress comes as events, a pause request gives it
 * up (STATE). Replies .divergence */
SondeSessionRequest *sonde_session_request_diverge (const SondeDivergeRequest *diverge);

/**
 * sonde_session_request_evaluate:
 * @path: (nullable): of SAVED: absolute
 *
 * An expression (docs/expressions.md) at the present position; while it runs and a value is not
 * there yet, after the step that makes it. Errors: those of sonde_expression_parse() and
 * sonde_expression_evaluate(); a CHECKED one that is unknown is none.
 */
SondeSessionRequest *sonde_session_request_evaluate (const char *expression, SondeSessionWant want,
                                                     const char *path);
/* The search for nodes that stay float32, see sonde_precision_search(). @path: absolute: of the
 * recipe that the engine writes;
 * @precision: (nullable): "bf16"; @values: (nullable) (array zero-terminated=1). As the one before.
 * Replies .precision .path */
SondeSessionRequest *sonde_session_request_precision (const char *path, const char *precision,
                                                      double tolerance, const char *const *values);

/**
 * sonde_session_request_capture:
 * @path: absolute; written by the engine, opened by sonde_session_request_open()
 * @values: (nullable) (array zero-terminated=1): globs of values to be kept whole; of all others
 * statistics are
 * @stops: (element-type SondeCaptureStop): breakpoints and watches
 * Errors: STATE while it runs. Replies .path
 */
SondeSessionRequest *sonde_session_request_capture (const char *path, const char *const *values,
                                                    const GPtrArray *stops);

/**
 * sonde_session_request_call:
 * @arguments: a{sv}; floating is taken
 * @tensors: (nullable) (element-type SondeTensor): no strings; with the arguments less than 15 MiB
 *
 * Something of the program's own, see SondeSessionHost. Control needed. Replies .result .tensors. A
 * GCancellable of sonde_session_client_send() tells the engine, too: it ends the call as soon as it
 * can. Returns: (nullable): NULL with @error MEMORY for more than fits.
 */
SondeSessionRequest *sonde_session_request_call (const char *name, GVariant *arguments,
                                                 GPtrArray *tensors, GError **error);

/* ---- sending ------------------------------------------------------------- */

/**
 * sonde_session_client_call:
 * @request: (transfer full)
 * @timeout_ms: < 0: without end
 *
 * Blocks. Errors: those of the engine (SONDE_ENGINE_ERROR; what the engine reports from data/ comes
 * as SONDE_ENGINE_ERROR_INVALID with its message); PROTOCOL when the connection is over, with the
 * reason; G_IO_ERROR_TIMED_OUT. Returns: (transfer full)
 */
SondeSessionReply *sonde_session_client_call (SondeSessionClient *client,
                                              SondeSessionRequest *request, int timeout_ms,
                                              GError **error);

/**
 * sonde_session_client_call_told:
 * @request: (transfer full)
 * @told: gets the events SILENT and ANSWERS that come meanwhile, on this thread; nobody else gets
 * these
 *
 * As sonde_session_client_call() without a time-out, for programs without a main loop, which take
 * no events while they wait.
 */
SondeSessionReply *
sonde_session_client_call_told (SondeSessionClient *client, SondeSessionRequest *request,
                                void (*told) (gpointer data, const SondeSessionEvent *event),
                                gpointer data, GError **error);

/* Does not block. @cancellable: the callback comes with G_IO_ERROR_CANCELLED; the engine is told of
 * a call only. Returns: the number of the request, which events of a call carry; 0: it was not
 * sent */
guint32 sonde_session_client_send (SondeSessionClient *client, SondeSessionRequest *request,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer data);
SondeSessionReply *sonde_session_client_send_finish (SondeSessionClient *client,
                                                     GAsyncResult *result, GError **error);

/**
 * sonde_session_client_wait_event:
 * @timeout_ms: < 0: without end, 0: what is there
 * Returns: (transfer full) (nullable): the next event, NULL at the time-out, or when the connection
 * is over and its last event was taken.
 */
SondeSessionEvent *sonde_session_client_wait_event (SondeSessionClient *client, int timeout_ms);

G_END_DECLS
