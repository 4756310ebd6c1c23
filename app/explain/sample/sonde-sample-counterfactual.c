/* SPDX-License-Identifier: Apache-2.0
 * What would keep, destroy or flip the answer. */
#include "app/explain/sample/sonde-sample-counterfactual.h"

#include <string.h>

#include "app/explain/sample/sonde-counterfactual-steps.h"
#include "app/explain/sonde-explain-widgets.h"

#define STEP_MS 600 /* between two steps that play */
#define EXAMPLE 96  /* px */

struct _SondeSampleCounterfactual
{
  AdwBin parent_instance;

  GtkWidget *goal, *threshold, *prune, *sentence, *view, *play, *scrub, *step, *note, *spinner;
  GtkWidget *example_image, *example_name, *example_detail;
  SondeImage *image;
  SondeExplanationSettings *settings;
  gint64 predicted, label;
  char *predicted_name, *label_name;
  char *asked;                       /* the question that was asked last */
  GtkWidget *bar, *choice, *example; /* questions; recorded answers; the counterexample */
  GPtrArray *recorded;               /* (nullable) (element-type SondeRecordedCounterfactual) */
  guint timer;
  gboolean filling;
};

enum
{
  BOXES_WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleCounterfactual, sonde_sample_counterfactual, ADW_TYPE_BIN)

/* In the order of the menus. */
static const struct
{
  const char *title, *spec;
  gboolean to_label, has_threshold;
} goals[] = {
  { "Keep the Answer", "by=unmasking", FALSE, TRUE },
  { "Destroy the Answer", "by=masking", FALSE, TRUE },
  { "Flip to the Truth", "by=flip:score=margin:threshold=0", TRUE, FALSE },
};

static const struct
{
  const char *title, *value;
} thresholds[] = {
  { "Threshold: automatic", "auto" }, { "Threshold: 0.25", "0.25" },
  { "Threshold: 0.5", "0.5" },        { "Threshold: 0.75", "0.75" },
  { "Threshold: 90 % of p", "0.9p" },
};

static SondeCounterfactualView *
view_of (SondeSampleCounterfactual *self)
{
  return SONDE_COUNTERFACTUAL_VIEW (self->view);
}

/* ---- question ------------------------------------------------------------ */

static char *
make_spec (SondeSampleCounterfactual *self, gint64 *target)
{
  guint goal = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->goal));
  guint threshold = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->threshold));
  GString *text = g_string_new (goals[goal].spec);

  *target = goals[goal].to_label ? self->label : self->predicted;
  if (goals[goal].has_threshold)
    g_string_append_printf (text, ":threshold=%s", thresholds[threshold].value);
  if (gtk_check_button_get_active (GTK_CHECK_BUTTON (self->prune)))
    g_string_append (text, ":prune=yes");
  return g_string_free (text, FALSE);
}

static void
show_nothing (SondeSampleCounterfactual *self, const char *sentence)
{
  sonde_sample_counterfactual_play (self, FALSE);
  sonde_counterfactual_view_set_content (
      view_of (self), sonde_image_ref (self->image), NULL, FALSE,
      g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_counterfactual_step_free), 0, NULL);
  gtk_label_set_text (GTK_LABEL (self->sentence), sentence);
  gtk_label_set_text (GTK_LABEL (self->note), "");
}

void
sonde_sample_counterfactual_ask (SondeSampleCounterfactual *self)
{
  gint64 target;
  g_autofree char *spec = NULL, *question = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  if (self->image == NULL || self->recorded != NULL)
    return;
  spec = make_spec (self, &target);
  question = g_strdup_printf ("%s for %" PRIi64, spec, target);
  if (g_strcmp0 (question, self->asked) == 0)
    return;
  g_free (self->asked);
  self->asked = g_steal_pointer (&question);
  if (target < 0)
    {
      show_nothing (self,
                    "The true class of this sample is not known, so there is nothing to flip to.");
      return;
    }
  show_nothing (self, "Searching…");
  gtk_spinner_start (GTK_SPINNER (self->spinner));
  g_signal_emit (self, signals[BOXES_WANTED], 0, spec, target);
}

