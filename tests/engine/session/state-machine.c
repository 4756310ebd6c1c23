/* SPDX-License-Identifier: Apache-2.0
 * One sequence: requests go out in ones and in bursts; what is answered and told is checked as it
 * comes, the lists and the end whenever nothing is on its way. */
#include "tests/engine/session/state-machine.h"

#include <dirent.h>
#include <glib/gstdio.h>
#include <string.h>

#include "data/base/sonde-random.h"

#define WATCHDOG_MS 20000
#define MAX_BURST 6

/* ---- random, failures ---------------------------------------------------- */

guint
machine_draw (Machine *machine, guint n)
{
  return (guint) (sonde_random_uniform (machine->seed, machine->sequence, machine->drawn++) * n);
}

const char *
machine_word (Machine *machine)
{
  return machine->net->words[machine_draw (machine, g_strv_length ((char **) machine->net->words))];
}

void
machine_fail (Machine *machine, const char *where, const char *what)
{
  g_printerr ("# net %s, seed %" G_GUINT64_FORMAT ", sequence %" G_GUINT64_FORMAT ":\n%s\n",
              machine->net->subject, machine->seed, machine->sequence, machine->trace->str);
  g_error ("%s: this does not hold: %s", where, what);
}

/* ---- what is told -------------------------------------------------------- */

/* From one state to the next, as docs/session-protocol.md has it. */
static gboolean
may_follow (SondeSessionState from, SondeSessionState to)
{
  static const guint8 allowed[] = {
    [SONDE_SESSION_EMPTY] = 1 << SONDE_SESSION_LOADING | 1 << SONDE_SESSION_READY,
    [SONDE_SESSION_LOADING] = 1 << SONDE_SESSION_EMPTY | 1 << SONDE_SESSION_READY,
    [SONDE_SESSION_READY] = 1 << SONDE_SESSION_RUNNING | 1 << SONDE_SESSION_PAUSED
                            | 1 << SONDE_SESSION_ENDED | 1 << SONDE_SESSION_READY,
    [SONDE_SESSION_RUNNING] = 1 << SONDE_SESSION_PAUSED | 1 << SONDE_SESSION_ENDED,
    [SONDE_SESSION_PAUSED]
    = 1 << SONDE_SESSION_RUNNING | 1 << SONDE_SESSION_READY | 1 << SONDE_SESSION_ENDED,
    [SONDE_SESSION_ENDED] = 1 << SONDE_SESSION_RUNNING | 1 << SONDE_SESSION_READY
                            | 1 << SONDE_SESSION_PAUSED | 1 << SONDE_SESSION_EMPTY
                            | 1 << SONDE_SESSION_LOADING,
  };

  return from == to || (allowed[from] >> to & 1) != 0;
}

static void
check_status (Machine *machine, const SondeSessionStatus *status)
{
  const SondeStop *stop = &status->stop;

  machine_assert (machine, (guint) status->state <= SONDE_SESSION_ENDED);
  machine_assert (machine, stop->position <= stop->n_steps);
  machine_assert (machine, !status->in_control || status->has_controller);
  if (status->state != SONDE_SESSION_PAUSED)
    return;
  machine_assert (machine, stop->frames != NULL && stop->frames->len > 0);
  machine_assert (machine, stop->reason <= SONDE_STOP_ERROR);
  for (guint i = 0; i < stop->frames->len; i++)
    {
      const SondeFrame *frame = g_ptr_array_index (stop->frames, i);

      machine_assert (machine, frame->position <= frame->n_steps);
    }
}

