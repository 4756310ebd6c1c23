/* SPDX-License-Identifier: Apache-2.0
 * The page's side of a session. */
#include "app/debugger/sonde-debug-controller.h"

#include <string.h>

#include "data/graph/sonde-family.h"
#include "data/models/sonde-model-file.h"

#define QUIT_MS 3000

struct _SondeDebugController
{
  GObject parent_instance;

  char *program;
  SondeSessionClient *client;
  GCancellable *cancellable; /* of everything asked of this client */
  SondeSessionStatus *status;
  SondeGraph *graph;
  GPtrArray *steps, *breakpoints, *values;
  char *listing;
  guint *lines;
  guint n_lines;
  char *at;       /* (nullable): where to stop once loaded */
  guint breakpoints_serial;
  guint n_asked;  /* requests under way */
  guint n_facts;  /* of graph, steps, listing: how many are there */
  gboolean going; /* on the way to @at: a stop or the end will come */
};

G_DEFINE_FINAL_TYPE (SondeDebugController, sonde_debug_controller, G_TYPE_OBJECT)

enum
{
  LOADED,
  CHANGED,
  PROBLEM,
  OVER,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- connecting: blocking calls, so in a thread ----------------------------------------------- */

/* What the connecting thread is to do. */
typedef struct
{
  char *program;
  int pid; /* 0: start a child */
  char *subject, *run_directory, *device;
  SondeSessionInput *inputs;
  guint n_inputs;
  char **sets;
  gboolean training;
  int threads;
} Connecting;

static void
connecting_free (void *data)
{
  Connecting *connecting = data;

  for (guint i = 0; i < connecting->n_inputs; i++)
    {
      g_free ((char *) connecting->inputs[i].name);
      g_free ((char *) connecting->inputs[i].path);
    }
  g_free (connecting->inputs);
  g_free (connecting->program);
  g_free (connecting->subject);
  g_free (connecting->run_directory);
  g_free (connecting->device);
  g_strfreev (connecting->sets);
  g_free (connecting);
}

static void
connect_in_thread (GTask        *task,
                   gpointer      source,
                   gpointer      task_data,
                   GCancellable *cancellable)
{
  Connecting *connecting = task_data;
  GError *error = NULL;
  SondeSessionClient *client = connecting->pid > 0
                                   ? sonde_session_client_attach (connecting->pid, NULL, &error)
                                   : sonde_session_client_spawn (connecting->program, connecting->threads, &error);

  if (client != NULL)
    g_task_return_pointer (task, client, g_object_unref);
  else
    g_task_return_error (task, error);
}

static void
emit_problem (SondeDebugController *self,
              const char           *sentence)
{
  g_signal_emit (self, signals[PROBLEM], 0, sentence);
}

/* ---- asking ----------------------------------------------------------------------------------- */

typedef void (*Take) (SondeDebugController *self, SondeSessionReply *reply);

/* One request; @take gets its answer. */
typedef struct
{
  SondeDebugController *self;
  Take take;       /* (nullable) */
  gboolean goes;   /* it makes the run go on */
} Asked;

static void
on_reply (GObject      *source,
          GAsyncResult *result,
          gpointer      data)
{
  g_autofree Asked *asked = data;
  g_autoptr (SondeDebugController) self = asked->self;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  self->n_asked--;
  if (SONDE_SESSION_CLIENT (source) != self->client)
    return;
  if (reply != NULL && asked->take != NULL)
    asked->take (self, reply);
  if (reply == NULL && asked->goes)
    self->going = FALSE;
  if (reply == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && !sonde_session_client_is_closed (self->client))
    emit_problem (self, error->message);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
ask_and_go (SondeDebugController *self,
            SondeSessionRequest  *request,
            Take                  take,
            gboolean              goes)
{
  Asked *asked;

  if (self->client == NULL)
    {
      sonde_session_request_free (request);
      return;
    }
  asked = g_new0 (Asked, 1);
  asked->self = g_object_ref (self);
  asked->take = take;
  asked->goes = goes;
  self->n_asked++;
  sonde_session_client_send (self->client, request, self->cancellable, on_reply, asked);
}

static void
ask (SondeDebugController *self,
     SondeSessionRequest  *request,
     Take                  take)
{
  ask_and_go (self, request, take, FALSE);
}

/* Steps whose output is a picture of features, or at least something that was computed. */
static int
interest_of (const SondeStepInfo *step)
{
  switch (sonde_family_of_operator (step->op))
    {
    case SONDE_FAMILY_CONVOLUTION:
    case SONDE_FAMILY_ACTIVATION:
    case SONDE_FAMILY_NORMALISATION:
      return 2;
    case SONDE_FAMILY_MATRIX:
    case SONDE_FAMILY_REDUCTION:
      return 1;
    default:
      return 0;
    }
}

/* A node of the middle of the forward pass, for a first look: before it something worth seeing was made. */
static const char *
middle_node (SondeDebugController *self)
{
  guint n = 0, middle, best = 0;
  int best_interest = -1;

  while (n < self->steps->len && ((SondeStepInfo *) g_ptr_array_index (self->steps, n))->phase == SONDE_PHASE_FORWARD)
    n++;
  if (n == 0)
    n = self->steps->len;
  middle = n / 2;
  for (guint i = MAX (n / 4, 1); i < n && i <= n - n / 4; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (self->steps, i);
      int interest = interest_of (g_ptr_array_index (self->steps, i - 1));
      guint distance = i > middle ? i - middle : middle - i;
      guint best_distance = best > middle ? best - middle : middle - best;

      if (step->nodes == NULL || step->nodes[0] == NULL)
        continue;
      if (interest > best_interest || (interest == best_interest && distance < best_distance))
        {
          best = i;
          best_interest = interest;
        }
    }
  return best_interest >= 0 ? ((SondeStepInfo *) g_ptr_array_index (self->steps, best))->nodes[0] : NULL;
}

static void
go_to_start_node (SondeDebugController *self)
{
  g_autofree char *at = g_steal_pointer (&self->at);
  const char *node;

  if (at == NULL)
    return;
  node = *at != '\0' ? at : middle_node (self);
  if (node != NULL)
    sonde_debug_controller_resume (self, SONDE_RESUME_UNTIL, node);
}

static void
fact_arrived (SondeDebugController *self)
{
  if (++self->n_facts < 3)
    return;
  g_signal_emit (self, signals[LOADED], 0);
  go_to_start_node (self);
}

/* Large parameters come without their values, as inputs: they are told from the real ones by their roles. */
static void
take_values (SondeDebugController *self,
             SondeSessionReply    *reply)
{
  g_clear_pointer (&self->values, g_ptr_array_unref);
  self->values = g_steal_pointer (&reply->values);
}

static void
give_roles (SondeDebugController *self)
{
  for (guint i = 0; self->values != NULL && i < self->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (self->values, i);
      SondeGraphValue *value = info->producer == NULL ? sonde_graph_find_value (self->graph, info->name) : NULL;

      if (value != NULL && value->producer == NULL && value->constant == NULL && info->role != SONDE_ROLE_NORMAL)
        value->role = info->role;
    }
}

static void
take_graph (SondeDebugController *self,
            SondeSessionReply    *reply)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&self->graph, sonde_graph_unref);
  if (reply->bytes != NULL)
    self->graph = sonde_model_parse (g_bytes_get_data (reply->bytes, NULL), g_bytes_get_size (reply->bytes),
                                     "graph of the session", &error);
  if (self->graph != NULL)
    give_roles (self);
  if (error != NULL)
    emit_problem (self, error->message);
  fact_arrived (self);
}

