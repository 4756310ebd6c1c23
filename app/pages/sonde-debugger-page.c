/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page: joins the panels of app/debugger. */
#include "app/pages/sonde-debugger-page-private.h"

#include "app/debugger/dialogs/sonde-debug-attach-dialog.h"
#include "app/debugger/dialogs/sonde-debug-attribute.h"
#include "app/debugger/sonde-debug-bar.h"
#include "app/debugger/sonde-debug-layout.h"
#include "app/debugger/sonde-debug-panel-dock.h"
#include "app/debugger/dialogs/sonde-debug-form.h"
#include "app/debugger/dialogs/sonde-debug-go-to.h"
#include "app/debugger/dialogs/sonde-debug-input.h"
#include "app/debugger/sonde-debug-not-responding.h"
#include "app/debugger/dialogs/sonde-debug-analysis.h"
#include "app/debugger/value/sonde-debug-values.h"
#include "app/debugger/sonde-debug-welcome.h"
#include "data/base/sonde-text.h"
#include "data/models/sonde-model-file.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-debugger-page.ui"
#define LOOK_SECONDS 2 /* between looks at what could be debugged, while nothing is */

G_DEFINE_FINAL_TYPE (SondeDebuggerPage, sonde_debugger_page, SONDE_TYPE_PAGE)

/* ---- state --------------------------------------------------------------- */

static void
on_controller_changed (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  const char *silence = sonde_debug_session_get_silence (self->session);

  if (status != NULL)
    sonde_page_set_status (SONDE_PAGE (self), status->facts.title);
  if (silence != NULL && !sonde_debug_session_is_loaded (self->session))
    sonde_debugger_page_show_welcome (self, "sonde-debugger-symbolic", _ ("Engine Not Responding"),
                                      silence);
  sonde_debugger_page_update_settled (self);
}

/* A session begins with the keyboard in its listing: not on the first button, which would run it. Whoever
 * types meanwhile goes on typing. */
static void
focus_listing (SondeDebuggerPage *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (root != NULL && gtk_widget_get_mapped (GTK_WIDGET (self)) && !GTK_IS_EDITABLE (focus))
    sonde_debug_listing_focus (SONDE_DEBUG_LISTING (self->listing));
}

static void
on_loaded (SondeDebuggerPage *self)
{
  gboolean begins
      = g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->pages)), "session") != 0;

  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "session");
  if (begins)
    focus_listing (self);
}

/* A narrow bar has no room for the state, a wide one has room for words. */
static void
on_arranged (SondeDebuggerPage *self)
{
  gboolean is_narrow = sonde_debug_layout_is_narrow (SONDE_DEBUG_LAYOUT (self->layout));

  sonde_debug_bar_move_state (SONDE_DEBUG_BAR (self->bar), is_narrow ? self->below : NULL);
  gtk_widget_set_visible (self->below, is_narrow);
  sonde_debug_bar_set_words (SONDE_DEBUG_BAR (self->bar),
                             sonde_debug_layout_is_roomy (SONDE_DEBUG_LAYOUT (self->layout)));
}

/* ---- beginning and end --------------------------------------------------- */

static void
on_problem (SondeDebuggerPage *self, const char *sentence)
{
  if (!sonde_debug_session_is_loaded (self->session))
    sonde_debugger_page_leave (self, "dialog-error-symbolic", _ ("Debugging Not Available"),
                               sentence);
  else
    sonde_page_toast (SONDE_PAGE (self), sentence);
  sonde_debugger_page_update_settled (self);
}

static void
on_over (SondeDebuggerPage *self, const char *reason)
{
  sonde_debugger_page_leave (self, "dialog-information-symbolic", _ ("Session Ended"),
                             reason != NULL ? reason : "");
}

static void
on_target_chosen (SondeDebuggerPage *self, const char *subject, int pid)
{
  SondeOpenRequest request = { .subject = subject };
  g_autofree char *target = g_strdup_printf ("%d", pid);

  if (subject != NULL)
    sonde_debugger_page_start (self, &request, "");
  else
    sonde_debugger_page_attach (self, target);
}

static void
on_attached (GtkWidget *page, SondeSessionClient *client)
{
  sonde_debugger_page_take (SONDE_DEBUGGER_PAGE (page), client);
}

/* Somebody waits for what the store finds. */
static void
on_workspace_changed (SondeDebuggerPage *self)
{
  if (self->start_at != NULL)
    sonde_debugger_page_look_for_targets (self);
}

static gboolean
on_look_again (gpointer data)
{
  sonde_debugger_page_look_for_targets (data);
  return G_SOURCE_CONTINUE;
}

/* ---- commands ------------------------------------------------------------ */

