/* SPDX-License-Identifier: Apache-2.0
 * Listing and graph. */
#include "app/debugger/sonde-debug-locations.h"

#include "data/base/sonde-text.h"

struct _SondeDebugLocations
{
  GObject parent_instance;

  SondeDebugSession *session;
  SondeDebugLayout *layout;   /* borrowed */
  SondeDebugListing *listing; /* borrowed */
  SondeGraphView *graph;      /* borrowed */
  guint phases;               /* of the graph that are shown */
  guint serial;               /* of the breakpoints that are shown */
  gboolean selecting;         /* a box is selected by us */
  guint fill_tick, fill_idle; /* listing and graph are about to be filled */
};

G_DEFINE_FINAL_TYPE (SondeDebugLocations, sonde_debug_locations, G_TYPE_OBJECT)

static gboolean
is_filling (SondeDebugLocations *self)
{
  return self->fill_tick != 0 || self->fill_idle != 0;
}

/* ---- marks --------------------------------------------------------------- */

/* All nodes of a step; several when they were fused. */
static void
add_nodes (GPtrArray *names, const SondeStepInfo *step)
{
  for (gsize i = 0; step != NULL && step->nodes != NULL && step->nodes[i] != NULL; i++)
    g_ptr_array_add (names, step->nodes[i]);
}

static SondeDebugBreakpointKind
kind_of (const SondeBreakpoint *info)
{
  if (!info->enabled)
    return SONDE_DEBUG_BREAKPOINT_OFF;
  return info->condition != NULL || info->log != NULL ? SONDE_DEBUG_BREAKPOINT_CONDITIONAL
                                                      : SONDE_DEBUG_BREAKPOINT_PLAIN;
}

static void
add_breakpoint (SondeDebugLocations *self, const SondeBreakpoint *info, GArray *lines,
                GPtrArray *broken)
{
  SondeDebugSteps *steps = sonde_debug_session_get_steps (self->session);
  SondeDebugLineMark inside = { 0, kind_of (info) };
  gboolean is_found = FALSE;

  for (guint i = 0; i < sonde_debug_steps_get_n (steps); i++)
    {
      const SondeStepInfo *step = sonde_debug_steps_get (steps, i);
      SondeDebugLineMark mark = { sonde_debug_steps_get_line (steps, i), kind_of (info) };

      /* A value that the plan put elsewhere is still made where its node is. */
      if (!sonde_debug_step_is_meant (step, info->pattern) || sonde_debug_step_is_inserted (step))
        continue;
      is_found = TRUE;
      if (info->enabled)
        g_ptr_array_add (broken, (char *) sonde_debug_steps_get_name (steps, i));
      if (mark.line > 0)
        g_array_append_val (lines, mark);
    }
  /* A node of a body. */
  inside.line = is_found ? 0 : sonde_debug_listing_find_name (self->listing, info->pattern);
  if (inside.line > 0)
    g_array_append_val (lines, inside);
}

/* The step whose nodes the graph shows for where it stands: of an inserted one, which reads for the next
 * node, that node's. */
static guint
shown_position (SondeDebugLocations *self)
{
  const SondeStop *stop = &sonde_debug_session_get_status (self->session)->stop;

  return sonde_debug_steps_find_shown (sonde_debug_session_get_steps (self->session),
                                       sonde_stop_get_outermost (stop));
}

/* The line it stands before: inside a body that of the body's node. */
static guint
current_line (SondeDebugLocations *self)
{
  const SondeStop *stop = &sonde_debug_session_get_status (self->session)->stop;
  guint line = stop->frames != NULL && stop->frames->len > 1
                   ? sonde_debug_listing_find_name (self->listing, stop->node)
                   : 0;

  return line > 0 ? line
                  : sonde_debug_steps_get_line (sonde_debug_session_get_steps (self->session),
                                                sonde_stop_get_outermost (stop));
}

static void
mark_graph (SondeDebugLocations *self, SondeGraphMark mark, GPtrArray *names)
{
  g_ptr_array_add (names, NULL);
  sonde_graph_view_mark (self->graph, mark, (const char *const *) names->pdata);
}

