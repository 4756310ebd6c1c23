/* SPDX-License-Identifier: Apache-2.0
 * Binds the parts of the view to the model of the sample. */
#include "app/explain/sample/sonde-sample-view.h"

#include <math.h>
#include <string.h>

#include "app/explain/sample/sonde-sample-annotation.h"
#include "app/explain/sample/sonde-sample-counterfactual.h"
#include "app/explain/sample/sonde-sample-edit.h"
#include "app/explain/sample/sonde-sample-maps.h"
#include "explain/browsing/sonde-sample-model.h"
#include "app/explain/sample/sonde-sample-neighbours.h"
#include "app/explain/sonde-explain-widgets.h"
#include "data/base/sonde-text.h"
#include "explain/recorded/sonde-explained-text.h"
#include "viewers/paint/sonde-map-paint.h"
#include "viewers/sonde-probability-view.h"
#include "viewers/sonde-saliency-view.h"

#define IMAGE_SIDE 132 /* px at most: in a low window there is room for maps below */

struct _SondeSampleView
{
  AdwBin parent_instance;

  SondeSampleModel *model;
  GtkStack *stack;
  GtkLabel *category, *evidence, *note;
  GtkWidget *content, *heading, *subheading, *category_box, *switcher, *model_offer;
  SondeSaliencyView *image_view;
  SondeProbabilityView *probabilities;
  SondeSampleMaps *maps;
  SondeSampleCounterfactual *counterfactual;
  SondeSampleNeighbours *neighbours;
  SondeSampleEdit *edit;
  SondeSampleAnnotation *annotation;

  SondeAnnotations *annotations; /* (nullable): of the session */
  char *annotations_path;
  gboolean filling, has_image;
};

enum
{
  SESSION_WANTED,
  BUSY_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleView, sonde_sample_view, ADW_TYPE_BIN)

/* ---- targets --------------------------------------------------------------- */

static double
probability_of (const SondeSampleResult *row, gint64 class)
{
  if (row->probabilities != NULL && class >= 0 && class < row->n_classes)
    return (double) row->probabilities[class];
  return class == row->predicted ? row->p_predicted : class == row->label ? row->p_label : NAN;
}

static const char *
role_of (const SondeSampleResult *row, gint64 class)
{
  if (class == row->predicted)
    return class == row->label ? _ ("predicted and true") : _ ("predicted");
  return class == row->label ? _ ("true class") : _ ("chosen");
}

static void
add_target (SondeSampleView *self, SondeMapTarget *targets, guint *n, gint64 class)
{
  const SondeSampleResult *row = sonde_sample_model_get_row (self->model);
  const char *name = sonde_sample_model_get_class (self->model, class);
  double p = probability_of (row, class);

  for (guint i = 0; i < *n; i++)
    if (targets[i].target == class)
      return;
  if (class < 0)
    return;
  targets[*n].target = class;
  targets[*n].name = name;
  targets[*n].caption
      = isfinite (p)
            ? g_strdup_printf (_ ("For “%s” · %s · %.1f %%"), name, role_of (row, class), 100 * p)
            : g_strdup_printf (_ ("For “%s” · %s"), name, role_of (row, class));
  (*n)++;
}

/* The chosen class first, then the predicted and the true one; of another class the prediction for
 * comparison. */
static void
set_targets (SondeSampleView *self)
{
  const SondeSampleResult *row = sonde_sample_model_get_row (self->model);
  gint64 chosen = sonde_view_get_selection (SONDE_VIEW (self->probabilities));
  SondeMapTarget targets[3];
  guint n = 0;

  if (row == NULL || sonde_sample_model_get_image (self->model) == NULL)
    return;
  add_target (self, targets, &n, chosen);
  add_target (self, targets, &n, row->predicted);
  if (n < 2)
    add_target (self, targets, &n, row->label);
  sonde_sample_maps_set_targets (self->maps, targets, n);
  for (guint i = 0; i < n; i++)
    g_free ((char *) targets[i].caption);
}

static void
on_class_chosen (SondeSampleView *self)
{
  if (!self->filling && self->model != NULL)
    set_targets (self);
}

