/* SPDX-License-Identifier: Apache-2.0
 * One value. */
#include "app/debugger/value/sonde-debug-viewer.h"

#include "app/debugger/dialogs/sonde-debug-change.h"
#include "app/debugger/value/sonde-debug-deltas.h"
#include "app/debugger/value/sonde-debug-statistics.h"
#include "app/debugger/value/sonde-debug-value-links.h"
#include "app/debugger/value/sonde-debug-before-after.h"
#include "viewers/layout/sonde-display-slice.h"
#include "app/debugger/value/sonde-debug-table-feed.h"
#include "data/base/sonde-format.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-histogram-view.h"
#include "viewers/sonde-tensor-view.h"
#include "data/base/sonde-error.h"

struct _SondeDebugViewer
{
  GtkBox parent_instance;

  GtkWidget *title, *copy, *save, *change, *links, *switcher, *layout, *deltas, *slice, *stack;
  GtkWidget *image, *table, *histogram, *facts, *before_after, *caption;
  SondeDebugSession *session; /* borrowed from the page */
  SondeDebugTableFeed *feed;  /* of the table */
  GCancellable *cancellable;
  char *name;       /* (nullable) */
  SondeShape shape; /* of all of it */
  SondeDtype dtype;
  gboolean has_shape;
};

G_DEFINE_FINAL_TYPE (SondeDebugViewer, sonde_debug_viewer, GTK_TYPE_BOX)

static void
say (SondeDebugViewer *self, const char *text)
{
  gtk_label_set_text (GTK_LABEL (self->caption), text);
  gtk_widget_set_tooltip_text (self->caption, text);
}

static void
ask (SondeDebugViewer *self, SondeSessionRequest *request, GAsyncReadyCallback callback)
{
  g_object_ref (self);
  if (!sonde_debug_session_send (self->session, request, self->cancellable, callback, self))
    g_object_unref (self);
}

/* The value with the slice of the entry. (transfer full) */
static char *
plain_name (SondeDebugViewer *self)
{
  const char *slice = gtk_editable_get_text (GTK_EDITABLE (self->slice));

  return *slice != '\0' ? g_strdup_printf ("%s[%s]", self->name, slice) : g_strdup (self->name);
}

/* The same, less what it was elsewhere if that is wanted: what is asked for. (transfer full) */
static char *
sliced_name (SondeDebugViewer *self)
{
  g_autofree char *difference
      = sonde_debug_deltas_dup_difference (SONDE_DEBUG_DELTAS (self->deltas), self->name,
                                           gtk_editable_get_text (GTK_EDITABLE (self->slice)));

  return difference != NULL ? g_steal_pointer (&difference) : plain_name (self);
}

/* What was there before is not what is asked for. */
static void
show_none (SondeDebugViewer *self)
{
  sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (self->image), NULL);
  sonde_histogram_view_clear (SONDE_HISTOGRAM_VIEW (self->histogram));
  sonde_debug_show_statistics (self->facts, NULL);
}

/* An answer that is still wanted, or NULL; what went wrong is said. */
static SondeSessionReply *
take_reply (SondeDebugViewer *self, GObject *source, GAsyncResult *result)
{
  g_autoptr (GError) error = NULL;
  SondeSessionReply *reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (source), result, &error);

  if (reply == NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED)
      && self->stack != NULL)
    {
      show_none (self);
      say (self, sonde_error_get_text (error));
    }
  if (self->stack == NULL)
    g_clear_pointer (&reply, sonde_session_reply_free);
  return reply;
}

/* ---- image ------------------------------------------------------------- */

/* The last dimension goes before the two before it: those are a tile. (transfer full) (nullable) */
static SondeTensor *
channels_first (SondeTensor *tensor)
{
  int order[SONDE_MAX_RANK], rank = tensor->shape.rank;

  if (rank < 3)
    return NULL;
  for (int d = 0; d < rank; d++)
    order[d] = d;
  order[rank - 3] = rank - 1;
  order[rank - 2] = rank - 3;
  order[rank - 1] = rank - 2;
  return sonde_tensor_transpose (tensor, order);
}

