/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-colour-choice.h"

#include "app/pages/graph/sonde-graph-colours.h"
#include "app/pages/graph/sonde-graph-health.h"
#include "app/widgets/sonde-choice.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "engine/frontend/sonde-debug-session.h"

struct _SondeGraphColourChoice
{
  AdwBin parent_instance;
  SondePage *page;
  SondeGraphView *view;
  GtkWidget *drop_down;
  GListStore *choices; /* (element-type SondeChoice): a row of the table each */
  SondeGraph *graph;
  const SondeGraphColour *shown, *wanted; /* @wanted: (nullable): waits for its graph or profile */
  SondeTraceDocument *document;           /* (nullable): the open one */
  gboolean holding;                       /* the page, until what is wanted is there */
  const double *flops;                    /* of the graph; lent, (nullable) */
  gboolean cannot_count, has_values;
  SondeNode *const *partners; /* of the nodes; lent, (nullable) */
  SondeNodeHealth *health;    /* by node id, once it was read; (nullable) */
  GCancellable *reading;      /* of it */
  SondeDebugSession *session; /* (nullable): what is debugged, once there was something */
};

G_DEFINE_FINAL_TYPE (SondeGraphColourChoice, sonde_graph_colour_choice, ADW_TYPE_BIN)

static void take_wanted (SondeGraphColourChoice *self);
static void on_findings (SondeGraphColourChoice *self);

/* ---- profiles ------------------------------------------------------------ */

static SondeProfileSources *
get_sources (SondeGraphColourChoice *self)
{
  return sonde_workspace_get_profiles (sonde_page_get_workspace (self->page));
}

/* It is made with the Debugger page. */
static void
follow_session (SondeGraphColourChoice *self)
{
  GObject *session = sonde_workspace_get_session (sonde_page_get_workspace (self->page));

  if (self->session != NULL || session == NULL)
    return;
  self->session = g_object_ref (SONDE_DEBUG_SESSION (session));
  g_signal_connect_object (session, "findings", G_CALLBACK (on_findings), self, G_CONNECT_SWAPPED);
}

static SondeGraphColourSource
get_source (SondeGraphColourChoice *self)
{
  return (SondeGraphColourSource){
    .graph = self->graph,
    .profile = self->document != NULL ? sonde_trace_document_get_nodes (self->document) : NULL,
    .flops = self->flops,
    .cannot_count = self->cannot_count,
    .has_values = self->has_values,
    .health = self->health,
    .findings = self->session != NULL ? sonde_debug_session_get_findings (self->session) : NULL,
    .partners = self->partners,
    .has_profile = self->document != NULL || sonde_profile_sources_get_n (get_sources (self)) > 0,
  };
}

/* What is open, unless that is the profile of another run than the one that is looked at. */
static void
open_profile (SondeGraphColourChoice *self)
{
  SondeProfileSources *sources = get_sources (self);
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (self->page));
  const char *path = self->document != NULL ? sonde_trace_document_get_path (self->document) : NULL;
  int open = path != NULL ? sonde_profile_sources_find (sources, path) : -1;
  gboolean of_run = open >= 0 && sonde_profile_sources_get (sources, (guint) open)->run != NULL;

  if (run != NULL && sonde_profile_sources_is_recorded (run)
      && (path == NULL || (of_run && !g_str_equal (path, sonde_run_get_path (run)))))
    sonde_profile_sources_open (sources, sonde_run_get_path (run), 0);
  else
    sonde_profile_sources_open_any (sources, run);
}

static gboolean
is_loading (SondeGraphColourChoice *self)
{
  return self->document != NULL
         && sonde_trace_document_get_state (self->document) == SONDE_TRACE_DOCUMENT_LOADING;
}

/* What is wanted needs a profile that is being read, runs that have not been found yet, or a count. */
static gboolean
is_waiting (SondeGraphColourChoice *self)
{
  SondeGraphColourNeed needs
      = self->wanted != NULL ? self->wanted->needs : SONDE_GRAPH_COLOUR_NEEDS_GRAPH;

  if (needs == SONDE_GRAPH_COLOUR_NEEDS_FLOPS)
    return self->flops == NULL && !self->cannot_count;
  if (needs == SONDE_GRAPH_COLOUR_NEEDS_VALUES)
    return self->reading != NULL
           || (!self->has_values && sonde_run_store_is_loading (sonde_page_get_store (self->page)));
  return needs == SONDE_GRAPH_COLOUR_NEEDS_PROFILE
         && (is_loading (self)
             || (self->document == NULL
                 && sonde_run_store_is_loading (sonde_page_get_store (self->page))));
}

static void
hold_while_loading (SondeGraphColourChoice *self)
{
  gboolean waits = is_waiting (self);

  if (waits && !self->holding)
    sonde_page_hold (self->page);
  else if (!waits && self->holding)
    sonde_page_release (self->page);
  self->holding = waits;
}

/* ---- what is chosen ------------------------------------------------------ */