/* Opens the model again with a file as its input, or with "random" numbers, and comes back to this place. */
static void
on_input_chosen (GtkWidget *page, const char *path)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint position = status != NULL ? sonde_stop_get_outermost (&status->stop) : SONDE_DEBUG_NO_STEP;
  g_autofree char *at = g_strdup (
      sonde_debug_steps_get_name (sonde_debug_session_get_steps (self->session), position));
  g_autofree char *subject = g_strdup (self->subject);
  SondeSessionInput input = { NULL, path };
  SondeOpenRequest request = { .subject = subject, .inputs = &input, .n_inputs = 1 };

  if (subject != NULL)
    sonde_debugger_page_start (self, &request, at);
}

/* What an action needs beside the session. */
static void
on_asked (SondeDebuggerPage *self, const char *name)
{
  SondeDebugBar *bar = SONDE_DEBUG_BAR (self->bar);

  if (g_str_equal (name, "end"))
    sonde_debugger_page_leave (self, "sonde-debugger-symbolic", _ ("No Debug Session"),
                               _ ("Open a model or a recipe, or attach to a running training."));
  else if (g_str_equal (name, "to-profiler"))
    sonde_page_go (SONDE_PAGE (self), "profiler",
                   &(SondePageRequest){ .view = "operators",
                                        .at = sonde_debug_actions_get_node (self->actions) });
  else if (g_str_equal (name, "input"))
    sonde_debug_input_ask (GTK_WIDGET (self), on_input_chosen);
  else if (g_str_equal (name, "random-input"))
    on_input_chosen (GTK_WIDGET (self), "random");
  else if (g_str_equal (name, "watch"))
    sonde_debug_bar_popup (bar, sonde_debug_form_new (self->session, SONDE_DEBUG_FORM_WATCH), name);
  else if (g_str_equal (name, "attr"))
    sonde_debug_bar_popup (bar, sonde_debug_attribute_new (self->session), name);
  else if (g_str_equal (name, "go-to"))
    sonde_debug_bar_popup (bar, sonde_debug_go_to_new (self->session), name);
  else
    sonde_debug_analysis_open (GTK_WIDGET (self), self->session, name,
                               sonde_debug_values_get_selected (SONDE_DEBUG_VALUES (self->values)));
}

/* Whether the profile that the window shows has the node. */
static gboolean
is_profiled (gpointer page, const char *node)
{
  SondeTraceDocument *profile
      = sonde_workspace_get_profile (sonde_page_get_workspace (SONDE_PAGE (page)));

  return profile != NULL
         && sonde_trace_document_find_operator (profile, node) != SONDE_TRACE_DOCUMENT_NONE;
}

/* ---- page ---------------------------------------------------------------- */

static void
sonde_debugger_page_set_up (SondePage *page)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);
  SondeWorkspace *workspace = sonde_page_get_workspace (page);

  self->session
      = sonde_debug_session_new (sonde_workspace_get_program (workspace), sonde_model_parse);
  sonde_workspace_set_session (workspace, G_OBJECT (self->session));
  sonde_profile_recorder_set_session (sonde_workspace_get_recorder (workspace), self->session);
  self->actions = sonde_debug_actions_new (self->session);
  sonde_debug_actions_set_profile (self->actions, is_profiled, self);
  g_signal_connect_object (workspace, "notify::profile",
                           G_CALLBACK (sonde_debug_actions_profile_changed), self->actions,
                           G_CONNECT_SWAPPED);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "debug",
                                  sonde_debug_actions_get_group (self->actions));
  self->locations = sonde_debug_locations_new (self->session, SONDE_DEBUG_LAYOUT (self->layout),
                                               SONDE_DEBUG_LISTING (self->listing),
                                               SONDE_GRAPH_VIEW (self->graph));
  self->line_values
      = sonde_debug_line_values_new (self->session, SONDE_DEBUG_LISTING (self->listing));
  sonde_debug_values_set_session (SONDE_DEBUG_VALUES (self->values), self->session);
  sonde_debug_panel_dock_set_session (SONDE_DEBUG_PANEL_DOCK (self->dock), self->session);
  sonde_debug_bar_set_up (SONDE_DEBUG_BAR (self->bar), self->session, self->actions, workspace);
  sonde_debug_not_responding_set_session (SONDE_DEBUG_NOT_RESPONDING (self->not_responding),
                                          self->session);
  sonde_debug_input_note_set_session (SONDE_DEBUG_INPUT_NOTE (self->input_note), self->session);
  sonde_debug_layout_set_up (SONDE_DEBUG_LAYOUT (self->layout), workspace, self->listing,
                             self->graph, self->values, self->dock);
  g_signal_connect_object (self->layout, "arranged", G_CALLBACK (on_arranged), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->actions, "asked", G_CALLBACK (on_asked), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "changed", G_CALLBACK (on_controller_changed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "loaded", G_CALLBACK (on_loaded), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "problem", G_CALLBACK (on_problem), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "over", G_CALLBACK (on_over), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->session, "idle", G_CALLBACK (sonde_debugger_page_update_settled),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "ready", G_CALLBACK (sonde_debugger_page_update_settled),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (sonde_debugger_page_look_again),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_workspace_changed), self,
                           G_CONNECT_SWAPPED);
  sonde_debugger_page_show_nothing (self);
}