static void
on_tensor (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugViewer) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);
  g_autofree char *caption = NULL, *type = NULL, *text = NULL;
  g_autoptr (SondeTensor) tensor = NULL;

  if (reply == NULL)
    return;
  tensor = reply->tensor != NULL && gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->layout))
               ? channels_first (reply->tensor)
               : NULL;
  if (!sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (self->image),
                                     tensor != NULL ? tensor : reply->tensor))
    {
      say (self, sonde_shape_n_elements (&reply->shape) == 0
                     ? _ ("This value has no elements.")
                     : _ ("Not an image; the table shows its elements."));
      return;
    }
  caption = sonde_tensor_view_dup_caption (SONDE_TENSOR_VIEW (self->image));
  type = sonde_shape_to_string (&self->shape);
  text = g_strdup_printf (_ ("%s · of %s %s"), caption, sonde_dtype_name (self->dtype), type);
  say (self, text);
}

/* ---- histogram ----------------------------------------------------------- */

static void
on_histogram (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugViewer) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);
  /* of the value, not of a difference */
  SondeHistogramView *view = SONDE_HISTOGRAM_VIEW (self->histogram);
  g_autofree char *text = NULL, *low = NULL, *high = NULL;
  gint64 n;

  if (reply == NULL)
    return;
  sonde_histogram_view_clear (view);
  if (reply->histogram != NULL)
    sonde_histogram_view_add (view, 0, reply->histogram);
  low = sonde_format_number (reply->histogram != NULL ? reply->histogram->min : NAN);
  high = sonde_format_number (reply->histogram != NULL ? reply->histogram->max : NAN);
  n = sonde_shape_n_elements (&reply->shape);
  text = g_strdup_printf (
      P_ ("%" PRIi64 " element from %s to %s", "%" PRIi64 " elements from %s to %s", n), n, low,
      high);
  say (self, text);
}

/* ---- facts --------------------------------------------------------------- */

static void
on_facts (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugViewer) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);

  if (reply == NULL)
    return;
  sonde_debug_show_statistics (self->facts, reply);
  say (self, "");
}

/* ---- what is in sight ---------------------------------------------------- */

/* Parameters are shown whole, activations by their first sample. */
static gboolean
is_data (SondeDebugViewer *self)
{
  SondeGraph *graph = sonde_debug_session_get_graph (self->session);
  SondeGraphValue *value = graph != NULL ? sonde_graph_find_value (graph, self->name) : NULL;

  return value == NULL || value->producer != NULL || value->role == SONDE_ROLE_INPUT;
}

static guint
step_of_value (SondeDebugViewer *self)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint step
      = sonde_debug_steps_find_producer (sonde_debug_session_get_steps (self->session), self->name,
                                         sonde_debug_session_get_graph (self->session));

  if (step == SONDE_DEBUG_NO_STEP)
    step = sonde_debug_session_get_focus (self->session);
  return step == SONDE_DEBUG_NO_STEP && status != NULL ? sonde_stop_get_outermost (&status->stop)
                                                       : step;
}

