/* SPDX-License-Identifier: Apache-2.0
 * Attributes of a node. */
#include "app/debugger/dialogs/sonde-debug-attribute.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "data/base/sonde-error.h"
#include "engine/debug/changes/sonde-change-node.h"
#include "viewers/paint/sonde-text-paint.h"

#define RESOURCE "/org/sonde/Sonde/debugger/dialogs/sonde-debug-attribute.ui"

#define SONDE_TYPE_DEBUG_ATTRIBUTE (sonde_debug_attribute_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugAttribute, sonde_debug_attribute, SONDE, DEBUG_ATTRIBUTE,
                      GtkPopover)

struct _SondeDebugAttribute
{
  GtkPopover parent_instance;

  SondeDebugSession *session;
  char *node; /* (nullable) */
  GtkWidget *title, *grid, *key, *value, *error, *apply;
  GPtrArray *entries; /* of attributes that are there: "key", "was" */
  GPtrArray *changes; /* (element-type SondeNodeChange): still to be sent; the last first */
  int rows;
};

G_DEFINE_FINAL_TYPE (SondeDebugAttribute, sonde_debug_attribute, GTK_TYPE_POPOVER)

static const char *
text_of (GtkWidget *entry)
{
  return gtk_editable_get_text (GTK_EDITABLE (entry));
}

/* ---- sending ------------------------------------------------------------- */

static void send_next (SondeDebugAttribute *form);

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugAttribute) form = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (gtk_widget_get_parent (GTK_WIDGET (form)) == NULL)
    return;
  gtk_label_set_text (GTK_LABEL (form->error), error != NULL ? sonde_error_get_text (error) : "");
  gtk_widget_set_visible (form->error, error != NULL);
  if (reply != NULL)
    {
      sonde_debug_session_report_edits (form->session, reply);
      send_next (form);
    }
  else
    gtk_widget_set_sensitive (form->apply, TRUE);
}

/* One after the other: each is a branch of the one before. */
static void
send_next (SondeDebugAttribute *form)
{
  g_autoptr (SondeNodeChange) change
      = form->changes->len > 0 ? g_ptr_array_steal_index (form->changes, form->changes->len - 1)
                               : NULL;

  if (change == NULL)
    {
      gtk_popover_popdown (GTK_POPOVER (form));
      return;
    }
  g_object_ref (form);
  if (!sonde_debug_session_send (
          form->session,
          sonde_session_request_set_attribute (change->node, change->key, change->value), NULL,
          on_answer, form))
    g_object_unref (form);
}

static void
add_change (SondeDebugAttribute *form, const char *key, const char *text)
{
  g_autofree char *value = g_strstrip (g_strdup (text));

  g_ptr_array_add (form->changes, sonde_node_change_new (form->node, key, value));
}

static void
on_apply (SondeDebugAttribute *form)
{
  g_ptr_array_set_size (form->changes, 0);
  if (*text_of (form->key) != '\0')
    add_change (form, text_of (form->key), text_of (form->value));
  for (guint i = form->entries->len; i > 0; i--)
    {
      GtkWidget *entry = g_ptr_array_index (form->entries, i - 1);

      if (!g_str_equal (text_of (entry), g_object_get_data (G_OBJECT (entry), "was")))
        add_change (form, g_object_get_data (G_OBJECT (entry), "key"), text_of (entry));
    }
  gtk_widget_set_sensitive (form->apply, form->changes->len == 0);
  send_next (form);
}

/* ---- rows ---------------------------------------------------------------- */

static GtkWidget *
make_entry (SondeDebugAttribute *form, const char *words, const char *placeholder)
{
  GtkWidget *entry = sonde_debug_entry (words, placeholder);

  g_signal_connect_swapped (entry, "activate", G_CALLBACK (on_apply), form);
  return entry;
}

static gboolean
is_typed (SondeAttributeKind kind)
{
  return kind == SONDE_ATTRIBUTE_INT || kind == SONDE_ATTRIBUTE_FLOAT
         || kind == SONDE_ATTRIBUTE_STRING || kind == SONDE_ATTRIBUTE_INTS
         || kind == SONDE_ATTRIBUTE_FLOATS;
}

