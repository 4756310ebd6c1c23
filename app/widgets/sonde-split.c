/* SPDX-License-Identifier: Apache-2.0
 * A GtkPaned that folds. GtkPaned measures nothing of a hidden child, so each of the two stands in a
 * bin: the bin is hidden, and what is in it can still say how much room it needs. */
#include "app/widgets/sonde-split.h"

#include <adwaita.h>
#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/sonde-text-scale.h"

#define HANDLE 8 /* px, at most, of the divider */
/* px: a half that has less is not worth having, whatever its page can do with */
#define MIN_WIDTH 360
#define MIN_HEIGHT 240

struct _SondeSplit
{
  GtkWidget parent_instance;
  GtkPaned *paned;
  GtkWidget *bins[2];
  SondeSplitWay way;
  guint front;
  gboolean folded, folds; /* as it is, and as the last allocation wants it */
  double fraction;
  gboolean placed; /* the divider stands where @fraction says */
  guint tick;
  double before; /* the fraction when a hand took the divider */
  guint key_source;
};

G_DEFINE_FINAL_TYPE (SondeSplit, sonde_split, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_FOLDED,
  N_PROPERTIES
};

enum
{
  MOVED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPERTIES];
static guint signals[N_SIGNALS];

static const char *const words[] = { "none", "right", "down" };

const char *
sonde_split_way_to_word (SondeSplitWay way)
{
  return words[way];
}

SondeSplitWay
sonde_split_way_from_word (const char *word)
{
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (g_strcmp0 (words[i], word) == 0)
      return i;
  return SONDE_SPLIT_NONE;
}

/* ---- room ---------------------------------------------------------------- */

static GtkOrientation
get_orientation (SondeSplit *split)
{
  return split->way == SONDE_SPLIT_DOWN ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL;
}

static void
measure_child (SondeSplit *split, guint which, GtkOrientation orientation, int for_size,
               int *minimum, int *natural)
{
  GtkWidget *child = adw_bin_get_child (ADW_BIN (split->bins[which]));

  *minimum = *natural = 0;
  if (child != NULL)
    gtk_widget_measure (child, orientation, for_size, minimum, natural, NULL, NULL);
}

/* Room for the larger of the two is enough: there it folds. */
static void
sonde_split_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                     int *natural, int *minimum_baseline, int *natural_baseline)
{
  SondeSplit *split = SONDE_SPLIT (widget);
  int min[2], nat[2];

  if (split->way == SONDE_SPLIT_NONE)
    {
      measure_child (split, split->front, orientation, for_size, minimum, natural);
      return;
    }
  for (guint i = 0; i < 2; i++)
    measure_child (split, i, orientation, -1, &min[i], &nat[i]);
  *minimum = MAX (min[0], min[1]);
  *natural = MAX (nat[0], nat[1]);
}

static gboolean
lacks_room (SondeSplit *split, int width, int height)
{
  GtkOrientation orientation = get_orientation (split);
  gboolean beside = orientation == GTK_ORIENTATION_HORIZONTAL;
  int needed = HANDLE;

  if (split->way == SONDE_SPLIT_NONE)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    {
      int minimum, natural;

      measure_child (split, i, orientation, -1, &minimum, &natural);
      needed += MAX (minimum,
                     sonde_text_scale_length (GTK_WIDGET (split), beside ? MIN_WIDTH : MIN_HEIGHT));
    }
  return needed > (beside ? width : height);
}

static void
show_bins (SondeSplit *split)
{
  for (guint i = 0; i < 2; i++)
    gtk_widget_set_visible (split->bins[i], sonde_split_is_shown (split, i));
}

/* Children cannot be shown or hidden while they are being allocated. */
static gboolean
on_fold (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SondeSplit *split = SONDE_SPLIT (widget);

  split->tick = 0;
  if (split->folded != split->folds)
    {
      split->folded = split->folds;
      split->placed = FALSE;
      show_bins (split);
      g_object_notify_by_pspec (G_OBJECT (split), properties[PROP_FOLDED]);
    }
  return G_SOURCE_REMOVE;
}

