/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page. */
#include "app/pages/sonde-debugger-page.h"

#include "app/debugger/sonde-debug-arguments.h"
#include "app/debugger/sonde-debug-controller.h"
#include "app/debugger/sonde-debug-listing.h"
#include "app/debugger/sonde-debug-offers.h"
#include "app/debugger/sonde-debug-values.h"
#include "viewers/sonde-graph-view.h"
#include "viewers/sonde-mark.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-debugger-page.ui"
#define LOOK_SECONDS 2 /* between looks at what could be debugged, while nothing is */

struct _SondeDebuggerPage
{
  SondePage parent_instance;

  GtkWidget *pages, *welcome, *offers, *mark, *state, *listing, *graph, *values;
  SondeDebugController *controller;
  GSimpleActionGroup *actions;
  GtkEventController *keys;  /* of the window, only while the page is open */
  GCancellable *looking;     /* (nullable): for what could be debugged */
  guint look_timeout;
  guint arguments_idle;      /* what the command line asked for is about to be started */
  gboolean arguments_used;
  char *offered;             /* titles of the offers that are shown */
  char *subject;             /* (nullable): what was opened, to open it again with an input */
  char *start_at;            /* (nullable): open the best offer and stop there */
  gboolean started;          /* something was opened or attached */
  gboolean is_settled;
  guint phases;              /* of the graph that are shown */
  guint shown_position;
  SondeSessionState shown_state;
  guint64 shown_step;
  guint shown_breakpoints;   /* serial */
  gboolean shown;            /* the four above are of this session */
};

G_DEFINE_FINAL_TYPE (SondeDebuggerPage, sonde_debugger_page, SONDE_TYPE_PAGE)

static void look_for_offers (SondeDebuggerPage *self);
static void clear_offers (SondeDebuggerPage *self);

/* ---- showing the position --------------------------------------------------------------------- */

/* The name by which the user knows a step: its first node. */
static const char *
name_of_step (SondeDebuggerPage *self,
              guint              position)
{
  GPtrArray *steps = sonde_debug_controller_get_steps (self->controller);
  const SondeStepInfo *step;

  if (steps == NULL || position >= steps->len)
    return NULL;
  step = g_ptr_array_index (steps, position);
  return step->nodes != NULL && step->nodes[0] != NULL ? step->nodes[0] : step->name;
}

/* Name of the step on a line of the listing. (nullable) */
static const char *
name_on_line (SondeDebuggerPage *self,
              guint              line)
{
  GPtrArray *steps = sonde_debug_controller_get_steps (self->controller);

  for (guint i = 0; steps != NULL && i < steps->len; i++)
    if (sonde_debug_controller_get_line (self->controller, i) == line)
      return name_of_step (self, i);
  return NULL;
}

