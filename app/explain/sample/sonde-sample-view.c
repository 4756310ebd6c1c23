/* SPDX-License-Identifier: Apache-2.0
 * One sample: its parts, and what is shown in them. */
#include "app/explain/sample/sonde-sample-view.h"

#include <math.h>
#include <string.h>

#include "app/explain/sonde-explain-widgets.h"
#include "app/explain/sample/sonde-sample-view-private.h"
#include "viewers/paint/sonde-map-paint.h"
#include "viewers/sonde-probability-view.h"
#include "viewers/sonde-saliency-view.h"

#define IMAGE_SIDE 224 /* px at most */

enum
{
  STUDY_WANTED,
  BUSY_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleView, sonde_sample_view, ADW_TYPE_BIN)

const char *
sonde_sample_view_get_class (SondeSampleView *self, gint64 class)
{
  const SondeExplainInfo *info
      = self->client != NULL ? sonde_explain_client_get_info (self->client) : NULL;

  return info != NULL && class >= 0 && class < info->n_classes ? info->classes[class] : "unknown";
}

/* Everything asked for the sample before is of no interest any more. */
static void
begin (SondeSampleView *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  self->asked_neighbours = FALSE;
  g_clear_pointer (&self->row, sonde_sample_result_free);
  g_clear_object (&self->recorded);
  self->n_map_bytes = 0;
  g_clear_pointer (&self->image, sonde_image_unref);
  gtk_widget_set_visible (self->note, FALSE);
}

/* ---- targets ------------------------------------------------------------- */

static double
probability_of (SondeSampleView *self, gint64 class)
{
  const SondeSampleResult *row = self->row;

  if (row->probabilities != NULL && class >= 0 && class < row->n_classes)
    return (double) row->probabilities[class];
  return class == row->predicted ? row->p_predicted : class == row->label ? row->p_label : NAN;
}

static void
add_target (SondeSampleView *self, SondeMapTarget *targets, guint *n, gint64 class)
{
  const char *is = class == self->row->predicted
                       ? (class == self->row->label ? "predicted and true" : "predicted")
                   : class == self->row->label ? "true label"
                                               : "chosen";
  double p = probability_of (self, class);

  for (guint i = 0; i < *n; i++)
    if (targets[i].target == class)
      return;
  if (class < 0)
    return;
  targets[*n].target = class;
  targets[*n].name = sonde_sample_view_get_class (self, class);
  targets[*n].caption = isfinite (p)
                            ? g_strdup_printf ("For “%s” · %s · p %.3f", targets[*n].name, is, p)
                            : g_strdup_printf ("For “%s” · %s", targets[*n].name, is);
  (*n)++;
}

/* The chosen class first, then the predicted and the true one; of another class the prediction for
 * comparison. */
static void
set_targets (SondeSampleView *self)
{
  gint64 chosen = sonde_view_get_selection (SONDE_VIEW (self->probabilities));
  SondeMapTarget targets[3];
  guint n = 0;

  if (self->row == NULL || self->image == NULL)
    return;
  add_target (self, targets, &n, chosen);
  add_target (self, targets, &n, self->row->predicted);
  if (n < 2)
    add_target (self, targets, &n, self->row->label);
  sonde_sample_maps_set_targets (SONDE_SAMPLE_MAPS (self->maps), targets, n);
  for (guint i = 0; i < n; i++)
    g_free ((char *) targets[i].caption);
}

static void
on_class_chosen (SondeSampleView *self)
{
  if (!self->filling)
    set_targets (self);
}

/* ---- a sample of the study ----------------------------------------------- */

static SondeTensor *
mask_of (const SondeImage *image, const SondeBox *box)
{
  SondeShape shape = sonde_shape_make (2, image->height, image->width);
  SondeTensor *mask;

  if (box->width <= 0)
    return NULL;
  mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  for (int y = MAX ((int) box->y, 0); y < MIN ((int) (box->y + box->height), image->height); y++)
    for (int x = MAX ((int) box->x, 0); x < MIN ((int) (box->x + box->width), image->width); x++)
      sonde_tensor_set_double (mask, (gint64) y * image->width + x, 1);
  return mask;
}

