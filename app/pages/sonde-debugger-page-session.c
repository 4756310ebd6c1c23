/* SPDX-License-Identifier: Apache-2.0
 * How sessions of the Debugger page begin and end: launch targets, the command line, and what is
 * said when there is none. */
#include "app/pages/sonde-debugger-page-private.h"

#include "engine/frontend/sonde-debug-arguments.h"
#include "engine/frontend/sonde-debug-launch-targets.h"
#include "app/debugger/sonde-debug-welcome.h"
#include "app/workspace/sonde-opened-model.h"
#include "app/workspace/sonde-preferred.h"
#include "data/base/sonde-error.h"

#include <string.h>

static void
set_started (SondeDebuggerPage *self, gboolean started)
{
  self->started = started;
  sonde_debug_actions_set_started (self->actions, started, self->subject != NULL);
}

/* ---- settled ------------------------------------------------------------- */

/* A training that runs freely has settled too: there is nothing to wait for. */
void
sonde_debugger_page_update_settled (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status
      = self->session != NULL ? sonde_debug_session_get_status (self->session) : NULL;
  gboolean loading = self->started
                     && (status == NULL || !sonde_debug_session_is_loaded (self->session)
                         || sonde_debug_session_is_busy (self->session)
                         || !sonde_graph_view_is_ready (SONDE_GRAPH_VIEW (self->graph)));
  gboolean is_settled = !loading && self->start_at == NULL && self->arguments_idle == 0;

  if (is_settled == self->is_settled)
    return;
  self->is_settled = is_settled;
  sonde_page_settled_changed (SONDE_PAGE (self));
}

/* ---- nothing is debugged ------------------------------------------------- */

void
sonde_debugger_page_show_welcome (SondeDebuggerPage *self, const char *icon, const char *title,
                                  const char *sentence)
{
  sonde_debug_welcome_say (SONDE_DEBUG_WELCOME (self->welcome), icon, title, sentence);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "welcome");
}

void
sonde_debugger_page_leave (SondeDebuggerPage *self, const char *icon, const char *title,
                           const char *sentence)
{
  sonde_debug_session_close (self->session);
  sonde_debug_locations_clear (self->locations);
  set_started (self, FALSE);
  sonde_page_set_status (SONDE_PAGE (self), NULL);
  sonde_debugger_page_show_welcome (self, icon, title, sentence);
  sonde_debugger_page_look_for_targets (self);
  sonde_debugger_page_update_settled (self);
}

void
sonde_debugger_page_show_nothing (SondeDebuggerPage *self)
{
  sonde_debugger_page_show_welcome (
      self, "sonde-debugger-symbolic", _ ("No Debug Session"),
      _ ("Open a model or a recipe, or attach to a running training."));
}

/* ---- starting ------------------------------------------------------------ */

static void
begin (SondeDebuggerPage *self, const char *title, const char *sentence)
{
  set_started (self, TRUE);
  g_clear_pointer (&self->start_at, g_free);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  sonde_debug_welcome_set_targets (SONDE_DEBUG_WELCOME (self->welcome), NULL);
  sonde_debugger_page_show_welcome (self, "sonde-debugger-symbolic", title, sentence);
}

/* A capture brings those of the step that was captured. */
static gboolean
has_inputs (const SondeOpenRequest *request)
{
  return request->n_inputs > 0 || g_str_has_suffix (request->subject, ".sondecap");
}

/* A recipe or the name of a built-in model is trained, and records. */
static gboolean
is_trained (const SondeOpenRequest *request)
{
  return request->training || g_str_has_suffix (request->subject, ".recipe")
         || g_str_has_suffix (request->subject, ".ini")
         || (strpbrk (request->subject, "/.") == NULL
             && !g_file_test (request->subject, G_FILE_TEST_EXISTS));
}

/* (transfer full) (nullable): the session chooses */
static char *
dup_run_folder (SondeDebuggerPage *self, const SondeOpenRequest *request)
{
  g_autofree char *parent
      = sonde_preferred_dup_runs_folder (sonde_page_get_workspace (SONDE_PAGE (self)));

  if (request->run_directory != NULL || parent == NULL || !is_trained (request))
    return g_strdup (request->run_directory);
  return sonde_preferred_choose_run (parent, request->subject);
}

void
sonde_debugger_page_start (SondeDebuggerPage *self, const SondeOpenRequest *request, const char *at)
{
  g_autofree char *folder = dup_run_folder (self, request);
  SondeOpenRequest with_folder = *request;
  g_autofree char *stop = g_strdup (at), *name = g_path_get_basename (request->subject);
  g_autofree char *sentence = g_strdup_printf (_ ("Loading “%s”…"), name);
  char *subject = g_strdup (request->subject);

  g_free (self->subject);
  self->subject = subject;
  begin (self, _ ("Starting Debugger"), sentence);
  sonde_debug_input_note_begin (SONDE_DEBUG_INPUT_NOTE (self->input_note), has_inputs (request));
  with_folder.run_directory = folder;
  sonde_debug_session_open (self->session, &with_folder, stop);
  sonde_debugger_page_update_settled (self);
}