static gboolean
has_breakpoint (SondeDebuggerPage *self,
                const char        *name)
{
  GPtrArray *breakpoints = sonde_debug_controller_get_breakpoints (self->controller);

  for (guint i = 0; name != NULL && breakpoints != NULL && i < breakpoints->len; i++)
    {
      const SondeBreakpointInfo *info = g_ptr_array_index (breakpoints, i);

      if (!info->temporary && g_strcmp0 (info->pattern, name) == 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_position (const SondeSessionStatus *status)
{
  return status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_READY
         || status->state == SONDE_SESSION_ENDED;
}

/* All nodes of a step; several when they were fused. */
static void
add_nodes (GPtrArray           *names,
           const SondeStepInfo *step)
{
  for (gsize i = 0; step->nodes != NULL && step->nodes[i] != NULL; i++)
    g_ptr_array_add (names, step->nodes[i]);
}

/* Marks of graph and listing: done, current, breakpoints. */
static void
show_marks (SondeDebuggerPage        *self,
            const SondeSessionStatus *status)
{
  SondeGraphView *graph = SONDE_GRAPH_VIEW (self->graph);
  GPtrArray *steps = sonde_debug_controller_get_steps (self->controller);
  g_autoptr (GPtrArray) done = g_ptr_array_new (), broken = g_ptr_array_new (), current = g_ptr_array_new ();
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (guint));
  guint line = 0;

  for (guint i = 0; steps != NULL && i < steps->len; i++)
    {
      const char *name = name_of_step (self, i);
      guint line_here = sonde_debug_controller_get_line (self->controller, i);

      if (has_position (status) && i < status->stop.position)
        add_nodes (done, g_ptr_array_index (steps, i));
      if (!has_breakpoint (self, name))
        continue;
      g_ptr_array_add (broken, (char *) name);
      if (line_here > 0)
        g_array_append_val (lines, line_here);
    }
  if (has_position (status) && steps != NULL && status->stop.position < steps->len)
    {
      add_nodes (current, g_ptr_array_index (steps, status->stop.position));
      line = sonde_debug_controller_get_line (self->controller, status->stop.position);
    }
  g_ptr_array_add (done, NULL);
  g_ptr_array_add (broken, NULL);
  g_ptr_array_add (current, NULL);
  sonde_graph_view_mark (graph, SONDE_GRAPH_MARK_DONE, (const char *const *) done->pdata);
  sonde_graph_view_mark (graph, SONDE_GRAPH_MARK_BREAKPOINT, (const char *const *) broken->pdata);
  sonde_graph_view_mark (graph, SONDE_GRAPH_MARK_CURRENT, (const char *const *) current->pdata);
  sonde_debug_listing_set_marks (SONDE_DEBUG_LISTING (self->listing), line, lines);
}

static void
go_to_position (SondeDebuggerPage        *self,
                const SondeSessionStatus *status)
{
  const char *name = has_position (status) ? name_of_step (self, status->stop.position) : NULL;

  if (name == NULL)
    return;
  sonde_graph_view_reveal_name (SONDE_GRAPH_VIEW (self->graph), name);
  sonde_debug_listing_scroll_to (SONDE_DEBUG_LISTING (self->listing),
                                 sonde_debug_controller_get_line (self->controller, status->stop.position));
}

/* Why it stopped, as the end of a sentence. (transfer full) */
static char *
describe_reason (const SondeStopInfo *stop)
{
  if (g_str_equal (stop->reason, "breakpoint") && stop->n_breakpoints > 0)
    return g_strdup_printf (" · breakpoint %u", stop->breakpoints[0]);
  if (g_str_equal (stop->reason, "pause"))
    return g_strdup (" · on request");
  return g_strdup ("");
}

static char *
describe_pause (const SondeSessionStatus *status)
{
  const SondeStopInfo *stop = &status->stop;
  g_autofree char *reason = describe_reason (stop);
  g_autofree char *step = status->kind == SONDE_ACTIVITY_TRAINING
                              ? g_strdup_printf (" · training step %" G_GUINT64_FORMAT, stop->step)
                              : g_strdup ("");

  return g_strdup_printf ("Paused %s %s (%s) · %u of %u done%s%s", sonde_moment_name (stop->moment), stop->node,
                          stop->op, stop->position, stop->n_steps, step, reason);
}

static char *
describe_state (const SondeSessionStatus *status)
{
  const char *title = status->title != NULL ? status->title : "";

  switch (status->state)
    {
    case SONDE_SESSION_PAUSED:
      return describe_pause (status);
    case SONDE_SESSION_READY:
      return g_strdup_printf ("Ready before the first of %u nodes of %s", status->stop.n_steps, title);
    case SONDE_SESSION_RUNNING:
      return status->kind == SONDE_ACTIVITY_TRAINING
                 ? g_strdup_printf ("Running %s · step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, title, status->step,
                                    status->total_steps)
                 : g_strdup_printf ("Running %s", title);
    case SONDE_SESSION_ENDED:
      if (status->end.message != NULL)
        return g_strdup_printf ("%s ended: %s", title, status->end.message);
      return g_strdup_printf ("%s ended (%s); all its values can be seen", title, status->end.status);
    default:
      return g_strdup ("Loading…");
    }
}

static SondeState
mark_of_state (const SondeSessionStatus *status)
{
  if (status->state == SONDE_SESSION_RUNNING || status->state == SONDE_SESSION_LOADING)
    return SONDE_STATE_RUNNING;
  if (status->state != SONDE_SESSION_ENDED)
    return SONDE_STATE_PAUSED;
  return g_strcmp0 (status->end.status, "failed") == 0 ? SONDE_STATE_ERROR : SONDE_STATE_OK;
}

static void
update_actions (SondeDebuggerPage        *self,
                const SondeSessionStatus *status)
{
  gboolean control = status != NULL && status->in_control;
  gboolean paused = control && (status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_READY);
  const struct { const char *name; gboolean enabled; } states[] = {
    { "continue", paused },
    { "step", paused },
    { "next", paused },
    { "until", paused },
    { "pause", control && status->state == SONDE_SESSION_RUNNING },
    { "restart", paused || (control && status->state == SONDE_SESSION_ENDED) },
    { "breakpoint", control },
    { "end", self->started },
    { "input", control && self->subject != NULL && status->kind == SONDE_ACTIVITY_INFERENCE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    g_simple_action_set_enabled (
        G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self->actions), states[i].name)), states[i].enabled);
}

static void
update_settled (SondeDebuggerPage *self)
{
  gboolean is_settled = self->started
                            ? self->shown && !sonde_debug_controller_is_busy (self->controller)
                                  && sonde_graph_view_is_ready (SONDE_GRAPH_VIEW (self->graph))
                                  && sonde_debug_values_is_settled (SONDE_DEBUG_VALUES (self->values))
                            : self->start_at == NULL && self->looking == NULL && self->arguments_idle == 0;

  self->is_settled = is_settled;
  sonde_page_settled_changed (SONDE_PAGE (self));
}

/* Gradients and updates make a graph wide; they are shown when the run is among them. */
static void
show_graph (SondeDebuggerPage        *self,
            const SondeSessionStatus *status)
{
  guint phases = has_position (status) && status->stop.phase != SONDE_PHASE_FORWARD ? SONDE_GRAPH_SCENE_ALL_PHASES
                 : self->phases != 0                                               ? self->phases
                                                                                   : SONDE_GRAPH_SCENE_FORWARD;

  if (phases == self->phases)
    return;
  self->phases = phases;
  sonde_graph_view_set_graph (SONDE_GRAPH_VIEW (self->graph), sonde_debug_controller_get_graph (self->controller),
                              phases);
}

/* Values, marks and the way to the position only when it is another one: a training tells its progress often. */
static void
show_position (SondeDebuggerPage        *self,
               const SondeSessionStatus *status)
{
  guint breakpoints = sonde_debug_controller_get_breakpoints_serial (self->controller);
  gboolean is_there = self->shown && status->stop.position == self->shown_position
                      && status->state == self->shown_state && status->stop.step == self->shown_step;

  if (!is_there || breakpoints != self->shown_breakpoints)
    show_marks (self, status);
  self->shown_breakpoints = breakpoints;
  if (is_there)
    return;
  self->shown = TRUE;
  self->shown_position = status->stop.position;
  self->shown_state = status->state;
  self->shown_step = status->stop.step;
  go_to_position (self, status);
  sonde_debug_values_update (SONDE_DEBUG_VALUES (self->values));
}

static void
on_controller_changed (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);
  g_autofree char *text = NULL;

  update_actions (self, status);
  if (status != NULL && sonde_debug_controller_is_loaded (self->controller))
    {
      text = describe_state (status);
      gtk_label_set_text (GTK_LABEL (self->state), text);
      gtk_widget_set_tooltip_text (self->state, text);
      sonde_mark_set_state (SONDE_MARK (self->mark), mark_of_state (status));
      sonde_page_set_status (SONDE_PAGE (self), status->title);
      show_graph (self, status);
      show_position (self, status);
    }
  update_settled (self);
}