static void
set_edit_sample (SondeSampleView *self)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (self->client);

  if (self->image == NULL || info == NULL)
    return;
  sonde_sample_edit_set_sample (SONDE_SAMPLE_EDIT (self->edit), self->image,
                                (const char *const *) info->classes, info->n_classes,
                                self->row->probabilities, self->row->label);
}

static void
look_at_part (SondeSampleView *self)
{
  const char *part = gtk_stack_get_visible_child_name (GTK_STACK (self->stack));

  if (self->row == NULL || self->image == NULL || part == NULL)
    return;
  if (g_str_equal (part, "flip"))
    sonde_sample_counterfactual_ask (SONDE_SAMPLE_COUNTERFACTUAL (self->counterfactual));
  if (g_str_equal (part, "flip") || g_str_equal (part, "neighbours"))
    sonde_sample_view_request_neighbours (self);
}

void
sonde_sample_view_take_image (SondeSampleView *self, SondeImage *image, const SondeBox *box)
{
  g_autoptr (SondeTensor) mask = mask_of (image, box);

  self->image = image;
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (self->image_view), sonde_image_ref (image),
                                   NULL, mask, 0);
  sonde_sample_maps_set_image (SONDE_SAMPLE_MAPS (self->maps), image, mask);
  sonde_sample_counterfactual_set_sample (SONDE_SAMPLE_COUNTERFACTUAL (self->counterfactual), image,
                                          sonde_explain_client_get_settings (self->client),
                                          self->row->predicted, self->row->label,
                                          sonde_sample_view_get_class (self, self->row->predicted),
                                          sonde_sample_view_get_class (self, self->row->label));
  set_edit_sample (self);
  set_targets (self);
  look_at_part (self);
}

void
sonde_sample_view_take_probabilities (SondeSampleView *self, const float *values, guint n)
{
  const SondeExplainInfo *info = sonde_explain_client_get_info (self->client);

  if (info == NULL || n != info->n_classes)
    return;
  if (self->row->probabilities == NULL)
    {
      self->row->probabilities = g_memdup2 (values, n * sizeof *values);
      self->row->n_classes = n;
      set_edit_sample (self);
    }
  sonde_probability_view_set_values (SONDE_PROBABILITY_VIEW (self->probabilities),
                                     (const char *const *) info->classes, n, values, NULL,
                                     self->row->label);
}

static void
show_category (SondeSampleView *self)
{
  const SondeSampleResult *row = self->row;
  gboolean has = row->category < SONDE_N_CATEGORIES;
  g_autofree char *title
      = has ? g_strdup_printf ("Reason: %s", sonde_error_category_get_title (row->category)) : NULL;

  /* The room is there before the reason is. */
  gtk_widget_set_visible (self->category_box, sonde_sample_result_is_error (row));
  gtk_label_set_text (GTK_LABEL (self->category), has ? title : "No reason yet");
  gtk_label_set_text (GTK_LABEL (self->evidence),
                      has && row->evidence != NULL ? row->evidence : "");
  sonde_sample_annotation_set_row (SONDE_SAMPLE_ANNOTATION (self->annotation), row);
}

static void
show_heading (SondeSampleView *self)
{
  const SondeSampleResult *row = self->row;
  const char *predicted = sonde_sample_view_get_class (self, row->predicted),
             *label = sonde_sample_view_get_class (self, row->label);
  g_autofree char *heading = NULL, *detail = NULL;

  heading = row->label < 0 ? g_strdup_printf ("“%s”", predicted)
            : row->label == row->predicted
                ? g_strdup_printf ("“%s”, answered right", predicted)
                : g_strdup_printf ("“%s” taken for “%s”", label, predicted);
  detail = g_strdup_printf ("%s · margin %.3f", row->name, row->margin);
  sonde_label_set (self->heading, heading);
  sonde_label_set (self->subheading, detail);
}