/* Asks for what the visible page shows, and for nothing else. */
static void
refresh (SondeDebugViewer *self)
{
  const char *page = gtk_stack_get_visible_child_name (GTK_STACK (self->stack));
  g_autofree char *text = NULL;

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->name == NULL || !self->has_shape || page == NULL)
    return;
  self->cancellable = g_cancellable_new ();
  text = sliced_name (self);
  say (self, "…");
  gtk_widget_set_sensitive (self->layout, g_str_equal (page, "image"));
  gtk_widget_set_sensitive (self->deltas,
                            g_str_equal (page, "image") || g_str_equal (page, "facts"));
  gtk_widget_set_sensitive (self->slice,
                            !g_str_equal (page, "before-after") && !g_str_equal (page, "table"));
  if (g_str_equal (page, "image"))
    {
      sonde_view_set_title (SONDE_VIEW (self->image), text);
      ask (self, sonde_debug_session_tensor_request (self->session, text), on_tensor);
    }
  else if (g_str_equal (page, "histogram"))
    {
      g_autofree char *plain = plain_name (self);

      sonde_view_set_title (SONDE_VIEW (self->histogram), plain);
      ask (self, sonde_session_request_histogram (plain), on_histogram);
    }
  else if (g_str_equal (page, "facts"))
    ask (self, sonde_debug_session_statistics_request (self->session, text), on_facts);
  else if (g_str_equal (page, "table"))
    {
      g_autofree char *shape = sonde_shape_to_string (&self->shape);
      g_autofree char *type = g_strdup_printf (_ ("%s %s · double-click an element to edit it"),
                                               sonde_dtype_name (self->dtype), shape);

      sonde_debug_table_feed_show (self->feed, self->name, &self->shape);
      say (self, type);
    }
  else
    {
      sonde_debug_before_after_show (SONDE_DEBUG_BEFORE_AFTER (self->before_after), self->session,
                                     step_of_value (self));
      say (self, "");
    }
}

/* ---- showing another ----------------------------------------------------- */

static void
propose_slice (SondeDebugViewer *self)
{
  g_autofree char *slice = sonde_display_slice_of_shape (
      &self->shape, is_data (self),
      gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (self->layout)));

  gtk_editable_set_text (GTK_EDITABLE (self->slice), slice);
}

static void
on_layout (SondeDebugViewer *self)
{
  if (self->has_shape)
    propose_slice (self);
  refresh (self);
}

static void
take_shape (SondeDebugViewer *self, const SondeSessionReply *reply, gboolean is_same)
{
  gboolean same_shape = self->has_shape && sonde_shape_equal (&self->shape, &reply->shape);

  self->shape = reply->shape;
  self->dtype = reply->dtype;
  self->has_shape = TRUE;
  if (is_same && same_shape)
    return;
  gtk_widget_set_visible (self->layout, reply->shape.rank >= 3);
  propose_slice (self);
}

static void
on_first_facts (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugViewer) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);

  if (reply == NULL || self->name == NULL)
    return;
  take_shape (self, reply, FALSE);
  refresh (self);
}

static void
show_nothing (SondeDebugViewer *self)
{
  show_none (self);
  sonde_debug_table_feed_show (self->feed, NULL, NULL);
  gtk_label_set_text (GTK_LABEL (self->title), _ ("No Value"));
  say (self, _ ("Values are available once the run has stopped."));
}

void
sonde_debug_viewer_show (SondeDebugViewer *viewer, const char *name, const SondeSessionReply *facts)
{
  gboolean is_same = name != NULL && g_strcmp0 (name, viewer->name) == 0;
  g_autofree char *visible = name != NULL ? sonde_text_make_visible (name) : NULL;
  char *copy = g_strdup (name);

  g_cancellable_cancel (viewer->cancellable);
  g_clear_object (&viewer->cancellable);
  g_free (viewer->name);
  viewer->name = copy;
  gtk_widget_set_sensitive (viewer->copy, name != NULL);
  gtk_widget_set_sensitive (viewer->save, name != NULL);
  sonde_debug_change_update (GTK_MENU_BUTTON (viewer->change), viewer->session, name);
  sonde_debug_value_links_fill (GTK_BOX (viewer->links), viewer->session, viewer->name);
  if (name == NULL)
    {
      viewer->has_shape = FALSE;
      show_nothing (viewer);
      return;
    }
  gtk_label_set_text (GTK_LABEL (viewer->title), visible);
  gtk_widget_set_tooltip_text (viewer->title, visible);
  if (facts != NULL)
    {
      take_shape (viewer, facts, is_same);
      refresh (viewer);
      return;
    }
  viewer->has_shape = FALSE;
  viewer->cancellable = g_cancellable_new ();
  ask (viewer, sonde_debug_session_statistics_request (viewer->session, name), on_first_facts);
}