static void
take_steps (SondeDebugController *self,
            SondeSessionReply    *reply)
{
  g_clear_pointer (&self->steps, g_ptr_array_unref);
  self->steps = g_steal_pointer (&reply->steps);
  fact_arrived (self);
}

static void
take_listing (SondeDebugController *self,
              SondeSessionReply    *reply)
{
  g_free (self->listing);
  g_free (self->lines);
  self->listing = g_steal_pointer (&reply->text);
  self->lines = g_steal_pointer (&reply->lines);
  self->n_lines = self->lines != NULL ? reply->n_lines : 0;
  fact_arrived (self);
}

static void
take_breakpoints (SondeDebugController *self,
                  SondeSessionReply    *reply)
{
  g_clear_pointer (&self->breakpoints, g_ptr_array_unref);
  self->breakpoints = g_steal_pointer (&reply->breakpoints);
  self->breakpoints_serial++;
}

static void
ask_facts (SondeDebugController *self)
{
  self->n_facts = 0;
  ask (self, sonde_session_request_values (NULL), take_values);
  ask (self, sonde_session_request_graph (SONDE_SESSION_GRAPH_EXECUTED), take_graph);
  ask (self, sonde_session_request_steps (), take_steps);
  ask (self, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED), take_listing);
  ask (self, sonde_session_request_list_breakpoints (), take_breakpoints);
}