static void
on_loaded (SondeDebuggerPage *self)
{
  const char *listing = sonde_debug_controller_get_listing (self->controller);

  sonde_debug_listing_set_text (SONDE_DEBUG_LISTING (self->listing), listing != NULL ? listing : "");
  self->phases = 0;
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "session");
}

/* The layout took its time; the marks made before are of no scene. */
static void
on_graph_ready (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);

  if (status != NULL && sonde_debug_controller_is_loaded (self->controller))
    {
      show_marks (self, status);
      go_to_position (self, status);
    }
  update_settled (self);
}

/* ---- nothing is debugged ---------------------------------------------------------------------- */

static void
show_welcome (SondeDebuggerPage *self,
              const char        *icon,
              const char        *title,
              const char        *sentence)
{
  g_autofree char *escaped = g_markup_escape_text (sentence, -1);

  adw_status_page_set_icon_name (ADW_STATUS_PAGE (self->welcome), icon);
  adw_status_page_set_title (ADW_STATUS_PAGE (self->welcome), title);
  adw_status_page_set_description (ADW_STATUS_PAGE (self->welcome), escaped);
  gtk_stack_set_visible_child_name (GTK_STACK (self->pages), "welcome");
}

/* The session is over, or never began: leaves it and says why. */
static void
leave_session (SondeDebuggerPage *self,
               const char        *icon,
               const char        *title,
               const char        *sentence)
{
  self->started = FALSE;
  self->shown = FALSE;
  g_clear_pointer (&self->offered, g_free);
  sonde_debug_controller_close (self->controller);
  sonde_graph_view_set_graph (SONDE_GRAPH_VIEW (self->graph), NULL, 0);
  sonde_debug_values_update (SONDE_DEBUG_VALUES (self->values));
  sonde_page_set_status (SONDE_PAGE (self), NULL);
  update_actions (self, NULL);
  show_welcome (self, icon, title, sentence);
  look_for_offers (self);
  update_settled (self);
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
  self->started = TRUE;
  self->shown = FALSE;
  g_clear_pointer (&self->start_at, g_free);
  g_cancellable_cancel (self->looking);
  g_clear_object (&self->looking);
  g_clear_pointer (&self->offered, g_free);
  clear_offers (self);
  show_welcome (self, "sonde-debugger-symbolic", title, sentence);
}