static void
on_question (SondeSampleCounterfactual *self)
{
  guint goal = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->goal));

  gtk_widget_set_sensitive (self->threshold, goals[goal].has_threshold);
  if (!self->filling)
    sonde_sample_counterfactual_ask (self);
}

/* ---- player -------------------------------------------------------------- */

static void
show_step (SondeSampleCounterfactual *self)
{
  guint n = sonde_counterfactual_view_get_n_steps (view_of (self)),
        at = sonde_counterfactual_view_get_step (view_of (self));
  const SondeCounterfactualStep *step = sonde_counterfactual_view_get_nth (view_of (self), at);
  g_autofree char *text = NULL;

  self->filling = TRUE;
  gtk_widget_set_sensitive (gtk_widget_get_parent (self->play), n > 1);
  gtk_range_set_range (GTK_RANGE (self->scrub), 0, MAX (n, 2) - 1);
  gtk_range_set_value (GTK_RANGE (self->scrub), at);
  self->filling = FALSE;
  if (step != NULL)
    text = g_strdup_printf ("Step %u of %u · %s · %.4g", at, n - 1, step->caption, step->output);
  sonde_label_set (self->step, text);
}

static void
on_scrub (SondeSampleCounterfactual *self)
{
  if (!self->filling)
    sonde_counterfactual_view_set_step (
        view_of (self), (guint) (gtk_range_get_value (GTK_RANGE (self->scrub)) + 0.5));
}

static gboolean
next_step (gpointer data)
{
  SondeSampleCounterfactual *self = data;
  guint at = sonde_counterfactual_view_get_step (view_of (self));

  sonde_counterfactual_view_set_step (view_of (self), at + 1);
  if (at + 2 < sonde_counterfactual_view_get_n_steps (view_of (self)))
    return G_SOURCE_CONTINUE;
  self->timer = 0;
  gtk_button_set_icon_name (GTK_BUTTON (self->play), "media-playback-start-symbolic");
  return G_SOURCE_REMOVE;
}

void
sonde_sample_counterfactual_play (SondeSampleCounterfactual *self, gboolean play)
{
  guint n;

  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  g_clear_handle_id (&self->timer, g_source_remove);
  n = sonde_counterfactual_view_get_n_steps (view_of (self));
  play = play && n > 1;
  gtk_button_set_icon_name (GTK_BUTTON (self->play), play ? "media-playback-pause-symbolic"
                                                          : "media-playback-start-symbolic");
  if (!play)
    return;
  if (sonde_counterfactual_view_get_step (view_of (self)) + 1 == n)
    sonde_counterfactual_view_set_step (view_of (self), 0);
  self->timer = g_timeout_add (STEP_MS, next_step, self);
}

static void
on_play (SondeSampleCounterfactual *self)
{
  sonde_sample_counterfactual_play (self, self->timer == 0);
}

static void
on_move (GtkButton *button, SondeSampleCounterfactual *self)
{
  int by = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "by"));

  sonde_sample_counterfactual_play (self, FALSE);
  SONDE_VIEW_GET_CLASS (self->view)->move_cursor (SONDE_VIEW (self->view), by);
}

static GtkWidget *
make_move (SondeSampleCounterfactual *self, const char *icon, const char *name, int by)
{
  GtkWidget *button = sonde_make_icon_button (icon, name);

  g_object_set_data (G_OBJECT (button), "by", GINT_TO_POINTER (by));
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_move), self, 0);
  return button;
}