/* ---- a sample of a session ------------------------------------------------- */

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
  const SondeExplainInfo *info = sonde_sample_model_get_info (self->model);
  const SondeSampleResult *row = sonde_sample_model_get_row (self->model);
  SondeImage *image = sonde_sample_model_get_image (self->model);

  if (image != NULL && info != NULL && row != NULL)
    sonde_sample_edit_set_sample (self->edit, image, (const char *const *) info->classes,
                                  info->n_classes, row->probabilities, row->label);
}

/* Among the maps it is the first of each row. */
static void
show_image_view (SondeSampleView *self)
{
  gboolean maps = g_strcmp0 (gtk_stack_get_visible_child_name (self->stack), "maps") == 0;

  gtk_widget_set_visible (GTK_WIDGET (self->image_view), self->has_image && !maps);
}

/* What is slow is asked for when it is looked at. */
static void
on_part_shown (SondeSampleView *self)
{
  const char *part = gtk_stack_get_visible_child_name (self->stack);

  show_image_view (self);
  if (self->model == NULL || part == NULL || sonde_sample_model_get_row (self->model) == NULL
      || sonde_sample_model_get_image (self->model) == NULL)
    return;
  if (g_str_equal (part, "counterfactual"))
    sonde_sample_counterfactual_ask (self->counterfactual);
  if ((g_str_equal (part, "counterfactual") || g_str_equal (part, "neighbours"))
      && sonde_sample_model_request_neighbours (self->model))
    {
      sonde_sample_neighbours_set_message (self->neighbours, _ ("Searching…"));
      sonde_sample_counterfactual_set_counterexample (self->counterfactual, NULL, NULL,
                                                      _ ("Searching…"));
    }
}

/* @visible: its room */
static void
show_category (SondeSampleView *self, const SondeSampleResult *row, gboolean visible)
{
  gboolean has = row->category < SONDE_N_CATEGORIES;
  g_autofree char *title
      = has ? g_strdup_printf (_ ("Category: %s"),
                               _ (sonde_error_category_get_title (row->category)))
            : g_strdup (_ ("Not categorised yet"));

  gtk_widget_set_visible (self->category_box, visible);
  gtk_label_set_text (self->category, title);
  gtk_label_set_text (self->evidence,
                      has && row->evidence != NULL ? sonde_message_get_text (row->evidence) : "");
}

/* Of a session. */
static void
show_row_category (SondeSampleView *self)
{
  const SondeSampleResult *row = sonde_sample_model_get_row (self->model);

  /* the room is there before the category is */
  show_category (self, row, sonde_sample_result_is_error (row));
  sonde_sample_annotation_set_row (self->annotation, row);
}

static void
show_heading (SondeSampleView *self)
{
  const SondeSampleResult *row = sonde_sample_model_get_row (self->model);
  const char *predicted = sonde_sample_model_get_class (self->model, row->predicted),
             *label = sonde_sample_model_get_class (self->model, row->label);
  g_autofree char *heading = NULL, *detail = NULL;

  heading = row->label < 0 ? g_strdup_printf (_ ("“%s”"), predicted)
            : row->label == row->predicted
                ? g_strdup_printf (_ ("“%s” classified correctly"), predicted)
                : g_strdup_printf (_ ("“%s” classified as “%s”"), label, predicted);
  detail = g_strdup_printf (_ ("%s · margin %.1f %%"), row->name, 100 * row->margin);
  sonde_label_set (self->heading, heading);
  sonde_label_set (self->subheading, detail);
}

/* Of a recorded sample there are maps, and counterfactuals where they were recorded. */
static void
show_parts (SondeSampleView *self, gboolean session, gboolean counterfactual)
{
  static const char *const parts[] = { "counterfactual", "neighbours", "edit", "annotation" };
  const char *shown = gtk_stack_get_visible_child_name (self->stack);

  for (gsize i = 0; i < G_N_ELEMENTS (parts); i++)
    gtk_stack_page_set_visible (
        gtk_stack_get_page (self->stack, gtk_stack_get_child_by_name (self->stack, parts[i])),
        session || (counterfactual && i == 0));
  if (!session && !(counterfactual && g_strcmp0 (shown, parts[0]) == 0))
    gtk_stack_set_visible_child_name (self->stack, "maps");
  gtk_widget_set_visible (self->switcher, session || counterfactual);
  gtk_widget_set_visible (GTK_WIDGET (self->probabilities), session);
  gtk_widget_set_visible (self->model_offer, !session);
  gtk_widget_set_visible (GTK_WIDGET (self->note), FALSE);
}