static void
start (SondeDebuggerPage      *self,
       const SondeOpenRequest *request,
       const char             *at)
{
  g_autofree char *stop = g_strdup (at), *name = g_path_get_basename (request->subject), *subject = NULL;
  g_autofree char *sentence = g_strdup_printf ("The engine loads “%s”.", name);

  begin (self, "Starting", sentence);
  subject = g_strdup (request->subject);
  g_free (self->subject);
  self->subject = g_steal_pointer (&subject);
  sonde_debug_controller_open (self->controller, request, stop);
  update_actions (self, NULL);
  update_settled (self);
}

static void
attach (SondeDebuggerPage *self,
        int                pid)
{
  g_clear_pointer (&self->subject, g_free);
  begin (self, "Attaching", "The session is asked for its graph.");
  sonde_debug_controller_attach (self->controller, pid);
  update_actions (self, NULL);
  update_settled (self);
}

static void
on_offer_clicked (GtkButton         *button,
                  SondeDebuggerPage *self)
{
  const char *subject = g_object_get_data (G_OBJECT (button), "subject");
  SondeOpenRequest request = { .subject = subject };

  if (subject != NULL)
    start (self, &request, "");
  else
    attach (self, GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "pid")));
}

static void
clear_offers (SondeDebuggerPage *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->offers)) != NULL)
    gtk_box_remove (GTK_BOX (self->offers), child);
}

static GtkWidget *
add_button (SondeDebuggerPage *self,
            const char        *title)
{
  GtkWidget *button = gtk_button_new_with_label (title);
  GtkWidget *label = gtk_button_get_child (GTK_BUTTON (button));

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (button, title);
  gtk_widget_add_css_class (button, "pill");
  gtk_box_append (GTK_BOX (self->offers), button);
  return button;
}