static void
add_attribute (SondeDebugAttribute *form, const SondeAttribute *attribute)
{
  g_autofree char *text = sonde_attribute_to_text (attribute);
  GtkWidget *entry = make_entry (form, attribute->name, NULL);

  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_object_set_data_full (G_OBJECT (entry), "key", g_strdup (attribute->name), g_free);
  g_object_set_data_full (G_OBJECT (entry), "was", g_steal_pointer (&text), g_free);
  gtk_grid_attach (GTK_GRID (form->grid), sonde_debug_name_label (attribute->name, NULL), 0,
                   form->rows, 1, 1);
  gtk_grid_attach (GTK_GRID (form->grid), entry, 1, form->rows++, 1, 1);
  g_ptr_array_add (form->entries, entry);
}

/* One that holds its default so far. */
static void
add_another (SondeDebugAttribute *form)
{
  form->key = make_entry (form, _ ("Name of an unset attribute"), _ ("attribute"));
  form->value = make_entry (form, _ ("Value of the unset attribute"), "3, 0.5, [1, 1], SAME_UPPER");
  gtk_editable_set_width_chars (GTK_EDITABLE (form->key), 10);
  gtk_grid_attach (GTK_GRID (form->grid), form->key, 0, form->rows, 1, 1);
  gtk_grid_attach (GTK_GRID (form->grid), form->value, 1, form->rows++, 1, 1);
}

static SondeNode *
chosen_node (SondeDebugSession *session)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (session);
  SondeGraph *graph = sonde_debug_session_get_graph (session);
  SondeNode *inner = sonde_debug_session_get_inner_node (session);
  guint at = sonde_debug_session_get_focus (session);
  const char *name;

  if (at == SONDE_DEBUG_NO_STEP && inner != NULL)
    return inner;
  if (at == SONDE_DEBUG_NO_STEP && status != NULL)
    at = sonde_stop_get_outermost (&status->stop);
  name = sonde_debug_steps_get_name (sonde_debug_session_get_steps (session), at);
  return graph != NULL && name != NULL ? sonde_graph_find_node (graph, name) : NULL;
}

static void
sonde_debug_attribute_dispose (GObject *object)
{
  SondeDebugAttribute *form = SONDE_DEBUG_ATTRIBUTE (object);

  g_clear_object (&form->session);
  g_clear_pointer (&form->entries, g_ptr_array_unref);
  g_clear_pointer (&form->changes, g_ptr_array_unref);
  g_clear_pointer (&form->node, g_free);
  G_OBJECT_CLASS (sonde_debug_attribute_parent_class)->dispose (object);
}

static void
sonde_debug_attribute_class_init (SondeDebugAttributeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_attribute_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttribute, title);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttribute, grid);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttribute, error);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugAttribute, apply);
  gtk_widget_class_bind_template_callback (widget_class, on_apply);
}

static void
sonde_debug_attribute_init (SondeDebugAttribute *form)
{
  gtk_widget_init_template (GTK_WIDGET (form));
  form->entries = g_ptr_array_new ();
  form->changes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_node_change_free);
}

GtkWidget *
sonde_debug_attribute_new (SondeDebugSession *session)
{
  SondeDebugAttribute *form = g_object_new (SONDE_TYPE_DEBUG_ATTRIBUTE, NULL);
  SondeNode *node = chosen_node (session);
  g_autofree char *visible = node != NULL ? sonde_text_make_visible (node->name) : NULL;

  form->session = g_object_ref (session);
  form->node = node != NULL ? g_strdup (node->name) : NULL;
  gtk_label_set_text (GTK_LABEL (form->title), visible != NULL ? visible : _ ("No Node"));
  gtk_widget_set_tooltip_text (form->title, visible);
  gtk_widget_set_sensitive (form->apply, node != NULL);
  for (guint i = 0; node != NULL && i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);

      if (is_typed (attribute->kind))
        add_attribute (form, attribute);
    }
  add_another (form);
  return GTK_WIDGET (form);
}