static void
load_annotations (SondeSampleView *self)
{
  const SondeExplanationSettings *settings = sonde_sample_model_get_settings (self->model);
  g_autofree char *path = settings != NULL ? sonde_annotations_dup_path (settings) : NULL;

  if (path == NULL || g_strcmp0 (path, self->annotations_path) == 0)
    return;
  sonde_sample_annotation_set_annotations (self->annotation, NULL);
  sonde_annotations_free (self->annotations);
  g_free (self->annotations_path);
  self->annotations_path = g_steal_pointer (&path);
  self->annotations = sonde_annotations_new (self->annotations_path);
  sonde_sample_annotation_set_annotations (self->annotation, self->annotations);
}

void
sonde_sample_view_show (SondeSampleView *view, const SondeSampleResult *row)
{
  const SondeExplainInfo *info;

  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  if (!sonde_sample_model_set_row (view->model, row))
    {
      show_heading (view);
      show_row_category (view);
      return;
    }
  info = sonde_sample_model_get_info (view->model);
  if (info == NULL)
    sonde_sample_model_set_row (view->model, NULL);
  gtk_widget_set_visible (view->content, row != NULL && info != NULL);
  if (row == NULL || info == NULL)
    return;
  show_parts (view, TRUE, TRUE);
  view->has_image = TRUE;
  show_image_view (view);
  load_annotations (view);
  show_heading (view);
  show_row_category (view);
  view->filling = TRUE;
  sonde_view_set_selection (SONDE_VIEW (view->probabilities), row->predicted);
  view->filling = FALSE;
  sonde_probability_view_set_values (view->probabilities, (const char *const *) info->classes,
                                     info->n_classes, row->probabilities, NULL, row->label);
  sonde_sample_maps_set_fixed (view->maps, NULL);
  sonde_sample_maps_set_info (view->maps, info);
  sonde_sample_neighbours_set_message (view->neighbours, _ ("Searching…"));
  sonde_sample_model_request_image (view->model);
  if (row->probabilities == NULL)
    sonde_sample_model_request_probabilities (view->model);
}

/* ---- a recorded sample ----------------------------------------------------- */

/* Methods and classes in the order in which they were recorded. */
static void
show_recorded_maps (SondeSampleView *self)
{
  const SondeExplanationSample *recorded
      = sonde_explained_sample_get_recorded (sonde_sample_model_get_recorded (self->model));
  g_autoptr (GPtrArray) specs = g_ptr_array_new (), texts = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (SondeMapTarget));

  for (guint i = 0; i < recorded->maps->len; i++)
    {
      const SondeAttributionMap *map = g_ptr_array_index (recorded->maps, i);
      SondeMapTarget target = { .target = map->target };
      gboolean known = FALSE;

      if (!g_ptr_array_find_with_equal_func (specs, map->spec, g_str_equal, NULL))
        g_ptr_array_add (specs, map->spec);
      for (guint k = 0; k < targets->len; k++)
        known |= g_array_index (targets, SondeMapTarget, k).target == map->target;
      if (known)
        continue;
      target.name = sonde_explanation_sample_dup_target (recorded, map);
      target.caption = sonde_explained_dup_caption (map, target.name);
      g_ptr_array_add (texts, (char *) target.name);
      g_ptr_array_add (texts, (char *) target.caption);
      g_array_append_val (targets, target);
    }
  g_ptr_array_add (specs, NULL);
  sonde_sample_maps_set_fixed (self->maps, (const char *const *) specs->pdata);
  sonde_sample_maps_set_image (self->maps, NULL, recorded->mask);
  sonde_sample_maps_set_targets (self->maps, (SondeMapTarget *) (void *) targets->data,
                                 targets->len);
}

/* @image: (nullable): not there (yet) */
static void
show_recorded_image (SondeSampleView *self, const SondeImage *image)
{
  SondeExplainedSample *sample = sonde_sample_model_get_recorded (self->model);
  const SondeExplanationSample *recorded = sonde_explained_sample_get_recorded (sample);

  sonde_saliency_view_set_content (self->image_view, sonde_image_ref (image), NULL, recorded->mask,
                                   0);
  if (image != NULL)
    sonde_sample_maps_take_image (self->maps, image);
  if (recorded->counterfactuals->len > 0)
    sonde_sample_counterfactual_set_recorded (self->counterfactual, image, sample);
}

