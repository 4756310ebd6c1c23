/* SPDX-License-Identifier: Apache-2.0
 * What would keep, destroy or flip the answer. */
#include "app/explain/sample/sonde-sample-counterfactual.h"

#include <string.h>

#include "app/explain/sample/sonde-counterfactual-steps.h"
#include "app/explain/sonde-explain-widgets.h"

#define STEP_MS 600 /* between two steps that play */
#define EXAMPLE 96  /* px */

struct _SondeSampleFlip
{
  AdwBin parent_instance;

  GtkWidget *goal, *threshold, *prune, *sentence, *view, *play, *scrub, *step, *note, *spinner;
  GtkWidget *example_picture, *example_name, *example_detail;
  SondeImage *image;
  SondeExplanationSettings *settings;
  gint64 predicted, label;
  char *predicted_name, *label_name;
  char *asked;                       /* the question that was asked last */
  GtkWidget *bar, *choice, *example; /* questions; recorded answers; the counterexample */
  GPtrArray *recorded;               /* (nullable) (element-type SondeSampleBoxes) */
  guint timer;
  gboolean filling;
};

enum
{
  BOXES_WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleFlip, sonde_sample_flip, ADW_TYPE_BIN)

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
view_of (SondeSampleFlip *self)
{
  return SONDE_COUNTERFACTUAL_VIEW (self->view);
}

/* ---- question ------------------------------------------------------------ */

static char *
make_spec (SondeSampleFlip *self, gint64 *target)
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
show_nothing (SondeSampleFlip *self, const char *sentence)
{
  sonde_sample_flip_play (self, FALSE);
  sonde_counterfactual_view_set_content (
      view_of (self), sonde_image_ref (self->image), NULL, FALSE,
      g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_counterfactual_step_free), 0, NULL);
  gtk_label_set_text (GTK_LABEL (self->sentence), sentence);
  gtk_label_set_text (GTK_LABEL (self->note), "");
}

void
sonde_sample_flip_ask (SondeSampleFlip *flip)
{
  gint64 target;
  g_autofree char *spec = NULL, *question = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_FLIP (flip));
  if (flip->image == NULL || flip->recorded != NULL)
    return;
  spec = make_spec (flip, &target);
  question = g_strdup_printf ("%s for %" PRIi64, spec, target);
  if (g_strcmp0 (question, flip->asked) == 0)
    return;
  g_free (flip->asked);
  flip->asked = g_steal_pointer (&question);
  if (target < 0)
    {
      show_nothing (flip,
                    "The true class of this sample is not known, so there is nothing to flip to.");
      return;
    }
  show_nothing (flip, "Searching…");
  gtk_spinner_start (GTK_SPINNER (flip->spinner));
  g_signal_emit (flip, signals[BOXES_WANTED], 0, spec, target);
}

static void
on_question (SondeSampleFlip *self)
{
  guint goal = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->goal));

  gtk_widget_set_sensitive (self->threshold, goals[goal].has_threshold);
  if (!self->filling)
    sonde_sample_flip_ask (self);
}

/* ---- player -------------------------------------------------------------- */

static void
show_step (SondeSampleFlip *self)
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
  sonde_part_set_text (self->step, text);
}

static void
on_scrub (SondeSampleFlip *self)
{
  if (!self->filling)
    sonde_counterfactual_view_set_step (
        view_of (self), (guint) (gtk_range_get_value (GTK_RANGE (self->scrub)) + 0.5));
}

static gboolean
next_step (gpointer data)
{
  SondeSampleFlip *self = data;
  guint at = sonde_counterfactual_view_get_step (view_of (self));

  sonde_counterfactual_view_set_step (view_of (self), at + 1);
  if (at + 2 < sonde_counterfactual_view_get_n_steps (view_of (self)))
    return G_SOURCE_CONTINUE;
  self->timer = 0;
  gtk_button_set_icon_name (GTK_BUTTON (self->play), "media-playback-start-symbolic");
  return G_SOURCE_REMOVE;
}

void
sonde_sample_flip_play (SondeSampleFlip *flip, gboolean play)
{
  guint n;

  g_return_if_fail (SONDE_IS_SAMPLE_FLIP (flip));
  g_clear_handle_id (&flip->timer, g_source_remove);
  n = sonde_counterfactual_view_get_n_steps (view_of (flip));
  play = play && n > 1;
  gtk_button_set_icon_name (GTK_BUTTON (flip->play), play ? "media-playback-pause-symbolic"
                                                          : "media-playback-start-symbolic");
  if (!play)
    return;
  if (sonde_counterfactual_view_get_step (view_of (flip)) + 1 == n)
    sonde_counterfactual_view_set_step (view_of (flip), 0);
  flip->timer = g_timeout_add (STEP_MS, next_step, flip);
}

static void
on_play (SondeSampleFlip *self)
{
  sonde_sample_flip_play (self, self->timer == 0);
}

