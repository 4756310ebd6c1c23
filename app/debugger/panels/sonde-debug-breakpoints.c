/* SPDX-License-Identifier: Apache-2.0
 * The list of breakpoints and watchpoints. */
#include "app/debugger/panels/sonde-debug-breakpoints.h"

#include "app/debugger/dialogs/sonde-debug-form.h"
#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-text.h"
#include "engine/frontend/sonde-debug-describe.h"

struct _SondeDebugBreakpoints
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *list, *add, *clear, *errors;
  gulong errors_handler;
  guint serial; /* of the session's lists that are shown */
};

G_DEFINE_FINAL_TYPE (SondeDebugBreakpoints, sonde_debug_breakpoints, GTK_TYPE_BOX)

/* ---- rows ---------------------------------------------------------------- */

static guint
id_of (GtkWidget *widget)
{
  GtkWidget *row = gtk_widget_get_ancestor (widget, GTK_TYPE_LIST_BOX_ROW);

  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (row), "id"));
}

static void
on_switched (GtkSwitch *button, GParamSpec *pspec, SondeDebugBreakpoints *self)
{
  sonde_debug_session_enable_breakpoint (self->session, id_of (GTK_WIDGET (button)),
                                         gtk_switch_get_active (button));
}

static void
on_remove (GtkButton *button, SondeDebugBreakpoints *self)
{
  sonde_debug_session_remove_breakpoint (self->session, id_of (GTK_WIDGET (button)));
}

static gboolean
catches_errors (const SondeBreakpoint *info)
{
  return g_str_equal (info->pattern, SONDE_BREAKPOINT_ERRORS);
}

/* "before · if max(x) > 3 · prints …". (transfer full) */
static char *
describe_breakpoint (const SondeBreakpoint *info)
{
  GString *text = g_string_new (catches_errors (info)                ? _ ("where a node fails")
                                : info->moment == SONDE_MOMENT_AFTER ? C_ ("breakpoint", "after")
                                                                     : C_ ("breakpoint", "before"));

  if (info->condition != NULL)
    sonde_debug_append (text, _ ("if %s"), info->condition);
  if (info->log != NULL)
    sonde_debug_append (text, _ ("prints %s"), info->log);
  if (info->temporary)
    sonde_debug_append (text, "%s", _ ("once"));
  if (info->ignore > 0)
    sonde_debug_append (
        text, P_ ("ignores %" PRIu64 " more hit", "ignores %" PRIu64 " more hits", info->ignore),
        info->ignore);
  return g_string_free (text, FALSE);
}

/* "on kind:gradient · does not pause the run · 12 values". (transfer full) */
static char *
describe_watch (const SondeWatch *info)
{
  GString *text = g_string_new (NULL);

  if (info->pattern != NULL)
    sonde_debug_append (text, _ ("on %s"), info->pattern);
  if (info->ignore > 0)
    sonde_debug_append (
        text, P_ ("ignores %" PRIu64 " more hit", "ignores %" PRIu64 " more hits", info->ignore),
        info->ignore);
  if (info->log_only)
    sonde_debug_append (text, "%s", _ ("does not pause the run"));
  sonde_debug_append (text, P_ ("%u value", "%u values", info->n_values), info->n_values);
  return g_string_free (text, FALSE);
}

