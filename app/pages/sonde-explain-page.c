/* SPDX-License-Identifier: Apache-2.0
 * The Explain page. */
#include "app/pages/sonde-explain-page.h"

#include <string.h>

#include "app/pages/sonde-explained-errors.h"
#include "app/pages/sonde-explained-sample.h"
#include "viewers/sonde-confusion-view.h"
#include "viewers/sonde-saliency-view.h"

#define TAG "saliency"
#define RESOURCE "/org/sonde/Sonde/pages/sonde-explain-page.ui"
#define MIN_SIDE 190 /* px of a picture */
#define MAX_SIDE 448

struct _SondeExplainPage
{
  SondePage parent_instance;

  GtkWidget *matrix, *pairs, *list, *heading, *subheading, *maps, *blend, *outline, *note;
  GListStore *samples;     /* SondeExplainedSample */
  GtkCustomFilter *filter;
  GtkSingleSelection *selection;
  GtkStringList *pair_names;
  GPtrArray *pair_keys;    /* (element-type utf8): NULL first: all */
  SondeExplainedErrors *errors;
  SondeRun *run;           /* whose samples these are */
  guint n_records;         /* how many of its records they were made from */
  GCancellable *loading;
};

G_DEFINE_FINAL_TYPE (SondeExplainPage, sonde_explain_page, SONDE_TYPE_PAGE)

/* ---- one sample ------------------------------------------------------------------------------- */

static void
append_view (SondeExplainPage     *self,
             SondeExplainedSample *sample,
             const SondeSampleMap *map,
             const char           *caption,
             const char           *fact)
{
  const SondeImage *image = sonde_explained_sample_get_image (sample);
  SondeImage *copy = NULL;
  GtkWidget *view = sonde_saliency_view_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *label = gtk_label_new (caption), *detail = gtk_label_new (fact);
  gboolean outline = gtk_check_button_get_active (GTK_CHECK_BUTTON (self->outline));

  if (image != NULL)
    {
      copy = sonde_image_new (image->width, image->height, image->channels);
      memcpy (copy->pixels, image->pixels, (gsize) image->width * (gsize) image->height * (gsize) image->channels);
    }
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (view), copy, map != NULL ? map->map : NULL,
                                   outline ? sonde_explained_sample_get_mask (sample) : NULL,
                                   sonde_explained_sample_get_limit (sample));
  sonde_saliency_view_set_blend (SONDE_SALIENCY_VIEW (view), gtk_range_get_value (GTK_RANGE (self->blend)));
  sonde_view_set_title (SONDE_VIEW (view), caption);
  sonde_view_set_minimum_size (SONDE_VIEW (view), MIN_SIDE, MIN_SIDE);
  sonde_saliency_view_set_max_side (SONDE_SALIENCY_VIEW (view), MAX_SIDE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_set_tooltip_text (label, caption);
  gtk_widget_add_css_class (label, "heading");
  gtk_label_set_xalign (GTK_LABEL (detail), 0);
  gtk_label_set_ellipsize (GTK_LABEL (detail), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (detail, "caption");
  gtk_widget_add_css_class (detail, "dim-label");
  gtk_widget_add_css_class (detail, "numeric");
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), detail);
  gtk_box_append (GTK_BOX (box), view);
  gtk_flow_box_append (GTK_FLOW_BOX (self->maps), box);
}

static void
clear_maps (SondeExplainPage *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (self->maps)) != NULL)
    gtk_flow_box_remove (GTK_FLOW_BOX (self->maps), child);
}

/* What the picture cannot say: a map without evidence, a network that is sure of a wrong answer. */
static char *
make_note (SondeExplainedSample *sample)
{
  GString *text = g_string_new (NULL);
  GPtrArray *maps = sonde_explained_sample_get_maps (sample);

  if (maps->len > 0)
    g_string_append_printf (text,
                            "Red: a brighter pixel raises the class’s logit; blue: it lowers it. All maps share "
                            "one scale. Method: %s (%s).",
                            ((SondeSampleMap *) g_ptr_array_index (maps, 0))->method,
                            ((SondeSampleMap *) g_ptr_array_index (maps, 0))->parameters);
  if (sonde_explained_sample_get_limit (sample) <= 0)
    g_string_append (text, " The maps are zero everywhere: the network's answer does not depend on small changes here.");
  if (sonde_explained_sample_get_mask (sample) != NULL)
    g_string_append (text, " The outline is the object as it was drawn.");
  return g_string_free (text, FALSE);
}