static void
on_event (SondeSessionClient *client, SondeSessionEvent *event, MachineClient *self)
{
  static const SondeSessionState states[] = {
    [SONDE_SESSION_EVENT_RESUMED] = SONDE_SESSION_RUNNING,
    [SONDE_SESSION_EVENT_STOPPED] = SONDE_SESSION_PAUSED,
    [SONDE_SESSION_EVENT_ENDED] = SONDE_SESSION_ENDED,
  };
  Machine *machine = self->machine;

  if (event->kind == SONDE_SESSION_EVENT_CLOSED)
    g_string_append_printf (machine->trace, "closed: %s\n", event->text);
  machine_assert (machine, event->kind != SONDE_SESSION_EVENT_CLOSED);
  if (event->kind <= SONDE_SESSION_EVENT_ENDED)
    {
      machine_assert (machine, event->status != NULL);
      machine_assert (machine, event->status->state == states[event->kind]);
      g_string_append_printf (self->seen, "%d %s %u %u;", event->kind, event->status->stop.node,
                              event->status->stop.position, event->status->branch);
    }
  self->n_ends += event->kind == SONDE_SESSION_EVENT_ENDED;
  if (event->status == NULL)
    return;
  check_status (machine, event->status);
  if (!may_follow (self->state, event->status->state))
    g_string_append_printf (machine->trace, "from %s to %s\n",
                            sonde_session_state_name (self->state),
                            sonde_session_state_name (event->status->state));
  machine_assert (machine, may_follow (self->state, event->status->state));
  self->state = event->status->state;
}

/* ---- what is answered ---------------------------------------------------- */

/**
 * Asked: a request on its way
 * @reply, @error: (nullable): handed to @result when somebody waits for it
 */
typedef struct
{
  Machine *machine;
  const MachineRequest *request;
  guint client;
  gboolean alone, in_control, later;
  gboolean *well;
} Asked;

static void
add_id (Machine *machine, guint id, gboolean temporary)
{
  g_hash_table_add (machine->ids, GUINT_TO_POINTER (id));
  if (temporary)
    g_hash_table_add (machine->temporary, GUINT_TO_POINTER (id));
  machine->last_id = MAX (machine->last_id, id);
}

/* What came of it is remembered. */
static void
follow (Machine *machine, const Asked *asked, const SondeSessionReply *reply)
{
  const char *name = asked->request->name;

  machine->edited = machine->edited || asked->request->edits;
  machine->lists_known = machine->lists_known && asked->alone;
  if (g_str_equal (name, "add-breakpoint"))
    for (guint i = 0; i < reply->breakpoints->len; i++)
      add_id (machine, ((const SondeBreakpoint *) g_ptr_array_index (reply->breakpoints, i))->id,
              ((const SondeBreakpoint *) g_ptr_array_index (reply->breakpoints, i))->temporary);
  else if (g_str_equal (name, "add-watch"))
    for (guint i = 0; i < reply->watches->len; i++)
      add_id (machine, ((const SondeWatch *) g_ptr_array_index (reply->watches, i))->id, FALSE);
  else if (g_str_equal (name, "remove") || g_str_equal (name, "open"))
    machine->lists_known = FALSE; /* what is left is taken from the next list */
  if (reply->status != NULL)
    check_status (machine, reply->status);
}

static void
on_reply (GObject *source, GAsyncResult *result, gpointer data)
{
  Asked *asked = data;
  Machine *machine = asked->machine;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  machine_assert (machine, !sonde_session_client_is_closed (SONDE_SESSION_CLIENT (source)));
  machine->open -= asked->later ? 0 : 1;
  machine->waiting -= asked->later ? 1 : 0;
  g_string_append_printf (machine->trace, "  %u %s: %s\n", asked->client, asked->request->name,
                          error != NULL ? error->message : "ok");
  machine_assert (machine, (reply == NULL) == (error != NULL));
  if (error != NULL)
    {
      machine_assert (machine,
                      !g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL));
      machine_assert (machine, error->domain == SONDE_ENGINE_ERROR);
      machine_assert (machine, strstr (error->message, "gave no reason") == NULL);
      machine_assert (machine,
                      strlen (error->message) > 5 && g_utf8_validate (error->message, -1, NULL));
    }
  else
    follow (machine, asked, reply);
  if (asked->alone && asked->request->control && !asked->in_control)
    machine_assert (machine, g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE));
  if (asked->well != NULL)
    *asked->well = reply != NULL;
  g_free (asked);
}

static gboolean
on_watchdog (gpointer data)
{
  ((Machine *) data)->timed_out = TRUE;
  return G_SOURCE_CONTINUE;
}

