/* SPDX-License-Identifier: Apache-2.0
 * Requests of the editor: the queue in which they wait, their answers, events, and the questions to
 * the session that an answer needs. Everything runs on the main context; nothing blocks but starting
 * an engine and leaving it. */
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
 * SondeDap: the adapter; one lives as long as sonde_dap_run()
 * @handle: answers a request whose turn it is; set by sonde_dap_run()
 * @current: (nullable): the request that is answered next; @waiting: (element-type
 *   SondeDapRequest): those behind it
 * @n_asked: questions to the session that are under way
 * @client: (nullable): NULL until something is launched or attached; @runner: for commands of the
 *   editor's console
 * @status: (nullable): the session's, as of the last reply or event
 * @reason: (nullable): DAP's reason of the requested stop; NULL: as the stop says
 * @running: it was resumed and has not stopped yet
 * @launch: (nullable): "launch" or "attach", to be answered when the editor is configured
 */
struct _SondeDap
{
  const SondeDapOptions *options;
  SondeDapChannel *channel;
  GMainLoop *loop;
  SondeDapHandle *handle;
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

/* ---- the queue ------------------------------------------------------------- */

/* @arguments: (nullable) */
SondeDapRequest *sonde_dap_request_new (SondeDap *dap, gint64 seq, const char *command,
                                        JsonObject *arguments);
void sonde_dap_request_free (SondeDapRequest *request);
/* Handles it when the requests before it have been answered. @request: (transfer full) */
void sonde_dap_request_enqueue (SondeDapRequest *request);

/* ---- answers and events ---------------------------------------------------- */

/* @body: (transfer full) (nullable): as of sonde_dap_body_new() */
void sonde_dap_request_reply (SondeDapRequest *request, JsonBuilder *body);
void sonde_dap_request_fail (SondeDapRequest *request, const GError *error);
/* @sentence: marked by N_() */
void sonde_dap_request_refuse (SondeDapRequest *request, int code, const char *sentence);
/* FALSE with @request refused while it runs. */
gboolean sonde_dap_need_pause (SondeDapRequest *request);
/* The answer comes later, by sonde_dap_request_reply(); others need not wait for it. */
void sonde_dap_request_defer (SondeDapRequest *request);
/* @body: (transfer full) (nullable) */
void sonde_dap_send_event (SondeDap *dap, const char *event, JsonBuilder *body);
/* @category: "console", "stdout", "stderr", "important"; @text: a line, without its end */
void sonde_dap_send_output (SondeDap *dap, const char *category, const char *text);

/* ---- questions to the session ---------------------------------------------- */

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

/* Asks the session; a failure answers @request (transfer full), else @take continues with it. */
void sonde_dap_ask (SondeDapRequest *request, SondeSessionRequest *question, SondeDapTake *take);
/* Asks everything at once. @questions: (transfer full) (element-type SondeSessionRequest) */
void sonde_dap_ask_all (SondeDapRequest *request, GPtrArray *questions, SondeDapTakeAll *take,
                        gpointer data);
/* Sends @question and ignores the reply. */
void sonde_dap_tell (SondeDap *dap, SondeSessionRequest *question);

G_END_DECLS