void
sonde_sample_view_show_recorded (SondeSampleView *view, SondeExplainedSample *sample)
{
  const SondeExplanationSample *recorded;
  g_autofree char *heading = NULL, *detail = NULL, *note = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  sonde_sample_model_set_recorded (view->model, sample);
  gtk_widget_set_visible (view->content, sample != NULL);
  if (sample == NULL)
    return;
  recorded = sonde_explained_sample_get_recorded (sample);
  heading = sonde_explained_dup_heading (recorded);
  detail = sonde_explained_dup_detail (recorded);
  note = sonde_explained_dup_note (recorded);
  show_parts (view, FALSE, recorded->counterfactuals->len > 0);
  sonde_label_set (view->heading, heading);
  sonde_label_set (view->subheading, detail);
  show_category (view, recorded->result, recorded->result->category < SONDE_N_CATEGORIES);
  view->has_image = sonde_explained_sample_has_image (sample) || recorded->mask != NULL;
  show_image_view (view);
  show_recorded_image (view, NULL);
  show_recorded_maps (view);
  gtk_label_set_text (view->note, note);
  gtk_widget_set_visible (GTK_WIDGET (view->note), TRUE);
  if (sonde_explained_sample_has_image (sample))
    sonde_sample_model_request_image (view->model);
}

/* ---- answers --------------------------------------------------------------- */

/* @box: (nullable) */
static void
on_image (SondeSampleView *self, SondeImage *image, const SondeBox *box)
{
  const SondeSampleResult *row = sonde_sample_model_get_row (self->model);
  g_autoptr (SondeTensor) mask = NULL;

  if (row == NULL)
    {
      show_recorded_image (self, image);
      return;
    }
  mask = mask_of (image, box);
  sonde_saliency_view_set_content (self->image_view, sonde_image_ref (image), NULL, mask, 0);
  sonde_sample_maps_set_image (self->maps, image, mask);
  sonde_sample_counterfactual_set_sample (
      self->counterfactual, image, sonde_sample_model_get_settings (self->model), row->predicted,
      row->label, sonde_sample_model_get_class (self->model, row->predicted),
      sonde_sample_model_get_class (self->model, row->label));
  set_edit_sample (self);
  set_targets (self);
  on_part_shown (self);
}

static void
on_image_failed (SondeSampleView *self, const char *text)
{
  g_autofree char *sentence = g_strdup_printf (_ ("The image cannot be shown: %s"), text);
  g_autofree char *note = g_strjoin ("\n", sentence, gtk_label_get_text (self->note), NULL);

  if (sonde_sample_model_get_recorded (self->model) != NULL)
    gtk_label_set_text (self->note, g_strstrip (note));
  else
    gtk_label_set_text (self->note, text);
  gtk_widget_set_visible (GTK_WIDGET (self->note), TRUE);
}

static void
on_probabilities (SondeSampleView *self, const SondeSampleResult *prediction, gboolean first)
{
  const SondeExplainInfo *info = sonde_sample_model_get_info (self->model);

  if (first)
    set_edit_sample (self);
  sonde_probability_view_set_values (self->probabilities, (const char *const *) info->classes,
                                     info->n_classes, prediction->probabilities, NULL,
                                     sonde_sample_model_get_row (self->model)->label);
}

static void
on_counterfactual (SondeSampleView *self, const SondeCounterfactual *counterfactual)
{
  sonde_sample_counterfactual_set_result (self->counterfactual, counterfactual);
}

static void
show_counterexample (SondeSampleView *self, GPtrArray *neighbours)
{
  for (guint i = 0; i < neighbours->len; i++)
    {
      const SondeNeighbourSample *neighbour = g_ptr_array_index (neighbours, i);

      if (!neighbour->counterexample)
        continue;
      sonde_sample_counterfactual_set_counterexample (
          self->counterfactual, neighbour,
          sonde_sample_model_get_class (self->model, neighbour->result->label), NULL);
      return;
    }
  sonde_sample_counterfactual_set_counterexample (self->counterfactual, NULL, NULL,
                                                  _ ("There is none."));
}

