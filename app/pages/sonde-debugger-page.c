/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page: joins the panels of app/debugger, starts and leaves sessions. */
#include "app/pages/sonde-debugger-page.h"

#include "app/debugger/sonde-debug-actions.h"
#include "app/debugger/sonde-debug-arguments.h"
#include "app/debugger/sonde-debug-attribute.h"
#include "app/debugger/sonde-debug-bar.h"
#include "app/debugger/sonde-debug-desk.h"
#include "app/debugger/sonde-debug-dock.h"
#include "app/debugger/sonde-debug-form.h"
#include "app/debugger/sonde-debug-go-to.h"
#include "app/debugger/sonde-debug-offers.h"
#include "app/debugger/sonde-debug-places.h"
#include "app/debugger/sonde-debug-tasks.h"
#include "app/debugger/sonde-debug-values.h"
#include "app/debugger/sonde-debug-welcome.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-debugger-page.ui"
#define LOOK_SECONDS 2 /* between looks at what could be debugged, while nothing is */

struct _SondeDebuggerPage
{
  SondePage parent_instance;

  GtkWidget *pages, *welcome, *bar, *desk, *listing, *graph, *values, *dock;
  SondeDebugController *controller;
  SondeDebugActions *actions;
  SondeDebugPlaces *places;
  GtkEventController *keys;  /* of the window, only while the page is open */
  GCancellable *looking;     /* (nullable): for what could be debugged */
  guint look_timeout;
  guint arguments_idle;      /* what the command line asked for is about to be started */
  gboolean arguments_used;
  char *subject;             /* (nullable): what was opened, to open it again with an input */
  char *start_at;            /* (nullable): open the best offer and stop there */
  gboolean started;          /* something was opened or attached */
  gboolean is_settled;
};

G_DEFINE_FINAL_TYPE (SondeDebuggerPage, sonde_debugger_page, SONDE_TYPE_PAGE)

static void look_for_offers (SondeDebuggerPage *self);

/* ---- state ------------------------------------------------------------------------------------ */

/* A training that runs freely has settled too: there is nothing to wait for. */
static void
update_settled (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status = self->controller != NULL ? sonde_debug_controller_get_status (self->controller) : NULL;
  gboolean loading = self->started
                     && (status == NULL || !sonde_debug_controller_is_loaded (self->controller)
                         || sonde_debug_controller_is_busy (self->controller)
                         || !sonde_graph_view_is_ready (SONDE_GRAPH_VIEW (self->graph)));
  gboolean is_settled = !loading && self->start_at == NULL && self->arguments_idle == 0;

  if (is_settled == self->is_settled)
    return;
  self->is_settled = is_settled;
  sonde_page_settled_changed (SONDE_PAGE (self));
}

static void
on_controller_changed (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);

  if (status != NULL)
    sonde_page_set_status (SONDE_PAGE (self), status->title);
  update_settled (self);
}

static void
on_loaded (SondeDebuggerPage *self)
{
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "session");
}

static void
set_started (SondeDebuggerPage *self,
             gboolean           started)
{
  self->started = started;
  sonde_debug_actions_set_started (self->actions, started, self->subject != NULL);
}

/* ---- nothing is debugged ---------------------------------------------------------------------- */

static void
show_welcome (SondeDebuggerPage *self,
              const char        *icon,
              const char        *title,
              const char        *sentence)
{
  sonde_debug_welcome_say (SONDE_DEBUG_WELCOME (self->welcome), icon, title, sentence);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "welcome");
}

/* The session is over, or never began: leaves it and says why. */
static void
leave_session (SondeDebuggerPage *self,
               const char        *icon,
               const char        *title,
               const char        *sentence)
{
  sonde_debug_controller_close (self->controller);
  sonde_debug_places_clear (self->places);
  set_started (self, FALSE);
  sonde_page_set_status (SONDE_PAGE (self), NULL);
  show_welcome (self, icon, title, sentence);
  look_for_offers (self);
  update_settled (self);
}

static void
show_nothing (SondeDebuggerPage *self)
{
  show_welcome (self, "sonde-debugger-symbolic", "Nothing Is Being Debugged",
                "Open a model or a recipe, or attach to a training that runs.");
}