/* Until none of those that @left counts is on its way, and what came with them was told. */
static void
settle (Machine *machine, guint *left)
{
  GSource *watchdog = g_timeout_source_new (WATCHDOG_MS);

  g_source_set_callback (watchdog, on_watchdog, machine, NULL);
  g_source_attach (watchdog, machine->context);
  while (*left > 0)
    {
      g_main_context_iteration (machine->context, TRUE);
      machine_assert (machine, !machine->timed_out);
    }
  while (g_main_context_iteration (machine->context, FALSE))
    ;
  g_source_destroy (watchdog);
  g_source_unref (watchdog);
}

static void
ask (Machine *machine, const MachineRequest *request, guint client, gboolean alone, gboolean *well)
{
  Asked *asked = g_new0 (Asked, 1);

  *asked = (Asked){ .machine = machine,
                    .request = request,
                    .client = client,
                    .alone = alone,
                    .well = well,
                    .in_control = machine->clients[client].in_control,
                    .later = request->waits };
  if (asked->later)
    machine->waiting++;
  else
    machine->open++;
  g_string_append_printf (machine->trace, "%u %s%s\n", client, request->name, alone ? "" : " …");
  sonde_session_client_send (machine->clients[client].client, request->make (machine), NULL,
                             on_reply, asked);
}

/* ---- while nothing is on its way ----------------------------------------- */

static SondeSessionReply *
ask_now (Machine *machine, guint client, SondeSessionRequest *request)
{
  g_autoptr (GError) error = NULL;
  SondeSessionReply *reply
      = sonde_session_client_call (machine->clients[client].client, request, WATCHDOG_MS, &error);

  if (error != NULL)
    g_string_append_printf (machine->trace, "  now: %s\n", error->message);
  machine_assert (machine, reply != NULL || error->domain == SONDE_ENGINE_ERROR);
  machine_assert (machine,
                  reply != NULL
                      || !g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL));
  return reply;
}

static SondeSessionState
check_control (Machine *machine)
{
  SondeSessionState state = SONDE_SESSION_EMPTY;
  guint n = 0;
  gboolean has = FALSE;

  for (guint i = 0; i < MACHINE_CLIENTS; i++)
    {
      g_autoptr (SondeSessionReply) reply = ask_now (machine, i, sonde_session_request_status ());

      machine_assert (machine, reply != NULL && reply->status != NULL);
      check_status (machine, reply->status);
      machine->clients[i].in_control = reply->status->in_control;
      n += reply->status->in_control;
      has = reply->status->has_controller;
      state = reply->status->state;
    }
  machine_assert (machine, n == (has ? 1 : 0));
  return state;
}

static void
check_id (Machine *machine, guint id, guint *last)
{
  machine_assert (machine, id > *last);
  if (machine->lists_known)
    machine_assert (machine, g_hash_table_contains (machine->ids, GUINT_TO_POINTER (id)));
  *last = id;
}

/* Ids rise, what was added and not removed is there; afterwards the lists are known. */
static void
check_lists (Machine *machine)
{
  g_autoptr (SondeSessionReply) breakpoints
      = ask_now (machine, 0, sonde_session_request_list_breakpoints ());
  g_autoptr (SondeSessionReply) watches
      = ask_now (machine, 1, sonde_session_request_list_watches ());
  guint last = 0,
        n_lasting = g_hash_table_size (machine->ids) - g_hash_table_size (machine->temporary),
        n = 0;

  if (breakpoints == NULL || watches == NULL)
    return; /* nothing is open */
  for (guint i = 0; i < breakpoints->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (breakpoints->breakpoints, i);

      check_id (machine, info->id, &last);
      n += !info->temporary;
    }
  last = 0;
  for (guint i = 0; i < watches->watches->len; i++)
    check_id (machine, ((const SondeWatch *) g_ptr_array_index (watches->watches, i))->id, &last);
  n += watches->watches->len;
  machine_assert (machine, !machine->lists_known || n == n_lasting);
  g_hash_table_remove_all (machine->ids);
  g_hash_table_remove_all (machine->temporary);
  for (guint i = 0; i < breakpoints->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (breakpoints->breakpoints, i);

      add_id (machine, info->id, info->temporary);
    }
  for (guint i = 0; i < watches->watches->len; i++)
    add_id (machine, ((const SondeWatch *) g_ptr_array_index (watches->watches, i))->id, FALSE);
  machine->lists_known = TRUE;
}