static int
get_room (SondeSplit *split, int width, int height)
{
  return get_orientation (split) == GTK_ORIENTATION_HORIZONTAL ? width : height;
}

static gboolean
shows_both (SondeSplit *split)
{
  return split->way != SONDE_SPLIT_NONE && !split->folded;
}

static void
sonde_split_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  SondeSplit *split = SONDE_SPLIT (widget);
  int min_width, min_height;

  split->folds = lacks_room (split, width, height);
  if (split->folds != split->folded && split->tick == 0)
    split->tick = gtk_widget_add_tick_callback (widget, on_fold, NULL, NULL);
  if (shows_both (split) && !split->placed)
    {
      gtk_paned_set_position (split->paned,
                              (int) (split->fraction * get_room (split, width, height)));
      split->placed = TRUE;
    }
  /* For a frame, until it has folded, the two reach over the edge. */
  gtk_widget_measure (GTK_WIDGET (split->paned), GTK_ORIENTATION_HORIZONTAL, -1, &min_width, NULL,
                      NULL, NULL);
  width = MAX (width, min_width);
  gtk_widget_measure (GTK_WIDGET (split->paned), GTK_ORIENTATION_VERTICAL, width, &min_height, NULL,
                      NULL, NULL);
  gtk_widget_size_allocate (GTK_WIDGET (split->paned),
                            &(GtkAllocation){ 0, 0, width, MAX (height, min_height) }, baseline);
}

/* ---- what a hand moves --------------------------------------------------- */

#define LEAST_MOVE 0.001

static void
on_begin (SondeSplit *split)
{
  split->before = sonde_split_get_fraction (split);
}

static void
on_end (SondeSplit *split)
{
  if (fabs (sonde_split_get_fraction (split) - split->before) >= LEAST_MOVE)
    g_signal_emit (split, signals[MOVED], 0, split->before);
}

static gboolean
on_keyed (gpointer split)
{
  ((SondeSplit *) split)->key_source = 0;
  on_end (split);
  return G_SOURCE_REMOVE;
}

/* The class is the last to hear of the key, and moves the divider. */
static gboolean
on_key (GtkPaned *paned, GtkScrollType scroll, SondeSplit *split)
{
  if (split->key_source == 0)
    {
      on_begin (split);
      split->key_source = g_idle_add (on_keyed, split);
    }
  return FALSE;
}

/* The divider's own gestures and keys. */
static void
watch_divider (SondeSplit *split)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (split->paned));

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (!GTK_IS_GESTURE_DRAG (controller))
        continue;
      g_signal_connect_object (controller, "drag-begin", G_CALLBACK (on_begin), split,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (controller, "drag-end", G_CALLBACK (on_end), split,
                               G_CONNECT_SWAPPED);
    }
  g_signal_connect_object (split->paned, "move-handle", G_CALLBACK (on_key), split, 0);
}

/* ---- what is set --------------------------------------------------------- */

void
sonde_split_set_children (SondeSplit *split, GtkWidget *first, GtkWidget *second)
{
  g_return_if_fail (SONDE_IS_SPLIT (split));
  adw_bin_set_child (ADW_BIN (split->bins[0]), first);
  adw_bin_set_child (ADW_BIN (split->bins[1]), second);
}

void
sonde_split_set_way (SondeSplit *split, SondeSplitWay way)
{
  g_return_if_fail (SONDE_IS_SPLIT (split));
  if (way == split->way)
    return;
  if (shows_both (split))
    split->fraction = sonde_split_get_fraction (split);
  split->way = way;
  split->placed = FALSE;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (split->paned), get_orientation (split));
  show_bins (split);
  gtk_widget_queue_resize (GTK_WIDGET (split));
}