static void
on_problem (SondeDebuggerPage *self,
            const char        *sentence)
{
  if (!sonde_debug_controller_is_loaded (self->controller))
    leave_session (self, "dialog-error-symbolic", "It Cannot Be Debugged", sentence);
  else
    sonde_page_toast (SONDE_PAGE (self), sentence);
  update_settled (self);
}

static void
on_over (SondeDebuggerPage *self,
         const char        *reason)
{
  leave_session (self, "dialog-information-symbolic", "The Session Is Over", reason != NULL ? reason : "");
}

/* ---- starting --------------------------------------------------------------------------------- */

static void
begin (SondeDebuggerPage *self,
       const char        *title,
       const char        *sentence)
{
  set_started (self, TRUE);
  g_clear_pointer (&self->start_at, g_free);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  sonde_debug_welcome_offer (SONDE_DEBUG_WELCOME (self->welcome), NULL);
  show_welcome (self, "sonde-debugger-symbolic", title, sentence);
}

static void
start (SondeDebuggerPage      *self,
       const SondeOpenRequest *request,
       const char             *at)
{
  g_autofree char *stop = g_strdup (at), *name = g_path_get_basename (request->subject);
  g_autofree char *sentence = g_strdup_printf ("The engine loads “%s”.", name);
  char *subject = g_strdup (request->subject);

  g_free (self->subject);
  self->subject = subject;
  begin (self, "Starting", sentence);
  sonde_debug_controller_open (self->controller, request, stop);
  update_settled (self);
}

static void
attach (SondeDebuggerPage *self,
        int                pid)
{
  g_clear_pointer (&self->subject, g_free);
  begin (self, "Attaching", "The session is asked for its graph.");
  sonde_debug_controller_attach (self->controller, pid);
  update_settled (self);
}

static void
on_offer_chosen (SondeDebuggerPage *self,
                 const char        *subject,
                 int                pid)
{
  SondeOpenRequest request = { .subject = subject };

  if (subject != NULL)
    start (self, &request, "");
  else
    attach (self, pid);
}

static void
on_offers_found (GObject      *source,
                 GAsyncResult *result,
                 gpointer      data)
{
  g_autoptr (SondeDebuggerPage) self = data;
  g_autoptr (GPtrArray) offers = sonde_debug_offers_find_finish (result, NULL);
  const SondeDebugOffer *best = offers != NULL && offers->len > 0 ? g_ptr_array_index (offers, 0) : NULL;
  g_autofree char *at = NULL;

  if (offers == NULL || self->started || self->controller == NULL)
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

      start (self, &request, at);
      return;
    }
  sonde_debug_welcome_offer (SONDE_DEBUG_WELCOME (self->welcome), offers);
  update_settled (self);
}

static void
look_for_offers (SondeDebuggerPage *self)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));
  SondeRun *run = sonde_workspace_get_run (workspace);

  if (self->started || self->looking != NULL || self->arguments_idle != 0)
    return;
  self->looking = g_cancellable_new ();
  sonde_debug_offers_find_async (sonde_workspace_get_documents (workspace),
                                 run != NULL ? sonde_run_get_path (run) : NULL, self->looking, on_offers_found,
                                 g_object_ref (self));
}

/* With another run than the look under way knew of. */
static void
look_again (SondeDebuggerPage *self)
{
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  look_for_offers (self);
}

/* Somebody waits for what the store finds. */
static void
on_workspace_changed (SondeDebuggerPage *self)
{
  if (self->start_at != NULL)
    look_for_offers (self);
}

static gboolean
on_look_again (gpointer data)
{
  look_for_offers (data);
  return G_SOURCE_CONTINUE;
}

/* What the command line asked for; idle, so that a request that comes with the opening can say where to stop. */
static gboolean
start_from_arguments (gpointer data)
{
  SondeDebuggerPage *self = data;
  const char *const *arguments = sonde_workspace_get_debug_arguments (sonde_page_get_workspace (SONDE_PAGE (self)));
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDebugArguments) parsed = sonde_debug_arguments_parse (arguments, &error);
  g_autofree char *at = g_steal_pointer (&self->start_at);

  self->arguments_idle = 0;
  if (parsed == NULL)
    leave_session (self, "dialog-error-symbolic", "It Cannot Be Debugged", error->message);
  else if (!parsed->attach)
    start (self, &parsed->request, at);
  else if (parsed->pid > 0)
    attach (self, parsed->pid);
  else
    look_for_offers (self);
  return G_SOURCE_REMOVE;
}

