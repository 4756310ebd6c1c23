/* SPDX-License-Identifier: Apache-2.0
 * Inside of the adapter; shared by the files of its requests. Everything runs on the main context;
 * nothing blocks but starting an engine and leaving it. */
#pragma once

#include "app/dap/sonde-dap-breakpoints.h"
#include "app/dap/sonde-dap-channel.h"
#include "app/dap/sonde-dap-json.h"
#include "app/dap/sonde-dap-source.h"
#include "app/dap/sonde-dap-variables.h"
#include "app/dap/sonde-dap.h"
#include "engine/commands/sonde-command-runner.h"

G_BEGIN_DECLS

#define SONDE_DAP_THREAD 1

typedef struct _SondeDap SondeDap;

/**
 * SondeDapRequest: a request of the editor; answered once, by sonde_dap_request_reply() or
 * sonde_dap_request_fail(), which take it. The next request waits for that.
 * @arguments: empty when it had none
 */
typedef struct
{
  SondeDap *dap;
  gint64 seq;
  char *command;
  JsonObject *arguments;
} SondeDapRequest;

/* @request: (transfer full) */
typedef void SondeDapHandle (SondeDapRequest *request);

/**
 * SondeDap:
 * @current: (nullable): the request that is answered next; @waiting: (element-type
 *   SondeDapRequest): those behind it
 * @n_asked: questions to the session that are under way
 * @client: (nullable): NULL until something is launched or attached; @runner: for commands of the
 *   editor's console
 * @status: (nullable): the session's, as of the last reply or event
 * @reason: (nullable): DAP's word for the stop that was asked for; NULL: as the stop says
 * @running: it was resumed and has not stopped yet
 * @launch: (nullable): "launch" or "attach", to be answered when the editor is configured
 */
struct _SondeDap
{
  const SondeDapOptions *options;
  SondeDapChannel *channel;
  GMainLoop *loop;
  SondeDapRequest *current;
  GQueue waiting;
  guint n_asked;
  SondeSessionClient *client;
  SondeCommandRunner *runner;
  SondeSessionStatus *status;
  const char *reason;
  gboolean configured, running, over, stop_on_entry, stop_on_end, attached;
  gboolean sends_invalidated, columns_at_1, lines_at_1;
  SondeDapRequest *launch;
  SondeDapSource *source;
  SondeDapBreakpoints *breakpoints;
  SondeDapVariables *variables;
  int exit_status;
};

/* ---- sonde-dap.c: answers, events, questions ------------------------------- */

/* @body: (transfer full) (nullable): as of sonde_dap_body_new() */
void sonde_dap_request_reply (SondeDapRequest *request, JsonBuilder *body);
void sonde_dap_request_fail (SondeDapRequest *request, const GError *error);
/* The answer comes later, by sonde_dap_request_reply(); others need not wait for it. */
void sonde_dap_request_defer (SondeDapRequest *request);
/* @body: (transfer full) (nullable) */
void sonde_dap_send_event (SondeDap *dap, const char *event, JsonBuilder *body);
/* @category: "console", "stdout", "stderr", "important"; @text: a line, without its end */
void sonde_dap_send_output (SondeDap *dap, const char *category, const char *text);

/* @reply: (nullable): NULL with @error */
typedef struct
{
  SondeSessionReply *reply;
  GError *error;
} SondeDapAnswer;

/* @request: (transfer full); @answers: (element-type SondeDapAnswer): in the order of the
 * questions */
typedef void SondeDapTakeAll (SondeDapRequest *request, GPtrArray *answers, gpointer data);
/* @request: (transfer full) */
typedef void SondeDapTake (SondeDapRequest *request, SondeSessionReply *reply);

/* Asks the session; a failure answers @request (transfer full), else @take goes on with it. */
void sonde_dap_ask (SondeDapRequest *request, SondeSessionRequest *question, SondeDapTake *take);
/* Asks everything at once. @questions: (transfer full) (element-type SondeSessionRequest) */
void sonde_dap_ask_all (SondeDapRequest *request, GPtrArray *questions, SondeDapTakeAll *take,
                        gpointer data);
/* Sends what nobody waits for. */
void sonde_dap_tell (SondeDap *dap, SondeSessionRequest *question);

/* FALSE with @request failed while it runs. */
gboolean sonde_dap_need_pause (SondeDapRequest *request);
void sonde_dap_request_refuse (SondeDapRequest *request, int code, const char *sentence);

/* ---- sonde-dap-run.c: resuming and stops --------------------------------- */

/* Sends @question, which lets it run; the stop comes as an event. @reason: static (nullable) */
void sonde_dap_resume (SondeDap *dap, SondeSessionRequest *question, const char *reason);
/* The same with a SondeResumeKind. */
void sonde_dap_resume_kind (SondeDap *dap, SondeResumeKind kind, const char *reason);
/* Tells the editor that it stands, with @reason, or by what dap->status says (both nullable). */
void sonde_dap_tell_stop (SondeDap *dap, const char *reason, const char *description);
/* The session is over: told once. */
void sonde_dap_tell_end (SondeDap *dap, int exit_status);
void sonde_dap_on_event (SondeDap *dap, SondeSessionEvent *event);
/* @status: (transfer full) */
void sonde_dap_take_status (SondeDap *dap, SondeSessionStatus *status);
SondeDapHandle sonde_dap_continue, sonde_dap_next, sonde_dap_step_in, sonde_dap_step_out,
    sonde_dap_step_back, sonde_dap_reverse_continue, sonde_dap_pause, sonde_dap_restart_frame,
    sonde_dap_restart, sonde_dap_goto_targets, sonde_dap_goto;

/* ---- sonde-dap-session.c: beginning and ending --------------------------- */

SondeDapHandle sonde_dap_initialize, sonde_dap_launch, sonde_dap_attach,
    sonde_dap_configuration_done, sonde_dap_disconnect, sonde_dap_terminate, sonde_dap_threads,
    sonde_dap_cancel;
/* Ends or leaves the session. */
void sonde_dap_leave (SondeDap *dap);

/* ---- the requests of other files ----------------------------------------- */

/* sonde-dap-points.c */
/* Member "exceptionBreakpointFilters" of the capabilities. */
void sonde_dap_append_exception_filters (JsonBuilder *body);
SondeDapHandle sonde_dap_set_breakpoints, sonde_dap_set_function_breakpoints,
    sonde_dap_data_breakpoint_info, sonde_dap_set_data_breakpoints,
    sonde_dap_set_exception_breakpoints, sonde_dap_exception_info, sonde_dap_breakpoint_locations;
/* sonde-dap-look.c */
SondeDapHandle sonde_dap_stack_trace, sonde_dap_scopes, sonde_dap_source, sonde_dap_loaded_sources,
    sonde_dap_modules;
/* sonde-dap-values.c */
SondeDapHandle sonde_dap_variables, sonde_dap_read_memory;
/* Replies with a value: members @member ("value" or "result"), type, variablesReference … */
void sonde_dap_reply_value (SondeDapRequest *request, const char *member, const char *name);
/* The same of statistics that are there. */
void sonde_dap_reply_statistics (SondeDapRequest *request, const char *member, const char *name,
                                 SondeSessionReply *reply);
/* sonde-dap-evaluate.c */
SondeDapHandle sonde_dap_evaluate, sonde_dap_completions, sonde_dap_set_variable,
    sonde_dap_set_expression;

G_END_DECLS