static SondeRun *
get_run (SondeGraphColourChoice *self)
{
  return sonde_workspace_get_run (sonde_page_get_workspace (self->page));
}

static void
update_reasons (SondeGraphColourChoice *self)
{
  SondeGraphColourSource source;

  follow_session (self);
  self->has_values = self->graph != NULL && get_run (self) != NULL
                     && sonde_graph_health_is_recorded (get_run (self), self->graph);
  source = get_source (self);

  for (guint i = 0; self->graph != NULL && sonde_graph_colours[i].name != NULL; i++)
    {
      const SondeGraphColour *colour = &sonde_graph_colours[i];
      g_autoptr (SondeChoice) choice = g_list_model_get_item (G_LIST_MODEL (self->choices), i);

      sonde_choice_set_reason (choice, colour->explain != NULL ? colour->explain (&source) : NULL);
    }
}

static void
show_colour (SondeGraphColourChoice *self, const SondeGraphColour *colour)
{
  SondeGraphColourSource source = get_source (self);

  self->shown = colour;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->drop_down),
                              (guint) (colour - sonde_graph_colours));
  sonde_graph_view_take_tint (self->view, colour->make != NULL ? colour->make (&source) : NULL);
}

/* Another comparison or search; or the session is over, and nothing is known any more. */
static void
on_findings (SondeGraphColourChoice *self)
{
  SondeGraphColourSource source = get_source (self);

  if (self->graph == NULL)
    return;
  update_reasons (self);
  if (self->shown->needs != SONDE_GRAPH_COLOUR_NEEDS_FINDINGS)
    return;
  show_colour (self, self->shown->explain (&source) == NULL ? self->shown : sonde_graph_colours);
}

static void
on_health (GObject *run, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeGraphColourChoice) self = data;
  g_autoptr (GError) error = NULL;
  SondeNodeHealth *health = NULL;

  if (self->graph != NULL)
    health = sonde_graph_health_finish (SONDE_RUN (run), result, self->graph, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) || self->graph == NULL)
    return;
  g_clear_object (&self->reading);
  self->health = health;
  if (health == NULL)
    {
      sonde_page_toast (self->page, sonde_error_get_text (error));
      self->wanted = sonde_graph_colours;
    }
  take_wanted (self);
}

static void
forget_health (SondeGraphColourChoice *self)
{
  g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_pointer (&self->health, g_free);
}

static void
read_health (SondeGraphColourChoice *self)
{
  if (self->health != NULL || self->reading != NULL || !self->has_values)
    return;
  self->reading = g_cancellable_new ();
  sonde_graph_health_async (get_run (self), self->graph, self->reading, on_health,
                            g_object_ref (self));
}

/* Shows what is wanted, once that can be told; what cannot be shown says why and leaves the families. */
static void
take_wanted (SondeGraphColourChoice *self)
{
  const SondeGraphColour *colour = self->wanted;
  SondeGraphColourSource source;
  const char *reason;

  if (colour == NULL || self->graph == NULL)
    return;
  if (colour->needs == SONDE_GRAPH_COLOUR_NEEDS_PROFILE)
    open_profile (self);
  else if (colour->needs == SONDE_GRAPH_COLOUR_NEEDS_VALUES)
    read_health (self);
  hold_while_loading (self);
  if (is_waiting (self))
    return;
  source = get_source (self);
  reason = colour->explain != NULL ? colour->explain (&source) : NULL;
  if (reason == NULL && colour->needs == SONDE_GRAPH_COLOUR_NEEDS_PROFILE && source.profile == NULL)
    reason = self->document != NULL ? sonde_trace_document_get_error (self->document) : NULL;
  self->wanted = NULL;
  hold_while_loading (self);
  if (reason != NULL)
    sonde_page_toast (self->page, reason);
  else if (colour->needs == SONDE_GRAPH_COLOUR_NEEDS_PROFILE && source.profile == NULL)
    reason = ""; /* reading it was cancelled: nothing to be told */
  show_colour (self, reason == NULL ? colour : sonde_graph_colours);
}

static void
on_selected (SondeGraphColourChoice *self)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->drop_down));

  if (selected == GTK_INVALID_LIST_POSITION || self->shown == &sonde_graph_colours[selected])
    return;
  self->wanted = &sonde_graph_colours[selected];
  take_wanted (self);
}

static void
on_document_state (SondeGraphColourChoice *self)
{
  if (is_loading (self))
    return;
  update_reasons (self);
  if (self->wanted == NULL && self->shown->needs == SONDE_GRAPH_COLOUR_NEEDS_PROFILE)
    self->wanted = self->shown; /* another profile, other numbers */
  take_wanted (self);
}

static void
on_document_changed (SondeGraphColourChoice *self)
{
  SondeTraceDocument *document = sonde_profile_sources_get_document (get_sources (self));

  if (document == self->document)
    return;
  if (self->document != NULL)
    g_signal_handlers_disconnect_by_data (self->document, self);
  g_set_object (&self->document, document);
  if (document != NULL)
    g_signal_connect_object (document, "state-changed", G_CALLBACK (on_document_state), self,
                             G_CONNECT_SWAPPED);
  update_reasons (self);
  if (document == NULL && self->shown->needs == SONDE_GRAPH_COLOUR_NEEDS_PROFILE)
    show_colour (self, sonde_graph_colours);
  hold_while_loading (self);
}