/* ---- commands --------------------------------------------------------------------------------- */

static void
on_input_chosen (GtkNativeDialog   *dialog,
                 int                response,
                 SondeDebuggerPage *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL, *subject = g_strdup (self->subject);
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);
  g_autofree char *at = status != NULL ? g_strdup (sonde_debug_controller_get_step_name (self->controller, sonde_stop_info_get_outermost (&status->stop))) : NULL;
  SondeSessionInput input = { NULL, path };
  SondeOpenRequest request = { .subject = subject, .inputs = &input, .n_inputs = 1 };

  if (response == GTK_RESPONSE_ACCEPT && path != NULL && subject != NULL)
    start (self, &request, at);
  g_object_unref (dialog);
}

/* Opens the model again with a file as its input, and comes back to this place. */
static void
ask_for_input (SondeDebuggerPage *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new ("Input of the Model", GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                     GTK_FILE_CHOOSER_ACTION_OPEN, "_Use", NULL);
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, "NumPy Arrays (.npy)");
  gtk_file_filter_add_pattern (filter, "*.npy");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_input_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static gboolean
forget_popover (gpointer popover)
{
  gtk_widget_unparent (popover);
  return G_SOURCE_REMOVE;
}

static void
on_popover_closed (GtkWidget *popover)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, forget_popover, g_object_ref (popover), g_object_unref);
}

static void
pop_up (SondeDebuggerPage *self,
        GtkWidget         *popover,
        const char        *action)
{
  g_signal_connect (popover, "closed", G_CALLBACK (on_popover_closed), NULL);
  sonde_debug_bar_popup (SONDE_DEBUG_BAR (self->bar), popover, action);
}

/* What an action needs beside the session. */
static void
on_asked (SondeDebuggerPage *self,
          const char        *name)
{
  if (g_str_equal (name, "end"))
    leave_session (self, "sonde-debugger-symbolic", "Nothing Is Being Debugged",
                   "Open a model or a recipe, or attach to a training that runs.");
  else if (g_str_equal (name, "input"))
    ask_for_input (self);
  else if (g_str_equal (name, "watch"))
    pop_up (self, sonde_debug_form_new (self->controller, SONDE_DEBUG_FORM_WATCH), name);
  else if (g_str_equal (name, "attr"))
    pop_up (self, sonde_debug_attribute_new (self->controller), name);
  else if (g_str_equal (name, "go-to"))
    pop_up (self, sonde_debug_go_to_new (self->controller), name);
  else
    sonde_debug_tasks_open (GTK_WIDGET (self), self->controller, name,
                            sonde_debug_values_get_selected (SONDE_DEBUG_VALUES (self->values)));
}

/* ---- keys ------------------------------------------------------------------------------------- */

static gboolean
on_key (GtkEventControllerKey *controller,
        guint                  key,
        guint                  code,
        GdkModifierType        state,
        SondeDebuggerPage     *self)
{
  GdkModifierType modifiers = state & gtk_accelerator_get_default_mod_mask ();

  if (key == GDK_KEY_f && modifiers == GDK_CONTROL_MASK && self->started)
    sonde_debug_listing_search (SONDE_DEBUG_LISTING (self->listing));
  else if (!sonde_debug_actions_press (self->actions, key, modifiers))
    return GDK_EVENT_PROPAGATE;
  return GDK_EVENT_STOP;
}

/* Keys of the whole window while this page is open, since the focus may be in the sidebar; before the primary
 * menu, which takes F10. */
static void
take_keys (SondeDebuggerPage *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));

  if (root == NULL || self->keys != NULL)
    return;
  self->keys = g_object_ref (gtk_event_controller_key_new ());
  gtk_event_controller_set_propagation_phase (self->keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (self->keys, "key-pressed", G_CALLBACK (on_key), self, 0);
  gtk_widget_add_controller (GTK_WIDGET (root), self->keys);
}

