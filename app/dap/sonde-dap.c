/* SPDX-License-Identifier: Apache-2.0
 * The adapter: messages of the editor become requests, requests are dispatched. */
#include "app/dap/sonde-dap.h"

#include "app/dap/sonde-dap-handlers.h"
#include "app/dap/sonde-dap-session.h"
#include "data/base/sonde-error.h"
#include "engine/ops/sonde-engine-error.h"

/* ---- dispatch ------------------------------------------------------------ */

static void
handle (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  const SondeDapHandler *handler = sonde_dap_handlers_find (request->command);
  g_autoptr (GError) error = NULL;

  if (handler == NULL)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "Unknown request “%s”.", request->command);
  else if (handler->session && dap->source == NULL)
    sonde_set_error (&error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "“%s” requires a debug session; launch or attach first.", request->command);
  if (error != NULL)
    sonde_dap_request_fail (request, error);
  else
    handler->handle (request);
}

/* Responses are ignored: the adapter sends no requests. */
static void
on_message (SondeDap *dap, JsonObject *message)
{
  const char *type = sonde_dap_get_string (message, "type"),
             *command = sonde_dap_get_string (message, "command");
  const SondeDapHandler *handler;
  SondeDapRequest *request;

  if (type == NULL)
    {
      g_printerr ("%s\n", _ ("sonde debug --dap: The editor sent a message without a “type”."));
      dap->exit_status = 1;
      g_main_loop_quit (dap->loop);
      return;
    }
  if (!g_str_equal (type, "request"))
    return;
  request = sonde_dap_request_new (dap, sonde_dap_get_int (message, "seq", 0),
                                   command != NULL ? command : "",
                                   sonde_dap_get_object (message, "arguments"));
  handler = sonde_dap_handlers_find (request->command);
  if (handler != NULL && handler->at_once)
    handle (request);
  else
    sonde_dap_request_enqueue (request);
}

static void
on_closed (SondeDap *dap, const GError *error)
{
  if (error != NULL)
    {
      g_printerr ("sonde debug --dap: %s\n", sonde_error_get_text (error));
      dap->exit_status = 1;
    }
  g_main_loop_quit (dap->loop);
}

/* ---- life ---------------------------------------------------------------- */

static void
dap_init (SondeDap *dap, const SondeDapOptions *options)
{
  dap->options = options;
  dap->loop = g_main_loop_new (NULL, FALSE);
  dap->handle = handle;
  g_queue_init (&dap->waiting);
  dap->breakpoints = sonde_dap_breakpoints_new ();
  dap->variables = sonde_dap_variables_new ();
  dap->lines_at_1 = dap->columns_at_1 = TRUE;
  dap->channel = sonde_dap_channel_new (options->input, options->output);
  g_signal_connect_swapped (dap->channel, "message", G_CALLBACK (on_message), dap);
  g_signal_connect_swapped (dap->channel, "closed", G_CALLBACK (on_closed), dap);
}

static void
dap_clear (SondeDap *dap)
{
  g_clear_pointer (&dap->current, sonde_dap_request_free);
  g_clear_pointer (&dap->launch, sonde_dap_request_free);
  g_queue_clear_full (&dap->waiting, (GDestroyNotify) sonde_dap_request_free);
  g_clear_pointer (&dap->status, sonde_session_status_free);
  g_clear_pointer (&dap->source, sonde_dap_source_free);
  sonde_dap_variables_free (dap->variables);
  sonde_dap_breakpoints_free (dap->breakpoints);
  if (dap->client != NULL)
    g_signal_handlers_disconnect_by_data (dap->client, dap);
  g_clear_object (&dap->runner);
  g_clear_object (&dap->client);
  g_signal_handlers_disconnect_by_data (dap->channel, dap);
  g_clear_object (&dap->channel);
  g_main_loop_unref (dap->loop);
}

int
sonde_dap_run (const SondeDapOptions *options)
{
  SondeDap dap = { 0 };

  dap_init (&dap, options);
  sonde_dap_channel_start (dap.channel);
  g_main_loop_run (dap.loop);
  sonde_dap_channel_stop (dap.channel);
  sonde_dap_leave (&dap);
  while (dap.n_asked > 0 || g_main_context_pending (NULL)) /* for questions under way */
    g_main_context_iteration (NULL, TRUE);
  sonde_dap_channel_flush (dap.channel);
  dap_clear (&dap);
  return dap.exit_status;
}