static void
show_sample (SondeExplainPage *self)
{
  SondeExplainedSample *sample = gtk_single_selection_get_selected_item (self->selection);
  g_autofree char *heading = NULL, *subheading = NULL, *size = NULL, *note = NULL;
  GPtrArray *maps;

  if (self->maps == NULL) /* while the page goes */
    return;
  clear_maps (self);
  if (sample == NULL)
    return;
  maps = sonde_explained_sample_get_maps (sample);
  heading = g_strdup_printf ("“%s” taken for “%s”", sonde_explained_sample_get_label (sample),
                             sonde_explained_sample_get_predicted (sample));
  subheading = g_strdup_printf ("%s · p(%s) = %.3f · p(%s) = %.3f", sonde_explained_sample_get_name (sample),
                                sonde_explained_sample_get_predicted (sample),
                                sonde_explained_sample_get_predicted_probability (sample),
                                sonde_explained_sample_get_label (sample),
                                sonde_explained_sample_get_label_probability (sample));
  gtk_label_set_text (GTK_LABEL (self->heading), heading);
  gtk_label_set_text (GTK_LABEL (self->subheading), subheading);
  if (sonde_explained_sample_get_image (sample) != NULL)
    size = g_strdup_printf ("%d × %d pixels", sonde_explained_sample_get_image (sample)->width,
                            sonde_explained_sample_get_image (sample)->height);
  append_view (self, sample, NULL, "Picture", size != NULL ? size : "cannot be decoded");
  for (guint i = 0; i < maps->len; i++)
    {
      SondeSampleMap *map = g_ptr_array_index (maps, i);
      g_autofree char *caption = g_strdup_printf ("For “%s” (%s)", map->target_name, map->target_is);
      g_autofree char *fact = g_strdup_printf ("%s · logit %.4g", map->method, map->score);

      append_view (self, sample, map, caption, fact);
    }
  note = make_note (sample);
  gtk_label_set_text (GTK_LABEL (self->note), note);
}

static void
on_blend_changed (GtkRange         *range,
                  SondeExplainPage *self)
{
  for (GtkWidget *child = gtk_widget_get_first_child (self->maps); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *box = gtk_flow_box_child_get_child (GTK_FLOW_BOX_CHILD (child));
      GtkWidget *view = gtk_widget_get_last_child (box);

      sonde_saliency_view_set_blend (SONDE_SALIENCY_VIEW (view), gtk_range_get_value (range));
    }
}

/* ---- list of samples -------------------------------------------------------------------------- */

static void
set_up_row (GtkSignalListItemFactory *factory,
            GtkListItem              *item)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *text = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *picture = gtk_picture_new (), *title = gtk_label_new (NULL), *detail = gtk_label_new (NULL);

  gtk_widget_set_size_request (picture, 48, 48);
  gtk_picture_set_can_shrink (GTK_PICTURE (picture), TRUE);
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_label_set_xalign (GTK_LABEL (title), 0);
  gtk_label_set_xalign (GTK_LABEL (detail), 0);
  gtk_label_set_ellipsize (GTK_LABEL (title), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_ellipsize (GTK_LABEL (detail), PANGO_ELLIPSIZE_MIDDLE);
  gtk_widget_add_css_class (detail, "dim-label");
  gtk_widget_add_css_class (detail, "caption");
  gtk_widget_add_css_class (detail, "numeric");
  gtk_box_append (GTK_BOX (text), title);
  gtk_box_append (GTK_BOX (text), detail);
  gtk_box_append (GTK_BOX (box), picture);
  gtk_box_append (GTK_BOX (box), text);
  gtk_list_item_set_child (item, box);
}