/* Done, current, breakpoints. */
static void
show_marks (SondeDebugLocations *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  GPtrArray *breakpoints = sonde_debug_session_get_breakpoints (self->session);
  gboolean stands = sonde_debug_session_has_position (self->session);
  g_autoptr (GPtrArray) done = g_ptr_array_new (), broken = g_ptr_array_new (),
                        current = g_ptr_array_new ();
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (SondeDebugLineMark));
  guint line = 0;

  for (guint i = 0; stands && i < sonde_stop_get_outermost (&status->stop); i++)
    add_nodes (done, sonde_debug_steps_get (sonde_debug_session_get_steps (self->session), i));
  for (guint i = 0; breakpoints != NULL && i < breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (breakpoints, i);

      if (!info->temporary)
        add_breakpoint (self, info, lines, broken);
    }
  if (stands)
    {
      add_nodes (current, sonde_debug_steps_get (sonde_debug_session_get_steps (self->session),
                                                 shown_position (self)));
      line = current_line (self);
    }
  mark_graph (self, SONDE_GRAPH_MARK_DONE, done);
  mark_graph (self, SONDE_GRAPH_MARK_BREAKPOINT, broken);
  mark_graph (self, SONDE_GRAPH_MARK_CURRENT, current);
  sonde_debug_listing_set_marks (self->listing, line, lines);
}

/* ---- moving -------------------------------------------------------------- */

/* The backward pass becomes part of the graph when the run gets there. */
static void
show_graph (SondeDebugLocations *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  gboolean forward = !sonde_debug_session_has_position (self->session)
                     || status->stop.phase == SONDE_PHASE_FORWARD;
  guint phases = !forward            ? SONDE_GRAPH_SCENE_ALL_PHASES
                 : self->phases != 0 ? self->phases
                                     : SONDE_GRAPH_SCENE_FORWARD;

  if (phases == self->phases || status == NULL)
    return;
  self->phases = phases;
  sonde_graph_view_set_graph (self->graph, sonde_debug_session_get_graph (self->session), phases);
}

static void
select_box (SondeDebugLocations *self, const char *name)
{
  self->selecting = TRUE;
  if (name != NULL)
    sonde_graph_view_select_name (self->graph, name);
  else
    sonde_view_set_selection (SONDE_VIEW (self->graph), SONDE_VIEW_NOTHING);
  self->selecting = FALSE;
}

static void
go_to_position (SondeDebugLocations *self)
{
  const char *name = sonde_debug_session_has_position (self->session) ? sonde_debug_steps_get_name (
                         sonde_debug_session_get_steps (self->session), shown_position (self))
                                                                      : NULL;

  sonde_debug_listing_set_looked_at (self->listing, 0);
  if (!sonde_debug_session_has_position (self->session))
    return;
  if (name != NULL)
    sonde_graph_view_reveal_around (self->graph, name);
  sonde_debug_listing_scroll_to (self->listing, current_line (self));
}

static void
on_moved (SondeDebugLocations *self)
{
  if (!sonde_debug_session_is_loaded (self->session) || is_filling (self))
    return;
  show_graph (self);
  show_marks (self);
  if (!sonde_debug_session_has_position (self->session))
    return;
  select_box (self, NULL);
  go_to_position (self);
}

static void
on_changed (SondeDebugLocations *self)
{
  guint serial = sonde_debug_session_get_breakpoints_serial (self->session);

  if (!sonde_debug_session_is_loaded (self->session) || is_filling (self))
    return;
  show_graph (self);
  if (serial == self->serial)
    return;
  show_marks (self);
  self->serial = serial;
}

/* What the plan inserted is nothing that the model says. */
static void
dim_inserted (SondeDebugLocations *self)
{
  SondeDebugSteps *steps = sonde_debug_session_get_steps (self->session);

  for (guint i = 0; i < sonde_debug_steps_get_n (steps); i++)
    if (sonde_debug_step_is_inserted (sonde_debug_steps_get (steps, i)))
      sonde_debug_listing_dim (self->listing, sonde_debug_steps_get_line (steps, i));
}

static gboolean
fill_listing (gpointer data)
{
  SondeDebugLocations *self = data;
  const char *listing = sonde_debug_session_get_listing (self->session);

  self->fill_idle = 0;
  sonde_debug_listing_set_text (self->listing, listing != NULL ? listing : "",
                                sonde_debug_session_get_graph (self->session));
  dim_inserted (self);
  on_moved (self);
  sonde_debug_session_release (self->session);
  return G_SOURCE_REMOVE;
}

/* A long text that is put into a view without a size is measured while the view gets it, and one
 * that is put there within a frame while it is drawn; both leave the widgets around it without a
 * size. So it comes between two frames; and the graph, whose scale is chosen for the size that it
 * has, comes with it once the panels have theirs. */
static gboolean
wait_for_size (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SondeDebugLocations *self = data;

  if ((gtk_widget_get_width (widget) == 0 && gtk_widget_get_visible (widget))
      || sonde_debug_layout_is_arranging (self->layout))
    return G_SOURCE_CONTINUE;
  self->fill_tick = 0;
  self->fill_idle = g_idle_add_full (G_PRIORITY_DEFAULT, fill_listing, self, NULL);
  return G_SOURCE_REMOVE;
}

