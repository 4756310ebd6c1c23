/* SPDX-License-Identifier: Apache-2.0
 * Neighbours of a sample. */
#include "app/explain/sample/sonde-sample-neighbours.h"

#include "app/explain/sonde-explain-widgets.h"
#include "app/widgets/sonde-tile-flow.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-badge.h"

#define PICTURE 96
#define DUPLICATE 0.02 /* 1 − cosine: nearer is the same image, as the triage has it */

struct _SondeSampleNeighbours
{
  AdwBin parent_instance;

  GtkWidget *sentence, *flow;
};

G_DEFINE_FINAL_TYPE (SondeSampleNeighbours, sonde_sample_neighbours, ADW_TYPE_BIN)

static const char *
class_name (const char *const *classes, guint n, gint64 class)
{
  return class >= 0 && class < n ? classes[class] : _ ("unknown");
}

/* What is remarkable about the neighbour; NULL: nothing. */
static const char *
remark (const SondeNeighbourSample *neighbour, const SondeSampleResult *row, SondeState *state)
{
  const SondeSampleResult *result = neighbour->result;
  gboolean other = result->label >= 0 && row->label >= 0 && result->label != row->label;

  if (other && neighbour->distance <= DUPLICATE)
    {
      *state = SONDE_STATE_ERROR;
      return _ ("Nearly identical image, different label");
    }
  if (result->label >= 0 && result->predicted >= 0 && result->label != result->predicted)
    {
      *state = SONDE_STATE_PAUSED;
      return _ ("Misclassified as well");
    }
  return NULL;
}

static GtkWidget *
make_tile (const SondeNeighbourSample *neighbour, const SondeSampleResult *row,
           const char *const *classes, guint n)
{
  GtkWidget *tile = sonde_make_column (3), *line = sonde_make_row (3);
  const SondeSampleResult *result = neighbour->result;
  g_autofree char *title = NULL, *detail = NULL, *name = NULL;
  SondeState state = SONDE_STATE_IDLE;
  const char *mark = remark (neighbour, row, &state);

  title = result->label == result->predicted || result->predicted < 0
              ? g_strdup (class_name (classes, n, result->label))
              : g_strdup_printf ("%s → %s", class_name (classes, n, result->label),
                                 class_name (classes, n, result->predicted));
  detail = neighbour->in_training
               ? g_strdup_printf (_ ("distance %.3f · training data"), neighbour->distance)
               : g_strdup_printf (_ ("distance %.3f"), neighbour->distance);
  name = g_strdup_printf ("%s: %s, %s", result->name, title, detail);
  gtk_box_append (GTK_BOX (tile), sonde_make_thumbnail (neighbour->image, PICTURE, name));
  gtk_box_append (GTK_BOX (tile), sonde_make_label (title, "heading"));
  gtk_box_append (GTK_BOX (tile), sonde_make_label (detail, "caption dim-label numeric"));
  if (mark != NULL)
    {
      GtkWidget *sign = sonde_badge_new (), *words = sonde_make_text (mark, "caption");

      gtk_label_set_max_width_chars (GTK_LABEL (words), 14);
      sonde_badge_set_state (SONDE_BADGE (sign), state);
      gtk_widget_set_valign (sign, GTK_ALIGN_START);
      gtk_box_append (GTK_BOX (line), sign);
      gtk_box_append (GTK_BOX (line), words);
      gtk_box_append (GTK_BOX (tile), line);
    }
  gtk_widget_set_tooltip_text (tile, result->name);
  return tile;
}

void
sonde_sample_neighbours_set_message (SondeSampleNeighbours *view, const char *sentence)
{
  g_return_if_fail (SONDE_IS_SAMPLE_NEIGHBOURS (view));
  sonde_clear_flow (view->flow);
  gtk_label_set_text (GTK_LABEL (view->sentence), sentence != NULL ? sentence : "");
}

/* What the neighbours together say of the label. */
static char *
make_sentence (GPtrArray *neighbours, const SondeSampleResult *row, const char *const *classes,
               guint n_classes)
{
  guint n = 0, n_label = 0, n_predicted = 0;

  for (guint i = 0; i < neighbours->len; i++)
    {
      const SondeNeighbourSample *neighbour = g_ptr_array_index (neighbours, i);

      if (neighbour->counterexample || neighbour->result->label < 0)
        continue;
      n++;
      n_label += neighbour->result->label == row->label;
      n_predicted += neighbour->result->label == row->predicted;
    }
  if (row->label < 0 || row->label == row->predicted)
    return g_strdup_printf (
        _ ("%u of the %u nearest neighbours are labelled “%s” like the prediction."), n_predicted,
        n, class_name (classes, n_classes, row->predicted));
  if (n == 0 || 2 * n_predicted <= n)
    return g_strdup_printf (_ ("Of the %u nearest neighbours, %u are labelled “%s” (the "
                               "prediction) and %u “%s” (this sample's label)."),
                            n, n_predicted, class_name (classes, n_classes, row->predicted),
                            n_label, class_name (classes, n_classes, row->label));
  return g_strdup_printf (_ ("Of the %u nearest neighbours, %u are labelled “%s” (the prediction) "
                             "and %u “%s” (this sample's label). The model's features place it "
                             "among the former: the label is wrong, or the features do not "
                             "separate the two classes."),
                          n, n_predicted, class_name (classes, n_classes, row->predicted), n_label,
                          class_name (classes, n_classes, row->label));
}

void
sonde_sample_neighbours_set (SondeSampleNeighbours *view, GPtrArray *neighbours,
                             const SondeSampleResult *row, const char *const *classes,
                             guint n_classes)
{
  g_autofree char *sentence = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_NEIGHBOURS (view));
  sentence = make_sentence (neighbours, row, classes, n_classes);
  sonde_sample_neighbours_set_message (view, sentence);
  for (guint i = 0; i < neighbours->len; i++)
    {
      const SondeNeighbourSample *neighbour = g_ptr_array_index (neighbours, i);

      if (!neighbour->counterexample)
        gtk_flow_box_append (GTK_FLOW_BOX (view->flow),
                             make_tile (neighbour, row, classes, n_classes));
    }
}

static void
sonde_sample_neighbours_class_init (SondeSampleNeighboursClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sample/sonde-sample-neighbours.ui");
  gtk_widget_class_bind_template_child (widget, SondeSampleNeighbours, sentence);
  gtk_widget_class_bind_template_child (widget, SondeSampleNeighbours, flow);
}

static void
sonde_sample_neighbours_init (SondeSampleNeighbours *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  sonde_tile_flow_set_up (GTK_FLOW_BOX (self->flow));
}

GtkWidget *
sonde_sample_neighbours_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_NEIGHBOURS, NULL);
}