static void
bind_row (GtkSignalListItemFactory *factory,
          GtkListItem              *item)
{
  SondeExplainedSample *sample = gtk_list_item_get_item (item);
  GtkWidget *box = gtk_list_item_get_child (item);
  GtkWidget *picture = gtk_widget_get_first_child (box), *text = gtk_widget_get_last_child (box);
  g_autoptr (GdkTexture) texture = sonde_explained_sample_make_texture (sample);
  g_autofree char *detail
      = g_strdup_printf ("%s · %.3f", sonde_explained_sample_get_name (sample),
                         sonde_explained_sample_get_predicted_probability (sample));

  gtk_picture_set_paintable (GTK_PICTURE (picture), GDK_PAINTABLE (texture));
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_first_child (text)), sonde_explained_sample_get_pair (sample));
  gtk_label_set_text (GTK_LABEL (gtk_widget_get_last_child (text)), detail);
  gtk_widget_set_tooltip_text (box, sonde_explained_sample_get_name (sample));
}

static gboolean
matches_pair (gpointer item,
              gpointer data)
{
  SondeExplainPage *self = data;
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->pairs));
  const char *key = selected < self->pair_keys->len ? g_ptr_array_index (self->pair_keys, selected) : NULL;

  return key == NULL || g_str_equal (sonde_explained_sample_get_pair (item), key);
}

/* The chooser and the matrix say the same. */
static void
on_pair_selected (SondeExplainPage *self)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->pairs));
  const char *key = selected < self->pair_keys->len ? g_ptr_array_index (self->pair_keys, selected) : NULL;

  if (self->errors != NULL)
    sonde_view_set_selection (SONDE_VIEW (self->matrix), sonde_explained_errors_find (self->errors, key));
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

/* Whether the pair that is chosen has a cell. */
static gboolean
is_in_matrix (SondeExplainPage *self)
{
  guint selected = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->pairs));

  return selected < self->pair_keys->len
         && sonde_explained_errors_find (self->errors, g_ptr_array_index (self->pair_keys, selected)) >= 0;
}

static void
on_cell_selected (SondeExplainPage *self)
{
  gint64 cell = sonde_view_get_selection (SONDE_VIEW (self->matrix));
  g_autofree char *pair = cell >= 0 ? sonde_explained_errors_dup_pair (self->errors, (guint) cell) : NULL;
  guint row = 0;

  for (guint i = 1; pair != NULL && i < self->pair_keys->len; i++)
    if (g_str_equal (g_ptr_array_index (self->pair_keys, i), pair))
      row = i;
  /* Another pair may be chosen that the matrix has no room for. */
  if (pair != NULL || is_in_matrix (self))
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->pairs), row);
}

static int
compare_counts (const void *a,
                const void *b,
                void       *data)
{
  GHashTable *counts = data;
  guint x = GPOINTER_TO_UINT (g_hash_table_lookup (counts, *(char *const *) a));
  guint y = GPOINTER_TO_UINT (g_hash_table_lookup (counts, *(char *const *) b));

  return x != y ? (x < y) - (x > y) : g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

static void
fill_matrix (SondeExplainPage *self)
{
  SondeExplainedErrors *errors = sonde_explained_errors_new (G_LIST_MODEL (self->samples));

  sonde_confusion_view_set_counts (SONDE_CONFUSION_VIEW (self->matrix), (const char *const *) errors->names, errors->n,
                                   errors->counts);
  g_clear_pointer (&self->errors, sonde_explained_errors_free);
  self->errors = errors;
}

/* The cells of the confusion matrix that hold errors, largest first. */
static void
fill_pairs (SondeExplainPage *self)
{
  g_autoptr (GHashTable) counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) keys = g_ptr_array_new ();
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->samples));
  g_autofree char *all = g_strdup_printf ("All mistakes (%u)", n);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (SondeExplainedSample) sample = g_list_model_get_item (G_LIST_MODEL (self->samples), i);
      const char *pair = sonde_explained_sample_get_pair (sample);
      guint count = GPOINTER_TO_UINT (g_hash_table_lookup (counts, pair));

      g_hash_table_insert (counts, g_strdup (pair), GUINT_TO_POINTER (count + 1));
    }
  {
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init (&iter, counts);
    while (g_hash_table_iter_next (&iter, &key, NULL))
      g_ptr_array_add (keys, key);
  }
  g_ptr_array_sort_with_data (keys, compare_counts, counts);
  g_ptr_array_set_size (self->pair_keys, 0);
  gtk_string_list_splice (self->pair_names, 0, g_list_model_get_n_items (G_LIST_MODEL (self->pair_names)), NULL);
  g_ptr_array_add (self->pair_keys, NULL);
  gtk_string_list_append (self->pair_names, all);
  for (guint i = 0; i < keys->len; i++)
    {
      const char *key = g_ptr_array_index (keys, i);
      g_autofree char *text
          = g_strdup_printf ("%s (%u)", key, GPOINTER_TO_UINT (g_hash_table_lookup (counts, key)));

      g_ptr_array_add (self->pair_keys, g_strdup (key));
      gtk_string_list_append (self->pair_names, text);
    }
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->pairs), 0);
}

