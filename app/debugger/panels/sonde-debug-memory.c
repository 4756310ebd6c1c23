/* SPDX-License-Identifier: Apache-2.0
 * Bytes of values. */
#include "app/debugger/panels/sonde-debug-memory.h"

#include "app/debugger/sonde-debug-widgets.h"
#include "app/widgets/sonde-accessible.h"
#include "engine/frontend/sonde-debug-describe.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define MAX_LARGEST 12
#define N_ROLES (SONDE_ROLE_STATE + 1)

struct _SondeDebugMemory
{
  GtkBox parent_instance;

  SondeDebugSession *session; /* borrowed from the page */
  GtkWidget *list, *total;
  gboolean stale; /* the place is another, and nobody has looked since */
};

G_DEFINE_FINAL_TYPE (SondeDebugMemory, sonde_debug_memory, GTK_TYPE_BOX)

static const char *const role_words[N_ROLES] = {
  [SONDE_ROLE_NORMAL] = N_ ("Activations and gradients"),
  [SONDE_ROLE_INPUT] = N_ ("Inputs"),
  [SONDE_ROLE_PARAMETER] = N_ ("Parameters"),
  [SONDE_ROLE_CONSTANT] = N_ ("Constants"),
  [SONDE_ROLE_STATE] = N_ ("Optimiser state, running statistics"),
};

/* A value that can be read here, with its size. */
typedef struct
{
  const char *name;
  SondeValueRole role;
  guint64 bytes;
} Held;

static int
by_size (gconstpointer a, gconstpointer b)
{
  const Held *x = a, *y = b;

  return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

/* Of a shape that is known before the run; 0 where it is not. */
static guint64
bytes_of (SondeGraph *graph, const char *name)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  SondeShape shape;
  gint64 n;

  if (value == NULL || !sonde_type_get_shape (&value->type, &shape))
    return 0;
  n = sonde_shape_n_elements (&shape);
  return n > 0 ? (guint64) n * sonde_dtype_size (value->type.dtype) : 0;
}

static void
add_row (SondeDebugMemory *self, const char *name, const char *value, guint64 bytes, guint64 all)
{
  GtkWidget *box = sonde_debug_list_add (self->list), *label, *bar = gtk_level_bar_new ();
  g_autofree char *size = sonde_format_bytes (bytes);

  label = sonde_debug_name_label (name, NULL);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (box), label);
  gtk_level_bar_set_value (GTK_LEVEL_BAR (bar), all > 0 ? (double) bytes / (double) all : 0);
  gtk_widget_set_size_request (bar, 90, -1);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (bar, "plain-bar");
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_box_append (GTK_BOX (box), bar);
  label = sonde_debug_label (size, NULL);
  gtk_label_set_width_chars (GTK_LABEL (label), 10);
  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_box_append (GTK_BOX (box), label);
  g_object_set_data_full (G_OBJECT (sonde_debug_row_of (box)), "value", g_strdup (value), g_free);
  sonde_name_by_text (sonde_debug_row_of (box));
}

static void
show_held (SondeDebugMemory *self, GArray *held)
{
  guint64 roles[N_ROLES] = { 0 }, all = 0;
  guint n_roles[N_ROLES] = { 0 };
  g_autofree char *size = NULL, *text = NULL;

  sonde_debug_list_clear (self->list);
  for (guint i = 0; i < held->len; i++)
    {
      const Held *one = &g_array_index (held, Held, i);

      roles[one->role] += one->bytes;
      n_roles[one->role]++;
      all += one->bytes;
    }
  size = sonde_format_bytes (all);
  text = g_strdup_printf (P_ ("%s in %u readable value", "%s in %u readable values", held->len),
                          size, held->len);
  gtk_label_set_text (GTK_LABEL (self->total), text);
  for (guint i = 0; i < N_ROLES; i++)
    {
      g_autofree char *name = g_strdup_printf (_ ("%s (%u)"), _ (role_words[i]), n_roles[i]);

      if (n_roles[i] > 0)
        add_row (self, name, NULL, roles[i], all);
    }
  for (guint i = 0; i < MIN (held->len, MAX_LARGEST); i++)
    add_row (self, g_array_index (held, Held, i).name, g_array_index (held, Held, i).name,
             g_array_index (held, Held, i).bytes, all);
}

static void
on_values (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugMemory) self = data;
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, NULL);
  SondeGraph *graph = self->list != NULL ? sonde_debug_session_get_graph (self->session) : NULL;
  g_autoptr (GArray) held = g_array_new (FALSE, FALSE, sizeof (Held));

  if (reply == NULL || reply->values == NULL || graph == NULL)
    return;
  for (guint i = 0; i < reply->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (reply->values, i);
      Held one = { info->name, MIN (info->role, SONDE_ROLE_STATE), bytes_of (graph, info->name) };

      if (info->available)
        g_array_append_val (held, one);
    }
  g_array_sort (held, by_size);
  show_held (self, held);
}

static void
update (SondeDebugMemory *self)
{
  self->stale = TRUE;
  if (!gtk_widget_get_mapped (GTK_WIDGET (self))
      || !sonde_debug_session_has_position (self->session))
    return;
  self->stale = FALSE;
  g_object_ref (self);
  if (!sonde_debug_session_send (self->session, sonde_session_request_values (NULL), NULL,
                                 on_values, self))
    g_object_unref (self);
}

static void
on_map (SondeDebugMemory *self)
{
  if (self->stale)
    update (self);
}

static void
on_row_activated (SondeDebugMemory *self, GtkListBoxRow *row)
{
  const char *name = g_object_get_data (G_OBJECT (row), "value");

  if (name != NULL)
    sonde_debug_session_show_value (self->session, name);
}

static void
sonde_debug_memory_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_DEBUG_MEMORY);
  G_OBJECT_CLASS (sonde_debug_memory_parent_class)->dispose (object);
}

static void
sonde_debug_memory_class_init (SondeDebugMemoryClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_memory_dispose;
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/panels/sonde-debug-memory.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugMemory, list);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugMemory, total);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
}

static void
sonde_debug_memory_init (SondeDebugMemory *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
}

GtkWidget *
sonde_debug_memory_new (SondeDebugSession *session)
{
  SondeDebugMemory *self = g_object_new (SONDE_TYPE_DEBUG_MEMORY, NULL);

  self->session = session;
  g_signal_connect_object (session, "moved", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "loaded", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}
