/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/graph/sonde-graph-search.h"

#include "app/widgets/sonde-page.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define RESOURCE "/org/sonde/Sonde/pages/graph/sonde-graph-search.ui"
#define NOTHING G_MAXUINT

struct _SondeGraphSearch
{
  GtkBox parent_instance;
  GtkWidget *entry, *found, *previous, *next, *list_button;
  GtkStringList *names; /* of the matches, as they are shown */
  SondeGraphView *view;
  SondeGraph *graph;
  GPtrArray *matches; /* (element-type SondeNode), by id; of the graph */
};

G_DEFINE_FINAL_TYPE (SondeGraphSearch, sonde_graph_search, GTK_TYPE_BOX)

/* ---- what matches -------------------------------------------------------- */

static gboolean
reads_match (SondeNode *node, const char *query)
{
  for (guint i = 0; i < node->inputs->len; i++)
    {
      SondeGraphValue *input = sonde_node_get_input (node, i);

      if (input != NULL && input->producer == NULL && sonde_search_score (input->name, query) > 0)
        return TRUE;
    }
  return FALSE;
}

static gboolean
node_matches (SondeNode *node, const char *query)
{
  if (sonde_search_score (node->name, query) > 0 || sonde_search_score (node->op, query) > 0)
    return TRUE;
  for (guint i = 0; i < node->outputs->len; i++)
    {
      SondeGraphValue *output = sonde_node_get_output (node, i);

      if (output != NULL && sonde_search_score (output->name, query) > 0)
        return TRUE;
    }
  return reads_match (node, query);
}

static void
find_matches (SondeGraphSearch *self, const char *query)
{
  g_ptr_array_set_size (self->matches, 0);
  for (guint i = 0; *query != '\0' && self->graph != NULL && i < self->graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (self->graph->nodes, i);

      if (node != NULL && node_matches (node, query))
        g_ptr_array_add (self->matches, node);
    }
}

/* The match that is selected; NOTHING: none is. */
static guint
get_current (SondeGraphSearch *self)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (self->view);
  guint found = NOTHING;

  if (box == NULL || box->node == NULL || !g_ptr_array_find (self->matches, box->node, &found))
    return NOTHING;
  return found;
}

/* ---- what is shown of it ------------------------------------------------- */

static void
update_label (SondeGraphSearch *self)
{
  guint current = get_current (self);
  g_autofree char *all = sonde_format_count (self->matches->len), *text = NULL;

  if (current == NOTHING)
    text = g_strdup_printf (_ ("%s found"), all);
  else
    {
      g_autofree char *place = sonde_format_count ((gint64) current + 1);

      text = g_strdup_printf (_ ("%s of %s"), place, all);
    }
  gtk_label_set_text (GTK_LABEL (self->found), text);
}

static void
update (SondeGraphSearch *self)
{
  gboolean asked = *gtk_editable_get_text (GTK_EDITABLE (self->entry)) != '\0';
  gboolean any = self->matches->len > 0;

  gtk_widget_set_visible (self->found, asked);
  gtk_widget_set_visible (self->previous, asked);
  gtk_widget_set_visible (self->next, asked);
  gtk_widget_set_visible (self->list_button, asked);
  gtk_widget_set_sensitive (self->previous, any);
  gtk_widget_set_sensitive (self->next, any);
  gtk_widget_set_sensitive (self->list_button, any);
  update_label (self);
}

static void
list_names (SondeGraphSearch *self)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) names = NULL;

  for (guint i = 0; i < self->matches->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (self->matches, i);
      g_autofree char *line = g_strdup_printf ("%s  %s", node->op, node->name);
      g_autofree char *visible = sonde_text_make_visible (line);

      g_strv_builder_add (builder, visible);
    }
  names = g_strv_builder_end (builder);
  gtk_string_list_splice (self->names, 0, g_list_model_get_n_items (G_LIST_MODEL (self->names)),
                          (const char *const *) names);
}

void
sonde_graph_search_mark (SondeGraphSearch *search)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  g_return_if_fail (SONDE_IS_GRAPH_SEARCH (search));
  for (guint i = 0; i < search->matches->len; i++)
    g_ptr_array_add (names, ((SondeNode *) g_ptr_array_index (search->matches, i))->name);
  g_ptr_array_add (names, NULL);
  sonde_graph_view_mark (search->view, SONDE_GRAPH_MARK_FOUND, (const char *const *) names->pdata);
  update (search);
}

