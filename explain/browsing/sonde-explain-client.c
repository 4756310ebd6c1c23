/* SPDX-License-Identifier: Apache-2.0
 * The child of a session: started, asked, told apart from a lost one. */
#include "explain/browsing/sonde-explain-client.h"

#include <unistd.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"
#include "engine/session/client/sonde-session-client.h"
#include "explain/session/sonde-explain-cache.h"

/**
 * SondeExplainClient:
 * @session: NULL: no child. @connecting: one is being started
 * @waiting: (element-type Call): asked while it is
 * @calls: number of a request -> GCancellable, those that are not answered
 */
struct _SondeExplainClient
{
  GObject parent;
  char *program, *cache;
  SondeSessionClient *session;
  gboolean connecting;
  GPtrArray *waiting;
  GHashTable *calls;
  guint n_busy;
  gboolean open;
  SondeExplanationSettings *settings;
  SondeExplainInfo *info;
};

G_DEFINE_FINAL_TYPE (SondeExplainClient, sonde_explain_client, G_TYPE_OBJECT)

enum
{
  PROGRESS,
  ROWS,
  MAP,
  LOST,
  N_SIGNALS,
};

/* Names by number: signals are found by name, so that nothing is kept in static variables. */
static const char *const signal_names[N_SIGNALS] = { "progress", "rows", "map", "lost" };

/**
 * Call: one question
 * @which: row of the table
 * @id: of the request, 0: not sent
 * @stop: ends it in the child: when its asker says so, or the session is given up
 */
typedef struct
{
  SondeExplainCall which;
  GVariant *arguments;
  GPtrArray *tensors;
  GCancellable *stop;
  gulong listening; /* to the asker's cancellable, 0: not */
  guint32 id;
} Call;

static void
call_free (void *data)
{
  Call *call = data;

  g_clear_pointer (&call->arguments, g_variant_unref);
  g_clear_pointer (&call->tensors, g_ptr_array_unref);
  g_clear_object (&call->stop);
  g_free (call);
}

/* ---- the object ---------------------------------------------------------- */

/* Calls that wait hold the session: they end first. */
static void
stop_calls (SondeExplainClient *client)
{
  g_autoptr (GList) stops = g_hash_table_get_values (client->calls);

  for (GList *l = stops; l != NULL; l = l->next)
    g_object_ref (l->data);
  g_hash_table_remove_all (client->calls);
  for (GList *l = stops; l != NULL; l = l->next)
    {
      g_cancellable_cancel (l->data);
      g_object_unref (l->data);
    }
}

static void
drop_session (SondeExplainClient *client)
{
  client->open = FALSE;
  if (client->session == NULL)
    return;
  stop_calls (client);
  g_signal_handlers_disconnect_by_data (client->session, client);
  /* the child sees the end: what it computes is cancelled, and it ends */
  g_clear_object (&client->session);
}

static void
sonde_explain_client_dispose (GObject *object)
{
  SondeExplainClient *client = SONDE_EXPLAIN_CLIENT (object);

  drop_session (client);
  G_OBJECT_CLASS (sonde_explain_client_parent_class)->dispose (object);
}

static void
sonde_explain_client_finalize (GObject *object)
{
  SondeExplainClient *client = SONDE_EXPLAIN_CLIENT (object);

  g_free (client->program);
  g_free (client->cache);
  g_ptr_array_unref (client->waiting);
  g_hash_table_unref (client->calls);
  sonde_explanation_settings_free (client->settings);
  sonde_explain_info_free (client->info);
  G_OBJECT_CLASS (sonde_explain_client_parent_class)->finalize (object);
}

static void
sonde_explain_client_class_init (SondeExplainClientClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_explain_client_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_explain_client_finalize;
  g_signal_new (signal_names[PROGRESS], type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                3, G_TYPE_STRING, G_TYPE_DOUBLE, G_TYPE_DOUBLE);
  g_signal_new (signal_names[ROWS], type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                G_TYPE_POINTER);
  g_signal_new (signal_names[MAP], type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                G_TYPE_POINTER);
  g_signal_new (signal_names[LOST], type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                G_TYPE_STRING);
}

static char *
find_program (void)
{
  char path[4096];
  gssize length = readlink ("/proc/self/exe", path, sizeof path - 1);

  return length > 0 ? g_strndup (path, (gsize) length) : g_strdup ("sonde");
}

static void
sonde_explain_client_init (SondeExplainClient *client)
{
  client->program = find_program ();
  client->cache = sonde_explain_cache_dup_root ();
  client->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  client->calls = g_hash_table_new_full (NULL, NULL, NULL, g_object_unref);
}