static void
on_neighbours (SondeSampleView *self, GPtrArray *neighbours)
{
  const SondeExplainInfo *info = sonde_sample_model_get_info (self->model);

  sonde_sample_neighbours_set (self->neighbours, neighbours,
                               sonde_sample_model_get_row (self->model),
                               (const char *const *) info->classes, info->n_classes);
  show_counterexample (self, neighbours);
}

static void
on_neighbours_failed (SondeSampleView *self, const char *text)
{
  sonde_sample_neighbours_set_message (self->neighbours, text);
  sonde_sample_counterfactual_set_counterexample (self->counterfactual, NULL, NULL, text);
}

static void
on_edited_map (SondeSampleView *self, const SondeAttributionMap *map)
{
  sonde_sample_maps_set_map (sonde_sample_edit_get_maps (self->edit), map);
}

static void
on_edited_map_failed (SondeSampleView *self, const char *spec, gint64 target, const char *text)
{
  sonde_sample_maps_set_failed (sonde_sample_edit_get_maps (self->edit), spec, target, text);
}

static void
on_busy (SondeSampleView *self)
{
  g_signal_emit (self, signals[BUSY_CHANGED], 0);
}

/* ---- doors ----------------------------------------------------------------- */

void
sonde_sample_view_show_part (SondeSampleView *view, const char *part)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  if (gtk_stack_get_child_by_name (view->stack, part) != NULL)
    gtk_stack_set_visible_child_name (view->stack, part);
}

void
sonde_sample_view_set_methods (SondeSampleView *view, const char *const *specs)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  sonde_sample_maps_set_specs (view->maps, specs);
}

gboolean
sonde_sample_view_is_busy (SondeSampleView *view)
{
  g_return_val_if_fail (SONDE_IS_SAMPLE_VIEW (view), FALSE);
  return sonde_sample_model_is_busy (view->model);
}

SondeAnnotations *
sonde_sample_view_get_annotations (SondeSampleView *view)
{
  g_return_val_if_fail (SONDE_IS_SAMPLE_VIEW (view), NULL);
  return view->annotations;
}

void
sonde_sample_view_set_client (SondeSampleView *view, SondeExplainClient *client)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VIEW (view));
  sonde_sample_model_set_client (view->model, client);
}

/* ---- widget ---------------------------------------------------------------- */

static void
on_model_wanted (SondeSampleView *self)
{
  g_signal_emit (self, signals[SESSION_WANTED], 0);
}

static void
on_edit_wanted (SondeSampleView *self)
{
  sonde_sample_model_request_edited (self->model, sonde_sample_edit_get_image (self->edit));
}

static void
on_edited_map_wanted (SondeSampleView *self, const char *spec, gint64 target)
{
  sonde_sample_model_request_edited_map (self->model, sonde_sample_edit_get_image (self->edit),
                                         spec, target);
}

static void
connect_parts (SondeSampleView *self)
{
  const struct
  {
    gpointer from;
    const char *signal;
    GCallback callback;
    gpointer to;
  } links[] = {
    { self->maps, "map-wanted", G_CALLBACK (sonde_sample_model_request_map), self->model },
    { self->maps, "rate-wanted", G_CALLBACK (sonde_sample_model_request_rating), self->model },
    { self->counterfactual, "wanted", G_CALLBACK (sonde_sample_model_request_counterfactual),
      self->model },
    { self->edit, "prediction-wanted", G_CALLBACK (on_edit_wanted), self },
    { self->edit, "map-wanted", G_CALLBACK (on_edited_map_wanted), self },
    { self->model, "notify::busy", G_CALLBACK (on_busy), self },
    { self->model, "image", G_CALLBACK (on_image), self },
    { self->model, "image-failed", G_CALLBACK (on_image_failed), self },
    { self->model, "probabilities", G_CALLBACK (on_probabilities), self },
    { self->model, "map", G_CALLBACK (sonde_sample_maps_set_map), self->maps },
    { self->model, "map-failed", G_CALLBACK (sonde_sample_maps_set_failed), self->maps },
    { self->model, "rating", G_CALLBACK (sonde_sample_maps_set_rating), self->maps },
    { self->model, "rating-failed", G_CALLBACK (sonde_sample_maps_set_rating_failed), self->maps },
    { self->model, "counterfactual", G_CALLBACK (on_counterfactual), self },
    { self->model, "counterfactual-failed", G_CALLBACK (sonde_sample_counterfactual_set_failed),
      self->counterfactual },
    { self->model, "neighbours", G_CALLBACK (on_neighbours), self },
    { self->model, "neighbours-failed", G_CALLBACK (on_neighbours_failed), self },
    { self->model, "edited", G_CALLBACK (sonde_sample_edit_set_answer), self->edit },
    { self->model, "edited-map", G_CALLBACK (on_edited_map), self },
    { self->model, "edited-map-failed", G_CALLBACK (on_edited_map_failed), self },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (links); i++)
    g_signal_connect_object (links[i].from, links[i].signal, links[i].callback, links[i].to,
                             G_CONNECT_SWAPPED);
  sonde_sample_maps_show_image (self->maps);
  sonde_sample_maps_link (self->maps, self->image_view);
}