/* Other parts than the maps are of a study only. */
static void
show_parts (SondeSampleView *self, gboolean study, gboolean boxes)
{
  static const char *const parts[] = { "flip", "neighbours", "edit", "verdict" };

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    gtk_stack_page_set_visible (
        gtk_stack_get_page (GTK_STACK (self->stack),
                            gtk_stack_get_child_by_name (GTK_STACK (self->stack), parts[i])),
        study || (boxes && i == 0));
  if (!study
      && !(boxes
           && g_strcmp0 (gtk_stack_get_visible_child_name (GTK_STACK (self->stack)), parts[0])
                  == 0))
    gtk_stack_set_visible_child_name (GTK_STACK (self->stack), "maps");
  gtk_widget_set_visible (self->switcher, study || boxes);
  gtk_widget_set_visible (self->probabilities, study);
  gtk_widget_set_visible (self->door, !study);
}

static void
load_annotations (SondeSampleView *self)
{
  const SondeExplanationSettings *settings = sonde_explain_client_get_settings (self->client);
  g_autofree char *path = settings != NULL ? sonde_annotations_dup_path (settings) : NULL;

  if (path == NULL || g_strcmp0 (path, self->annotations_path) == 0)
    return;
  sonde_sample_annotation_set_annotations (SONDE_SAMPLE_ANNOTATION (self->annotation), NULL);
  sonde_annotations_free (self->annotations);
  g_free (self->annotations_path);
  self->annotations_path = g_steal_pointer (&path);
  self->annotations = sonde_annotations_new (self->annotations_path);
  sonde_sample_annotation_set_annotations (SONDE_SAMPLE_ANNOTATION (self->annotation),
                                           self->annotations);
}

/* The same sample with more known about it. */
static void
update_row (SondeSampleView *self, const SondeSampleResult *row)
{
  SondeSampleResult *before = self->row;

  self->row = sonde_sample_result_copy (row);
  if (self->row->probabilities == NULL)
    {
      self->row->probabilities = g_steal_pointer (&before->probabilities);
      self->row->n_classes = before->n_classes;
    }
  sonde_sample_result_free (before);
  show_heading (self);
  show_category (self);
}

void
sonde_sample_view_show (SondeSampleView *view, const SondeSampleResult *row)
{
  const SondeExplainInfo *info;

  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  if (row != NULL && view->row != NULL && view->row->sample == row->sample
      && g_strcmp0 (view->row->name, row->name) == 0 && view->row->predicted == row->predicted)
    {
      update_row (view, row);
      return;
    }
  begin (view);
  info = view->client != NULL ? sonde_explain_client_get_info (view->client) : NULL;
  gtk_widget_set_visible (view->content, row != NULL && info != NULL);
  if (row == NULL || info == NULL)
    return;
  view->row = sonde_sample_result_copy (row);
  show_parts (view, TRUE, TRUE);
  gtk_widget_set_visible (view->image_view, TRUE);
  load_annotations (view);
  show_heading (view);
  show_category (view);
  view->filling = TRUE;
  sonde_view_set_selection (SONDE_VIEW (view->probabilities), row->predicted);
  view->filling = FALSE;
  sonde_probability_view_set_values (SONDE_PROBABILITY_VIEW (view->probabilities),
                                     (const char *const *) info->classes, info->n_classes,
                                     row->probabilities, NULL, row->label);
  sonde_sample_maps_set_fixed (SONDE_SAMPLE_MAPS (view->maps), NULL);
  sonde_sample_maps_set_info (SONDE_SAMPLE_MAPS (view->maps), info);
  sonde_sample_neighbours_set_message (SONDE_SAMPLE_NEIGHBOURS (view->neighbours), "Searching…");
  sonde_sample_view_request_image (view);
  if (row->probabilities == NULL)
    sonde_sample_view_request_probabilities (view);
}

/* ---- a recorded sample --------------------------------------------------- */

