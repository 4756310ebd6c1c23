/* SPDX-License-Identifier: Apache-2.0
 * Inside of the adapter; shared by the files of its requests. Everything here runs on the main
 * thread but what reads the editor's messages and the runner's lines. */
#pragma once

#include <json-glib/json-glib.h>

#include "app/dap/sonde-dap-channel.h"
#include "app/dap/sonde-dap.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* The listing of the executed graph is source 1. */
#define SONDE_DAP_LISTING 1
#define SONDE_DAP_THREAD 1

/* What the children of a variables reference are. */
typedef enum
{
  SONDE_DAP_INPUTS,
  SONDE_DAP_OUTPUTS,
  SONDE_DAP_WEIGHTS,
  SONDE_DAP_ATTRIBUTES,
  SONDE_DAP_STATISTICS,       /* one child a value of the node */
  SONDE_DAP_VALUE_STATISTICS, /* of @value */
  SONDE_DAP_ELEMENTS,         /* of @value, below @indices */
} SondeDapReferenceKind;

/**
 * SondeDapReference: what a variablesReference stands for until the run goes on
 * @node: name of the node, of the scopes
 * @value: name of a value; @indices: "" or "3, 0": the leading indices that are chosen
 */
typedef struct
{
  SondeDapReferenceKind kind;
  char *node, *value, *indices;
} SondeDapReference;

typedef struct _SondeDap SondeDap;

/* A line for the runner, and what becomes of its answer. */
typedef struct
{
  SondeDap *dap;
  char *line;         /* NULL: only waits for a stop */
  const char *reason; /* (nullable): DAP's word for the stop; NULL: from the answer */
  JsonObject *answer; /* NULL when the session is over */
} SondeDapRun;

/**
 * SondeDap:
 * @front: answers at once, as JSON; @talker: the same as text; @runner: on a thread of its own:
 * lines that wait for a stop
 * @runs: (element-type SondeDapRun): for the runner's thread; @running: one is under way
 * @line_names: (element-type utf8): by line of the listing, from 0: the node that is computed
 * there, NULL for other lines
 * @source_breakpoints, @function_breakpoints, @data_breakpoints, @exception_watches: ids by what
 * set them
 * @references: (element-type SondeDapReference): number k + 1
 * @stop: (nullable): the last stop, as the runner answered it
 * @graph: (nullable): the executed graph: what nodes read, make and are set to; read when first
 * asked for
 */
struct _SondeDap
{
  const SondeDapOptions *options;
  SondeDapChannel channel;
  GMainLoop *loop;
  GThread *reader, *runner_thread;
  GAsyncQueue *runs;
  SondeSessionClient *client;
  SondeFront *front, *talker, *runner;
  gboolean configured, running, stop_on_entry, stop_on_end, attached;
  gboolean sends_invalidated, columns_at_1, lines_at_1;
  JsonNode *launch; /* the request to be answered when it is configured */
  char *listing, *listing_path, *title;
  GPtrArray *line_names;
  SondeSessionReply *listing_reply;
  GArray *source_breakpoints, *function_breakpoints, *data_breakpoints;
  GHashTable *exception_watches;
  GPtrArray *references;
  GPtrArray *opened_stops; /* (nullable): that came with a capture */
  JsonObject *stop;
  SondeGraph *graph;
  int status;
};

/* ---- sonde-dap.c --------------------------------------------------------- */

/* @arguments: empty when the request had none. FALSE with @error: the request is answered with
 * that. The answer is sent by sonde_dap_reply(), or later. */
typedef gboolean SondeDapHandle (SondeDap *dap, JsonNode *request, JsonObject *arguments,
                                 GError **error);

/* Any thread: @function is called on the main thread, in order. */
void sonde_dap_post (GSourceFunc function, gpointer data);
/* @body: (nullable): an object as text */
void sonde_dap_reply (SondeDap *dap, JsonNode *request, const char *body);
void sonde_dap_reply_error (SondeDap *dap, JsonNode *request, const GError *error);
void sonde_dap_send_event (SondeDap *dap, const char *event, const char *body); /* (nullable) */
void sonde_dap_send_output (SondeDap *dap,
                            const char *category, /* "console", "stdout", "stderr", "important" */
                            const char *text);
/* A body: an object that is open. */
void sonde_dap_body_init (SondeJsonText *body);
/* Closes, sends, clears. */
void sonde_dap_reply_body (SondeDap *dap, JsonNode *request, SondeJsonText *body);

