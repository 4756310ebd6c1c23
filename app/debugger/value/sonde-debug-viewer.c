/* SPDX-License-Identifier: Apache-2.0
 * One value. */
#include "app/debugger/value/sonde-debug-viewer.h"

#include "app/debugger/dialogs/sonde-debug-change.h"
#include "app/debugger/value/sonde-debug-statistics.h"
#include "app/debugger/value/sonde-debug-before-after.h"
#include "app/debugger/value/sonde-debug-slice.h"
#include "app/debugger/value/sonde-debug-table-feed.h"
#include "app/debugger/sonde-debug-describe.h"
#include "data/base/sonde-format.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-histogram-view.h"
#include "viewers/sonde-tensor-view.h"
#include "data/base/sonde-error.h"
#include "engine/live/sonde-watch-text.h"

#define MAX_READERS 2

struct _SondeDebugViewer
{
  GtkBox parent_instance;

  GtkWidget *title, *copy, *save, *change, *links, *switcher, *layout, *deltas, *delta, *slice,
      *stack;
  GtkWidget *picture, *table, *histogram, *facts, *before_after, *caption;
  SondeDebugSession *session; /* borrowed from the page */
  SondeDebugTableFeed *feed;  /* of the table */
  GCancellable *cancellable;
  char *name;       /* (nullable) */
  SondeShape shape; /* of all of it */
  SondeDtype dtype;
  gboolean has_shape;
  /* what it is the difference to: a branch, or one of the following */
  guint against;
};

#define AGAINST_NOTHING 0
#define AGAINST_STEP G_MAXUINT
#define MAX_BRANCHES 3 /* with a button, the newest */

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

/* The value with the slice of the entry, less what it was a step before, or is in another branch,
 * if that is wanted: what is asked for. (transfer full) */
static char *
sliced_name (SondeDebugViewer *self)
{
  const char *slice = gtk_editable_get_text (GTK_EDITABLE (self->slice));
  g_autofree char *value = NULL, *branch = NULL, *other = NULL;

  if (self->against == AGAINST_NOTHING)
    return plain_name (self);
  value = sonde_expression_quote (self->name, slice);
  if (self->against == AGAINST_STEP)
    {
      g_autofree char *whole = sonde_expression_quote (self->name, NULL);

      other = *slice != '\0' ? g_strdup_printf ("prev(%s)[%s]", whole, slice)
                             : g_strdup_printf ("prev(%s)", whole);
    }
  else
    {
      branch = g_strdup_printf ("%s@%u", self->name, self->against);
      other = sonde_expression_quote (branch, slice);
    }
  return g_strdup_printf ("%s - %s", value, other);
}

/* What was there before is not what is asked for. */
static void
show_none (SondeDebugViewer *self)
{
  sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (self->picture), NULL);
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

/* ---- picture ------------------------------------------------------------- */

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
  if (!sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (self->picture),
                                     tensor != NULL ? tensor : reply->tensor))
    {
      say (self, sonde_shape_n_elements (&reply->shape) == 0
                     ? _ ("This value has no elements.")
                     : _ ("Not an image; the table shows its elements."));
      return;
    }
  caption = sonde_tensor_view_dup_caption (SONDE_TENSOR_VIEW (self->picture));
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
  gtk_widget_set_sensitive (self->layout, g_str_equal (page, "picture"));
  gtk_widget_set_sensitive (self->deltas,
                            g_str_equal (page, "picture") || g_str_equal (page, "facts"));
  gtk_widget_set_sensitive (self->slice,
                            !g_str_equal (page, "before-after") && !g_str_equal (page, "table"));
  if (g_str_equal (page, "picture"))
    {
      sonde_view_set_title (SONDE_VIEW (self->picture), text);
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

/* ---- links --------------------------------------------------------------- */

static void
on_link (GtkButton *button, SondeDebugViewer *self)
{
  sonde_debug_session_focus_name (self->session, g_object_get_data (G_OBJECT (button), "node"));
}

static void
add_words (SondeDebugViewer *self, const char *words)
{
  GtkWidget *label = gtk_label_new (words);

  gtk_widget_add_css_class (label, "caption");
  gtk_widget_add_css_class (label, "dim-label");
  gtk_box_append (GTK_BOX (self->links), label);
}

static void
add_link (SondeDebugViewer *self, const char *node)
{
  g_autofree char *visible = sonde_text_make_visible (node);
  g_autofree char *tip = g_strdup_printf (_ ("Go to %s"), visible);
  GtkWidget *label = gtk_label_new (visible), *button = gtk_button_new ();

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (label), MIN (g_utf8_strlen (visible, -1), 6));
  gtk_label_set_max_width_chars (GTK_LABEL (label), 14);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "small-link");
  gtk_widget_set_tooltip_text (button, tip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  g_object_set_data_full (G_OBJECT (button), "node", g_strdup (node), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_link), self, 0);
  gtk_box_append (GTK_BOX (self->links), button);
}

