/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/tables/sonde-call-list.h"

#include "app/widgets/sonde-column-view.h"
#include "app/widgets/sonde-row-numbers.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"

struct _SondeCallList
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  GArray *spans; /* guint32: a row each */
  GtkColumnView *view;
  GtkSingleSelection *selection; /* its model */
};

G_DEFINE_FINAL_TYPE (SondeCallList, sonde_call_list, ADW_TYPE_BIN)

static guint activated_signal;

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
  guint32 span = g_array_index (list->spans, guint32, gtk_list_item_get_position (item));
  g_autofree char *text = column->dup_text (list->document, &trace->spans[span]);

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
  g_autoptr (GListModel) rows = NULL;

  g_return_if_fail (SONDE_IS_CALL_LIST (list));
  /* No row is left while the spans are others. */
  gtk_single_selection_set_model (list->selection, NULL);
  g_array_set_size (list->spans, 0);
  if (spans != NULL)
    g_array_append_vals (list->spans, spans->data, spans->len);
  rows = sonde_row_numbers_new (list->spans->len);
  gtk_single_selection_set_model (list->selection, rows);
}

guint
sonde_call_list_get_n_calls (SondeCallList *list)
{
  g_return_val_if_fail (SONDE_IS_CALL_LIST (list), 0);
  return list->spans->len;
}

static void
sonde_call_list_finalize (GObject *object)
{
  g_clear_object (&SONDE_CALL_LIST (object)->selection);
  g_clear_object (&SONDE_CALL_LIST (object)->document);
  g_array_unref (SONDE_CALL_LIST (object)->spans);
  G_OBJECT_CLASS (sonde_call_list_parent_class)->finalize (object);
}

static void
sonde_call_list_class_init (SondeCallListClass *klass)
{
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
    sonde_column_view_set_width (list->view, made, column->width);
  sonde_column_view_take (list->view, made, column->width > 0);
}

static void
sonde_call_list_init (SondeCallList *list)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  list->spans = g_array_new (FALSE, FALSE, sizeof (guint32));
  list->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_widget_add_css_class (GTK_WIDGET (list->view), "dense-table");
  gtk_widget_add_css_class (GTK_WIDGET (list->view), "data-table");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Calls of the selected operator"), -1);
  for (gsize i = 0; i < G_N_ELEMENTS (columns); i++)
    add_column (list, &columns[i]);
  list->selection = gtk_single_selection_new (NULL);
  gtk_single_selection_set_autoselect (list->selection, FALSE);
  gtk_single_selection_set_can_unselect (list->selection, TRUE);
  gtk_column_view_set_model (list->view, GTK_SELECTION_MODEL (list->selection));
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
