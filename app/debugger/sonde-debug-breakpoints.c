/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints and watches. Both lists come from the text debugger, with whatever it says of
 * them. */
#include "app/debugger/sonde-debug-breakpoints.h"

#include "app/debugger/sonde-debug-form.h"
#include "app/debugger/sonde-debug-parts.h"

struct _SondeDebugBreakpoints
{
  GtkBox parent_instance;

  SondeDebugController *controller; /* lent by the page */
  GtkWidget *list, *add, *clear;
  guint serial;      /* of the controller's list that is shown */
  gboolean asking;   /* an answer is on its way */
  gboolean is_stale; /* and will be an old one */
};

G_DEFINE_FINAL_TYPE (SondeDebugBreakpoints, sonde_debug_breakpoints, GTK_TYPE_BOX)

static void update (SondeDebugBreakpoints *self);

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
  g_autofree char *line = g_strdup_printf (
      "%s %u", gtk_switch_get_active (button) ? "enable" : "disable", id_of (GTK_WIDGET (button)));

  sonde_debug_controller_command (self->controller, line, NULL, NULL);
  sonde_debug_controller_refresh_breakpoints (self->controller);
}

static void
on_remove (GtkButton *button, SondeDebugBreakpoints *self)
{
  g_autofree char *line = g_strdup_printf ("clear %u", id_of (GTK_WIDGET (button)));

  sonde_debug_controller_command (self->controller, line, NULL, NULL);
  sonde_debug_controller_refresh_breakpoints (self->controller);
  update (self);
}

static const char *
text_of (JsonObject *info, const char *key)
{
  JsonNode *node = json_object_get_member (info, key);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* What it is beyond its name: "before · if max(x) > 3 · logs …". (transfer full) */
static char *
describe (JsonObject *info)
{
  static const struct
  {
    const char *key, *words;
  } table[] = {
    { "when", "" }, { "phase", "" }, { "condition", "if " }, { "on", "on " }, { "log", "logs " },
  };
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const char *value = text_of (info, table[i].key);

      if (value != NULL && *value != '\0')
        g_string_append_printf (text, "%s%s%s", text->len > 0 ? " · " : "", table[i].words, value);
    }
  if (json_object_get_boolean_member_with_default (info, "temporary", FALSE))
    g_string_append (text, " · once");
  if (json_object_get_int_member_with_default (info, "ignore", 0) > 0)
    g_string_append_printf (text, " · ignores %" G_GINT64_FORMAT " more",
                            json_object_get_int_member (info, "ignore"));
  if (!json_object_get_boolean_member_with_default (info, "stops", TRUE))
    g_string_append (text, text->len > 0 ? " · does not stop" : "does not stop");
  if (json_object_has_member (info, "values"))
    g_string_append_printf (text, "%s%" G_GINT64_FORMAT " value%s", text->len > 0 ? " · " : "",
                            json_object_get_int_member (info, "values"),
                            json_object_get_int_member (info, "values") == 1 ? "" : "s");
  return g_string_free (text, FALSE);
}

static void
add_row (SondeDebugBreakpoints *self, JsonObject *info, gboolean is_watch)
{
  static const char *const names[] = { "node", "watch" };
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);
  GtkWidget *box = sonde_debug_list_add (self->list), *row = sonde_debug_row_of (box),
            *widget = gtk_switch_new ();
  gint64 hits = json_object_get_int_member_with_default (info, "hits", 0);
  g_autofree char *more = describe (info);
  g_autofree char *count
      = g_strdup_printf ("%" G_GINT64_FORMAT " hit%s", hits, hits == 1 ? "" : "s");
  const char *name = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (names) && name == NULL; i++)
    name = text_of (info, names[i]);
  g_object_set_data (
      G_OBJECT (row), "id",
      GUINT_TO_POINTER ((guint) json_object_get_int_member_with_default (info, "id", 0)));
  g_object_set_data_full (G_OBJECT (row), "name", g_strdup (is_watch ? NULL : name), g_free);
  gtk_switch_set_active (GTK_SWITCH (widget),
                         json_object_get_boolean_member_with_default (info, "enabled", TRUE));
  gtk_widget_set_valign (widget, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (widget, "small-switch");
  gtk_widget_set_tooltip_text (widget, "On or Off");
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_object (widget, "notify::active", G_CALLBACK (on_switched), self, 0);
  gtk_box_append (GTK_BOX (box), widget);
  gtk_box_append (GTK_BOX (box), gtk_image_new_from_icon_name (is_watch ? "sonde-watch-symbolic"
                                                                        : "media-record-symbolic"));
  widget = sonde_debug_name_label (name != NULL ? name : "", is_watch ? "mono" : "heading");
  gtk_box_append (GTK_BOX (box), widget);
  widget = sonde_debug_name_label (more, "dim-label");
  gtk_widget_set_hexpand (widget, TRUE);
  gtk_box_append (GTK_BOX (box), widget);
  gtk_box_append (GTK_BOX (box), sonde_debug_label (count, "dim-label"));
  widget = sonde_debug_icon_button ("user-trash-symbolic", "Remove", NULL, NULL);
  g_signal_connect_object (widget, "clicked", G_CALLBACK (on_remove), self, 0);
  gtk_box_append (GTK_BOX (box), widget);
  gtk_widget_set_sensitive (box, status != NULL && status->in_control);
}