/* Methods and classes in the order in which they were recorded. */
static void
show_recorded_maps (SondeSampleView *self)
{
  GPtrArray *maps = sonde_explained_sample_get_maps (self->recorded);
  g_autoptr (GPtrArray) specs = g_ptr_array_new (),
                        captions = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (SondeMapTarget));

  for (guint i = 0; i < maps->len; i++)
    {
      const SondeRecordedMap *map = g_ptr_array_index (maps, i);
      SondeMapTarget target = { map->target, map->target_name, NULL };
      gboolean known = FALSE;

      if (!g_ptr_array_find_with_equal_func (specs, map->method, g_str_equal, NULL))
        g_ptr_array_add (specs, map->method);
      for (guint k = 0; k < targets->len; k++)
        known |= g_array_index (targets, SondeMapTarget, k).target == map->target;
      if (known)
        continue;
      target.caption = g_strdup_printf ("For “%s” · %s", map->target_name, map->target_is);
      g_ptr_array_add (captions, (char *) target.caption);
      g_array_append_val (targets, target);
    }
  g_ptr_array_add (specs, NULL);
  sonde_sample_maps_set_fixed (SONDE_SAMPLE_MAPS (self->maps), (const char *const *) specs->pdata);
  sonde_sample_maps_set_image (SONDE_SAMPLE_MAPS (self->maps), NULL,
                               sonde_explained_sample_get_mask (self->recorded));
  sonde_sample_maps_set_targets (SONDE_SAMPLE_MAPS (self->maps),
                                 (SondeMapTarget *) (void *) targets->data, targets->len);
}

/* TRUE: all are there, and nothing is in them. */
static gboolean
are_zero (GPtrArray *maps)
{
  for (guint i = 0; i < maps->len; i++)
    {
      const SondeRecordedMap *map = g_ptr_array_index (maps, i);

      if (map->map == NULL || sonde_map_largest_magnitude (map->map) > 0)
        return FALSE;
    }
  return TRUE;
}

/* What the images cannot say. */
static char *
make_note (SondeExplainedSample *sample)
{
  GString *text = g_string_new (NULL);
  GPtrArray *maps = sonde_explained_sample_get_maps (sample);

  if (maps->len > 0 && ((SondeRecordedMap *) g_ptr_array_index (maps, 0))->parameters != NULL)
    g_string_append_printf (text, "Recorded with %s.",
                            ((SondeRecordedMap *) g_ptr_array_index (maps, 0))->parameters);
  if (maps->len == 0)
    g_string_append (text, "No map of this image was recorded.");
  else if (are_zero (maps))
    g_string_append (text, " The maps are zero everywhere: the network's answer does not depend on "
                           "small changes here.");
  if (sonde_explained_sample_get_mask (sample) != NULL)
    g_string_append (text, " The outline is the object as it was drawn.");
  return g_string_free (text, FALSE);
}

static void
show_recorded_heading (SondeSampleView *self)
{
  SondeExplainedSample *sample = self->recorded;
  g_autofree char *heading = NULL, *detail = NULL;

  heading
      = sonde_explained_sample_get_label_class (sample) >= 0
                && sonde_explained_sample_get_label_class (sample)
                       == sonde_explained_sample_get_predicted_class (sample)
            ? g_strdup_printf ("“%s”, answered right", sonde_explained_sample_get_label (sample))
            : g_strdup_printf ("“%s” taken for “%s”", sonde_explained_sample_get_label (sample),
                               sonde_explained_sample_get_predicted (sample));
  detail = g_strdup_printf ("%s · p(%s) = %.3f · p(%s) = %.3f",
                            sonde_explained_sample_get_name (sample),
                            sonde_explained_sample_get_predicted (sample),
                            sonde_explained_sample_get_predicted_probability (sample),
                            sonde_explained_sample_get_label (sample),
                            sonde_explained_sample_get_label_probability (sample));
  sonde_label_set (self->heading, heading);
  sonde_label_set (self->subheading, detail);
}