static GtkWidget *
make_player (SondeSampleCounterfactual *self)
{
  GtkWidget *row = sonde_make_row (3);

  self->play = sonde_make_icon_button ("media-playback-start-symbolic", "Play the steps");
  g_signal_connect_object (self->play, "clicked", G_CALLBACK (on_play), self, G_CONNECT_SWAPPED);
  self->scrub = sonde_make_slider (0, 1, 1, 0, "Step");
  gtk_scale_set_digits (GTK_SCALE (self->scrub), 0);
  gtk_widget_set_hexpand (self->scrub, TRUE);
  g_signal_connect_object (self->scrub, "value-changed", G_CALLBACK (on_scrub), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (row),
                  make_move (self, "media-skip-backward-symbolic", "First step", G_MININT));
  gtk_box_append (GTK_BOX (row), make_move (self, "go-previous-symbolic", "Step back", -1));
  gtk_box_append (GTK_BOX (row), self->play);
  gtk_box_append (GTK_BOX (row), make_move (self, "go-next-symbolic", "Next step", 1));
  gtk_box_append (GTK_BOX (row),
                  make_move (self, "media-skip-forward-symbolic", "Last step", G_MAXINT));
  gtk_box_append (GTK_BOX (row), self->scrub);
  return row;
}

/* ---- answer -------------------------------------------------------------- */

static void
show_boxes (SondeSampleCounterfactual *self, const SondeCounterfactual *boxes, const char *target)
{
  g_autofree char *sentence = NULL, *output = NULL, *note = NULL, *tried = NULL;
  g_autoptr (SondeImage) mask = NULL;

  gtk_spinner_stop (GTK_SPINNER (self->spinner));
  sentence = sonde_counterfactual_dup_sentence (boxes, target);
  output = sonde_counterfactual_dup_output (boxes, target);
  mask = sonde_counterfactual_mask_new (self->image, boxes->mask, self->settings);
  tried = boxes->n_candidates > 0
              ? g_strdup_printf ("; %" PRIu64 " windows tried", boxes->n_candidates)
              : g_strdup ("");
  note = g_strdup_printf ("Covered by %s, as the network was shown it%s%s.%s%s",
                          boxes->mask != NULL ? boxes->mask : "grey",
                          mask != NULL ? "" : " (drawn in grey)", tried,
                          boxes->note != NULL ? " " : "", boxes->note != NULL ? boxes->note : "");
  gtk_label_set_text (GTK_LABEL (self->sentence), sentence);
  gtk_label_set_text (GTK_LABEL (self->note), note);
  sonde_sample_counterfactual_play (self, FALSE);
  sonde_counterfactual_view_set_content (
      view_of (self), sonde_image_ref (self->image), g_steal_pointer (&mask),
      boxes->goal == SONDE_OCCLUSION_KEEP, sonde_counterfactual_steps_new (boxes), boxes->threshold,
      output);
}

void
sonde_sample_counterfactual_set_boxes (SondeSampleCounterfactual *self,
                                       const SondeCounterfactual *boxes)
{
  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  show_boxes (self, boxes,
              boxes->goal == SONDE_OCCLUSION_FLIP ? self->label_name : self->predicted_name);
}

void
sonde_sample_counterfactual_set_failed (SondeSampleCounterfactual *self, const char *why)
{
  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  gtk_spinner_stop (GTK_SPINNER (self->spinner));
  show_nothing (self, why);
  g_clear_pointer (&self->asked, g_free);
}

void
sonde_sample_counterfactual_set_counterexample (SondeSampleCounterfactual *self,
                                                const SondeNeighbourSample *neighbour,
                                                const char *label_name, const char *why)
{
  g_autofree char *detail = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  sonde_thumbnail_set_image (self->example_image, neighbour != NULL ? neighbour->image : NULL);
  gtk_widget_set_visible (self->example_image, neighbour != NULL);
  if (neighbour != NULL)
    detail = g_strdup_printf ("“%s”, answered right · distance %.3f · %s", label_name,
                              neighbour->distance,
                              neighbour->in_training ? "training data" : "same data");
  sonde_label_set (self->example_name, neighbour != NULL ? neighbour->name : "");
  gtk_label_set_text (GTK_LABEL (self->example_detail), detail != NULL ? detail
                                                        : why != NULL  ? why
                                                                       : "");
}

/* ---- recorded answers ---------------------------------------------------- */

static void
on_choice (SondeSampleCounterfactual *self)
{
  guint i = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->choice));
  const SondeRecordedCounterfactual *chosen;

  if (self->filling || self->recorded == NULL || i >= self->recorded->len)
    return;
  chosen = g_ptr_array_index (self->recorded, i);
  show_boxes (self, chosen->boxes, chosen->target_name);
}

