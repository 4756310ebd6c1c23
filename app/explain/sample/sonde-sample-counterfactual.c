/* SPDX-License-Identifier: Apache-2.0
 * What would keep, destroy or flip the answer. */
#include "app/explain/sample/sonde-sample-counterfactual.h"

#include <string.h>

#include "app/explain/browser/sonde-wrap-layout.h"
#include "app/explain/sample/sonde-counterfactual-steps.h"
#include "app/explain/sonde-explain-widgets.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define STEP_MS 600 /* between two steps that play */
#define EXAMPLE 96  /* px */

struct _SondeSampleCounterfactual
{
  AdwBin parent_instance;

  GtkWidget *goal, *threshold, *prune, *sentence, *view, *player, *play, *scrub, *step, *note,
      *spinner;
  GtkWidget *example_place, *example_image, *example_name, *example_detail;
  SondeImage *image;
  SondeExplanationSettings *settings;
  gint64 predicted, label;
  char *predicted_name, *label_name;
  char *asked;                       /* the question that was asked last */
  GtkWidget *bar, *choice, *example; /* questions; recorded answers; the counterexample */
  SondeExplainedSample *recorded;    /* (nullable): whose counterfactuals are shown */
  guint timer;
  gboolean filling;
};

enum
{
  WANTED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSampleCounterfactual, sonde_sample_counterfactual, ADW_TYPE_BIN)

/* In the order of the menu. */
static const struct
{
  const char *spec;
  gboolean to_label, has_threshold;
} goals[] = {
  { "by=unmasking", FALSE, TRUE },
  { "by=masking", FALSE, TRUE },
  { "by=flip:score=margin:threshold=0", TRUE, FALSE },
};

static const char *const thresholds[] = { "auto", "0.25", "0.5", "0.75", "0.9p" };

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
    g_string_append_printf (text, ":threshold=%s", thresholds[threshold]);
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
      show_nothing (
          self, _ ("The true class of this sample is not known, so there is nothing to flip to."));
      return;
    }
  show_nothing (self, _ ("Searching…"));
  gtk_spinner_start (GTK_SPINNER (self->spinner));
  g_signal_emit (self, signals[WANTED], 0, spec, target);
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
  g_autofree char *text = NULL, *output = step != NULL ? sonde_format_number (step->output) : NULL;

  self->filling = TRUE;
  gtk_widget_set_sensitive (self->player, n > 1);
  gtk_range_set_range (GTK_RANGE (self->scrub), 0, MAX (n, 2) - 1);
  gtk_range_set_value (GTK_RANGE (self->scrub), at);
  self->filling = FALSE;
  if (step != NULL)
    text = g_strdup_printf (_ ("Step %u of %u · %s · %s"), at, n - 1, step->caption, output);
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
move (SondeSampleCounterfactual *self, int by)
{
  sonde_sample_counterfactual_play (self, FALSE);
  SONDE_VIEW_GET_CLASS (self->view)->move_cursor (SONDE_VIEW (self->view), by);
}

static void
on_first (SondeSampleCounterfactual *self)
{
  move (self, G_MININT);
}

static void
on_previous (SondeSampleCounterfactual *self)
{
  move (self, -1);
}

static void
on_next (SondeSampleCounterfactual *self)
{
  move (self, 1);
}

static void
on_last (SondeSampleCounterfactual *self)
{
  move (self, G_MAXINT);
}

/* ---- result -------------------------------------------------------------- */

/* What the regions were covered by. */
static char *
dup_note (const SondeCounterfactual *result, gboolean drawn)
{
  const char *cover = result->mask != NULL ? result->mask : _ ("grey");
  g_autoptr (GPtrArray) sentences = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (sentences,
                   drawn ? g_strdup_printf (_ ("Covered by %s, as the model was given it."), cover)
                         : g_strdup_printf (_ ("Covered by %s, which is drawn in grey."), cover));
  if (result->n_candidates > 0)
    g_ptr_array_add (sentences,
                     g_strdup_printf (P_ ("%" PRIu64 " window was tried.",
                                          "%" PRIu64 " windows were tried.", result->n_candidates),
                                      result->n_candidates));
  if (result->note != NULL)
    g_ptr_array_add (sentences, sonde_message_dup_text (result->note));
  g_ptr_array_add (sentences, NULL);
  return g_strjoinv (" ", (char **) sentences->pdata);
}

static void
show_result (SondeSampleCounterfactual *self, const SondeCounterfactual *result, const char *target)
{
  g_autofree char *sentence = sonde_counterfactual_dup_sentence (result, target);
  g_autofree char *output = sonde_counterfactual_dup_output (result, target);
  g_autoptr (SondeImage) mask
      = sonde_counterfactual_mask_new (self->image, result->mask, self->settings);
  g_autofree char *note = dup_note (result, mask != NULL);

  gtk_spinner_stop (GTK_SPINNER (self->spinner));
  gtk_label_set_text (GTK_LABEL (self->sentence), sentence);
  gtk_label_set_text (GTK_LABEL (self->note), note);
  sonde_sample_counterfactual_play (self, FALSE);
  sonde_counterfactual_view_set_content (
      view_of (self), sonde_image_ref (self->image), g_steal_pointer (&mask),
      result->goal == SONDE_OCCLUSION_KEEP, sonde_counterfactual_steps_new (result),
      result->threshold, output);
}

