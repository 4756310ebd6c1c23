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

#define RESOURCE "/org/sonde/Sonde/debugger/sonde-debug-panel-dock.ui"

struct _SondeDebugPanelDock
{
  GtkBox parent_instance;

  GtkWidget *stack;
  SondeDebugSession *session; /* borrowed from the page */
};

G_DEFINE_FINAL_TYPE (SondeDebugPanelDock, sonde_debug_panel_dock, GTK_TYPE_BOX)

static const struct
{
  const char *name, *title;
  GtkWidget *(*make) (SondeDebugSession *session);
} tabs[] = {
  { "breakpoints", N_ ("Breakpoints"), sonde_debug_breakpoints_new },
  { "neighbourhood", N_ ("Neighbourhood"), sonde_debug_neighbourhood_new },
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

static void
sonde_debug_panel_dock_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_PANEL_DOCK);
  G_OBJECT_CLASS (sonde_debug_panel_dock_parent_class)->dispose (object);
}

static void
sonde_debug_panel_dock_class_init (SondeDebugPanelDockClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_panel_dock_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugPanelDock, stack);
}

static void
sonde_debug_panel_dock_init (SondeDebugPanelDock *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