/* Questions, or the recorded answers. */
static void
show_bar (SondeSampleCounterfactual *self, GPtrArray *recorded)
{
  g_clear_pointer (&self->recorded, g_ptr_array_unref);
  self->recorded = recorded != NULL ? g_ptr_array_ref (recorded) : NULL;
  gtk_widget_set_visible (self->bar, recorded == NULL);
  gtk_widget_set_visible (self->choice, recorded != NULL);
  gtk_widget_set_visible (self->example, recorded == NULL);
}

void
sonde_sample_counterfactual_set_recorded (SondeSampleCounterfactual *self, const SondeImage *image,
                                          GPtrArray *boxes)
{
  static const char *const titles[] = { "Keep", "Destroy", "Flip to" };
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  sonde_sample_counterfactual_set_sample (self, image, NULL, -1, -1, NULL, NULL);
  show_bar (self, boxes);
  for (guint i = 0; i < boxes->len; i++)
    {
      const SondeRecordedCounterfactual *one = g_ptr_array_index (boxes, i);
      g_autofree char *title
          = g_strdup_printf ("%s “%s”", titles[one->boxes->goal], one->target_name);

      gtk_string_list_append (list, title);
    }
  self->filling = TRUE;
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->choice), G_LIST_MODEL (list));
  self->filling = FALSE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->choice), 0);
  on_choice (self);
}

static char *
copy_text (const char *text)
{
  return g_strdup (text != NULL ? text : "");
}

void
sonde_sample_counterfactual_set_sample (SondeSampleCounterfactual *self, const SondeImage *image,
                                        const SondeExplanationSettings *settings, gint64 predicted,
                                        gint64 label, const char *predicted_name,
                                        const char *label_name)
{
  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  g_clear_pointer (&self->image, sonde_image_unref);
  g_clear_pointer (&self->settings, sonde_explanation_settings_free);
  g_free (self->predicted_name);
  g_free (self->label_name);
  g_clear_pointer (&self->asked, g_free);
  self->image = sonde_image_ref (image);
  self->settings = settings != NULL ? sonde_explanation_settings_copy (settings) : NULL;
  self->predicted = predicted;
  self->label = label;
  self->predicted_name = copy_text (predicted_name);
  self->label_name = copy_text (label_name);
  gtk_spinner_stop (GTK_SPINNER (self->spinner));
  show_bar (self, NULL);
  /* Of a misclassification the question is what would mend it. */
  self->filling = TRUE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->goal), label >= 0 && label != predicted ? 2 : 0);
  self->filling = FALSE;
  show_nothing (self, "");
  sonde_sample_counterfactual_set_counterexample (self, NULL, NULL, NULL);
}

/* ---- widget -------------------------------------------------------------- */