void
sonde_sample_counterfactual_set_result (SondeSampleCounterfactual *self,
                                        const SondeCounterfactual *result)
{
  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  show_result (self, result,
               result->goal == SONDE_OCCLUSION_FLIP ? self->label_name : self->predicted_name);
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
  if (neighbour != NULL && neighbour->in_training)
    detail = g_strdup_printf (_ ("“%s”, classified correctly · distance %.3f · training data"),
                              label_name, neighbour->distance);
  else if (neighbour != NULL)
    detail = g_strdup_printf (_ ("“%s”, classified correctly · distance %.3f · same data"),
                              label_name, neighbour->distance);
  sonde_label_set (self->example_name, neighbour != NULL ? neighbour->result->name : "");
  gtk_label_set_text (GTK_LABEL (self->example_detail), detail != NULL ? detail
                                                        : why != NULL  ? why
                                                                       : "");
}

/* ---- recorded answers ---------------------------------------------------- */

static void
on_choice (SondeSampleCounterfactual *self)
{
  guint i = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->choice));
  const SondeExplanationSample *recorded
      = self->recorded != NULL ? sonde_explained_sample_get_recorded (self->recorded) : NULL;
  const SondeCounterfactual *chosen;
  g_autofree char *target = NULL;

  if (self->filling || recorded == NULL || i >= recorded->counterfactuals->len)
    return;
  chosen = g_ptr_array_index (recorded->counterfactuals, i);
  target = sonde_explanation_sample_dup_class (recorded, chosen->target);
  show_result (self, chosen, target);
}

/* Questions, or the recorded answers. @recorded: (nullable) */
static void
show_bar (SondeSampleCounterfactual *self, SondeExplainedSample *recorded)
{
  g_set_object (&self->recorded, recorded);
  gtk_widget_set_visible (self->bar, recorded == NULL);
  gtk_widget_set_visible (self->choice, recorded != NULL);
  gtk_widget_set_visible (self->example, recorded == NULL);
}

static char *
dup_choice (const SondeExplanationSample *recorded, const SondeCounterfactual *boxes)
{
  g_autofree char *target = sonde_explanation_sample_dup_class (recorded, boxes->target);

  if (boxes->goal == SONDE_OCCLUSION_KEEP)
    return g_strdup_printf (_ ("Keep “%s”"), target);
  if (boxes->goal == SONDE_OCCLUSION_DESTROY)
    return g_strdup_printf (_ ("Remove “%s”"), target);
  return g_strdup_printf (_ ("Flip to “%s”"), target);
}

void
sonde_sample_counterfactual_set_recorded (SondeSampleCounterfactual *self, const SondeImage *image,
                                          SondeExplainedSample *sample)
{
  const SondeExplanationSample *recorded = sonde_explained_sample_get_recorded (sample);
  g_autoptr (GtkStringList) list = gtk_string_list_new (NULL);

  g_return_if_fail (SONDE_IS_SAMPLE_COUNTERFACTUAL (self));
  sonde_sample_counterfactual_set_sample (self, image, NULL, -1, -1, NULL, NULL);
  show_bar (self, sample);
  for (guint i = 0; i < recorded->counterfactuals->len; i++)
    {
      g_autofree char *title
          = dup_choice (recorded, g_ptr_array_index (recorded->counterfactuals, i));

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

static void
sonde_sample_counterfactual_finalize (GObject *object)
{
  SondeSampleCounterfactual *self = SONDE_SAMPLE_COUNTERFACTUAL (object);

  sonde_image_unref (self->image);
  sonde_explanation_settings_free (self->settings);
  g_free (self->predicted_name);
  g_free (self->label_name);
  g_free (self->asked);
  g_clear_object (&self->recorded);
  G_OBJECT_CLASS (sonde_sample_counterfactual_parent_class)->finalize (object);
}

static void
sonde_sample_counterfactual_dispose (GObject *object)
{
  g_clear_handle_id (&SONDE_SAMPLE_COUNTERFACTUAL (object)->timer, g_source_remove);
  SONDE_SAMPLE_COUNTERFACTUAL (object)->filling = TRUE;
  G_OBJECT_CLASS (sonde_sample_counterfactual_parent_class)->dispose (object);
}

static void
sonde_sample_counterfactual_class_init (SondeSampleCounterfactualClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_sample_counterfactual_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_counterfactual_finalize;
  signals[WANTED] = g_signal_new ("wanted", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 2, G_TYPE_STRING, G_TYPE_INT64);
  g_type_ensure (SONDE_TYPE_WRAP_LAYOUT);
  g_type_ensure (SONDE_TYPE_COUNTERFACTUAL_VIEW);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sample/sonde-sample-counterfactual.ui");
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, bar);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, goal);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, threshold);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, prune);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, spinner);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, choice);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, sentence);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, view);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, player);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, play);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, scrub);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, step);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, note);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, example);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, example_place);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, example_name);
  gtk_widget_class_bind_template_child (widget, SondeSampleCounterfactual, example_detail);
  gtk_widget_class_bind_template_callback (widget, on_question);
  gtk_widget_class_bind_template_callback (widget, on_choice);
  gtk_widget_class_bind_template_callback (widget, show_step);
  gtk_widget_class_bind_template_callback (widget, on_first);
  gtk_widget_class_bind_template_callback (widget, on_previous);
  gtk_widget_class_bind_template_callback (widget, on_play);
  gtk_widget_class_bind_template_callback (widget, on_next);
  gtk_widget_class_bind_template_callback (widget, on_last);
  gtk_widget_class_bind_template_callback (widget, on_scrub);
}

static void
sonde_sample_counterfactual_init (SondeSampleCounterfactual *self)
{
  self->predicted = self->label = -1;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->example_image
      = sonde_make_thumbnail (NULL, EXAMPLE, _ ("Nearest correctly classified sample"));
  adw_bin_set_child (ADW_BIN (self->example_place), self->example_image);
  show_step (self);
}

GtkWidget *
sonde_sample_counterfactual_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_COUNTERFACTUAL, NULL);
}