static void
on_move (GtkButton *button, SondeSampleFlip *self)
{
  int by = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (button), "by"));

  sonde_sample_flip_play (self, FALSE);
  SONDE_VIEW_GET_CLASS (self->view)->move_cursor (SONDE_VIEW (self->view), by);
}

static GtkWidget *
make_move (SondeSampleFlip *self, const char *icon, const char *name, int by)
{
  GtkWidget *button = sonde_part_icon_button (icon, name);

  g_object_set_data (G_OBJECT (button), "by", GINT_TO_POINTER (by));
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_move), self, 0);
  return button;
}

static GtkWidget *
make_player (SondeSampleFlip *self)
{
  GtkWidget *row = sonde_part_row (3);

  self->play = sonde_part_icon_button ("media-playback-start-symbolic", "Play the steps");
  g_signal_connect_object (self->play, "clicked", G_CALLBACK (on_play), self, G_CONNECT_SWAPPED);
  self->scrub = sonde_part_slider (0, 1, 1, 0, "Step");
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
show_boxes (SondeSampleFlip *flip, const SondeCounterfactual *boxes, const char *target)
{
  g_autofree char *sentence = NULL, *output = NULL, *note = NULL, *tried = NULL;
  g_autoptr (SondeImage) mask = NULL;

  gtk_spinner_stop (GTK_SPINNER (flip->spinner));
  sentence = sonde_boxes_dup_sentence (boxes, target);
  output = sonde_boxes_dup_output (boxes, target);
  mask = sonde_box_mask_new (flip->image, boxes->mask, flip->settings);
  tried = boxes->n_candidates > 0
              ? g_strdup_printf ("; %" PRIu64 " windows tried", boxes->n_candidates)
              : g_strdup ("");
  note = g_strdup_printf ("Covered by %s, as the network was shown it%s%s.%s%s",
                          boxes->mask != NULL ? boxes->mask : "grey",
                          mask != NULL ? "" : " (drawn in grey)", tried,
                          boxes->note != NULL ? " " : "", boxes->note != NULL ? boxes->note : "");
  gtk_label_set_text (GTK_LABEL (flip->sentence), sentence);
  gtk_label_set_text (GTK_LABEL (flip->note), note);
  sonde_sample_flip_play (flip, FALSE);
  sonde_counterfactual_view_set_content (
      view_of (flip), sonde_image_ref (flip->image), g_steal_pointer (&mask),
      boxes->goal == SONDE_OCCLUSION_KEEP, sonde_box_steps_new (boxes), boxes->threshold, output);
}

void
sonde_sample_flip_set_boxes (SondeSampleFlip *flip, const SondeCounterfactual *boxes)
{
  g_return_if_fail (SONDE_IS_SAMPLE_FLIP (flip));
  show_boxes (flip, boxes,
              boxes->goal == SONDE_OCCLUSION_FLIP ? flip->label_name : flip->predicted_name);
}

void
sonde_sample_flip_set_failed (SondeSampleFlip *flip, const char *why)
{
  g_return_if_fail (SONDE_IS_SAMPLE_FLIP (flip));
  gtk_spinner_stop (GTK_SPINNER (flip->spinner));
  show_nothing (flip, why);
  g_clear_pointer (&flip->asked, g_free);
}

void
sonde_sample_flip_set_counterexample (SondeSampleFlip *flip, const SondeNeighbourSample *neighbour,
                                      const char *label_name, const char *why)
{
  g_autofree char *detail = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_FLIP (flip));
  sonde_part_set_picture (flip->example_picture, neighbour != NULL ? neighbour->image : NULL);
  gtk_widget_set_visible (flip->example_picture, neighbour != NULL);
  if (neighbour != NULL)
    detail = g_strdup_printf ("“%s”, answered right · distance %.3f · %s", label_name,
                              neighbour->distance,
                              neighbour->in_training ? "training data" : "same data");
  sonde_part_set_text (flip->example_name, neighbour != NULL ? neighbour->name : "");
  gtk_label_set_text (GTK_LABEL (flip->example_detail), detail != NULL ? detail
                                                        : why != NULL  ? why
                                                                       : "");
}

/* ---- recorded answers ---------------------------------------------------- */

static void
on_choice (SondeSampleFlip *self)
{
  guint i = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->choice));
  const SondeSampleBoxes *chosen;

  if (self->filling || self->recorded == NULL || i >= self->recorded->len)
    return;
  chosen = g_ptr_array_index (self->recorded, i);
  show_boxes (self, chosen->boxes, chosen->target_name);
}

/* Questions, or the recorded answers. */
static void
show_bar (SondeSampleFlip *self, GPtrArray *recorded)
{
  g_clear_pointer (&self->recorded, g_ptr_array_unref);
  self->recorded = recorded != NULL ? g_ptr_array_ref (recorded) : NULL;
  gtk_widget_set_visible (self->bar, recorded == NULL);
  gtk_widget_set_visible (self->choice, recorded != NULL);
  gtk_widget_set_visible (self->example, recorded == NULL);
}