static void
set_status (SondeDebugController *self,
            SondeSessionStatus   *status)
{
  gboolean was_open = self->status != NULL && self->status->state != SONDE_SESSION_EMPTY
                      && self->status->state != SONDE_SESSION_LOADING;
  gboolean is_open = status->state != SONDE_SESSION_EMPTY && status->state != SONDE_SESSION_LOADING;

  g_clear_pointer (&self->status, sonde_session_status_free);
  self->status = status;
  if (is_open && !was_open)
    ask_facts (self);
}

static void
take_status (SondeDebugController *self,
             SondeSessionReply    *reply)
{
  if (reply->status != NULL)
    set_status (self, g_steal_pointer (&reply->status));
}

/* ---- events ----------------------------------------------------------------------------------- */

static void
on_closed (SondeDebugController *self,
           const char           *reason)
{
  g_autofree char *sentence = g_strdup (reason);

  self->going = FALSE;
  g_clear_pointer (&self->status, sonde_session_status_free);
  g_signal_emit (self, signals[OVER], 0, sentence);
}

static void
on_event (SondeSessionClient   *client,
          SondeSessionEvent    *event,
          SondeDebugController *self)
{
  if (client != self->client)
    return;
  if (event->kind == SONDE_SESSION_EVENT_STOPPED || event->kind == SONDE_SESSION_EVENT_ENDED)
    self->going = FALSE;
  if (event->kind == SONDE_SESSION_EVENT_BREAKPOINTS)
    ask (self, sonde_session_request_list_breakpoints (), take_breakpoints);
  else if (event->kind == SONDE_SESSION_EVENT_LOG && event->text != NULL)
    emit_problem (self, event->text);
  else if (event->kind == SONDE_SESSION_EVENT_CLOSED)
    {
      on_closed (self, event->text);
      return;
    }
  else if (event->status != NULL)
    set_status (self, sonde_session_status_copy (event->status));
  g_signal_emit (self, signals[CHANGED], 0);
}

/* ---- life ------------------------------------------------------------------------------------- */

static void
quit_in_thread (GTask        *task,
                gpointer      source,
                gpointer      task_data,
                GCancellable *cancellable)
{
  sonde_session_client_quit_child (SONDE_SESSION_CLIENT (source), QUIT_MS);
  g_task_return_boolean (task, TRUE);
}

static void
on_quit (GObject      *source,
         GAsyncResult *result,
         gpointer      data)
{
  g_autoptr (GApplication) application = data;

  if (application == NULL)
    return;
  g_application_unmark_busy (application);
  g_application_release (application);
}

/* It may need a moment to write its checkpoint: the program stays until then, also without a window. */
static void
end_child (SondeSessionClient *client)
{
  GApplication *application = g_application_get_default ();
  g_autoptr (GTask) task = NULL;

  if (application != NULL)
    {
      g_application_hold (application);
      g_application_mark_busy (application);
    }
  task = g_task_new (client, NULL, on_quit, application != NULL ? g_object_ref (application) : NULL);
  g_task_run_in_thread (task, quit_in_thread);
}