/* ---- one turn ------------------------------------------------------------ */

static const MachineRequest *
draw_request (Machine *machine)
{
  guint total = 0, drawn, k = 0;

  for (guint i = 0; i < machine_n_requests; i++)
    total += machine_requests[i].weight;
  drawn = machine_draw (machine, total);
  while (drawn >= machine_requests[k].weight)
    drawn -= machine_requests[k++].weight;
  return &machine_requests[k];
}

static guint
draw_client (Machine *machine)
{
  guint other = machine->clients[0].in_control ? 1 : 0;

  return machine_draw (machine, 4) == 0 ? other : 1 - other;
}

static void
take_turn (Machine *machine)
{
  gboolean burst = machine_draw (machine, 3) == 0;

  for (guint n = burst ? 1 + machine_draw (machine, MAX_BURST) : 1; n > 0; n--)
    ask (machine, draw_request (machine), draw_client (machine), !burst, NULL);
  settle (machine, &machine->open);
  if (machine_draw (machine, 3) == 0)
    check_lists (machine);
  check_control (machine);
}

/* ---- the end ------------------------------------------------------------- */

static guint
take_control (Machine *machine)
{
  guint who = machine_draw (machine, MACHINE_CLIENTS);

  if (machine->clients[1 - who].in_control)
    sonde_session_reply_free (ask_now (machine, 1 - who, sonde_session_request_control (FALSE)));
  sonde_session_reply_free (ask_now (machine, who, sonde_session_request_control (TRUE)));
  check_control (machine);
  machine_assert (machine, machine->clients[who].in_control);
  return who;
}

/* Until both clients heard of an end more than before. */
static void
wait_for_end (Machine *machine, guint before)
{
  GSource *watchdog = g_timeout_source_new (WATCHDOG_MS);

  g_source_set_callback (watchdog, on_watchdog, machine, NULL);
  g_source_attach (watchdog, machine->context);
  while (machine->clients[0].n_ends == before || machine->clients[1].n_ends == before)
    {
      g_main_context_iteration (machine->context, TRUE);
      machine_assert (machine, !machine->timed_out);
    }
  g_source_destroy (watchdog);
  g_source_unref (watchdog);
}

/* As if nobody had looked. */
static void
check_output (Machine *machine, guint who)
{
  g_autoptr (SondeSessionReply) reply
      = ask_now (machine, who, sonde_session_request_tensor (machine->net->output));
  g_autoptr (SondeTensor) expected
      = session_fixture_expect (machine->net->subject, machine->net->output);

  machine_assert (machine, reply != NULL);
  machine_assert (machine, sonde_tensor_n_bytes (expected) == sonde_tensor_n_bytes (reply->tensor));
  machine_assert (
      machine, memcmp (expected->data, reply->tensor->data, sonde_tensor_n_bytes (expected)) == 0);
}

static void
run_to_the_end (Machine *machine)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  SondeSessionState state = check_control (machine);
  guint who = take_control (machine);
  gboolean trains = machine->net->runs > 0;
  guint before;

  g_string_append (machine->trace, "to the end\n");
  if (state == SONDE_SESSION_EMPTY)
    {
      settle (machine, &machine->waiting);
      return;
    }
  if (state == SONDE_SESSION_RUNNING)
    sonde_session_reply_free (ask_now (machine, who, sonde_session_request_pause ()));
  sonde_session_reply_free (ask_now (machine, who, sonde_session_request_remove_breakpoint (0)));
  while (g_main_context_iteration (machine->context, FALSE))
    ;
  state = check_control (machine);
  before = machine->clients[0].n_ends;
  if (state == SONDE_SESSION_ENDED && !trains)
    sonde_session_reply_free (ask_now (machine, who, sonde_session_request_restart ()));
  if (state != SONDE_SESSION_ENDED || !trains)
    {
      g_autoptr (SondeSessionReply) reply
          = ask_now (machine, who, sonde_session_request_resume (&on));

      machine_assert (machine, reply != NULL);
      wait_for_end (machine, before);
    }
  if (!machine->edited && !machine->net->fails)
    check_output (machine, who);
  settle (machine, &machine->waiting);
}