const char *sonde_dap_get_string (JsonObject *object, const char *member); /* (nullable) */
gint64 sonde_dap_get_int (JsonObject *object, const char *member, gint64 fallback);
gboolean sonde_dap_get_boolean (JsonObject *object, const char *member, gboolean fallback);
JsonArray *sonde_dap_get_array (JsonObject *object, const char *member);   /* (nullable) */
JsonObject *sonde_dap_get_object (JsonObject *object, const char *member); /* (nullable) */

/* ---- sonde-dap-run.c: the two ways to the command table ------------------ */

void sonde_dap_start_fronts (SondeDap *dap);
void sonde_dap_stop_fronts (SondeDap *dap);
/* Answer of @line, as JSON. Errors: what the command said. Returns: (transfer full) */
JsonObject *sonde_dap_ask (SondeDap *dap, const char *line, GError **error);
/* The same as text for people. (transfer full) */
char *sonde_dap_ask_text (SondeDap *dap, const char *line);
/* Lets it run; the stop is told by an event. @line: NULL: it runs already. */
void sonde_dap_run_line (SondeDap *dap, const char *line, const char *reason);
/* "name with 'quotes'" as one argument of a command. (transfer full) */
char *sonde_dap_quote (const char *text);
/* The stop of @reason is told; variables of before are gone. */
void sonde_dap_tell_stop (SondeDap *dap, const char *reason, const char *description);
gboolean sonde_dap_need_pause (SondeDap *dap, GError **error);

/* ---- sonde-dap-session.c ------------------------------------------------- */

SondeDapHandle sonde_dap_initialize, sonde_dap_launch, sonde_dap_attach,
    sonde_dap_configuration_done, sonde_dap_disconnect, sonde_dap_terminate, sonde_dap_restart,
    sonde_dap_threads, sonde_dap_cancel, sonde_dap_continue, sonde_dap_next, sonde_dap_step_in,
    sonde_dap_step_out, sonde_dap_step_back, sonde_dap_reverse_continue, sonde_dap_pause,
    sonde_dap_restart_frame, sonde_dap_goto_targets, sonde_dap_goto;
/* The session is over: told once. */
void sonde_dap_tell_end (SondeDap *dap, int exit_status);

/* ---- sonde-dap-source.c: the listing ------------------------------------- */

gboolean sonde_dap_load_listing (SondeDap *dap, GError **error);
void sonde_dap_clear_listing (SondeDap *dap);
/* Member "source". */
void sonde_dap_append_source (SondeDap *dap, SondeJsonText *body);
/* Node on @line, or on the next one that has one, of bodies too; NULL after the last. @found:
 * (out): its line */
const char *sonde_dap_node_on_line (SondeDap *dap, guint line, guint *found);
/* Line of the node of that name, 0 when it has none. */
guint sonde_dap_line_of_node (SondeDap *dap, const char *name);
/* Whether a "source" of the editor is the listing. */
gboolean sonde_dap_is_listing (SondeDap *dap, JsonObject *source);
SondeDapHandle sonde_dap_source, sonde_dap_loaded_sources, sonde_dap_modules,
    sonde_dap_breakpoint_locations;

/* ---- sonde-dap-breakpoints.c --------------------------------------------- */

SondeDapHandle sonde_dap_set_breakpoints, sonde_dap_set_function_breakpoints,
    sonde_dap_data_breakpoint_info, sonde_dap_set_data_breakpoints,
    sonde_dap_set_exception_breakpoints, sonde_dap_exception_info;
/* Member "exceptionBreakpointFilters" of the capabilities. */
void sonde_dap_append_exception_filters (SondeJsonText *body);
/* DAP's reason of a stop whose breakpoints and watchpoints have these ids; NULL: as the answer
 * says. */
const char *sonde_dap_reason_of_ids (SondeDap *dap, JsonObject *answer);

/* ---- sonde-dap-look.c, -variables.c, -evaluate.c ------------------------- */

void sonde_dap_reference_free (gpointer reference);
guint sonde_dap_add_reference (SondeDap *dap, SondeDapReferenceKind kind, const char *node,
                               const char *value, const char *indices);
/* Members value, type, variablesReference, indexedVariables, evaluateName, memoryReference of the
 * value @name (with
 * @indices); "name" is the caller's. @value_member: "value" or "result" */
void sonde_dap_append_value (SondeDap *dap, SondeJsonText *body, const char *value_member,
                             const char *name, const char *indices);
SondeDapHandle sonde_dap_stack_trace, sonde_dap_scopes, sonde_dap_variables, sonde_dap_set_variable,
    sonde_dap_set_expression, sonde_dap_evaluate, sonde_dap_completions, sonde_dap_read_memory;

G_END_DECLS