void
sonde_debug_controller_close (SondeDebugController *controller)
{
  g_autoptr (SondeSessionClient) client = g_steal_pointer (&controller->client);

  g_cancellable_cancel (controller->cancellable);
  g_clear_object (&controller->cancellable);
  if (client != NULL)
    g_signal_handlers_disconnect_by_data (client, controller);
  if (client != NULL && sonde_session_client_is_attached (client))
    sonde_session_client_detach (client);
  else if (client != NULL && !sonde_session_client_is_closed (client))
    end_child (client);
  g_clear_pointer (&controller->status, sonde_session_status_free);
  g_clear_pointer (&controller->graph, sonde_graph_unref);
  g_clear_pointer (&controller->steps, g_ptr_array_unref);
  g_clear_pointer (&controller->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&controller->values, g_ptr_array_unref);
  g_clear_pointer (&controller->listing, g_free);
  g_clear_pointer (&controller->lines, g_free);
  g_clear_pointer (&controller->at, g_free);
  controller->n_lines = 0;
  controller->going = FALSE;
}

static void
open_subject (SondeDebugController *self,
              const Connecting     *connecting)
{
  SondeOpenRequest request = {
    .subject = connecting->subject,
    .inputs = connecting->inputs,
    .n_inputs = connecting->n_inputs,
    .sets = (const char *const *) connecting->sets,
    .run_directory = connecting->run_directory,
    .device = connecting->device,
    .threads = connecting->threads,
    .training = connecting->training,
  };

  ask (self, sonde_session_request_open (&request), take_status);
}

static void
on_connected (GObject      *source,
              GAsyncResult *result,
              gpointer      data)
{
  SondeDebugController *self = SONDE_DEBUG_CONTROLLER (source);
  const Connecting *connecting = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = g_task_propagate_pointer (G_TASK (result), &error);

  self->n_asked--;
  if (client != NULL && g_task_get_cancellable (G_TASK (result)) != self->cancellable)
    {
      /* Closed, or opened anew, meanwhile. */
      if (!sonde_session_client_is_attached (client))
        end_child (client);
      return;
    }
  if (client == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        emit_problem (self, error->message);
      g_signal_emit (self, signals[CHANGED], 0);
      return;
    }
  self->client = g_steal_pointer (&client);
  g_signal_connect (self->client, "event", G_CALLBACK (on_event), self);
  if (connecting->pid > 0)
    ask (self, sonde_session_request_status (), take_status);
  else
    open_subject (self, connecting);
}

static void
start_connecting (SondeDebugController *self,
                  Connecting           *connecting)
{
  g_autoptr (GTask) task = NULL;

  self->cancellable = g_cancellable_new ();
  self->n_asked++;
  task = g_task_new (self, self->cancellable, on_connected, NULL);
  g_task_set_check_cancellable (task, FALSE);
  g_task_set_task_data (task, connecting, connecting_free);
  g_task_run_in_thread (task, connect_in_thread);
}

void
sonde_debug_controller_open (SondeDebugController   *controller,
                             const SondeOpenRequest *request,
                             const char             *at)
{
  Connecting *connecting = g_new0 (Connecting, 1);

  sonde_debug_controller_close (controller);
  controller->at = g_strdup (at);
  connecting->program = g_strdup (controller->program);
  connecting->subject = g_strdup (request->subject);
  connecting->run_directory = g_strdup (request->run_directory);
  connecting->device = g_strdup (request->device);
  connecting->sets = g_strdupv ((char **) request->sets);
  connecting->training = request->training;
  connecting->threads = request->threads;
  connecting->inputs = g_new0 (SondeSessionInput, MAX (request->n_inputs, 1));
  connecting->n_inputs = request->n_inputs;
  for (guint i = 0; i < request->n_inputs; i++)
    connecting->inputs[i] = (SondeSessionInput) { g_strdup (request->inputs[i].name), g_strdup (request->inputs[i].path) };
  start_connecting (controller, connecting);
}

void
sonde_debug_controller_attach (SondeDebugController *controller,
                               int                   pid)
{
  Connecting *connecting = g_new0 (Connecting, 1);

  sonde_debug_controller_close (controller);
  connecting->pid = pid;
  start_connecting (controller, connecting);
}