static void
give_keys_back (SondeDebuggerPage *self)
{
  GtkWidget *root = self->keys != NULL ? gtk_event_controller_get_widget (self->keys) : NULL;

  if (root != NULL)
    gtk_widget_remove_controller (root, self->keys);
  g_clear_object (&self->keys);
}

/* ---- page ------------------------------------------------------------------------------------- */

static void
sonde_debugger_page_set_up (SondePage *page)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);
  SondeWorkspace *workspace = sonde_page_get_workspace (page);

  self->controller = sonde_debug_controller_new (sonde_workspace_get_program (workspace));
  self->actions = sonde_debug_actions_new (self->controller);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "debug", sonde_debug_actions_get_group (self->actions));
  self->places = sonde_debug_places_new (self->controller, SONDE_DEBUG_LISTING (self->listing),
                                         SONDE_GRAPH_VIEW (self->graph));
  sonde_debug_values_set_controller (SONDE_DEBUG_VALUES (self->values), self->controller);
  sonde_debug_dock_set_controller (SONDE_DEBUG_DOCK (self->dock), self->controller);
  sonde_debug_bar_set_up (SONDE_DEBUG_BAR (self->bar), self->controller, self->actions);
  sonde_debug_desk_set_up (SONDE_DEBUG_DESK (self->desk), workspace, self->listing, self->graph, self->values, self->dock);
  g_signal_connect_object (self->actions, "asked", G_CALLBACK (on_asked), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "changed", G_CALLBACK (on_controller_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "loaded", G_CALLBACK (on_loaded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "problem", G_CALLBACK (on_problem), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "over", G_CALLBACK (on_over), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "idle", G_CALLBACK (update_settled), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "ready", G_CALLBACK (update_settled), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (look_again), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_workspace_changed), self, G_CONNECT_SWAPPED);
  show_nothing (self);
}

/* A screenshot or a door: a model opens at once, and stops somewhere worth looking at. */
static void
sonde_debugger_page_show (SondePage              *page,
                          const SondePageRequest *request)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);
  const char *at = request->at != NULL ? request->at : "";

  if (self->started || request->match != NULL)
    return;
  g_free (self->start_at);
  self->start_at = g_strdup (at);
  look_for_offers (self);
  update_settled (self);
}

static void
sonde_debugger_page_opened (SondePage *page)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);

  take_keys (self);
  self->look_timeout = g_timeout_add_seconds (LOOK_SECONDS, on_look_again, self);
  if (sonde_workspace_get_debug_arguments (sonde_page_get_workspace (page)) == NULL || self->arguments_used)
    {
      look_for_offers (self);
      return;
    }
  self->arguments_used = TRUE;
  /* Not at the priority of idleness: the progress line that moves meanwhile leaves no time for that. */
  self->arguments_idle = g_idle_add_full (G_PRIORITY_DEFAULT, start_from_arguments, self, NULL);
  update_settled (self);
}

/* The session goes on when another page is looked at; its keys do not. */
static void
sonde_debugger_page_closed (SondePage *page)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);

  give_keys_back (self);
  sonde_debug_desk_remember (SONDE_DEBUG_DESK (self->desk));
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
  give_keys_back (self);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  if (self->controller != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->controller, self);
      sonde_debug_controller_close (self->controller);
    }
  g_clear_object (&self->places);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUGGER_PAGE);
  g_clear_object (&self->actions);
  g_clear_object (&self->controller);
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
  g_type_ensure (SONDE_TYPE_DEBUG_DESK);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, pages);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, welcome);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, bar);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, desk);
}

static void
sonde_debugger_page_init (SondeDebuggerPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->is_settled = TRUE;
  self->listing = g_object_new (SONDE_TYPE_DEBUG_LISTING, NULL);
  self->graph = sonde_graph_view_new ();
  self->values = g_object_new (SONDE_TYPE_DEBUG_VALUES, NULL);
  self->dock = g_object_new (SONDE_TYPE_DEBUG_DOCK, NULL);
  g_signal_connect_object (self->welcome, "chosen", G_CALLBACK (on_offer_chosen), self, G_CONNECT_SWAPPED);
}
