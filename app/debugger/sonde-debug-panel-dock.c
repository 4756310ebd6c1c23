/* SPDX-License-Identifier: Apache-2.0
 * Tabs. */
#include "app/debugger/sonde-debug-panel-dock.h"

#include "app/debugger/panels/sonde-debug-neighbourhood.h"
#include "app/debugger/panels/sonde-debug-branches.h"
#include "app/debugger/panels/sonde-debug-breakpoints.h"
#include "app/debugger/panels/sonde-debug-console.h"
#include "app/debugger/panels/sonde-debug-history.h"
#include "app/debugger/panels/sonde-debug-hits.h"
#include "app/debugger/panels/sonde-debug-memory.h"
#include "app/debugger/panels/sonde-debug-stack.h"
#include "app/debugger/panels/sonde-debug-watches.h"
#include "data/base/sonde-text.h"

struct _SondeDebugPanelDock
{
  GtkBox parent_instance;

  GtkWidget *stack;
  SondeDebugSession *session; /* lent by the page */
};

G_DEFINE_FINAL_TYPE (SondeDebugPanelDock, sonde_debug_panel_dock, GTK_TYPE_BOX)

static const struct
{
  const char *name, *title;
  GtkWidget *(*make) (SondeDebugSession *session);
} tabs[] = {
  { "breakpoints", N_ ("Breakpoints"), sonde_debug_breakpoints_new },
  { "neighbourhood", N_ ("Neighborhood"), sonde_debug_neighbourhood_new },
  { "hits", N_ ("Hits"), sonde_debug_hits_new },
  { "stack", N_ ("Stack"), sonde_debug_stack_new },
  { "watches", N_ ("Watches"), sonde_debug_watches_new },
  { "history", N_ ("History"), sonde_debug_history_new },
  { "branches", N_ ("Branches"), sonde_debug_branches_new },
  { "console", N_ ("Console"), sonde_debug_console_new },
  { "memory", N_ ("Memory"), sonde_debug_memory_new },
};

/* What stopped the run is on top. */
static void
on_moved (SondeDebugPanelDock *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);

  if (status != NULL && status->state == SONDE_SESSION_PAUSED
      && status->stop.reason == SONDE_STOP_WATCHPOINT)
    sonde_debug_panel_dock_show (self, "hits");
}

void
sonde_debug_panel_dock_set_session (SondeDebugPanelDock *dock, SondeDebugSession *session)
{
  dock->session = session;
  g_signal_connect_object (session, "moved", G_CALLBACK (on_moved), dock, G_CONNECT_SWAPPED);
  for (gsize i = 0; i < G_N_ELEMENTS (tabs); i++)
    gtk_stack_add_titled (GTK_STACK (dock->stack), tabs[i].make (session), tabs[i].name,
                          _ (tabs[i].title));
  sonde_debug_panel_dock_show (dock, "stack"); /* the one that is never empty at a stop */
}

void
sonde_debug_panel_dock_show (SondeDebugPanelDock *dock, const char *name)
{
  if (gtk_stack_get_child_by_name (GTK_STACK (dock->stack), name) != NULL)
    gtk_stack_set_visible_child_name (GTK_STACK (dock->stack), name);
}

const char *
sonde_debug_panel_dock_get_shown (SondeDebugPanelDock *dock)
{
  return gtk_stack_get_visible_child_name (GTK_STACK (dock->stack));
}

static void
sonde_debug_panel_dock_class_init (SondeDebugPanelDockClass *klass)
{
}

static void
sonde_debug_panel_dock_init (SondeDebugPanelDock *self)
{
  GtkWidget *switcher = gtk_stack_switcher_new (), *scrolled = gtk_scrolled_window_new ();

  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  self->stack = gtk_stack_new ();
  gtk_stack_set_hhomogeneous (GTK_STACK (self->stack), FALSE);
  gtk_stack_set_vhomogeneous (GTK_STACK (self->stack), FALSE);
  gtk_widget_set_vexpand (self->stack, TRUE);
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (switcher), GTK_STACK (self->stack));
  gtk_widget_add_css_class (switcher, "dock-tabs");
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_EXTERNAL,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), switcher);
  gtk_widget_set_halign (switcher, GTK_ALIGN_START);
  gtk_box_append (GTK_BOX (self), scrolled);
  gtk_box_append (GTK_BOX (self), gtk_separator_new (GTK_ORIENTATION_HORIZONTAL));
  gtk_box_append (GTK_BOX (self), self->stack);
}