SondeExplainClient *
sonde_explain_client_new (void)
{
  return g_object_new (SONDE_TYPE_EXPLAIN_CLIENT, NULL);
}

void
sonde_explain_client_set_program (SondeExplainClient *client, const char *program)
{
  g_free (client->program);
  client->program = program != NULL ? g_strdup (program) : find_program ();
}

void
sonde_explain_client_set_cache (SondeExplainClient *client, const char *folder)
{
  g_free (client->cache);
  client->cache
      = folder != NULL ? g_canonicalize_filename (folder, NULL) : sonde_explain_cache_dup_root ();
}

void
sonde_explain_client_close (SondeExplainClient *client)
{
  drop_session (client);
}

gboolean
sonde_explain_client_is_open (SondeExplainClient *client)
{
  return client->open;
}

gboolean
sonde_explain_client_is_busy (SondeExplainClient *client)
{
  return client->n_busy > 0;
}

int
sonde_explain_client_get_pid (SondeExplainClient *client)
{
  return client->session != NULL ? sonde_session_client_get_pid (client->session) : 0;
}

const SondeExplainInfo *
sonde_explain_client_get_info (SondeExplainClient *client)
{
  return client->open ? client->info : NULL;
}

const SondeExplanationSettings *
sonde_explain_client_get_settings (SondeExplainClient *client)
{
  return client->settings;
}

/* ---- what the child says unasked ----------------------------------------- */

static void
take_part (SondeExplainClient *client, const SondeSessionEvent *event)
{
  g_autoptr (GPtrArray) rows
      = sonde_explain_rows_codec.unpack (event->result, event->tensors, NULL);
  g_autoptr (GPtrArray) maps
      = rows == NULL ? sonde_explain_maps_codec.unpack (event->result, event->tensors, NULL) : NULL;

  if (rows != NULL)
    g_signal_emit_by_name (client, signal_names[ROWS], rows);
  for (guint i = 0; maps != NULL && i < maps->len; i++)
    g_signal_emit_by_name (client, signal_names[MAP], g_ptr_array_index (maps, i));
}

/* Events of calls that nobody waits for any more are passed over. */
static void
on_event (SondeSessionClient *session, const SondeSessionEvent *event, gpointer data)
{
  SondeExplainClient *client = data;

  if (event->call == 0 || !g_hash_table_contains (client->calls, GUINT_TO_POINTER (event->call)))
    return;
  if (event->kind == SONDE_SESSION_EVENT_PROGRESS)
    g_signal_emit_by_name (client, signal_names[PROGRESS],
                           event->message != NULL ? sonde_message_get_text (event->message) : "",
                           event->fraction, event->seconds_left);
  else if (event->kind == SONDE_SESSION_EVENT_CALL_PART && event->result != NULL)
    take_part (client, event);
}

static void
on_closed (SondeSessionClient *session, const char *why, gpointer data)
{
  g_autoptr (SondeExplainClient) client = g_object_ref (SONDE_EXPLAIN_CLIENT (data));
  g_autofree char *reason
      = why != NULL ? g_strdup_printf (_ ("The engine ended unexpectedly: %s Finished results are "
                                          "kept; reopen the model to continue."),
                                       why)
                    : g_strdup (_ ("The engine ended unexpectedly. Finished results are kept; "
                                   "reopen the model to continue."));

  drop_session (client);
  g_signal_emit_by_name (client, signal_names[LOST], reason);
}

/* ---- asking -------------------------------------------------------------- */

static void
begin_busy (SondeExplainClient *client)
{
  client->n_busy++;
}

static void
end_busy (SondeExplainClient *client)
{
  client->n_busy--;
  if (client->n_busy == 0)
    g_signal_emit_by_name (client, signal_names[PROGRESS], NULL, -1.0, -1.0);
}

/* What was noted since it was opened. */
static void
take_info (SondeExplainClient *client, GVariant *result)
{
  g_autoptr (GVariant) packed
      = result != NULL ? g_variant_lookup_value (result, "facts-now", G_VARIANT_TYPE_VARDICT)
                       : NULL;
  g_autoptr (SondeExplainInfo) info
      = packed != NULL ? sonde_explain_info_codec.unpack (packed, NULL, NULL) : NULL;

  if (info == NULL || !client->open || client->info == NULL)
    return;
  g_ptr_array_unref (client->info->notes);
  client->info->notes = g_steal_pointer (&info->notes);
}

static void
give (GTask *task, gpointer result, GDestroyNotify destroy, GError *error)
{
  if (result != NULL)
    g_task_return_pointer (task, result, destroy);
  else
    g_task_return_error (task, error);
}