/* ---- loading ---------------------------------------------------------------------------------- */

/* What the decoding thread gets. */
typedef struct
{
  GPtrArray *records;
  char *program;
} Decoding;

static void
decoding_free (void *data)
{
  Decoding *decoding = data;

  g_ptr_array_unref (decoding->records);
  g_free (decoding->program);
  g_free (decoding);
}

static void
decode_in_thread (GTask        *task,
                  gpointer      source,
                  gpointer      task_data,
                  GCancellable *cancellable)
{
  Decoding *decoding = task_data;
  const char *arguments[] = { decoding->program, "image-helper", NULL };
  g_autoptr (SondeImageDecoder) decoder = sonde_image_decoder_new (arguments);

  g_task_return_pointer (task, sonde_explained_samples_new (decoding->records, decoder),
                         (GDestroyNotify) g_ptr_array_unref);
}

static void
set_status (SondeExplainPage *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->samples));
  guint shown = g_list_model_get_n_items (G_LIST_MODEL (self->selection));
  g_autofree char *status = n > 0 ? g_strdup_printf ("%u of %u explained samples", shown, n) : NULL;

  sonde_page_set_status (SONDE_PAGE (self), status);
}

static void
on_decoded (GObject      *source,
            GAsyncResult *result,
            gpointer      data)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) samples = g_task_propagate_pointer (G_TASK (result), &error);

  if (samples != NULL)
    {
      gtk_drop_down_set_selected (GTK_DROP_DOWN (self->pairs), 0);
      g_list_store_splice (self->samples, 0, g_list_model_get_n_items (G_LIST_MODEL (self->samples)), samples->pdata,
                           samples->len);
      fill_matrix (self);
      fill_pairs (self);
      set_status (self);
      if (samples->len > 0)
        sonde_page_set_filled (SONDE_PAGE (self));
    }
  sonde_page_release (SONDE_PAGE (self));
}

static void
on_records_read (GObject      *source,
                 GAsyncResult *result,
                 gpointer      data)
{
  g_autoptr (SondeExplainPage) self = data;
  g_autoptr (GError) error = NULL;
  GPtrArray *records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, &error);
  g_autoptr (GTask) task = NULL;
  Decoding *decoding;

  if (records == NULL)
    {
      if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        sonde_page_toast (SONDE_PAGE (self), error->message);
      sonde_page_release (SONDE_PAGE (self));
      return;
    }
  decoding = g_new0 (Decoding, 1);
  decoding->records = records;
  decoding->program = g_strdup (sonde_workspace_get_program (sonde_page_get_workspace (SONDE_PAGE (self))));
  task = g_task_new (self, self->loading, on_decoded, NULL);
  g_task_set_task_data (task, decoding, decoding_free);
  g_task_run_in_thread (task, decode_in_thread);
}

static void
show_empty (SondeExplainPage *self)
{
  sonde_page_set_empty (SONDE_PAGE (self), "sonde-explain-symbolic", "No Explanations",
                        self->run != NULL ? "This run holds no explanation maps; “sonde explain RUN --run RUN” adds them."
                                          : "Open a run that holds explanation maps.",
                        "Open a Folder…", "win.open");
}