void
sonde_sample_flip_set_recorded (SondeSampleFlip *flip, const SondeImage *image, GPtrArray *boxes)
{
  static const char *const titles[] = { "Keep", "Destroy", "Flip to" };
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  g_return_if_fail (SONDE_IS_SAMPLE_FLIP (flip));
  sonde_sample_flip_set_sample (flip, image, NULL, -1, -1, NULL, NULL);
  show_bar (flip, boxes);
  for (guint i = 0; i < boxes->len; i++)
    {
      const SondeSampleBoxes *one = g_ptr_array_index (boxes, i);
      g_autofree char *title
          = g_strdup_printf ("%s “%s”", titles[one->boxes->goal], one->target_name);

      gtk_string_list_append (list, title);
    }
  flip->filling = TRUE;
  gtk_drop_down_set_model (GTK_DROP_DOWN (flip->choice), G_LIST_MODEL (list));
  flip->filling = FALSE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (flip->choice), 0);
  on_choice (flip);
}

static char *
copy_text (const char *text)
{
  return g_strdup (text != NULL ? text : "");
}

void
sonde_sample_flip_set_sample (SondeSampleFlip *flip, const SondeImage *image,
                              const SondeExplanationSettings *settings, gint64 predicted,
                              gint64 label, const char *predicted_name, const char *label_name)
{
  g_return_if_fail (SONDE_IS_SAMPLE_FLIP (flip));
  g_clear_pointer (&flip->image, sonde_image_unref);
  g_clear_pointer (&flip->settings, sonde_explanation_settings_free);
  g_free (flip->predicted_name);
  g_free (flip->label_name);
  g_clear_pointer (&flip->asked, g_free);
  flip->image = sonde_image_ref (image);
  flip->settings = settings != NULL ? sonde_explanation_settings_copy (settings) : NULL;
  flip->predicted = predicted;
  flip->label = label;
  flip->predicted_name = copy_text (predicted_name);
  flip->label_name = copy_text (label_name);
  gtk_spinner_stop (GTK_SPINNER (flip->spinner));
  show_bar (flip, NULL);
  /* Of a misclassification the question is what would mend it. */
  flip->filling = TRUE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (flip->goal), label >= 0 && label != predicted ? 2 : 0);
  flip->filling = FALSE;
  show_nothing (flip, "");
  sonde_sample_flip_set_counterexample (flip, NULL, NULL, NULL);
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
make_bar (SondeSampleFlip *self)
{
  const char *goal_titles[G_N_ELEMENTS (goals) + 1] = { NULL },
                                                 *titles[G_N_ELEMENTS (thresholds) + 1] = { NULL };
  GtkWidget *bar = sonde_part_column (6), *first = sonde_part_row (6),
            *second = sonde_part_row (12);

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
make_example (SondeSampleFlip *self)
{
  GtkWidget *row = sonde_part_row (12), *text = sonde_part_column (3);

  self->example_picture = sonde_part_picture (NULL, EXAMPLE, "Nearest sample of the true class");
  self->example_name = sonde_part_label (NULL, NULL);
  self->example_detail = sonde_part_text (NULL, "dim-label numeric");
  gtk_widget_set_valign (text, GTK_ALIGN_CENTER);
  gtk_box_append (
      GTK_BOX (text),
      sonde_part_label ("Nearest sample of the true class that is answered right", "heading"));
  gtk_box_append (GTK_BOX (text), self->example_name);
  gtk_box_append (GTK_BOX (text), self->example_detail);
  gtk_box_append (GTK_BOX (row), self->example_picture);
  gtk_box_append (GTK_BOX (row), text);
  return row;
}

static void
sonde_sample_flip_dispose (GObject *object)
{
  g_clear_handle_id (&SONDE_SAMPLE_FLIP (object)->timer, g_source_remove);
  G_OBJECT_CLASS (sonde_sample_flip_parent_class)->dispose (object);
}

static void
sonde_sample_flip_finalize (GObject *object)
{
  SondeSampleFlip *self = SONDE_SAMPLE_FLIP (object);

  sonde_image_unref (self->image);
  sonde_explanation_settings_free (self->settings);
  g_free (self->predicted_name);
  g_free (self->label_name);
  g_free (self->asked);
  g_clear_pointer (&self->recorded, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_sample_flip_parent_class)->finalize (object);
}

static void
sonde_sample_flip_class_init (SondeSampleFlipClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_sample_flip_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_flip_finalize;
  signals[BOXES_WANTED]
      = g_signal_new ("boxes-wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT64);
}

static void
sonde_sample_flip_init (SondeSampleFlip *self)
{
  GtkWidget *column = sonde_part_column (12);

  self->predicted = self->label = -1;
  self->view = sonde_counterfactual_view_new ();
  gtk_widget_set_size_request (self->view, -1, 280);
  self->sentence = sonde_part_text (NULL, NULL);
  self->step = sonde_part_label (NULL, "numeric");
  self->note = sonde_part_text (NULL, "caption dim-label");
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
sonde_sample_flip_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_FLIP, NULL);
}