static void
sonde_sample_view_dispose (GObject *object)
{
  SondeSampleView *self = SONDE_SAMPLE_VIEW (object);

  if (self->annotation != NULL)
    sonde_sample_annotation_set_annotations (self->annotation, NULL);
  if (self->model != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->model, self);
      g_object_run_dispose (G_OBJECT (self->model));
    }
  g_clear_object (&self->model);
  G_OBJECT_CLASS (sonde_sample_view_parent_class)->dispose (object);
}

static void
sonde_sample_view_finalize (GObject *object)
{
  SondeSampleView *self = SONDE_SAMPLE_VIEW (object);

  sonde_annotations_free (self->annotations);
  g_free (self->annotations_path);
  G_OBJECT_CLASS (sonde_sample_view_parent_class)->finalize (object);
}

static void
bind_template (GtkWidgetClass *widget)
{
  g_type_ensure (SONDE_TYPE_SALIENCY_VIEW);
  g_type_ensure (SONDE_TYPE_PROBABILITY_VIEW);
  g_type_ensure (SONDE_TYPE_SAMPLE_MAPS);
  g_type_ensure (SONDE_TYPE_SAMPLE_COUNTERFACTUAL);
  g_type_ensure (SONDE_TYPE_SAMPLE_NEIGHBOURS);
  g_type_ensure (SONDE_TYPE_SAMPLE_EDIT);
  g_type_ensure (SONDE_TYPE_SAMPLE_ANNOTATION);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sample/sonde-sample-view.ui");
  gtk_widget_class_bind_template_child (widget, SondeSampleView, stack);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, category);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, evidence);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, note);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, content);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, heading);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, subheading);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, category_box);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, switcher);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, model_offer);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, image_view);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, probabilities);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, maps);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, counterfactual);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, neighbours);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, edit);
  gtk_widget_class_bind_template_child (widget, SondeSampleView, annotation);
  gtk_widget_class_bind_template_callback (widget, on_class_chosen);
  gtk_widget_class_bind_template_callback (widget, on_part_shown);
  gtk_widget_class_bind_template_callback (widget, on_model_wanted);
}

static void
sonde_sample_view_class_init (SondeSampleViewClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_sample_view_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_view_finalize;
  signals[SESSION_WANTED] = g_signal_new ("session-wanted", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                          NULL, G_TYPE_NONE, 0);
  signals[BUSY_CHANGED]
      = g_signal_new ("busy-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  bind_template (GTK_WIDGET_CLASS (klass));
}

static void
sonde_sample_view_init (SondeSampleView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->model = sonde_sample_model_new (NULL);
  sonde_view_set_title (SONDE_VIEW (self->image_view), _ ("Image"));
  sonde_view_set_minimum_size (SONDE_VIEW (self->image_view), IMAGE_SIDE, IMAGE_SIDE);
  sonde_saliency_view_set_legend (self->image_view, FALSE);
  sonde_saliency_view_set_max_side (self->image_view, IMAGE_SIDE);
  connect_parts (self);
}

GtkWidget *
sonde_sample_view_new (SondeExplainClient *client)
{
  SondeSampleView *self = g_object_new (SONDE_TYPE_SAMPLE_VIEW, NULL);

  sonde_sample_view_set_client (self, client);
  return GTK_WIDGET (self);
}