static void
show_offers (SondeDebuggerPage *self,
             GPtrArray         *offers)
{
  g_autoptr (GString) titles = g_string_new (NULL);

  for (guint i = 0; i < offers->len; i++)
    g_string_append_printf (titles, "%s\n", ((SondeDebugOffer *) g_ptr_array_index (offers, i))->title);
  if (g_strcmp0 (titles->str, self->offered) == 0)
    return;
  g_free (self->offered);
  self->offered = g_strdup (titles->str);
  clear_offers (self);
  for (guint i = 0; i < offers->len; i++)
    {
      const SondeDebugOffer *offer = g_ptr_array_index (offers, i);
      GtkWidget *button = add_button (self, offer->title);

      if (i == 0)
        gtk_widget_add_css_class (button, "suggested-action");
      g_object_set_data_full (G_OBJECT (button), "subject", g_strdup (offer->subject), g_free);
      g_object_set_data (G_OBJECT (button), "pid", GINT_TO_POINTER (offer->pid));
      g_signal_connect_object (button, "clicked", G_CALLBACK (on_offer_clicked), self, 0);
    }
  gtk_actionable_set_action_name (GTK_ACTIONABLE (add_button (self, "Open a File…")), "win.open-file");
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

  if (offers == NULL || self->started || self->offers == NULL)
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
  show_offers (self, offers);
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

static void
show_nothing (SondeDebuggerPage *self)
{
  show_welcome (self, "sonde-debugger-symbolic", "Nothing Is Being Debugged",
                "Open a model or a recipe, or attach to a training that runs.");
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
action_continue (GSimpleAction *action,
                 GVariant      *parameter,
                 gpointer       data)
{
  sonde_debug_controller_resume (((SondeDebuggerPage *) data)->controller, SONDE_RESUME_CONTINUE, NULL);
}

static void
action_pause (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       data)
{
  sonde_debug_controller_pause (((SondeDebuggerPage *) data)->controller);
}

static void
action_step (GSimpleAction *action,
             GVariant      *parameter,
             gpointer       data)
{
  sonde_debug_controller_resume (((SondeDebuggerPage *) data)->controller, SONDE_RESUME_STEP, NULL);
}

static void
action_next (GSimpleAction *action,
             GVariant      *parameter,
             gpointer       data)
{
  sonde_debug_controller_resume (((SondeDebuggerPage *) data)->controller, SONDE_RESUME_NEXT, NULL);
}

static void
action_restart (GSimpleAction *action,
                GVariant      *parameter,
                gpointer       data)
{
  sonde_debug_controller_restart (((SondeDebuggerPage *) data)->controller);
}

/* The node that is selected in the graph, else the current one. */
static const char *
chosen_node (SondeDebuggerPage *self)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (SONDE_GRAPH_VIEW (self->graph));
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);

  if (box != NULL && box->node != NULL)
    return box->node->name;
  return status != NULL ? name_of_step (self, status->stop.position) : NULL;
}

static void
action_until (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       data)
{
  SondeDebuggerPage *self = data;
  const char *node = chosen_node (self);

  if (node != NULL)
    sonde_debug_controller_resume (self->controller, SONDE_RESUME_UNTIL, node);
}

static void
action_breakpoint (GSimpleAction *action,
                   GVariant      *parameter,
                   gpointer       data)
{
  SondeDebuggerPage *self = data;
  const char *node = chosen_node (self);

  if (node != NULL)
    sonde_debug_controller_toggle_breakpoint (self->controller, node);
}

static void
action_end (GSimpleAction *action,
            GVariant      *parameter,
            gpointer       data)
{
  leave_session (data, "sonde-debugger-symbolic", "Nothing Is Being Debugged",
                 "Open a model or a recipe, or attach to a training that runs.");
}

static void
on_input_chosen (GtkNativeDialog   *dialog,
                 int                response,
                 SondeDebuggerPage *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL, *subject = g_strdup (self->subject);
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);
  g_autofree char *at = status != NULL ? g_strdup (name_of_step (self, status->stop.position)) : NULL;
  SondeSessionInput input = { NULL, path };
  SondeOpenRequest request = { .subject = subject, .inputs = &input, .n_inputs = 1 };

  if (response == GTK_RESPONSE_ACCEPT && path != NULL && subject != NULL)
    start (self, &request, at);
  g_object_unref (dialog);
}

/* Opens the model again with a file as its input, and comes back to this place. */
static void
action_input (GSimpleAction *action,
              GVariant      *parameter,
              gpointer       data)
{
  GtkRoot *root = gtk_widget_get_root (data);
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new ("Input of the Model", GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL,
                                     GTK_FILE_CHOOSER_ACTION_OPEN, "_Use", NULL);
  GtkFileFilter *filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, "NumPy Arrays (.npy)");
  gtk_file_filter_add_pattern (filter, "*.npy");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  g_object_unref (filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_input_chosen), data, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* A click in the gutter. */
static void
on_line_activated (SondeDebuggerPage *self,
                   guint              line)
{
  const char *name = name_on_line (self, line);
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);

  if (name != NULL && status != NULL && status->in_control)
    sonde_debug_controller_toggle_breakpoint (self->controller, name);
}

/* The listing's cursor and the graph's selection are one. */
static void
on_line_chosen (SondeDebuggerPage *self,
                guint              line)
{
  const char *name = name_on_line (self, line);

  if (name != NULL)
    sonde_graph_view_select_name (SONDE_GRAPH_VIEW (self->graph), name);
}