static void
stop_filling (SondeDebugLocations *self)
{
  if (!is_filling (self))
    return;
  if (self->fill_tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (self->listing), self->fill_tick);
  self->fill_tick = 0;
  g_clear_handle_id (&self->fill_idle, g_source_remove);
  sonde_debug_session_release (self->session);
}

static void
on_loaded (SondeDebugLocations *self)
{
  self->phases = 0;
  if (is_filling (self))
    return;
  sonde_debug_session_hold (self->session);
  if (gtk_widget_get_visible (GTK_WIDGET (self->listing)))
    self->fill_tick
        = gtk_widget_add_tick_callback (GTK_WIDGET (self->listing), wait_for_size, self, NULL);
  else
    fill_listing (self);
}

/* The layout took its time; the marks made before are of no scene. */
static void
on_graph_ready (SondeDebugLocations *self)
{
  if (!sonde_debug_session_is_loaded (self->session))
    return;
  show_marks (self);
  go_to_position (self);
}

/* ---- the node that is looked at ------------------------------------------ */

static void
on_focus (SondeDebugLocations *self)
{
  guint focus = sonde_debug_session_get_focus (self->session);
  guint line = sonde_debug_steps_get_line (sonde_debug_session_get_steps (self->session), focus);
  const char *name
      = sonde_debug_steps_get_name (sonde_debug_session_get_steps (self->session), focus);

  if (focus == SONDE_DEBUG_NO_STEP)
    {
      select_box (self, NULL);
      go_to_position (self);
      return;
    }
  sonde_debug_listing_set_looked_at (self->listing, line);
  if (line > 0 && line != sonde_debug_listing_get_line (self->listing))
    sonde_debug_listing_scroll_to (self->listing, line);
  if (name != NULL)
    select_box (self, name);
}

/* A click in the gutter. */
static void
on_line_activated (SondeDebugLocations *self, guint line)
{
  guint step = sonde_debug_steps_find_line (sonde_debug_session_get_steps (self->session), line);
  g_autofree char *inside = sonde_debug_listing_dup_name (self->listing, line);
  const char *outside
      = sonde_debug_steps_get_name (sonde_debug_session_get_steps (self->session), step);
  const char *name = outside != NULL ? outside : inside;
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  if (name == NULL || status == NULL)
    return;
  if (status->in_control)
    sonde_debug_session_toggle_breakpoint (self->session, name);
  else
    sonde_debug_session_report (
        self->session, _ ("Another client is in control; only that client can set breakpoints."));
}

static void
on_line_chosen (SondeDebugLocations *self, guint line)
{
  guint step = sonde_debug_steps_find_line (sonde_debug_session_get_steps (self->session), line);

  if (step != SONDE_DEBUG_NO_STEP)
    sonde_debug_session_set_focus (self->session, step);
}

static void
on_box_selected (SondeDebugLocations *self)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (self->graph);

  if (self->selecting || box == NULL)
    return;
  if (box->node != NULL)
    sonde_debug_session_focus_name (self->session, box->node->name);
  else if (box->value != NULL)
    sonde_debug_session_show_value (self->session, box->value->name);
}

void
sonde_debug_locations_clear (SondeDebugLocations *locations)
{
  locations->phases = 0;
  stop_filling (locations);
  sonde_graph_view_set_graph (locations->graph, NULL, 0);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_locations_dispose (GObject *object)
{
  SondeDebugLocations *self = SONDE_DEBUG_LOCATIONS (object);

  stop_filling (self);
  g_clear_object (&SONDE_DEBUG_LOCATIONS (object)->session);
  G_OBJECT_CLASS (sonde_debug_locations_parent_class)->dispose (object);
}

static void
sonde_debug_locations_class_init (SondeDebugLocationsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_locations_dispose;
}

static void
sonde_debug_locations_init (SondeDebugLocations *self)
{
}

SondeDebugLocations *
sonde_debug_locations_new (SondeDebugSession *session, SondeDebugLayout *layout,
                           SondeDebugListing *listing, SondeGraphView *graph)
{
  SondeDebugLocations *self = g_object_new (SONDE_TYPE_DEBUG_LOCATIONS, NULL);

  self->session = g_object_ref (session);
  self->layout = layout;
  self->listing = listing;
  self->graph = graph;
  sonde_graph_view_set_legend (graph, TRUE);
  g_signal_connect_object (session, "loaded", G_CALLBACK (on_loaded), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "moved", G_CALLBACK (on_moved), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "focus", G_CALLBACK (on_focus), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (listing, "line-activated", G_CALLBACK (on_line_activated), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (listing, "line-chosen", G_CALLBACK (on_line_chosen), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "ready", G_CALLBACK (on_graph_ready), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (graph, "notify::selection", G_CALLBACK (on_box_selected), self,
                           G_CONNECT_SWAPPED);
  return self;
}
