/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page. */
#include "app/pages/sonde-debugger-page.h"

#include <gtksourceview/gtksource.h>

#include "app/debugger/sonde-debug-arguments.h"
#include "app/debugger/sonde-debug-controller.h"
#include "app/debugger/sonde-debug-values.h"
#include "engine/session/sonde-session-directory.h"
#include "viewers/sonde-graph-view.h"
#include "viewers/sonde-mark.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-debugger-page.ui"
#define MARK_CURRENT "sonde-current"
#define MARK_BREAKPOINT "sonde-breakpoint"

struct _SondeDebuggerPage
{
  SondePage parent_instance;

  GtkWidget *mark, *state, *listing, *graph, *values;
  SondeDebugController *controller;
  GSimpleActionGroup *actions;
  gboolean started;  /* something was opened or attached */
  gboolean first_stop_shown;
  gboolean is_settled;
  guint shown_position;
  SondeSessionState shown_state;
};

G_DEFINE_FINAL_TYPE (SondeDebuggerPage, sonde_debugger_page, SONDE_TYPE_PAGE)

static GtkTextBuffer *
buffer_of (SondeDebuggerPage *self)
{
  return gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->listing));
}

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

static void
mark_line (SondeDebuggerPage *self,
           guint              position,
           const char        *category)
{
  guint line = sonde_debug_controller_get_line (self->controller, position);
  GtkTextIter iter;

  if (line == 0)
    return;
  gtk_text_buffer_get_iter_at_line (buffer_of (self), &iter, (int) line - 1);
  gtk_source_buffer_create_source_mark (GTK_SOURCE_BUFFER (buffer_of (self)), NULL, category, &iter);
}

static void
clear_marks (SondeDebuggerPage *self,
             const char        *category)
{
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer_of (self), &start, &end);
  gtk_source_buffer_remove_source_marks (GTK_SOURCE_BUFFER (buffer_of (self)), &start, &end, category);
}

static void
scroll_to (SondeDebuggerPage *self,
           guint              position)
{
  guint line = sonde_debug_controller_get_line (self->controller, position);
  GtkTextIter iter;

  if (line == 0)
    return;
  gtk_text_buffer_get_iter_at_line (buffer_of (self), &iter, (int) line - 1);
  gtk_text_buffer_place_cursor (buffer_of (self), &iter);
  gtk_text_view_scroll_to_mark (GTK_TEXT_VIEW (self->listing), gtk_text_buffer_get_insert (buffer_of (self)), 0.1,
                                TRUE, 0, 0.4);
}

static gboolean
has_breakpoint (SondeDebuggerPage *self,
                const char        *name)
{
  GPtrArray *breakpoints = sonde_debug_controller_get_breakpoints (self->controller);

  for (guint i = 0; name != NULL && breakpoints != NULL && i < breakpoints->len; i++)
    if (g_strcmp0 (((SondeBreakpointInfo *) g_ptr_array_index (breakpoints, i))->pattern, name) == 0)
      return TRUE;
  return FALSE;
}

/* Marks of graph and listing: done, current, breakpoints. */
static void
show_marks (SondeDebuggerPage        *self,
            const SondeSessionStatus *status)
{
  GPtrArray *steps = sonde_debug_controller_get_steps (self->controller);
  g_autoptr (GPtrArray) done = g_ptr_array_new (), broken = g_ptr_array_new ();
  const char *current[] = { NULL, NULL };
  gboolean stopped = status->state == SONDE_SESSION_PAUSED || status->state == SONDE_SESSION_READY
                     || status->state == SONDE_SESSION_ENDED;

  clear_marks (self, MARK_BREAKPOINT);
  clear_marks (self, MARK_CURRENT);
  for (guint i = 0; steps != NULL && i < steps->len; i++)
    {
      const char *name = name_of_step (self, i);

      if (stopped && i < status->stop.position)
        g_ptr_array_add (done, (char *) name);
      if (has_breakpoint (self, name))
        {
          g_ptr_array_add (broken, (char *) name);
          mark_line (self, i, MARK_BREAKPOINT);
        }
    }
  if (stopped)
    {
      current[0] = name_of_step (self, status->stop.position);
      mark_line (self, status->stop.position, MARK_CURRENT);
      scroll_to (self, status->stop.position);
    }
  g_ptr_array_add (done, NULL);
  g_ptr_array_add (broken, NULL);
  sonde_graph_view_mark (SONDE_GRAPH_VIEW (self->graph), SONDE_GRAPH_MARK_DONE, (const char *const *) done->pdata);
  sonde_graph_view_mark (SONDE_GRAPH_VIEW (self->graph), SONDE_GRAPH_MARK_BREAKPOINT,
                         (const char *const *) broken->pdata);
  sonde_graph_view_mark (SONDE_GRAPH_VIEW (self->graph), SONDE_GRAPH_MARK_CURRENT, current);
  if (current[0] != NULL)
    sonde_graph_view_reveal_name (SONDE_GRAPH_VIEW (self->graph), current[0]);
}