static void
show_recorded_category (SondeSampleView *self)
{
  SondeErrorCategory reason = sonde_explained_sample_get_reason (self->recorded);
  const char *evidence = sonde_explained_sample_get_evidence (self->recorded);
  g_autofree char *title
      = reason < SONDE_N_CATEGORIES
            ? g_strdup_printf ("Reason: %s", sonde_error_category_get_title (reason))
            : NULL;

  gtk_widget_set_visible (self->category_box, title != NULL);
  gtk_label_set_text (GTK_LABEL (self->category), title != NULL ? title : "");
  gtk_label_set_text (GTK_LABEL (self->evidence), evidence != NULL ? evidence : "");
}

void
sonde_sample_view_take_recorded_image (SondeSampleView *self, const SondeImage *image)
{
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (self->image_view), sonde_image_ref (image),
                                   NULL, sonde_explained_sample_get_mask (self->recorded), 0);
  if (image != NULL)
    sonde_sample_maps_take_image (SONDE_SAMPLE_MAPS (self->maps), image);
  if (sonde_explained_sample_get_boxes (self->recorded)->len > 0)
    sonde_sample_counterfactual_set_recorded (SONDE_SAMPLE_COUNTERFACTUAL (self->counterfactual),
                                              image,
                                              sonde_explained_sample_get_boxes (self->recorded));
}

void
sonde_sample_view_show_recorded (SondeSampleView *view, SondeExplainedSample *sample)
{
  g_autofree char *note = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  begin (view);
  gtk_widget_set_visible (view->content, sample != NULL);
  if (sample == NULL)
    return;
  view->recorded = g_object_ref (sample);
  show_parts (view, FALSE, sonde_explained_sample_get_boxes (sample)->len > 0);
  show_recorded_heading (view);
  show_recorded_category (view);
  gtk_widget_set_visible (view->image_view,
                          sonde_explained_sample_has_image (sample)
                              || sonde_explained_sample_get_mask (sample) != NULL);
  sonde_sample_view_take_recorded_image (view, NULL);
  show_recorded_maps (view);
  note = make_note (sample);
  gtk_label_set_text (GTK_LABEL (view->note), note);
  gtk_widget_set_visible (view->note, TRUE);
  if (sonde_explained_sample_has_image (sample))
    sonde_sample_view_request_recorded_image (view);
}

/* ---- doors --------------------------------------------------------------- */

void
sonde_sample_view_show_part (SondeSampleView *view, const char *part)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  if (gtk_stack_get_child_by_name (GTK_STACK (view->stack), part) != NULL)
    gtk_stack_set_visible_child_name (GTK_STACK (view->stack), part);
}

void
sonde_sample_view_set_methods (SondeSampleView *view, const char *const *specs)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  sonde_sample_maps_set_specs (SONDE_SAMPLE_MAPS (view->maps), specs);
}

gboolean
sonde_sample_view_is_busy (SondeSampleView *view)
{
  g_return_val_if_fail (SONDE_IS_SAMPLE_VIEW (view), FALSE);
  return view->n_asked > 0;
}

SondeAnnotations *
sonde_sample_view_get_annotations (SondeSampleView *view)
{
  g_return_val_if_fail (SONDE_IS_SAMPLE_VIEW (view), NULL);
  return view->annotations;
}

static void
on_door (SondeSampleView *self)
{
  g_signal_emit (self, signals[STUDY_WANTED], 0);
}

/* Wanted by a part while nothing can answer: a recorded sample, a closed study. */
static gboolean
can_ask (SondeSampleView *self)
{
  return self->client != NULL && self->row != NULL;
}

#define FORWARD(name, ask)                                                                         \
  static void name (GtkWidget *part, const char *spec, gint64 target, SondeSampleView *self)       \
  {                                                                                                \
    if (can_ask (self))                                                                            \
      ask (self, spec, target);                                                                    \
  }

FORWARD (on_rate_wanted, sonde_sample_view_request_rating)
FORWARD (on_boxes_wanted, sonde_sample_view_request_boxes)
FORWARD (on_edited_map_wanted, sonde_sample_view_request_edited_map)