/* A screenshot or a door: a model opens at once, and stops somewhere worth looking at; or somebody wants to
 * attach. */
static void
sonde_debugger_page_show (SondePage *page, const SondePageRequest *request)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);
  const char *at = request->at != NULL ? request->at : "";

  if (g_strcmp0 (request->view, SONDE_DEBUGGER_VIEW_ATTACH) == 0)
    {
      sonde_debug_attach_dialog_open (GTK_WIDGET (self), self->started, on_attached);
      return;
    }
  if (self->started || request->match != NULL)
    return;
  g_free (self->start_at);
  self->start_at = g_strdup (at);
  sonde_debugger_page_look_for_targets (self);
  sonde_debugger_page_update_settled (self);
}

static void
sonde_debugger_page_opened (SondePage *page)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);

  if (self->keys == NULL)
    self->keys = sonde_debug_keys_new (GTK_WIDGET (self), self->actions,
                                       SONDE_DEBUG_LISTING (self->listing));
  self->look_timeout = g_timeout_add_seconds (LOOK_SECONDS, on_look_again, self);
  if (sonde_workspace_get_debug_arguments (sonde_page_get_workspace (page)) == NULL
      || self->arguments_used)
    sonde_debugger_page_look_for_targets (self);
  else
    sonde_debugger_page_start_from_arguments (self);
}

/* The session goes on when another page is looked at; its keys do not. */
static void
sonde_debugger_page_closed (SondePage *page)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);

  g_clear_pointer (&self->keys, sonde_debug_keys_free);
  sonde_debug_layout_remember (SONDE_DEBUG_LAYOUT (self->layout));
  g_clear_handle_id (&self->look_timeout, g_source_remove);
}

static gboolean
sonde_debugger_page_is_settled (SondePage *page)
{
  return SONDE_DEBUGGER_PAGE (page)->is_settled;
}

static void
sonde_debugger_page_dispose (GObject *object)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (object);

  g_clear_handle_id (&self->look_timeout, g_source_remove);
  g_clear_handle_id (&self->arguments_idle, g_source_remove);
  g_clear_pointer (&self->keys, sonde_debug_keys_free);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  if (self->session != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->session, self);
      sonde_profile_recorder_set_session (
          sonde_workspace_get_recorder (sonde_page_get_workspace (SONDE_PAGE (self))), NULL);
      sonde_debug_session_close (self->session);
    }
  g_clear_object (&self->line_values);
  g_clear_object (&self->locations);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUGGER_PAGE);
  g_clear_object (&self->actions);
  g_clear_object (&self->session);
  g_clear_pointer (&self->start_at, g_free);
  g_clear_pointer (&self->subject, g_free);
  G_OBJECT_CLASS (sonde_debugger_page_parent_class)->dispose (object);
}

static void
sonde_debugger_page_class_init (SondeDebuggerPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debugger_page_dispose;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_debugger_page_set_up;
  SONDE_PAGE_CLASS (klass)->opened = sonde_debugger_page_opened;
  SONDE_PAGE_CLASS (klass)->closed = sonde_debugger_page_closed;
  SONDE_PAGE_CLASS (klass)->show = sonde_debugger_page_show;
  SONDE_PAGE_CLASS (klass)->is_settled = sonde_debugger_page_is_settled;
  g_type_ensure (SONDE_TYPE_DEBUG_WELCOME);
  g_type_ensure (SONDE_TYPE_DEBUG_BAR);
  g_type_ensure (SONDE_TYPE_DEBUG_NOT_RESPONDING);
  g_type_ensure (SONDE_TYPE_DEBUG_INPUT_NOTE);
  g_type_ensure (SONDE_TYPE_DEBUG_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, pages);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, welcome);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, bar);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, below);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, not_responding);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, input_note);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, layout);
}

static void
sonde_debugger_page_init (SondeDebuggerPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->is_settled = TRUE;
  self->listing = g_object_new (SONDE_TYPE_DEBUG_LISTING, NULL);
  self->graph = sonde_graph_view_new ();
  self->values = g_object_new (SONDE_TYPE_DEBUG_VALUES, NULL);
  self->dock = g_object_new (SONDE_TYPE_DEBUG_PANEL_DOCK, NULL);
  g_signal_connect_object (self->welcome, "chosen", G_CALLBACK (on_target_chosen), self,
                           G_CONNECT_SWAPPED);
}

SondeDebugSession *
sonde_debugger_page_get_session (SondeDebuggerPage *page)
{
  return page->session;
}