static void
begin_attached (SondeDebuggerPage *self)
{
  g_clear_pointer (&self->subject, g_free);
  begin (self, _ ("Attaching"), _ ("Requesting the graph of the session…"));
  sonde_debug_input_note_begin (SONDE_DEBUG_INPUT_NOTE (self->input_note), TRUE);
}

void
sonde_debugger_page_attach (SondeDebuggerPage *self, const char *target)
{
  begin_attached (self);
  sonde_debug_session_attach (self->session, target);
  sonde_debugger_page_update_settled (self);
}

void
sonde_debugger_page_take (SondeDebuggerPage *self, SondeSessionClient *client)
{
  begin_attached (self);
  sonde_debug_session_take (self->session, client);
  sonde_debugger_page_update_settled (self);
}

static void
on_targets_found (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebuggerPage) self = data;
  g_autoptr (GPtrArray) targets = sonde_debug_launch_targets_find_finish (result, NULL);
  const SondeDebugLaunchTarget *best
      = targets != NULL && targets->len > 0 ? g_ptr_array_index (targets, 0) : NULL;
  g_autofree char *at = NULL;

  if (targets == NULL || self->started || self->session == NULL)
    return;
  g_clear_object (&self->looking);
  /* The run is not known yet: it comes with "notify::run", or there is none. */
  if (self->start_at != NULL && best == NULL
      && sonde_run_store_is_loading (sonde_page_get_store (SONDE_PAGE (self))))
    return;
  at = g_steal_pointer (&self->start_at);
  if (at != NULL && best != NULL && best->subject != NULL)
    {
      SondeOpenRequest request = { .subject = best->subject };

      sonde_debugger_page_start (self, &request, at);
      return;
    }
  sonde_debug_welcome_set_targets (SONDE_DEBUG_WELCOME (self->welcome), targets);
  sonde_debugger_page_update_settled (self);
}

/* Models and recipes among the documents; borrows them. */
static GPtrArray *
list_debuggable (SondeWorkspace *workspace)
{
  const char *const *documents = sonde_workspace_get_documents (workspace);
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; documents[i] != NULL; i++)
    if (sonde_opened_model_is_path (documents[i]) || g_str_has_suffix (documents[i], ".recipe")
        || g_str_has_suffix (documents[i], ".ini"))
      g_ptr_array_add (found, (gpointer) documents[i]);
  g_ptr_array_add (found, NULL);
  return found;
}

void
sonde_debugger_page_look_for_targets (SondeDebuggerPage *self)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));
  SondeRun *run = sonde_workspace_get_run (workspace);
  g_autoptr (GPtrArray) debuggable = list_debuggable (workspace);

  if (self->started || self->looking != NULL || self->arguments_idle != 0)
    return;
  self->looking = g_cancellable_new ();
  sonde_debug_launch_targets_find_async ((const char *const *) debuggable->pdata,
                                         run != NULL ? sonde_run_get_path (run) : NULL,
                                         self->looking, on_targets_found, g_object_ref (self));
}

void
sonde_debugger_page_look_again (SondeDebuggerPage *self)
{
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  sonde_debugger_page_look_for_targets (self);
}

/* Idle, so that a request that comes with the opening can say where to stop. */
static gboolean
on_arguments (gpointer data)
{
  SondeDebuggerPage *self = data;
  const char *const *arguments
      = sonde_workspace_get_debug_arguments (sonde_page_get_workspace (SONDE_PAGE (self)));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDebugArguments) parsed = sonde_debug_arguments_parse (arguments, &error);
  g_autofree char *at = g_steal_pointer (&self->start_at);

  self->arguments_idle = 0;
  if (parsed == NULL)
    sonde_debugger_page_leave (self, "dialog-error-symbolic", _ ("Debugging Not Available"),
                               sonde_error_get_text (error));
  else if (!parsed->attach)
    sonde_debugger_page_start (self, &parsed->request, at);
  else if (parsed->target != NULL)
    sonde_debugger_page_attach (self, parsed->target);
  else
    sonde_debugger_page_look_for_targets (self);
  return G_SOURCE_REMOVE;
}

/* Not at the priority of idleness: the progress line that moves meanwhile leaves no time for
 * that. */
void
sonde_debugger_page_start_from_arguments (SondeDebuggerPage *self)
{
  self->arguments_used = TRUE;
  self->arguments_idle = g_idle_add_full (G_PRIORITY_DEFAULT, on_arguments, self, NULL);
  sonde_debugger_page_update_settled (self);
}
