/* SPDX-License-Identifier: Apache-2.0
 * Inside of the client, shared by its files. */
#pragma once

#include "app/explain/sonde-explain-client.h"
#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/* Makes of a reply what finish gives: g_task_return_pointer() or an error. */
typedef void SondeExplainTake (SondeExplainClient *client, GTask *task,
                               const SondeSessionReply *reply);

/**
 * sonde_explain_client_call:
 * @name: of the call in the child; @arguments: floating; @tensors: (nullable) (transfer none)
 * @tag: of the task: the async function
 * @take: what becomes of the reply
 */
void sonde_explain_client_call (SondeExplainClient *client, const char *name, GVariant *arguments,
                                GPtrArray *tensors, gpointer tag, SondeExplainTake *take,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer data);
/* As sonde_explain_client_call(), also when nothing is open: starts a child where there is none. */
void sonde_explain_client_call_closed (SondeExplainClient *client, const char *name,
                                       GVariant *arguments, gpointer tag, SondeExplainTake *take,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data);

/* finish of any of them; (transfer full) */
gpointer sonde_explain_client_finish (SondeExplainClient *client, GAsyncResult *result,
                                      gpointer tag, GError **error);

/* For open: what is open from here on; (transfer full) */
void sonde_explain_client_set_open (SondeExplainClient *client, SondeExplainInfo *info);
/* (transfer full): a new list for tensors */
GPtrArray *sonde_explain_client_new_tensors (void);

/* For a SondeExplainTake: @what: (transfer full) (nullable): the result; else @error: (transfer
 * full) */
void sonde_explain_client_give (GTask *task, gpointer what, GDestroyNotify destroy, GError *error);
/* As sonde_explain_client_give() of what @parse makes of the reply, made in a thread: of tens of
 * thousands of samples that takes longer than a frame. */
typedef gpointer SondeExplainParse (GVariant *result, GPtrArray *tensors, GError **error);
void sonde_explain_client_give_parsed (GTask *task, const SondeSessionReply *reply,
                                       SondeExplainParse *parse, GDestroyNotify destroy);
/* Of a question without arguments. Floating */
GVariant *sonde_explain_client_no_arguments (void);

/* Of a question about one map. Floating */
GVariant *sonde_explain_client_map_arguments (guint sample, const char *spec, gint64 target);
/* A SondeExplainTake of rows: (element-type SondeSampleResult) */
void sonde_explain_client_take_rows (SondeExplainClient *client, GTask *task,
                                     const SondeSessionReply *reply);

G_END_DECLS