static char *
describe_state (const SondeSessionStatus *status)
{
  const SondeStopInfo *stop = &status->stop;
  const char *title = status->title != NULL ? status->title : "";

  switch (status->state)
    {
    case SONDE_SESSION_PAUSED:
      return g_strdup_printf ("Paused %s %s (%s) · step %" G_GUINT64_FORMAT " · node %u of %u · %s",
                              sonde_moment_name (stop->moment), stop->node, stop->op, stop->step, stop->position,
                              stop->n_steps, stop->reason);
    case SONDE_SESSION_READY:
      return g_strdup_printf ("%s: ready, before its first node", title);
    case SONDE_SESSION_RUNNING:
      return status->kind == SONDE_ACTIVITY_TRAINING
                 ? g_strdup_printf ("Running %s · step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT, title, status->step,
                                    status->total_steps)
                 : g_strdup_printf ("Running %s", title);
    case SONDE_SESSION_ENDED:
      return g_strdup_printf ("%s: ended (%s)%s%s", title, status->end.status, status->end.message != NULL ? ": " : "",
                              status->end.message != NULL ? status->end.message : "");
    default:
      return g_strdup ("Loading…");
    }
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
  };

  for (gsize i = 0; i < G_N_ELEMENTS (states); i++)
    g_simple_action_set_enabled (
        G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (self->actions), states[i].name)), states[i].enabled);
}

static void
update_settled (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);

  self->is_settled = !self->started
                     || (status != NULL && status->state != SONDE_SESSION_RUNNING && self->first_stop_shown
                         && !sonde_debug_controller_is_busy (self->controller)
                         && sonde_graph_view_is_ready (SONDE_GRAPH_VIEW (self->graph))
                         && sonde_debug_values_is_settled (SONDE_DEBUG_VALUES (self->values)));
  sonde_page_settled_changed (SONDE_PAGE (self));
}

static void
on_controller_changed (SondeDebuggerPage *self)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);
  g_autofree char *text = NULL;

  update_actions (self, status);
  if (status == NULL || sonde_debug_controller_get_steps (self->controller) == NULL
      || sonde_debug_controller_get_listing (self->controller) == NULL)
    {
      update_settled (self);
      return;
    }
  text = describe_state (status);
  gtk_label_set_text (GTK_LABEL (self->state), text);
  sonde_mark_set_state (SONDE_MARK (self->mark), status->state == SONDE_SESSION_RUNNING ? SONDE_STATE_RUNNING
                                                 : status->state == SONDE_SESSION_ENDED ? SONDE_STATE_OK
                                                                                        : SONDE_STATE_PAUSED);
  sonde_page_set_status (SONDE_PAGE (self), text);
  show_marks (self, status);
  if (status->stop.position != self->shown_position || status->state != self->shown_state || !self->first_stop_shown)
    {
      self->shown_position = status->stop.position;
      self->shown_state = status->state;
      self->first_stop_shown = TRUE;
      sonde_debug_values_update (SONDE_DEBUG_VALUES (self->values));
    }
  update_settled (self);
}

static void
on_loaded (SondeDebuggerPage *self)
{
  const char *listing = sonde_debug_controller_get_listing (self->controller);

  gtk_text_buffer_set_text (buffer_of (self), listing != NULL ? listing : "", -1);
  sonde_graph_view_set_graph (SONDE_GRAPH_VIEW (self->graph), sonde_debug_controller_get_graph (self->controller),
                              SONDE_GRAPH_SCENE_ALL_PHASES);
  sonde_page_set_filled (SONDE_PAGE (self));
}

static void
on_problem (SondeDebuggerPage *self,
            const char        *sentence)
{
  if (sonde_debug_controller_get_steps (self->controller) == NULL)
    {
      self->started = FALSE;
      sonde_page_set_empty (SONDE_PAGE (self), "dialog-error-symbolic", "It Cannot Be Debugged", sentence,
                            "Open a File…", "win.open");
    }
  else
    sonde_page_toast (SONDE_PAGE (self), sentence);
  update_settled (self);
}