static void
on_box_selected (SondeDebuggerPage *self)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (SONDE_GRAPH_VIEW (self->graph));
  GPtrArray *steps = sonde_debug_controller_get_steps (self->controller);
  guint line = 0;

  for (guint i = 0; box != NULL && box->node != NULL && steps != NULL && i < steps->len; i++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, i);

      if (step->nodes != NULL && g_strv_contains ((const char *const *) step->nodes, box->node->name))
        line = sonde_debug_controller_get_line (self->controller, i);
    }
  if (line > 0 && line != sonde_debug_listing_get_line (SONDE_DEBUG_LISTING (self->listing)))
    sonde_debug_listing_scroll_to (SONDE_DEBUG_LISTING (self->listing), line);
}

static const GActionEntry entries[] = {
  { "continue", action_continue, NULL, NULL, NULL, { 0 } },
  { "pause", action_pause, NULL, NULL, NULL, { 0 } },
  { "step", action_step, NULL, NULL, NULL, { 0 } },
  { "next", action_next, NULL, NULL, NULL, { 0 } },
  { "restart", action_restart, NULL, NULL, NULL, { 0 } },
  { "until", action_until, NULL, NULL, NULL, { 0 } },
  { "breakpoint", action_breakpoint, NULL, NULL, NULL, { 0 } },
  { "end", action_end, NULL, NULL, NULL, { 0 } },
  { "input", action_input, NULL, NULL, NULL, { 0 } },
};

static const struct
{
  guint key;
  GdkModifierType modifiers;
  const char *action;
} key_table[] = {
  { GDK_KEY_F5, 0, "debug.continue" },
  { GDK_KEY_F5, GDK_SHIFT_MASK, "debug.end" },
  { GDK_KEY_F5, GDK_CONTROL_MASK | GDK_SHIFT_MASK, "debug.restart" },
  { GDK_KEY_F6, 0, "debug.pause" },
  { GDK_KEY_F9, 0, "debug.breakpoint" },
  { GDK_KEY_F10, 0, "debug.next" },
  { GDK_KEY_F10, GDK_CONTROL_MASK, "debug.until" },
  { GDK_KEY_F11, 0, "debug.step" },
};

/* Even an action that cannot be done now is what the key means here, and nothing else. */
static gboolean
on_key (GtkEventControllerKey *controller,
        guint                  key,
        guint                  code,
        GdkModifierType        state,
        SondeDebuggerPage     *self)
{
  for (gsize i = 0; i < G_N_ELEMENTS (key_table); i++)
    if (key_table[i].key == key && key_table[i].modifiers == (state & gtk_accelerator_get_default_mod_mask ()))
      {
        gtk_widget_activate_action (GTK_WIDGET (self), key_table[i].action, NULL);
        return GDK_EVENT_STOP;
      }
  return GDK_EVENT_PROPAGATE;
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
  sonde_debug_values_set_controller (SONDE_DEBUG_VALUES (self->values), self->controller);
  g_signal_connect_object (self->controller, "changed", G_CALLBACK (on_controller_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "loaded", G_CALLBACK (on_loaded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "problem", G_CALLBACK (on_problem), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->controller, "over", G_CALLBACK (on_over), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (look_again), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_workspace_changed), self, G_CONNECT_SWAPPED);
  update_actions (self, NULL);
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
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUGGER_PAGE);
  g_clear_object (&self->controller);
  g_clear_object (&self->actions);
  g_clear_pointer (&self->offered, g_free);
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
  g_type_ensure (SONDE_TYPE_GRAPH_VIEW);
  g_type_ensure (SONDE_TYPE_DEBUG_LISTING);
  g_type_ensure (SONDE_TYPE_DEBUG_VALUES);
  g_type_ensure (SONDE_TYPE_MARK);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, pages);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, welcome);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, offers);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, mark);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, state);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, listing);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, graph);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, values);
}

static void
sonde_debugger_page_init (SondeDebuggerPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->is_settled = TRUE;
  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "debug", G_ACTION_GROUP (self->actions));
  sonde_graph_view_set_legend (SONDE_GRAPH_VIEW (self->graph), TRUE);
  g_signal_connect_object (self->listing, "line-activated", G_CALLBACK (on_line_activated), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->listing, "line-chosen", G_CALLBACK (on_line_chosen), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "ready", G_CALLBACK (on_graph_ready), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->graph, "notify::selection", G_CALLBACK (on_box_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->values, "settled", G_CALLBACK (update_settled), self, G_CONNECT_SWAPPED);
}