static GtkWidget *
make_drop_down (const char *const *titles, const char *name)
{
  GtkWidget *drop_down = gtk_drop_down_new_from_strings (titles);

  gtk_widget_set_tooltip_text (drop_down, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  return drop_down;
}

static GtkWidget *
make_bar (SondeSampleCounterfactual *self)
{
  const char *goal_titles[G_N_ELEMENTS (goals) + 1] = { NULL },
                                                 *titles[G_N_ELEMENTS (thresholds) + 1] = { NULL };
  GtkWidget *bar = sonde_make_column (6), *first = sonde_make_row (6),
            *second = sonde_make_row (12);

  for (gsize i = 0; i < G_N_ELEMENTS (goals); i++)
    goal_titles[i] = goals[i].title;
  for (gsize i = 0; i < G_N_ELEMENTS (thresholds); i++)
    titles[i] = thresholds[i].title;
  self->goal = make_drop_down (goal_titles, "What the boxes should do");
  self->threshold = make_drop_down (titles, "Probability to stay above or to go below");
  self->prune = gtk_check_button_new_with_label ("Only What Is Needed");
  gtk_widget_set_tooltip_text (self->prune,
                               "Afterwards drop every box that the threshold does not need");
  gtk_check_button_set_active (GTK_CHECK_BUTTON (self->prune), TRUE);
  self->spinner = gtk_spinner_new ();
  gtk_box_append (GTK_BOX (first), self->goal);
  gtk_box_append (GTK_BOX (first), self->threshold);
  gtk_box_append (GTK_BOX (second), self->prune);
  gtk_box_append (GTK_BOX (second), self->spinner);
  gtk_box_append (GTK_BOX (bar), first);
  gtk_box_append (GTK_BOX (bar), second);
  g_signal_connect_object (self->goal, "notify::selected", G_CALLBACK (on_question), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->threshold, "notify::selected", G_CALLBACK (on_question), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->prune, "toggled", G_CALLBACK (on_question), self,
                           G_CONNECT_SWAPPED);
  return bar;
}

static GtkWidget *
make_example (SondeSampleCounterfactual *self)
{
  GtkWidget *row = sonde_make_row (12), *text = sonde_make_column (3);

  self->example_image = sonde_make_thumbnail (NULL, EXAMPLE, "Nearest sample of the true class");
  self->example_name = sonde_make_label (NULL, NULL);
  self->example_detail = sonde_make_text (NULL, "dim-label numeric");
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_box_append (
      GTK_BOX (text),
      sonde_make_label ("Nearest sample of the true class that is answered right", "heading"));
  gtk_box_append (GTK_BOX (text), self->example_name);
  gtk_box_append (GTK_BOX (text), self->example_detail);
  gtk_box_append (GTK_BOX (row), self->example_image);
  gtk_box_append (GTK_BOX (row), text);
  return row;
}

static void
sonde_sample_counterfactual_dispose (GObject *object)
{
  g_clear_handle_id (&SONDE_SAMPLE_COUNTERFACTUAL (object)->timer, g_source_remove);
  G_OBJECT_CLASS (sonde_sample_counterfactual_parent_class)->dispose (object);
}

static void
sonde_sample_counterfactual_finalize (GObject *object)
{
  SondeSampleCounterfactual *self = SONDE_SAMPLE_COUNTERFACTUAL (object);

  sonde_image_unref (self->image);
  sonde_explanation_settings_free (self->settings);
  g_free (self->predicted_name);
  g_free (self->label_name);
  g_free (self->asked);
  g_clear_pointer (&self->recorded, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_sample_counterfactual_parent_class)->finalize (object);
}

static void
sonde_sample_counterfactual_class_init (SondeSampleCounterfactualClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_sample_counterfactual_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_counterfactual_finalize;
  signals[BOXES_WANTED]
      = g_signal_new ("boxes-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT64);
}

static void
sonde_sample_counterfactual_init (SondeSampleCounterfactual *self)
{
  GtkWidget *column = sonde_make_column (12);

  self->predicted = self->label = -1;
  self->view = sonde_counterfactual_view_new ();
  gtk_widget_set_size_request (self->view, -1, 280);
  self->sentence = sonde_make_text (NULL, NULL);
  self->step = sonde_make_label (NULL, "numeric");
  self->note = sonde_make_text (NULL, "caption dim-label");
  self->bar = make_bar (self);
  self->choice = make_drop_down ((const char *[]){ NULL }, "What was recorded");
  gtk_widget_set_visible (self->choice, FALSE);
  self->example = make_example (self);
  g_signal_connect_object (self->choice, "notify::selected", G_CALLBACK (on_choice), self,
                           G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (column), self->bar);
  gtk_box_append (GTK_BOX (column), self->choice);
  gtk_box_append (GTK_BOX (column), self->sentence);
  gtk_box_append (GTK_BOX (column), self->view);
  gtk_box_append (GTK_BOX (column), make_player (self));
  gtk_box_append (GTK_BOX (column), self->step);
  gtk_box_append (GTK_BOX (column), self->note);
  gtk_box_append (GTK_BOX (column), self->example);
  g_signal_connect_object (self->view, "step-changed", G_CALLBACK (show_step), self,
                           G_CONNECT_SWAPPED);
  adw_bin_set_child (ADW_BIN (self), column);
  show_step (self);
}

GtkWidget *
sonde_sample_counterfactual_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_COUNTERFACTUAL, NULL);
}