static void
sonde_debug_controller_dispose (GObject *object)
{
  SondeDebugController *self = SONDE_DEBUG_CONTROLLER (object);

  sonde_debug_controller_close (self);
  g_clear_pointer (&self->program, g_free);
  G_OBJECT_CLASS (sonde_debug_controller_parent_class)->dispose (object);
}

static void
sonde_debug_controller_class_init (SondeDebugControllerClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_controller_dispose;
  signals[LOADED] = g_signal_new ("loaded", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[CHANGED] = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEM] = g_signal_new ("problem", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1,
                                   G_TYPE_STRING);
  signals[OVER] = g_signal_new ("over", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_debug_controller_init (SondeDebugController *self)
{
}

SondeDebugController *
sonde_debug_controller_new (const char *program)
{
  SondeDebugController *self = g_object_new (SONDE_TYPE_DEBUG_CONTROLLER, NULL);

  self->program = g_strdup (program);
  return self;
}

/* ---- what is known ---------------------------------------------------------------------------- */

gboolean
sonde_debug_controller_is_loaded (SondeDebugController *controller)
{
  return controller->client != NULL && controller->n_facts >= 3 && controller->steps != NULL;
}

gboolean
sonde_debug_controller_is_busy (SondeDebugController *controller)
{
  return controller->n_asked > 0 || controller->going;
}

const SondeSessionStatus *
sonde_debug_controller_get_status (SondeDebugController *controller)
{
  return controller->status;
}

SondeGraph *
sonde_debug_controller_get_graph (SondeDebugController *controller)
{
  return controller->graph;
}

GPtrArray *
sonde_debug_controller_get_steps (SondeDebugController *controller)
{
  return controller->steps;
}

GPtrArray *
sonde_debug_controller_get_breakpoints (SondeDebugController *controller)
{
  return controller->breakpoints;
}

guint
sonde_debug_controller_get_breakpoints_serial (SondeDebugController *controller)
{
  return controller->breakpoints_serial;
}

const char *
sonde_debug_controller_get_listing (SondeDebugController *controller)
{
  return controller->listing;
}

guint
sonde_debug_controller_get_line (SondeDebugController *controller,
                                 guint                 position)
{
  return position < controller->n_lines ? controller->lines[position] : 0;
}

SondeSessionClient *
sonde_debug_controller_get_client (SondeDebugController *controller)
{
  return controller->client;
}

/* ---- commands --------------------------------------------------------------------------------- */

void
sonde_debug_controller_resume (SondeDebugController *controller,
                               SondeResumeKind       kind,
                               const char           *target)
{
  SondeResume resume = { .kind = kind, .target = target };

  controller->going = controller->client != NULL && kind != SONDE_RESUME_CONTINUE;
  ask_and_go (controller, sonde_session_request_resume (&resume), NULL, TRUE);
}

void
sonde_debug_controller_pause (SondeDebugController *controller)
{
  ask (controller, sonde_session_request_pause (), NULL);
}

void
sonde_debug_controller_restart (SondeDebugController *controller)
{
  ask (controller, sonde_session_request_restart (), take_status);
}

void
sonde_debug_controller_toggle_breakpoint (SondeDebugController *controller,
                                          const char           *pattern)
{
  SondeBreakpointSpec spec = { .pattern = pattern, .moment = SONDE_MOMENT_BEFORE };
  gboolean removed = FALSE;

  for (guint i = 0; controller->breakpoints != NULL && i < controller->breakpoints->len; i++)
    {
      const SondeBreakpointInfo *info = g_ptr_array_index (controller->breakpoints, i);

      if (g_strcmp0 (info->pattern, pattern) != 0)
        continue;
      ask (controller, sonde_session_request_remove_breakpoint (info->id), NULL);
      removed = TRUE;
    }
  if (!removed)
    ask (controller, sonde_session_request_add_breakpoint (&spec), NULL);
  ask (controller, sonde_session_request_list_breakpoints (), take_breakpoints);
}