static void
on_graph_ready (SondeDebuggerPage *self)
{
  on_controller_changed (self);
}

/* ---- starting --------------------------------------------------------------------------------- */

static void
start (SondeDebuggerPage      *self,
       const SondeOpenRequest *request,
       const char             *at)
{
  self->started = TRUE;
  self->first_stop_shown = FALSE;
  sonde_page_set_empty (SONDE_PAGE (self), "sonde-debugger-symbolic", "Starting", "The engine loads the model.", NULL,
                        NULL);
  sonde_debug_controller_open (self->controller, request, at);
  update_settled (self);
}

/* The newest of the sessions that listen; 0 when there is none. */
static int
find_session (void)
{
  g_autoptr (GPtrArray) sessions = sonde_session_list (NULL, NULL, NULL);

  return sessions != NULL && sessions->len > 0
             ? ((SondeSessionEntry *) g_ptr_array_index (sessions, sessions->len - 1))->pid
             : 0;
}

static void
attach (SondeDebuggerPage *self,
        int                pid)
{
  self->started = TRUE;
  self->first_stop_shown = FALSE;
  sonde_page_set_empty (SONDE_PAGE (self), "sonde-debugger-symbolic", "Attaching", "The session is asked for its graph.",
                        NULL, NULL);
  sonde_debug_controller_attach (self->controller, pid);
  update_settled (self);
}

static void
action_attach (GSimpleAction *action,
               GVariant      *parameter,
               gpointer       data)
{
  int pid = find_session ();

  if (pid > 0)
    attach (data, pid);
  else
    sonde_page_toast (data, "No session listens now; “sonde train” and “sonde debug” do while they run.");
}

static void
show_empty (SondeDebuggerPage *self)
{
  sonde_page_set_empty (SONDE_PAGE (self), "sonde-debugger-symbolic", "Nothing Is Being Debugged",
                        "Open a model or a recipe, or attach to a training that runs.", "Attach to a Training",
                        "debug.attach");
}

static void
start_from_workspace (SondeDebuggerPage *self,
                      const char        *at)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (self));
  const char *const *documents = sonde_workspace_get_documents (workspace);
  const char *const *arguments = sonde_workspace_get_debug_arguments (workspace);
  g_autoptr (SondeDebugArguments) parsed = NULL;
  g_autoptr (GError) error = NULL;
  SondeOpenRequest request = { 0 };

  if (self->started)
    return;
  if (arguments != NULL)
    {
      parsed = sonde_debug_arguments_parse (arguments, &error);
      if (parsed == NULL)
        on_problem (self, error->message);
      else if (parsed->attach)
        attach (self, parsed->pid > 0 ? parsed->pid : find_session ());
      else
        start (self, &parsed->request, at);
    }
  else if (documents[0] != NULL)
    {
      request.subject = documents[0];
      start (self, &request, at);
    }
  else
    show_empty (self);
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

/* A click in the gutter. */
static void
on_line_activated (GtkSourceView     *view,
                   GtkTextIter       *iter,
                   guint              button,
                   GdkModifierType    state,
                   int                n_presses,
                   SondeDebuggerPage *self)
{
  guint line = (guint) gtk_text_iter_get_line (iter) + 1;
  GPtrArray *steps = sonde_debug_controller_get_steps (self->controller);

  for (guint i = 0; steps != NULL && i < steps->len; i++)
    if (sonde_debug_controller_get_line (self->controller, i) == line && name_of_step (self, i) != NULL)
      {
        sonde_debug_controller_toggle_breakpoint (self->controller, name_of_step (self, i));
        return;
      }
}

static const GActionEntry entries[] = {
  { "continue", action_continue, NULL, NULL, NULL, { 0 } }, { "pause", action_pause, NULL, NULL, NULL, { 0 } },
  { "step", action_step, NULL, NULL, NULL, { 0 } },         { "next", action_next, NULL, NULL, NULL, { 0 } },
  { "restart", action_restart, NULL, NULL, NULL, { 0 } },   { "until", action_until, NULL, NULL, NULL, { 0 } },
  { "breakpoint", action_breakpoint, NULL, NULL, NULL, { 0 } }, { "attach", action_attach, NULL, NULL, NULL, { 0 } },
};