/* A reply on its way through a thread. */
typedef struct
{
  GVariant *result;
  GPtrArray *tensors; /* (nullable) */
  const SondeExplainCodec *codec;
} Unpacking;

static void
unpacking_free (void *data)
{
  Unpacking *unpacking = data;

  g_variant_unref (unpacking->result);
  g_clear_pointer (&unpacking->tensors, g_ptr_array_unref);
  g_free (unpacking);
}

static void
unpack_in_thread (GTask *inner, gpointer source, gpointer data, GCancellable *cancellable)
{
  Unpacking *unpacking = data;
  GError *error = NULL;
  gpointer result = unpacking->codec->unpack (unpacking->result, unpacking->tensors, &error);

  give (inner, result, unpacking->codec->free, error);
}

static void
on_unpacked (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  Unpacking *unpacking = g_task_get_task_data (G_TASK (result));
  GError *error = NULL;
  gpointer object = g_task_propagate_pointer (G_TASK (result), &error);

  give (task, object, unpacking->codec->free, error);
  end_busy (SONDE_EXPLAIN_CLIENT (source));
}

static void
begin_unpacking (SondeExplainClient *client, GTask *task, const SondeExplainCodec *codec,
                 const SondeSessionReply *reply)
{
  g_autoptr (GTask) inner = g_task_new (client, NULL, on_unpacked, g_object_ref (task));
  Unpacking *unpacking = g_new0 (Unpacking, 1);

  unpacking->result = g_variant_ref (reply->result);
  unpacking->tensors = reply->tensors != NULL ? g_ptr_array_ref (reply->tensors) : NULL;
  unpacking->codec = codec;
  g_task_set_task_data (inner, unpacking, unpacking_free);
  begin_busy (client);
  g_task_run_in_thread (inner, unpack_in_thread);
}

/* Of OPEN the client keeps the info and lends it. */
static void
take_result (SondeExplainClient *client, GTask *task, SondeExplainCall which,
             const SondeSessionReply *reply)
{
  const SondeExplainCodec *codec = sonde_explain_call_get_codec (which);
  GError *error = NULL;
  gpointer result;

  if (codec->large)
    {
      begin_unpacking (client, task, codec, reply);
      return;
    }
  result = codec->unpack (reply->result, reply->tensors, &error);
  if (which != SONDE_EXPLAIN_OPEN || result == NULL)
    {
      give (task, result, codec->free, error);
      return;
    }
  sonde_explain_info_free (client->info);
  client->info = result;
  client->open = TRUE;
  g_task_return_pointer (task, result, NULL);
}

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  SondeExplainClient *client = g_task_get_source_object (task);
  Call *call = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  g_hash_table_remove (client->calls, GUINT_TO_POINTER (call->id));
  /* The asker's may live long and see many calls. */
  g_cancellable_disconnect (g_task_get_cancellable (task), call->listening);
  if (reply != NULL && reply->result == NULL)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL,
                     "The engine sent an empty reply.");
  if (error == NULL)
    {
      take_info (client, reply->result); /* whoever waits for the result may read the info */
      take_result (client, task, call->which, reply);
    }
  else
    g_task_return_error (task, g_steal_pointer (&error));
  end_busy (client);
}

static void
stop_call (GCancellable *asked, gpointer stop)
{
  g_cancellable_cancel (stop);
}

/* Takes a reference of @task. */
static void
send_call (SondeExplainClient *client, GTask *task)
{
  Call *call = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  SondeSessionRequest *request;

  if (client->session == NULL || (sonde_explain_call_needs_session (call->which) && !client->open))
    {
      sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "No explanation session is open.");
      g_task_return_error (task, g_steal_pointer (&error));
      end_busy (client);
      return;
    }
  request = sonde_session_request_call (sonde_explain_call_get_name (call->which), call->arguments,
                                        call->tensors, &error);
  if (request == NULL)
    {
      g_task_return_error (task, g_steal_pointer (&error));
      end_busy (client);
      return;
    }
  call->stop = g_cancellable_new ();
  if (g_task_get_cancellable (task) != NULL)
    call->listening = g_cancellable_connect (g_task_get_cancellable (task), G_CALLBACK (stop_call),
                                             g_object_ref (call->stop), g_object_unref);
  call->id = sonde_session_client_send (client->session, request, call->stop, on_reply,
                                        g_object_ref (task));
  if (call->id != 0)
    g_hash_table_insert (client->calls, GUINT_TO_POINTER (call->id), g_object_ref (call->stop));
}