static void
show_links (SondeDebugViewer *self)
{
  SondeGraph *graph = sonde_debug_session_get_graph (self->session);
  SondeGraphValue *value
      = self->name != NULL && graph != NULL ? sonde_graph_find_value (graph, self->name) : NULL;
  GtkWidget *child;
  guint n;

  while ((child = gtk_widget_get_first_child (self->links)) != NULL)
    gtk_box_remove (GTK_BOX (self->links), child);
  gtk_widget_set_visible (self->links, value != NULL);
  if (value == NULL)
    return;
  add_words (self, value->producer != NULL ? _ ("from") : sonde_debug_describe_role (value->role));
  if (value->producer != NULL)
    add_link (self, value->producer->name);
  n = value->users->len;
  add_words (self, n > 0 ? _ ("· used by") : _ ("· not used"));
  for (guint i = 0; i < MIN (n, MAX_READERS); i++)
    add_link (self, ((SondeNode *) g_ptr_array_index (value->users, i))->name);
  if (n > MAX_READERS)
    {
      g_autofree char *more = g_strdup_printf ("+%u", n - MAX_READERS);

      add_words (self, more);
    }
}

/* ---- showing another ----------------------------------------------------- */

static void
propose_slice (SondeDebugViewer *self)
{
  g_autofree char *slice
      = sonde_debug_default_slice (&self->shape, is_data (self),
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
  show_links (viewer);
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
      SONDE_IS_VIEW (page) ? SONDE_VIEW (page) : SONDE_VIEW (self->picture), '\t');

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

/* ---- differences --------------------------------------------------------- */

/* At most one of them is down. */
static void
on_delta (GtkToggleButton *button, SondeDebugViewer *self)
{
  guint against = GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (button), "against"));

  if (gtk_toggle_button_get_active (button))
    {
      self->against = against;
      for (GtkWidget *other = gtk_widget_get_first_child (self->deltas); other != NULL;
           other = gtk_widget_get_next_sibling (other))
        if (other != GTK_WIDGET (button))
          gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (other), FALSE);
    }
  else if (self->against == against)
    self->against = AGAINST_NOTHING;
  else
    return;
  refresh (self);
}

static void
add_delta (SondeDebugViewer *self, const SondeBranch *info)
{
  g_autofree char *name = sonde_text_make_visible (info->name),
                  *words = g_strdup_printf ("Δ %u", info->number);
  g_autofree char *tip = g_strdup_printf (_ ("Difference from branch %u, “%s”: x − x@%u"),
                                          info->number, name, info->number);
  GtkWidget *button = gtk_toggle_button_new_with_label (words);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, tip);
  gtk_widget_add_css_class (button, "small-toggle");
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tip, -1);
  g_object_set_data (G_OBJECT (button), "against", GUINT_TO_POINTER (info->number));
  g_signal_connect_object (button, "toggled", G_CALLBACK (on_delta), self, 0);
  gtk_box_append (GTK_BOX (self->deltas), button);
}

static void
on_loaded (SondeDebugViewer *self)
{
  GPtrArray *branches = sonde_debug_session_get_branches (self->session);
  const SondeSessionStatus *status = sonde_debug_session_get_status (self->session);
  guint n = 0;
  GtkWidget *child;

  /* it has no steps */
  gtk_widget_set_visible (self->delta,
                          status == NULL || status->facts.kind != SONDE_ACTIVITY_INFERENCE);
  while ((child = gtk_widget_get_last_child (self->deltas)) != self->delta)
    gtk_box_remove (GTK_BOX (self->deltas), child);
  if (self->against != AGAINST_STEP)
    self->against = AGAINST_NOTHING;
  for (guint i = branches != NULL ? branches->len : 0; i > 0 && n < MAX_BRANCHES; i--)
    {
      const SondeBranch *info = g_ptr_array_index (branches, i - 1);

      if (info->current)
        continue;
      add_delta (self, info);
      n++;
    }
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
  gtk_widget_class_set_template_from_resource (
      widget_class, "/org/sonde/Sonde/debugger/value/sonde-debug-viewer.ui");
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, title);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, copy);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, save);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, change);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, links);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, switcher);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, delta);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, deltas);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, layout);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, slice);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, stack);
  gtk_widget_class_bind_template_child (widget_class, SondeDebugViewer, picture);
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
  sonde_view_set_title (SONDE_VIEW (self->picture), _ ("Image"));
  sonde_view_set_title (SONDE_VIEW (self->histogram), _ ("Histogram"));
  g_object_set_data (G_OBJECT (self->delta), "against", GUINT_TO_POINTER (AGAINST_STEP));
  g_signal_connect_object (self->copy, "clicked", G_CALLBACK (on_copy), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->save, "clicked", G_CALLBACK (on_save), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->slice, "activate", G_CALLBACK (refresh), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->delta, "toggled", G_CALLBACK (on_delta), self, 0);
  g_signal_connect_object (self->layout, "toggled", G_CALLBACK (on_layout), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->stack, "notify::visible-child", G_CALLBACK (refresh), self,
                           G_CONNECT_SWAPPED);
}