static void
on_map_wanted (GtkWidget *part, const char *spec, gint64 target, SondeSampleView *self)
{
  if (self->recorded != NULL)
    sonde_sample_view_request_recorded_map (self, spec, target);
  else if (can_ask (self))
    sonde_sample_view_request_map (self, spec, target);
}

static void
on_answer_wanted (SondeSampleView *self)
{
  if (can_ask (self))
    sonde_sample_view_request_edited (self);
}

/* ---- widget -------------------------------------------------------------- */

static void
sonde_sample_view_dispose (GObject *object)
{
  SondeSampleView *self = SONDE_SAMPLE_VIEW (object);

  g_cancellable_cancel (self->cancellable);
  if (self->annotation != NULL)
    sonde_sample_annotation_set_annotations (SONDE_SAMPLE_ANNOTATION (self->annotation), NULL);
  self->annotation = NULL;
  g_clear_object (&self->client);
  g_clear_object (&self->recorded);
  G_OBJECT_CLASS (sonde_sample_view_parent_class)->dispose (object);
}

static void
sonde_sample_view_finalize (GObject *object)
{
  SondeSampleView *self = SONDE_SAMPLE_VIEW (object);

  sonde_annotations_free (self->annotations);
  g_free (self->annotations_path);
  g_clear_pointer (&self->row, sonde_sample_result_free);
  sonde_image_unref (self->image);
  g_object_unref (self->cancellable);
  G_OBJECT_CLASS (sonde_sample_view_parent_class)->finalize (object);
}