/* ---- the child ----------------------------------------------------------- */

static void
spawn_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  SondeSessionClient *session = sonde_session_client_spawn (task_data, 0, &error);

  if (session != NULL)
    g_task_return_pointer (task, session, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
adopt (SondeExplainClient *client, SondeSessionClient *session)
{
  drop_session (client);
  client->session = session;
  g_signal_connect (session, "event", G_CALLBACK (on_event), client);
  g_signal_connect (session, "closed", G_CALLBACK (on_closed), client);
}

static void
on_spawned (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeExplainClient *client = SONDE_EXPLAIN_CLIENT (source);
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&client->waiting);
  g_autoptr (GError) error = NULL;
  SondeSessionClient *session = g_task_propagate_pointer (G_TASK (result), &error);

  client->connecting = FALSE;
  client->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  if (session != NULL)
    adopt (client, session);
  for (guint i = 0; i < waiting->len; i++)
    {
      GTask *task = g_ptr_array_index (waiting, i);

      if (session == NULL)
        g_task_return_error (task, g_error_copy (error));
      else if (!g_task_return_error_if_cancelled (task))
        {
          send_call (client, task);
          continue;
        }
      end_busy (client);
    }
}

/* Not before the loop that the client was made on runs: SondeSessionClient tells events where it
 * was made. */
static void
spawn (SondeExplainClient *client)
{
  g_autoptr (GTask) task = g_task_new (client, NULL, on_spawned, NULL);

  client->connecting = TRUE;
  g_task_set_task_data (task, g_strdup (client->program), g_free);
  g_task_run_in_thread (task, spawn_in_thread);
}

/* ---- calls --------------------------------------------------------------- */

/* Takes file names of any kind. */
static GTask *
make_task (SondeExplainClient *client, SondeExplainCall which,
           const SondeExplainArguments *arguments, GCancellable *cancellable,
           GAsyncReadyCallback callback, gpointer data)
{
  SondeExplainArguments whole = arguments != NULL ? *arguments : (SondeExplainArguments){ 0 };
  g_autofree char *model = whole.model != NULL ? g_canonicalize_filename (whole.model, NULL) : NULL,
                  *path = whole.path != NULL ? g_canonicalize_filename (whole.path, NULL) : NULL;
  GTask *task = g_task_new (client, cancellable, callback, data);
  Call *call = g_new0 (Call, 1);

  whole.model = model;
  whole.path = path;
  call->which = which;
  call->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  call->arguments
      = g_variant_ref_sink (sonde_explain_arguments_pack (which, &whole, call->tensors));
  g_task_set_source_tag (task, GUINT_TO_POINTER (which));
  g_task_set_task_data (task, call, call_free);
  begin_busy (client);
  return task;
}

/* What needs no session starts a child where there is none. */
static void
begin_call (SondeExplainClient *client, GTask *task)
{
  Call *call = g_task_get_task_data (task);

  if (sonde_explain_call_needs_session (call->which)
      || (client->session != NULL && !sonde_session_client_is_closed (client->session)))
    {
      send_call (client, task);
      return;
    }
  g_ptr_array_add (client->waiting, g_object_ref (task));
  if (!client->connecting)
    spawn (client);
}

void
sonde_explain_client_ask_async (SondeExplainClient *client, SondeExplainCall call,
                                const SondeExplainArguments *arguments, GCancellable *cancellable,
                                GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = make_task (client, call, arguments, cancellable, callback, data);

  begin_call (client, task);
}

gpointer
sonde_explain_client_ask_finish (SondeExplainClient *client, GAsyncResult *result,
                                 SondeExplainCall call, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, client)
                            && g_task_get_source_tag (G_TASK (result)) == GUINT_TO_POINTER (call),
                        NULL);
  return g_task_propagate_pointer (G_TASK (result), error);
}

void
sonde_explain_client_open_async (SondeExplainClient *client,
                                 const SondeExplanationSettings *settings,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer data)
{
  const SondeExplainArguments arguments
      = { .settings = settings, .cache = client->cache, .keep = TRUE };

  client->open = FALSE;
  sonde_explanation_settings_free (client->settings);
  client->settings = sonde_explanation_settings_copy (settings);
  sonde_explain_client_ask_async (client, SONDE_EXPLAIN_OPEN, &arguments, cancellable, callback,
                                  data);
}

const SondeExplainInfo *
sonde_explain_client_open_finish (SondeExplainClient *client, GAsyncResult *result, GError **error)
{
  return sonde_explain_client_ask_finish (client, result, SONDE_EXPLAIN_OPEN, error);
}