/* ---- hands --------------------------------------------------------------- */

static void
on_copy (SondeDebugViewer *self)
{
  GtkWidget *page = gtk_stack_get_visible_child (GTK_STACK (self->stack));
  g_autofree char *text = sonde_view_dup_table (
      SONDE_IS_VIEW (page) ? SONDE_VIEW (page) : SONDE_VIEW (self->image), '\t');

  if (text == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  say (self, _ ("Copied"));
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeDebugViewer) self = data;
  g_autoptr (SondeSessionReply) reply = take_reply (self, source, result);
  g_autofree char *text = reply != NULL ? g_strdup_printf (_ ("Saved as %s"), reply->path) : NULL;

  if (text != NULL)
    say (self, text);
}

static void
on_save_chosen (GtkNativeDialog *dialog, int response, SondeDebugViewer *self)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autofree char *text = self->name != NULL ? plain_name (self) : NULL;

  if (path != NULL && text != NULL)
    ask (self, sonde_session_request_save (text, path), on_saved);
  g_object_unref (dialog);
}

static void
on_save (SondeDebugViewer *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Save Value"), GTK_WINDOW (root), GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);
  g_autofree char *safe = g_strdelimit (g_strdup (self->name), "/\\", '_');
  g_autofree char *name = g_strconcat (safe, ".npy", NULL);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_loaded (SondeDebugViewer *self)
{
  sonde_debug_deltas_update (SONDE_DEBUG_DELTAS (self->deltas), self->session);
}

/* ---- class --------------------------------------------------------------- */

void
sonde_debug_viewer_set_session (SondeDebugViewer *viewer, SondeDebugSession *session)
{
  viewer->session = session;
  viewer->feed = sonde_debug_table_feed_new (SONDE_TENSOR_TABLE (viewer->table), session);
  g_signal_connect_object (session, "loaded", G_CALLBACK (on_loaded), viewer, G_CONNECT_SWAPPED);
  sonde_debug_viewer_show (viewer, NULL, NULL);
}

static void
sonde_debug_viewer_dispose (GObject *object)
{
  SondeDebugViewer *self = SONDE_DEBUG_VIEWER (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->feed);
  g_clear_pointer (&self->name, g_free);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_DEBUG_VIEWER);
  G_OBJECT_CLASS (sonde_debug_viewer_parent_class)->dispose (object);
}

static void
sonde_debug_viewer_class_init (SondeDebugViewerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_debug_viewer_dispose;
  g_type_ensure (SONDE_TYPE_TENSOR_VIEW);
  g_type_ensure (SONDE_TYPE_HISTOGRAM_VIEW);
  g_type_ensure (SONDE_TYPE_TENSOR_TABLE);
  g_type_ensure (SONDE_TYPE_DEBUG_BEFORE_AFTER);
  g_type_ensure (SONDE_TYPE_DEBUG_DELTAS);
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/value/sonde-debug-viewer.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, title);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, copy);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, save);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, change);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, links);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, switcher);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, deltas);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, layout);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, slice);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, stack);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, image);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, table);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, histogram);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, facts);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, before_after);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, caption);
}

static void
sonde_debug_viewer_init (SondeDebugViewer *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_view_set_title (SONDE_VIEW (self->image), _ ("Image"));
  sonde_view_set_title (SONDE_VIEW (self->histogram), _ ("Histogram"));
  g_signal_connect_object (self->copy, "clicked", G_CALLBACK (on_copy), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->save, "clicked", G_CALLBACK (on_save), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->slice, "activate", G_CALLBACK (refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->deltas, "changed", G_CALLBACK (refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->layout, "toggled", G_CALLBACK (on_layout), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->stack, "notify::visible-child", G_CALLBACK (refresh), self,
                           G_CONNECT_SWAPPED);
}
