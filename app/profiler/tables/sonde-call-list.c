/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-call-list.h"

#include "app/widgets/sonde-column-view.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"

/* ---- a row --------------------------------------------------------------- */

#define SONDE_TYPE_CALL_ROW (sonde_call_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeCallRow, sonde_call_row, SONDE, CALL_ROW, GObject)

struct _SondeCallRow
{
  GObject parent_instance;
  guint32 span;
};

G_DEFINE_FINAL_TYPE (SondeCallRow, sonde_call_row, G_TYPE_OBJECT)

static void
sonde_call_row_class_init (SondeCallRowClass *klass)
{
}

static void
sonde_call_row_init (SondeCallRow *row)
{
}

/* ---- the list ------------------------------------------------------------ */

struct _SondeCallList
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  GArray *spans;
  GtkColumnView *view;
};

static void model_init (GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE (SondeCallList, sonde_call_list, ADW_TYPE_BIN,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, model_init))

static guint activated_signal;

static GType
get_item_type (GListModel *model)
{
  return SONDE_TYPE_CALL_ROW;
}

static guint
get_n_items (GListModel *model)
{
  return SONDE_CALL_LIST (model)->spans->len;
}

static gpointer
get_item (GListModel *model, guint position)
{
  SondeCallList *list = SONDE_CALL_LIST (model);
  SondeCallRow *row;

  if (position >= list->spans->len)
    return NULL;
  row = g_object_new (SONDE_TYPE_CALL_ROW, NULL);
  row->span = g_array_index (list->spans, guint32, position);
  return row;
}

static void
model_init (GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

/* ---- cells --------------------------------------------------------------- */

typedef struct
{
  const char *title;
  int width; /* 0: the rest */
  char *(*dup_text) (SondeTraceDocument *document, const SondeTraceSpan *span);
} Column;

static char *
dup_start (SondeTraceDocument *document, const SondeTraceSpan *span)
{
  return sonde_timeline_dup_time (
      sonde_timeline_since (sonde_trace_document_get_index (document), span->start_ns));
}

static char *
dup_duration (SondeTraceDocument *document, const SondeTraceSpan *span)
{
  return sonde_timeline_dup_time ((double) (span->end_ns - span->start_ns));
}

static char *
dup_thread (SondeTraceDocument *document, const SondeTraceSpan *span)
{
  const SondeTraceThread *thread
      = sonde_trace_get_thread (sonde_trace_document_get_trace (document), span->thread);

  return sonde_text_make_visible (*thread->track != '\0'  ? thread->track
                                  : *thread->name != '\0' ? thread->name
                                                          : thread->tid);
}

static const Column columns[] = {
  { N_ ("Start"), 136, dup_start },
  { N_ ("Duration"), 116, dup_duration },
  { N_ ("Thread"), 0, dup_thread },
};

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item, const Column *column)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), column->width > 0 ? 1 : 0);
  gtk_widget_add_css_class (label, "numeric");
  if (column->width == 0)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item, const Column *column)
{
  GtkWidget *label = gtk_list_item_get_child (item);
  SondeCallList *list = g_object_get_data (G_OBJECT (factory), "list");
  const SondeTrace *trace = sonde_trace_document_get_trace (list->document);
  SondeCallRow *row = SONDE_CALL_ROW (gtk_list_item_get_item (item));
  g_autofree char *text = column->dup_text (list->document, &trace->spans[row->span]);

  gtk_label_set_text (GTK_LABEL (label), text);
}

static void
on_activated (SondeCallList *list, guint position)
{
  if (position < list->spans->len)
    g_signal_emit (list, activated_signal, 0, g_array_index (list->spans, guint32, position));
}

/* ---- making -------------------------------------------------------------- */

void
sonde_call_list_set (SondeCallList *list, GArray *spans)
{
  const guint n_old = list->spans->len;

  g_return_if_fail (SONDE_IS_CALL_LIST (list));
  g_array_set_size (list->spans, 0);
  if (spans != NULL)
    g_array_append_vals (list->spans, spans->data, spans->len);
  g_list_model_items_changed (G_LIST_MODEL (list), 0, n_old, list->spans->len);
}

static void
sonde_call_list_dispose (GObject *object)
{
  SondeCallList *list = SONDE_CALL_LIST (object);

  if (list->view != NULL)
    gtk_column_view_set_model (list->view, NULL);
  list->view = NULL;
  G_OBJECT_CLASS (sonde_call_list_parent_class)->dispose (object);
}

static void
sonde_call_list_finalize (GObject *object)
{
  g_clear_object (&SONDE_CALL_LIST (object)->document);
  g_array_unref (SONDE_CALL_LIST (object)->spans);
  G_OBJECT_CLASS (sonde_call_list_parent_class)->finalize (object);
}

static void
sonde_call_list_class_init (SondeCallListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_call_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_call_list_finalize;
  activated_signal = g_signal_new ("span-activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                   0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void
add_column (SondeCallList *list, const Column *column)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *made;

  g_object_set_data (G_OBJECT (factory), "list", list);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), (gpointer) column);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), (gpointer) column);
  made = gtk_column_view_column_new (_ (column->title), factory);
  gtk_column_view_column_set_expand (made, column->width == 0);
  if (column->width > 0)
    gtk_column_view_column_set_fixed_width (made, column->width);
  sonde_column_view_take (list->view, made, column->width > 0);
}

static void
sonde_call_list_init (SondeCallList *list)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();
  GtkSingleSelection *selection;

  list->spans = g_array_new (FALSE, FALSE, sizeof (guint32));
  list->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (list->view), "dense-table");
  gtk_widget_add_css_class (GTK_WIDGET (list->view), "data-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Calls of the selected operator"), -1);
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    add_column (list, &columns[i]);
  selection = gtk_single_selection_new (G_LIST_MODEL (g_object_ref (list)));
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_column_view_set_model (list->view, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
  g_signal_connect_object (list->view, "activate", G_CALLBACK (on_activated), list,
                           G_CONNECT_SWAPPED);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (list->view));
  adw_bin_set_child (ADW_BIN (list), scrolled);
}

GtkWidget *
sonde_call_list_new (SondeTraceDocument *document)
{
  SondeCallList *list = g_object_new (SONDE_TYPE_CALL_LIST, NULL);

  list->document = g_object_ref (document);
  return GTK_WIDGET (list);
}