SondeSplitWay
sonde_split_get_way (SondeSplit *split)
{
  g_return_val_if_fail (SONDE_IS_SPLIT (split), SONDE_SPLIT_NONE);
  return split->way;
}

void
sonde_split_set_front (SondeSplit *split, guint front)
{
  g_return_if_fail (SONDE_IS_SPLIT (split) && front < 2);
  if (front == split->front)
    return;
  split->front = front;
  show_bins (split);
  gtk_widget_queue_resize (GTK_WIDGET (split));
}

guint
sonde_split_get_front (SondeSplit *split)
{
  g_return_val_if_fail (SONDE_IS_SPLIT (split), 0);
  return split->front;
}

gboolean
sonde_split_is_folded (SondeSplit *split)
{
  g_return_val_if_fail (SONDE_IS_SPLIT (split), FALSE);
  return split->folded;
}

gboolean
sonde_split_is_shown (SondeSplit *split, guint which)
{
  g_return_val_if_fail (SONDE_IS_SPLIT (split), FALSE);
  return which == split->front || shows_both (split);
}

void
sonde_split_set_fraction (SondeSplit *split, double fraction)
{
  g_return_if_fail (SONDE_IS_SPLIT (split));
  split->fraction = CLAMP (fraction, 0.1, 0.9);
  split->placed = FALSE;
  gtk_widget_queue_allocate (GTK_WIDGET (split));
}

double
sonde_split_get_fraction (SondeSplit *split)
{
  int room;

  g_return_val_if_fail (SONDE_IS_SPLIT (split), 0.5);
  room = get_room (split, gtk_widget_get_width (GTK_WIDGET (split->paned)),
                   gtk_widget_get_height (GTK_WIDGET (split->paned)));
  if (!shows_both (split) || !split->placed || room <= 0)
    return split->fraction;
  return CLAMP ((double) gtk_paned_get_position (split->paned) / room, 0.1, 0.9);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_split_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_FOLDED)
    g_value_set_boolean (value, SONDE_SPLIT (object)->folded);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
sonde_split_dispose (GObject *object)
{
  SondeSplit *split = SONDE_SPLIT (object);

  if (split->tick != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (split), split->tick);
  split->tick = 0;
  g_clear_handle_id (&split->key_source, g_source_remove);
  if (split->paned != NULL)
    gtk_widget_unparent (GTK_WIDGET (split->paned));
  split->paned = NULL;
  G_OBJECT_CLASS (sonde_split_parent_class)->dispose (object);
}

static void
sonde_split_class_init (SondeSplitClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->get_property = sonde_split_get_property;
  G_OBJECT_CLASS (klass)->dispose = sonde_split_dispose;
  widget_class->measure = sonde_split_measure;
  widget_class->size_allocate = sonde_split_size_allocate;
  properties[PROP_FOLDED] = g_param_spec_boolean ("folded", NULL, NULL, FALSE,
                                                  G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPERTIES, properties);
  signals[MOVED] = g_signal_new ("moved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void
sonde_split_init (SondeSplit *split)
{
  split->fraction = 0.5;
  split->paned = GTK_PANED (gtk_paned_new (GTK_ORIENTATION_HORIZONTAL));
  for (guint i = 0; i < 2; i++)
    split->bins[i] = adw_bin_new ();
  gtk_paned_set_start_child (split->paned, split->bins[0]);
  gtk_paned_set_end_child (split->paned, split->bins[1]);
  gtk_paned_set_shrink_start_child (split->paned, FALSE);
  gtk_paned_set_shrink_end_child (split->paned, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (split->paned), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Divider between the two pages"), -1);
  gtk_widget_set_parent (GTK_WIDGET (split->paned), GTK_WIDGET (split));
  gtk_widget_set_overflow (GTK_WIDGET (split), GTK_OVERFLOW_HIDDEN);
  watch_divider (split);
  show_bins (split);
}

SondeSplit *
sonde_split_new (void)
{
  return g_object_new (SONDE_TYPE_SPLIT, NULL);
}