/* ---- hands --------------------------------------------------------------- */

static void
find_and_mark (SondeGraphSearch *self)
{
  g_autofree char *query = g_utf8_strdown (gtk_editable_get_text (GTK_EDITABLE (self->entry)), -1);

  find_matches (self, query);
  list_names (self);
  sonde_graph_search_mark (self);
}

static void
on_changed (SondeGraphSearch *self)
{
  find_and_mark (self);
  if (self->matches->len > 0)
    sonde_graph_view_reveal_name (self->view,
                                  ((SondeNode *) g_ptr_array_index (self->matches, 0))->name);
}

static void
select_match (SondeGraphSearch *self, guint i)
{
  const SondeNode *node = g_ptr_array_index (self->matches, i);

  sonde_graph_view_select_name (self->view, node->name);
}

/* From the selected match; where another node is selected, from there. */
static void
step (SondeGraphSearch *self, gboolean forward)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (self->view);
  guint id = box != NULL && box->node != NULL ? box->node->id : NOTHING;
  guint n = self->matches->len, place = 0;

  if (n == 0)
    return;
  while (id != NOTHING && place < n
         && (forward ? ((SondeNode *) self->matches->pdata[place])->id <= id
                     : ((SondeNode *) self->matches->pdata[place])->id < id))
    place++;
  select_match (self, forward ? place % n : (place + n - 1) % n);
}

static void
on_next (SondeGraphSearch *self)
{
  step (self, TRUE);
}

static void
on_previous (SondeGraphSearch *self)
{
  step (self, FALSE);
}

static void
on_row_activated (SondeGraphSearch *self, guint row)
{
  gtk_menu_button_popdown (GTK_MENU_BUTTON (self->list_button));
  if (row < self->matches->len)
    select_match (self, row);
}

/* Return: the next one; with Shift the one before. */
static gboolean
on_key (SondeGraphSearch *self, guint key, guint code, GdkModifierType modifiers)
{
  if ((key != GDK_KEY_Return && key != GDK_KEY_KP_Enter) || (modifiers & GDK_SHIFT_MASK) == 0)
    return FALSE;
  step (self, FALSE);
  return TRUE;
}

/* ---- from outside -------------------------------------------------------- */

void
sonde_graph_search_set_up (SondeGraphSearch *search, SondeGraphView *view)
{
  g_return_if_fail (SONDE_IS_GRAPH_SEARCH (search));
  search->view = view;
  g_signal_connect_object (view, "notify::selection", G_CALLBACK (update_label), search,
                           G_CONNECT_SWAPPED);
}

void
sonde_graph_search_set_graph (SondeGraphSearch *search, SondeGraph *graph)
{
  g_return_if_fail (SONDE_IS_GRAPH_SEARCH (search));
  if (graph != NULL)
    sonde_graph_ref (graph);
  g_ptr_array_set_size (search->matches, 0); /* of the old one */
  g_clear_pointer (&search->graph, sonde_graph_unref);
  search->graph = graph;
  find_and_mark (search);
}

void
sonde_graph_search_set_text (SondeGraphSearch *search, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (search->entry), text);
}

guint
sonde_graph_search_get_n_matches (SondeGraphSearch *search)
{
  return search->matches->len;
}

/* ---- class --------------------------------------------------------------- */

static void
sonde_graph_search_dispose (GObject *object)
{
  SondeGraphSearch *self = SONDE_GRAPH_SEARCH (object);

  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_GRAPH_SEARCH);
  g_clear_pointer (&self->matches, g_ptr_array_unref);
  g_clear_pointer (&self->graph, sonde_graph_unref);
  G_OBJECT_CLASS (sonde_graph_search_parent_class)->dispose (object);
}

static void
sonde_graph_search_class_init (SondeGraphSearchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_graph_search_dispose;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphSearch, entry);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphSearch, found);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphSearch, previous);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphSearch, next);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphSearch, list_button);
  gtk_widget_class_bind_template_child (widget_class, SondeGraphSearch, names);
  gtk_widget_class_bind_template_callback (widget_class, on_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_row_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
}

static void
sonde_graph_search_init (SondeGraphSearch *self)
{
  self->matches = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
}