static void
sonde_sample_view_class_init (SondeSampleViewClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_sample_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_view_finalize;
  signals[STUDY_WANTED] = g_signal_new ("study-wanted", G_TYPE_FROM_CLASS (klass),
                                        G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[BUSY_CHANGED] = g_signal_new ("busy-changed", G_TYPE_FROM_CLASS (klass),
                                        G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

/* The image, and beside it what the network says and why. */
static GtkWidget *
make_top (SondeSampleView *self)
{
  GtkWidget *row = sonde_make_row (18), *right = sonde_make_column (12);

  gtk_widget_set_hexpand (right, TRUE);
  self->image_view = sonde_saliency_view_new ();
  sonde_view_set_title (SONDE_VIEW (self->image_view), "Image");
  sonde_view_set_minimum_size (SONDE_VIEW (self->image_view), IMAGE_SIDE, IMAGE_SIDE);
  sonde_saliency_view_set_legend (SONDE_SALIENCY_VIEW (self->image_view), FALSE);
  gtk_widget_set_valign (self->image_view, GTK_ALIGN_START);
  sonde_saliency_view_set_max_side (SONDE_SALIENCY_VIEW (self->image_view), IMAGE_SIDE);
  self->probabilities = sonde_probability_view_new ();
  self->category = sonde_make_text (NULL, "heading");
  self->evidence = sonde_make_text (NULL, NULL);
  self->category_box = sonde_make_column (3);
  gtk_box_append (GTK_BOX (self->category_box), self->category);
  gtk_box_append (GTK_BOX (self->category_box), self->evidence);
  gtk_box_append (GTK_BOX (right), self->probabilities);
  gtk_box_append (GTK_BOX (right), self->category_box);
  gtk_box_append (GTK_BOX (row), self->image_view);
  gtk_box_append (GTK_BOX (row), right);
  return row;
}

static GtkWidget *
make_door (SondeSampleView *self)
{
  GtkWidget *row = sonde_make_column (6),
            *button = gtk_button_new_with_label ("Open the Model with Its Data…");

  gtk_widget_set_halign (button, GTK_ALIGN_START);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_door), self, G_CONNECT_SWAPPED);
  gtk_box_append (
      GTK_BOX (row),
      sonde_make_text ("This was recorded. Other questions, classes and methods, neighbours and "
                       "edits need the network itself.",
                       "dim-label"));
  gtk_box_append (GTK_BOX (row), button);
  return row;
}

static void
make_parts (SondeSampleView *self)
{
  self->maps = sonde_sample_maps_new ();
  self->counterfactual = sonde_sample_counterfactual_new ();
  self->neighbours = sonde_sample_neighbours_new ();
  self->edit = sonde_sample_edit_new ();
  self->annotation = sonde_sample_annotation_new ();
  self->stack = gtk_stack_new ();
  gtk_stack_set_vhomogeneous (GTK_STACK (self->stack), FALSE);
  gtk_stack_set_hhomogeneous (GTK_STACK (self->stack), FALSE);
  gtk_stack_add_titled (GTK_STACK (self->stack), self->maps, "maps", "Maps");
  gtk_stack_add_titled (GTK_STACK (self->stack), self->counterfactual, "flip", "What Flips It");
  gtk_stack_add_titled (GTK_STACK (self->stack), self->neighbours, "neighbours", "Neighbours");
  gtk_stack_add_titled (GTK_STACK (self->stack), self->edit, "edit", "Edit");
  gtk_stack_add_titled (GTK_STACK (self->stack), self->annotation, "verdict", "Verdict");
  self->switcher = gtk_stack_switcher_new ();
  gtk_stack_switcher_set_stack (GTK_STACK_SWITCHER (self->switcher), GTK_STACK (self->stack));
  gtk_widget_add_css_class (self->switcher, "small-switcher");
  gtk_widget_set_halign (self->switcher, GTK_ALIGN_START);
}

static void
connect_parts (SondeSampleView *self)
{
  sonde_sample_maps_link (SONDE_SAMPLE_MAPS (self->maps), SONDE_SALIENCY_VIEW (self->image_view));
  g_signal_connect_object (self->probabilities, "notify::selection", G_CALLBACK (on_class_chosen),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->maps, "map-wanted", G_CALLBACK (on_map_wanted), self, 0);
  g_signal_connect_object (self->maps, "rate-wanted", G_CALLBACK (on_rate_wanted), self, 0);
  g_signal_connect_object (self->counterfactual, "boxes-wanted", G_CALLBACK (on_boxes_wanted), self,
                           0);
  g_signal_connect_object (self->edit, "answer-wanted", G_CALLBACK (on_answer_wanted), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->edit, "map-wanted", G_CALLBACK (on_edited_map_wanted), self, 0);
  g_signal_connect_object (self->stack, "notify::visible-child", G_CALLBACK (look_at_part), self,
                           G_CONNECT_SWAPPED);
}

static void
sonde_sample_view_init (SondeSampleView *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new (), *head = sonde_make_column (3);

  self->cancellable = g_cancellable_new ();
  self->content = sonde_make_column (18);
  gtk_widget_set_margin_start (self->content, 18);
  gtk_widget_set_margin_end (self->content, 18);
  gtk_widget_set_margin_top (self->content, 18);
  gtk_widget_set_margin_bottom (self->content, 18);
  self->heading = sonde_make_label (NULL, "title-2");
  self->subheading = sonde_make_label (NULL, "dim-label numeric");
  self->note = sonde_make_text (NULL, "dim-label");
  make_parts (self);
  self->door = make_door (self);
  gtk_box_append (GTK_BOX (head), self->heading);
  gtk_box_append (GTK_BOX (head), self->subheading);
  gtk_box_append (GTK_BOX (self->content), head);
  gtk_box_append (GTK_BOX (self->content), make_top (self));
  gtk_box_append (GTK_BOX (self->content), self->switcher);
  gtk_box_append (GTK_BOX (self->content), self->stack);
  gtk_box_append (GTK_BOX (self->content), self->note);
  gtk_box_append (GTK_BOX (self->content), self->door);
  connect_parts (self);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->content);
  adw_bin_set_child (ADW_BIN (self), scroller);
  gtk_widget_set_visible (self->content, FALSE);
}

GtkWidget *
sonde_sample_view_new (SondeExplainClient *client)
{
  SondeSampleView *self = g_object_new (SONDE_TYPE_SAMPLE_VIEW, NULL);

  self->client = client != NULL ? g_object_ref (client) : NULL;
  return GTK_WIDGET (self);
}