/* ---- a sequence ---------------------------------------------------------- */

static gboolean
host_save_model (SondeSessionHost *host, SondeGraph *graph, const char *path, GError **error)
{
  g_autofree char *text = sonde_graph_listing (graph, NULL);

  return g_file_set_contents (path, text, -1, error);
}

static gboolean
host_write_text (SondeSessionHost *host, const char *path, const char *text, GError **error)
{
  return g_file_set_contents (path, text, -1, error);
}

static gboolean
host_write_capture (SondeSessionHost *host, SondeActivity *activity,
                    const SondeSessionCapture *request, GError **error)
{
  return g_file_set_contents (request->path, request->stop->node, -1, error);
}

static void
remove_files (const char *directory)
{
  g_autoptr (GDir) dir = g_dir_open (directory, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (directory, name, NULL);

      g_unlink (path);
    }
}

guint
machine_count_descriptors (void)
{
  DIR *folder = opendir ("/proc/self/fd");
  guint n = 0;

  while (readdir (folder) != NULL)
    n++;
  closedir (folder);
  return n;
}

static void
set_up (Machine *machine)
{
  SessionFixture *fixture = &machine->fixture;
  const SondeOpenRequest open = { .subject = machine->net->subject };

  session_fixture_init (fixture);
  fixture->host.save_model = host_save_model;
  fixture->host.write_text = host_write_text;
  fixture->host.write_capture = host_write_capture;
  fixture->options.client_lost
      = machine_draw (machine, 2) == 0 ? SONDE_CLIENT_LOST_CONTINUE : SONDE_CLIENT_LOST_QUIT;
  fixture->n_runs = machine->net->runs;
  session_fixture_start (fixture);
  machine->trace = g_string_new (NULL);
  machine->ids = g_hash_table_new (NULL, NULL);
  machine->temporary = g_hash_table_new (NULL, NULL);
  machine->lists_known = TRUE;
  machine->context = g_main_context_new ();
  g_main_context_push_thread_default (machine->context);
  for (guint i = 0; i < MACHINE_CLIENTS; i++)
    {
      MachineClient *client = &machine->clients[i];

      *client = (MachineClient){ .machine = machine,
                                 .client = session_fixture_connect (fixture),
                                 .seen = g_string_new (NULL) };
      g_signal_connect (client->client, "event", G_CALLBACK (on_event), client);
    }
  sonde_session_reply_free (ask_now (machine, 0, sonde_session_request_open (&open)));
  check_control (machine);
  while (machine->clients[0].state != SONDE_SESSION_READY
         || machine->clients[1].state != SONDE_SESSION_READY)
    g_main_context_iteration (machine->context, TRUE);
}

static void
tear_down (Machine *machine)
{
  for (guint i = 0; i < MACHINE_CLIENTS; i++)
    {
      g_signal_handlers_disconnect_by_data (machine->clients[i].client, &machine->clients[i]);
      g_object_unref (machine->clients[i].client);
      g_string_free (machine->clients[i].seen, TRUE);
    }
  g_main_context_pop_thread_default (machine->context);
  remove_files (machine->fixture.directory);
  session_fixture_clear (&machine->fixture);
  g_main_context_unref (machine->context);
  g_hash_table_unref (machine->ids);
  g_hash_table_unref (machine->temporary);
}

void
machine_run (const MachineNet *net, guint64 seed, guint64 sequence, guint n_turns)
{
  Machine machine = { .net = net, .seed = seed, .sequence = sequence };

  set_up (&machine);
  for (guint i = 0; i < n_turns; i++)
    take_turn (&machine);
  run_to_the_end (&machine);
  machine_assert (&machine,
                  g_str_equal (machine.clients[0].seen->str, machine.clients[1].seen->str));
  tear_down (&machine);
  if (g_test_verbose ())
    g_printerr ("%s\n", machine.trace->str);
  g_string_free (machine.trace, TRUE);
}