static const struct
{
  const char *trigger, *action;
} keys[] = {
  { "F5", "debug.continue" },      { "F6", "debug.pause" },      { "F10", "debug.next" },
  { "F11", "debug.step" },         { "<Control>F10", "debug.until" }, { "F9", "debug.breakpoint" },
};

/* ---- page ------------------------------------------------------------------------------------- */

static void
sonde_debugger_page_set_up (SondePage *page)
{
  SondeDebuggerPage *self = SONDE_DEBUGGER_PAGE (page);
  const char *program = sonde_workspace_get_program (sonde_page_get_workspace (page));

  self->controller = sonde_debug_controller_new (program);
  sonde_debug_values_set_controller (SONDE_DEBUG_VALUES (self->values), self->controller);
  g_signal_connect_swapped (self->controller, "changed", G_CALLBACK (on_controller_changed), self);
  g_signal_connect_swapped (self->controller, "loaded", G_CALLBACK (on_loaded), self);
  g_signal_connect_swapped (self->controller, "problem", G_CALLBACK (on_problem), self);
  update_actions (self, NULL);
  show_empty (self);
}

/* A request without a match comes from a screenshot or a door: stop somewhere worth looking at. */
static void
sonde_debugger_page_show (SondePage              *page,
                          const SondePageRequest *request)
{
  if (request->match == NULL)
    start_from_workspace (SONDE_DEBUGGER_PAGE (page), request->at != NULL ? request->at : "");
}

static void
sonde_debugger_page_opened (SondePage *page)
{
  SONDE_PAGE_CLASS (sonde_debugger_page_parent_class)->opened (page);
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

  if (self->controller != NULL)
    g_signal_handlers_disconnect_by_data (self->controller, self);
  g_clear_object (&self->controller);
  g_clear_object (&self->actions);
  G_OBJECT_CLASS (sonde_debugger_page_parent_class)->dispose (object);
}

static void
sonde_debugger_page_class_init (SondeDebuggerPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debugger_page_dispose;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_debugger_page_set_up;
  SONDE_PAGE_CLASS (klass)->opened = sonde_debugger_page_opened;
  SONDE_PAGE_CLASS (klass)->show = sonde_debugger_page_show;
  SONDE_PAGE_CLASS (klass)->is_settled = sonde_debugger_page_is_settled;
  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  g_type_ensure (SONDE_TYPE_GRAPH_VIEW);
  g_type_ensure (SONDE_TYPE_DEBUG_VALUES);
  g_type_ensure (SONDE_TYPE_MARK);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, mark);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, state);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, listing);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, graph);
  gtk_widget_class_bind_template_child (widget_class, SondeDebuggerPage, values);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_shortcut (widget_class,
                                   gtk_shortcut_new (gtk_shortcut_trigger_parse_string (keys[i].trigger),
                                                     gtk_named_action_new (keys[i].action)));
}

static void
add_mark_attributes (SondeDebuggerPage *self,
                     const char        *category,
                     const char        *icon,
                     const GdkRGBA     *background,
                     int                priority)
{
  g_autoptr (GtkSourceMarkAttributes) attributes = gtk_source_mark_attributes_new ();

  gtk_source_mark_attributes_set_icon_name (attributes, icon);
  if (background != NULL)
    gtk_source_mark_attributes_set_background (attributes, background);
  gtk_source_view_set_mark_attributes (GTK_SOURCE_VIEW (self->listing), category, attributes, priority);
}

static void
sonde_debugger_page_init (SondeDebuggerPage *self)
{
  const SondeColor *amber = &sonde_theme_get (FALSE)->state[SONDE_STATE_PAUSED];
  GdkRGBA current = { (float) amber->red, (float) amber->green, (float) amber->blue, 0.3f };

  gtk_widget_init_template (GTK_WIDGET (self));
  self->is_settled = TRUE;
  self->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (self->actions), entries, G_N_ELEMENTS (entries), self);
  gtk_widget_insert_action_group (GTK_WIDGET (self), "debug", G_ACTION_GROUP (self->actions));
  add_mark_attributes (self, MARK_CURRENT, "go-next-symbolic", &current, 2);
  add_mark_attributes (self, MARK_BREAKPOINT, "media-record-symbolic", NULL, 1);
  g_signal_connect (self->listing, "line-mark-activated", G_CALLBACK (on_line_activated), self);
  g_signal_connect_swapped (self->graph, "ready", G_CALLBACK (on_graph_ready), self);
  g_signal_connect_swapped (self->values, "settled", G_CALLBACK (update_settled), self);
}