static void
add_rows (SondeDebugBreakpoints *self, GAsyncResult *result, GObject *source, const char *key,
          gboolean is_watch)
{
  g_autoptr (JsonObject) answer
      = sonde_debug_runner_run_finish_json (SONDE_DEBUG_RUNNER (source), result, NULL);
  JsonArray *array = answer != NULL && json_object_has_member (answer, key)
                         ? json_object_get_array_member (answer, key)
                         : NULL;

  for (guint i = 0; self->list != NULL && array != NULL && i < json_array_get_length (array); i++)
    add_row (self, json_array_get_object_element (array, i), is_watch);
}

/* ---- asking -------------------------------------------------------------- */

static void
on_watches (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugBreakpoints) self = data;

  add_rows (self, result, source, "watches", TRUE);
  self->asking = FALSE;
  if (self->is_stale && self->list != NULL)
    update (self);
}

static void
on_breakpoints (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeDebugBreakpoints *self = data;

  if (self->list != NULL)
    sonde_debug_list_clear (self->list);
  add_rows (self, result, source, "breakpoints", FALSE);
  if (self->list != NULL
      && sonde_debug_controller_command (self->controller, "info watches", on_watches, self))
    return;
  self->asking = FALSE;
  g_object_unref (self);
}

static void
update (SondeDebugBreakpoints *self)
{
  self->is_stale = self->asking;
  if (self->asking)
    return;
  g_object_ref (self);
  self->asking
      = sonde_debug_controller_command (self->controller, "info breakpoints", on_breakpoints, self);
  if (!self->asking)
    g_object_unref (self);
}

static void
on_changed (SondeDebugBreakpoints *self)
{
  const SondeSessionStatus *status = sonde_debug_controller_get_status (self->controller);
  guint serial = sonde_debug_controller_get_breakpoints_serial (self->controller);

  gtk_widget_set_sensitive (self->add, status != NULL && status->in_control);
  gtk_widget_set_sensitive (self->clear, status != NULL && status->in_control);
  if (serial == self->serial || !sonde_debug_controller_is_loaded (self->controller))
    return;
  self->serial = serial;
  update (self);
}

static void
on_clear (SondeDebugBreakpoints *self)
{
  sonde_debug_controller_command (self->controller, "clear", NULL, NULL);
  sonde_debug_controller_refresh_breakpoints (self->controller);
}

static void
on_row_activated (SondeDebugBreakpoints *self, GtkListBoxRow *row)
{
  const char *name = g_object_get_data (G_OBJECT (row), "name");

  if (name != NULL)
    sonde_debug_controller_focus_name (self->controller, name);
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_debug_breakpoints_dispose (GObject *object)
{
  SONDE_DEBUG_BREAKPOINTS (object)->list = NULL;
  G_OBJECT_CLASS (sonde_debug_breakpoints_parent_class)->dispose (object);
}

static void
sonde_debug_breakpoints_class_init (SondeDebugBreakpointsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_debug_breakpoints_dispose;
}

static void
sonde_debug_breakpoints_init (SondeDebugBreakpoints *self)
{
  GtkWidget *column = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6), *lists;

  lists = sonde_debug_list (
      "Breakpoints and watches",
      "No breakpoints. Click into the gutter of the listing, or press F9 on a node.", &self->list);
  gtk_widget_set_hexpand (lists, TRUE);
  gtk_box_append (GTK_BOX (self), lists);
  self->add = gtk_menu_button_new ();
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (self->add), "list-add-symbolic");
  gtk_widget_set_tooltip_text (self->add, "New Breakpoint or Watch (Ctrl+F9)");
  gtk_widget_add_css_class (self->add, "flat");
  gtk_widget_add_css_class (self->add, "card-button");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->add), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "New breakpoint or watch", -1);
  self->clear = sonde_debug_icon_button ("edit-clear-all-symbolic", "Remove All",
                                         G_CALLBACK (on_clear), self);
  gtk_widget_set_margin_top (column, 6);
  gtk_widget_set_margin_end (column, 6);
  gtk_box_append (GTK_BOX (column), self->add);
  gtk_box_append (GTK_BOX (column), self->clear);
  gtk_box_append (GTK_BOX (self), column);
  g_signal_connect_object (self->list, "row-activated", G_CALLBACK (on_row_activated), self,
                           G_CONNECT_SWAPPED);
}

GtkWidget *
sonde_debug_breakpoints_new (SondeDebugController *controller)
{
  SondeDebugBreakpoints *self = g_object_new (SONDE_TYPE_DEBUG_BREAKPOINTS, NULL);

  self->controller = controller;
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (self->add),
                               sonde_debug_form_new (controller, SONDE_DEBUG_FORM_BREAKPOINT));
  g_signal_connect_object (controller, "changed", G_CALLBACK (on_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (controller, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