/* Reads the run's saliency records again when there are more of them. */
static void
update (SondeExplainPage *self)
{
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (self)));
  GArray *blobs;

  if (run != self->run)
    {
      g_set_object (&self->run, run);
      g_list_store_remove_all (self->samples);
      self->n_records = 0;
    }
  blobs = run != NULL ? sonde_run_list_blobs (run, TAG, SONDE_RECORD_SALIENCY) : NULL;
  if (blobs == NULL || blobs->len == 0)
    show_empty (self);
  else if (blobs->len != self->n_records)
    {
      self->n_records = blobs->len;
      g_cancellable_cancel (self->loading);
      g_clear_object (&self->loading);
      self->loading = g_cancellable_new ();
      sonde_page_hold (SONDE_PAGE (self));
      sonde_run_read_blobs_async (run, blobs, self->loading, on_records_read, g_object_ref (self));
    }
  g_clear_pointer (&blobs, g_array_unref);
}

/* ---- page ------------------------------------------------------------------------------------- */

static void
sonde_explain_page_opened (SondePage *page)
{
  update (SONDE_EXPLAIN_PAGE (page));
}

static void
on_workspace_changed (SondeExplainPage *self)
{
  if (sonde_page_is_opened (SONDE_PAGE (self)))
    update (self);
}

static void
sonde_explain_page_set_up (SondePage *page)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (page);

  g_signal_connect_object (workspace, "changed", G_CALLBACK (on_workspace_changed), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (on_workspace_changed), page, G_CONNECT_SWAPPED);
  show_empty (SONDE_EXPLAIN_PAGE (page));
}

static void
sonde_explain_page_dispose (GObject *object)
{
  SondeExplainPage *self = SONDE_EXPLAIN_PAGE (object);

  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  g_clear_object (&self->run);
  gtk_widget_dispose_template (GTK_WIDGET (self), SONDE_TYPE_EXPLAIN_PAGE);
  if (self->filter != NULL)
    gtk_custom_filter_set_filter_func (self->filter, NULL, NULL, NULL);
  g_clear_object (&self->filter);
  g_clear_object (&self->selection);
  g_clear_object (&self->samples);
  g_clear_object (&self->pair_names);
  g_clear_pointer (&self->pair_keys, g_ptr_array_unref);
  g_clear_pointer (&self->errors, sonde_explained_errors_free);
  G_OBJECT_CLASS (sonde_explain_page_parent_class)->dispose (object);
}

static void
sonde_explain_page_class_init (SondeExplainPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_explain_page_dispose;
  SONDE_PAGE_CLASS (klass)->set_up = sonde_explain_page_set_up;
  SONDE_PAGE_CLASS (klass)->opened = sonde_explain_page_opened;
  g_type_ensure (SONDE_TYPE_CONFUSION_VIEW);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, matrix);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, pairs);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, list);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, heading);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, subheading);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, maps);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, blend);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, outline);
  gtk_widget_class_bind_template_child (widget_class, SondeExplainPage, note);
}

static void
sonde_explain_page_init (SondeExplainPage *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();
  GtkFilterListModel *filtered;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->samples = g_list_store_new (SONDE_TYPE_EXPLAINED_SAMPLE);
  self->pair_keys = g_ptr_array_new_with_free_func (g_free);
  self->pair_names = gtk_string_list_new (NULL);
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->pairs), G_LIST_MODEL (self->pair_names));
  self->filter = gtk_custom_filter_new (matches_pair, self, NULL);
  filtered = gtk_filter_list_model_new (g_object_ref (G_LIST_MODEL (self->samples)),
                                        g_object_ref (GTK_FILTER (self->filter)));
  self->selection = gtk_single_selection_new (G_LIST_MODEL (filtered));
  g_signal_connect (factory, "setup", G_CALLBACK (set_up_row), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (bind_row), NULL);
  gtk_list_view_set_factory (GTK_LIST_VIEW (self->list), factory);
  gtk_list_view_set_model (GTK_LIST_VIEW (self->list), GTK_SELECTION_MODEL (self->selection));
  g_signal_connect_object (self->pairs, "notify::selected", G_CALLBACK (on_pair_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->matrix, "notify::selection", G_CALLBACK (on_cell_selected), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (show_sample), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->selection, "items-changed", G_CALLBACK (set_status), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->outline, "toggled", G_CALLBACK (show_sample), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->blend, "value-changed", G_CALLBACK (on_blend_changed), self, 0);
}