/* @name: what the row is called; @more: further facts; @info: (nullable): a watch has none */
static void
add_row (SondeDebugBreakpoints *self, guint id, const char *name, const char *more, guint64 hits,
         gboolean enabled, const SondeBreakpoint *info)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  GtkWidget *box = sonde_debug_list_add (self->list), *row = sonde_debug_row_of (box),
            *widget = gtk_switch_new ();
  g_autofree char *count = g_strdup_printf (P_ ("%" PRIu64 " hit", "%" PRIu64 " hits", hits), hits);

  g_object_set_data (G_OBJECT (row), "id", GUINT_TO_POINTER (id));
  g_object_set_data_full (G_OBJECT (row), "name",
                          g_strdup (info != NULL && !catches_errors (info) ? info->pattern : NULL),
                          g_free);
  gtk_switch_set_active (GTK_SWITCH (widget), enabled);
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (widget, "small-switch");
  gtk_widget_set_tooltip_text (widget, _ ("Enabled"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_object (widget, "notify::active", G_CALLBACK (on_switched), self, 0);
  gtk_box_append (GTK_BOX (box), widget);
  gtk_box_append (GTK_BOX (box),
                  gtk_image_new_from_icon_name (info == NULL ? "sonde-watch-symbolic"
                                                             : "media-record-symbolic"));
  widget = sonde_debug_name_label (name, info == NULL ? "mono" : "heading");
  gtk_box_append (GTK_BOX (box), widget);
  widget = sonde_debug_name_label (more, "dim-label");
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_box_append (GTK_BOX (box), widget);
  gtk_box_append (GTK_BOX (box), sonde_debug_label (count, "dim-label"));
  widget = sonde_debug_icon_button ("user-trash-symbolic", _ ("Remove"), NULL, NULL);
  g_signal_connect_object (widget, "clicked", G_CALLBACK (on_remove), self, 0);
  gtk_box_append (GTK_BOX (box), widget);
  sonde_name_by_text (row);
  gtk_widget_set_sensitive (box, status != NULL && status->in_control);
}

/* ---- both lists ---------------------------------------------------------- */

static void
update (SondeDebugBreakpoints *self)
{
  GPtrArray *breakpoints = sonde_debug_session_get_breakpoints (self->session);
  GPtrArray *watches = sonde_debug_session_get_watches (self->session);
  gboolean catches = FALSE;

  sonde_debug_list_clear (self->list);
  for (guint i = 0; breakpoints != NULL && i < breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (breakpoints, i);
      g_autofree char *more = describe_breakpoint (info);

      add_row (self, info->id, catches_errors (info) ? _ ("Errors") : info->pattern, more,
               info->hits, info->enabled, info);
      catches = catches || catches_errors (info);
    }
  g_signal_handler_block (self->errors, self->errors_handler);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (self->errors), catches);
  g_signal_handler_unblock (self->errors, self->errors_handler);
  for (guint i = 0; watches != NULL && i < watches->len; i++)
    {
      const SondeWatch *info = g_ptr_array_index (watches, i);
      g_autofree char *more = describe_watch (info);

      add_row (self, info->id, info->text, more, info->hits, info->enabled, NULL);
    }
}

static void
on_changed (SondeDebugBreakpoints *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint serial = sonde_debug_session_get_breakpoints_serial (self->session);

  gtk_widget_set_sensitive (self->add, status != NULL && status->in_control);
  gtk_widget_set_sensitive (self->clear, status != NULL && status->in_control);
  gtk_widget_set_sensitive (self->errors, status != NULL && status->in_control);
  gtk_widget_set_visible (self->errors,
                          status != NULL && status->facts.kind == SONDE_ACTIVITY_PYTORCH);
  if (serial == self->serial || !sonde_debug_session_is_loaded (self->session))
    return;
  self->serial = serial;
  update (self);
}

static void
on_clear (SondeDebugBreakpoints *self)
{
  sonde_debug_session_remove_breakpoint (self->session, 0); /* all */
}

static void
on_errors_toggled (SondeDebugBreakpoints *self)
{
  sonde_debug_session_toggle_breakpoint (self->session, SONDE_BREAKPOINT_ERRORS);
}

static void
on_row_activated (SondeDebugBreakpoints *self, GtkListBoxRow *row)
{
  const char *name = g_object_get_data (G_OBJECT (row), "name");

  if (name != NULL)
    sonde_debug_session_focus_name (self->session, name);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_breakpoints_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_BREAKPOINTS);
  G_OBJECT_CLASS (sonde_debug_breakpoints_parent_class)->dispose (object);
}

static void
sonde_debug_breakpoints_class_init (SondeDebugBreakpointsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_breakpoints_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-breakpoints.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBreakpoints, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBreakpoints, add);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBreakpoints, clear);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugBreakpoints, errors);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_clear);
}

static void
sonde_debug_breakpoints_init (SondeDebugBreakpoints *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->errors_handler = g_signal_connect_object (
      self->errors, "toggled", G_CALLBACK (on_errors_toggled), self, G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_debug_breakpoints_new (SondeDebugSession *session)
{
  SondeDebugBreakpoints *self = g_object_new (SONDE_TYPE_DEBUG_BREAKPOINTS, NULL);

  self->session = session;
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->add),
                               sonde_debug_form_new (session, SONDE_DEBUG_FORM_BREAKPOINT));
  g_signal_connect_object (session, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
