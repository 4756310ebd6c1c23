/* SPDX-License-Identifier: Apache-2.0
 * Requests as messages: each owns the strings that it carries. */
#include "engine/session/sonde-session-client-private.h"

#include <string.h>

SondeSessionRequest *
sonde_session_request_new (Sonde__Session__Request__BodyCase kind, gsize body_bytes,
                           void (*init) (void *body))
{
  SondeSessionRequest *request = g_new0 (SondeSessionRequest, 1);
  void *body = g_malloc0 (body_bytes);

  sonde__session__request__init (&request->message);
  init (body);
  request->garbage = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (request->garbage, body);
  request->message.body_case = kind;
  request->message.hello = body; /* any member of the union */
  return request;
}

void
sonde_session_request_free (SondeSessionRequest *request)
{
  if (request == NULL)
    return;
  g_ptr_array_unref (request->garbage);
  g_free (request);
}

char *
sonde_session_request_keep (SondeSessionRequest *request, const char *text)
{
  char *copy = g_strdup (text != NULL ? text : "");

  g_ptr_array_add (request->garbage, copy);
  return copy;
}

#define NEW(KIND, type, member)                                                                    \
  sonde_session_request_new (SONDE__SESSION__REQUEST__BODY_##KIND,                                 \
                             sizeof (Sonde__Session__##type),                                      \
                             (void (*) (void *)) sonde__session__##member##__init)

SondeSessionRequest *
sonde_session_request_hello (const char *token, gboolean control)
{
  SondeSessionRequest *request = NEW (HELLO, Hello, hello);

  request->message.hello->version = SONDE_SESSION_VERSION;
  request->message.hello->token = sonde_session_request_keep (request, token);
  request->message.hello->client = sonde_session_request_keep (request, g_get_prgname ());
  request->message.hello->control = control;
  return request;
}

SondeSessionRequest *
sonde_session_request_detach (void)
{
  return NEW (DETACH, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_alive (void)
{
  return NEW (ALIVE, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_ping (void)
{
  return NEW (PING, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_taken (guint64 bytes)
{
  SondeSessionRequest *request = NEW (TAKEN, Taken, taken);

  request->message.taken->bytes = bytes;
  return request;
}

SondeSessionRequest *
sonde_session_request_status (void)
{
  return NEW (STATUS, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_open (const SondeOpenRequest *open)
{
  SondeSessionRequest *request = NEW (OPEN, Open, open);
  Sonde__Session__Open *message = request->message.open;

  message->subject = sonde_session_request_keep (request, open->subject);
  message->n_inputs = open->n_inputs;
  message->inputs = g_new0 (Sonde__Session__OpenInput *, MAX (open->n_inputs, 1));
  g_ptr_array_add (request->garbage, message->inputs);
  for (guint i = 0; i < open->n_inputs; i++)
    {
      message->inputs[i] = g_new0 (Sonde__Session__OpenInput, 1);
      g_ptr_array_add (request->garbage, message->inputs[i]);
      sonde__session__open_input__init (message->inputs[i]);
      message->inputs[i]->name = sonde_session_request_keep (request, open->inputs[i].name);
      message->inputs[i]->path = sonde_session_request_keep (request, open->inputs[i].path);
    }
  message->n_sets = open->sets != NULL ? g_strv_length ((char **) open->sets) : 0;
  message->sets = g_new0 (char *, MAX (message->n_sets, 1));
  g_ptr_array_add (request->garbage, message->sets);
  for (gsize i = 0; i < message->n_sets; i++)
    message->sets[i] = sonde_session_request_keep (request, open->sets[i]);
  message->run_directory = sonde_session_request_keep (request, open->run_directory);
  message->device = sonde_session_request_keep (request, open->device);
  message->threads = (guint32) MAX (open->threads, 0);
  message->training = open->training;
  message->replace = open->replace;
  return request;
}

SondeSessionRequest *
sonde_session_request_control (gboolean take)
{
  SondeSessionRequest *request = NEW (CONTROL, Control, control);

  request->message.control->take = take;
  return request;
}

SondeSessionRequest *
sonde_session_request_resume (const SondeResume *resume)
{
  SondeSessionRequest *request = NEW (RESUME, Resume, resume);

  request->message.resume->kind = resume->kind;
  request->message.resume->count = resume->count;
  request->message.resume->target = sonde_session_request_keep (request, resume->target);
  return request;
}

SondeSessionRequest *
sonde_session_request_pause (void)
{
  return NEW (PAUSE, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_restart (void)
{
  return NEW (RESTART, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_quit (void)
{
  return NEW (QUIT, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_list_breakpoints (void)
{
  return NEW (LIST_BREAKPOINTS, Empty, empty);
}

SondeSessionRequest *
sonde_session_request_add_breakpoint (const SondeBreakpointSpec *spec)
{
  SondeSessionRequest *request = NEW (ADD_BREAKPOINT, AddBreakpoint, add_breakpoint);
  Sonde__Session__AddBreakpoint *message = request->message.add_breakpoint;

  message->pattern = sonde_session_request_keep (request, spec->pattern);
  message->after = spec->moment == SONDE_MOMENT_AFTER;
  message->temporary = spec->temporary;
  message->ignore = spec->ignore;
  message->either = spec->either;
  message->condition = sonde_session_request_keep (request, spec->condition);
  message->hit_condition = sonde_session_request_keep (request, spec->hit_condition);
  message->log = sonde_session_request_keep (request, spec->log);
  return request;
}

SondeSessionRequest *
sonde_session_request_remove_breakpoint (guint id)
{
  SondeSessionRequest *request = NEW (REMOVE_BREAKPOINT, ChangeBreakpoint, change_breakpoint);

  request->message.remove_breakpoint->id = id;
  return request;
}

SondeSessionRequest *
sonde_session_request_enable_breakpoint (guint id, gboolean enabled)
{
  SondeSessionRequest *request = NEW (ENABLE_BREAKPOINT, ChangeBreakpoint, change_breakpoint);

  request->message.enable_breakpoint->id = id;
  request->message.enable_breakpoint->value = enabled != FALSE;
  return request;
}

SondeSessionRequest *
sonde_session_request_ignore_breakpoint (guint id, guint64 count)
{
  SondeSessionRequest *request = NEW (IGNORE_BREAKPOINT, ChangeBreakpoint, change_breakpoint);

  request->message.ignore_breakpoint->id = id;
  request->message.ignore_breakpoint->value = count;
  return request;
}

SondeSessionRequest *
sonde_session_request_graph (SondeSessionGraph which)
{
  SondeSessionRequest *request = NEW (GRAPH, WhichGraph, which_graph);

  request->message.graph->original = which == SONDE_SESSION_GRAPH_ORIGINAL;
  return request;
}

SondeSessionRequest *
sonde_session_request_listing (SondeSessionGraph which)
{
  SondeSessionRequest *request = NEW (LISTING, WhichGraph, which_graph);

  request->message.listing->original = which == SONDE_SESSION_GRAPH_ORIGINAL;
  return request;
}

SondeSessionRequest *
sonde_session_request_steps (void)
{
  return NEW (STEPS, WhichGraph, which_graph);
}

SondeSessionRequest *
sonde_session_request_values (const char *pattern)
{
  SondeSessionRequest *request = NEW (VALUES, Pattern, pattern);

  request->message.values->glob = sonde_session_request_keep (request, pattern);
  return request;
}

SondeSessionRequest *
sonde_session_request_statistics (const char *value)
{
  SondeSessionRequest *request = NEW (STATISTICS, Value, value);

  request->message.statistics->expression = sonde_session_request_keep (request, value);
  return request;
}

SondeSessionRequest *
sonde_session_request_histogram (const char *value)
{
  SondeSessionRequest *request = NEW (HISTOGRAM, Value, value);

  request->message.histogram->expression = sonde_session_request_keep (request, value);
  return request;
}

SondeSessionRequest *
sonde_session_request_tensor (const char *value)
{
  SondeSessionRequest *request = NEW (TENSOR, Value, value);

  request->message.tensor->expression = sonde_session_request_keep (request, value);
  return request;
}

SondeSessionRequest *
sonde_session_request_save (const char *value, const char *path)
{
  SondeSessionRequest *request = NEW (SAVE, Value, value);

  request->message.save->expression = sonde_session_request_keep (request, value);
  request->message.save->path = sonde_session_request_keep (request, path);
  return request;
}