/* Runs were found: perhaps one with the profile that is waited for. */
static void
on_workspace_changed (SondeGraphColourChoice *self)
{
  update_reasons (self);
  if (self->wanted != NULL && !is_loading (self))
    take_wanted (self);
}

/* ---- from outside -------------------------------------------------------- */

void
sonde_graph_colour_choice_set_up (SondeGraphColourChoice *choice, SondePage *page,
                                  SondeGraphView *view)
{
  g_return_if_fail (SONDE_IS_GRAPH_COLOUR_CHOICE (choice));
  choice->page = page;
  choice->view = view;
  g_signal_connect_object (get_sources (choice), "document-changed",
                           G_CALLBACK (on_document_changed), choice, G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_page_get_workspace (page), "changed",
                           G_CALLBACK (on_workspace_changed), choice, G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_page_get_workspace (page), "session-changed",
                           G_CALLBACK (follow_session), choice, G_CONNECT_SWAPPED);
  on_document_changed (choice);
}

void
sonde_graph_colour_choice_set_graph (SondeGraphColourChoice *choice, SondeGraph *graph)
{
  g_return_if_fail (SONDE_IS_GRAPH_COLOUR_CHOICE (choice));
  if (graph != NULL)
    sonde_graph_ref (graph);
  g_clear_pointer (&choice->graph, sonde_graph_unref);
  choice->graph = graph;
  forget_health (choice);
  choice->partners = NULL;
  choice->flops = NULL;
  choice->cannot_count = FALSE;
  if (graph == NULL)
    return;
  update_reasons (choice);
  if (choice->wanted == NULL)
    choice->wanted = choice->shown;
  take_wanted (choice);
}

void
sonde_graph_colour_choice_set_flops (SondeGraphColourChoice *choice, const double *flops)
{
  g_return_if_fail (SONDE_IS_GRAPH_COLOUR_CHOICE (choice));
  choice->flops = flops;
  choice->cannot_count = flops == NULL;
  update_reasons (choice);
  take_wanted (choice);
}

void
sonde_graph_colour_choice_set_partners (SondeGraphColourChoice *choice, SondeNode *const *partners)
{
  const SondeGraphColour *difference = sonde_graph_colour_find ("difference");

  g_return_if_fail (SONDE_IS_GRAPH_COLOUR_CHOICE (choice));
  choice->partners = partners;
  update_reasons (choice);
  if (partners != NULL && (choice->shown == difference || choice->wanted == difference))
    show_colour (choice, difference);
  else if (partners == NULL && choice->shown == difference)
    show_colour (choice, sonde_graph_colours);
}

void
sonde_graph_colour_choice_choose (SondeGraphColourChoice *choice, const char *name)
{
  const SondeGraphColour *colour = sonde_graph_colour_find (name);

  g_return_if_fail (SONDE_IS_GRAPH_COLOUR_CHOICE (choice) && colour != NULL);
  choice->wanted = colour;
  take_wanted (choice);
}

const char *
sonde_graph_colour_choice_get (SondeGraphColourChoice *choice)
{
  return choice->shown->name;
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_graph_colour_choice_dispose (GObject *object)
{
  SondeGraphColourChoice *self = SONDE_GRAPH_COLOUR_CHOICE (object);

  forget_health (self);
  g_clear_object (&self->document);
  g_clear_object (&self->session);
  g_clear_object (&self->choices);
  g_clear_pointer (&self->graph, sonde_graph_unref);
  G_OBJECT_CLASS (sonde_graph_colour_choice_parent_class)->dispose (object);
}

static void
sonde_graph_colour_choice_class_init (SondeGraphColourChoiceClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_graph_colour_choice_dispose;
}

static void
sonde_graph_colour_choice_init (SondeGraphColourChoice *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new (_ ("Colour"));

  self->shown = sonde_graph_colours;
  self->choices = g_list_store_new (SONDE_TYPE_CHOICE);
  for (const SondeGraphColour *colour = sonde_graph_colours; colour->name != NULL; colour++)
    {
      g_autoptr (SondeChoice) choice = sonde_choice_new (colour->name, _ (colour->title));

      g_list_store_append (self->choices, choice);
    }
  self->drop_down = gtk_drop_down_new (NULL, NULL);
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), self->drop_down);
  gtk_widget_set_tooltip_text (self->drop_down, _ ("What the colours of the nodes mean"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Colour by"), -1);
  sonde_choice_set_up (GTK_DROP_DOWN (self->drop_down), G_LIST_MODEL (self->choices));
  adw_bin_set_child (ADW_BIN (self), box);
  g_signal_connect_object (self->drop_down, "notify::selected", G_CALLBACK (on_selected), self,
                           G_CONNECT_SWAPPED);
}
