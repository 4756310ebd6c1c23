/* SPDX-License-Identifier: Apache-2.0 */
#include "app/training/sonde-training-list.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeTrainingList
{
  AdwBin parent_instance;
  GtkWidget *group;
  SondeWorkspace *workspace;
  GPtrArray *rows; /* (element-type Row) */
};

G_DEFINE_FINAL_TYPE (SondeTrainingList, sonde_training_list, ADW_TYPE_BIN)

enum
{
  CURVES,
  INSIDE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

typedef struct
{
  SondeTrainingList *list;
  SondeTrainingProcess *process;
  guint64 n_steps;
  SondeRun *run;     /* (nullable): once there is something in it */
  guint64 structure; /* of the store when it was looked for */
  GtkWidget *row, *progress, *curves, *inside, *stop;
} Row;

static void
free_row (gpointer data)
{
  Row *row = data;

  g_signal_handlers_disconnect_by_data (row->process, row);
  g_clear_object (&row->run);
  g_object_unref (row->process);
  g_free (row);
}

/* ---- how far ------------------------------------------------------------- */

/* (transfer none) (nullable): its run, once there is something in it. Looked for when runs came or went, until it
 * was found. */
static SondeRun *
find_run (Row *row)
{
  SondeRunStore *store = sonde_workspace_get_store (row->list->workspace);
  guint64 structure = sonde_run_store_get_structure (store);
  const char *folder = sonde_training_process_get_folder (row->process);

  if (row->run != NULL || row->structure == structure)
    return row->run;
  row->structure = structure;
  for (guint i = 0; row->run == NULL && i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (G_LIST_MODEL (store), i);

      if (g_str_equal (sonde_run_get_path (run), folder))
        row->run = g_steal_pointer (&run);
    }
  return row->run;
}

/* FALSE: nothing is recorded yet. */
static gboolean
get_last (Row *row, SondePoint *point)
{
  SondeRun *run = find_run (row);
  SondeSeries *loss = run != NULL ? sonde_run_get_series (run, "loss") : NULL;

  return loss != NULL && sonde_series_get_last (loss, point);
}

/* "Step 120 of 750 · loss 0.5312". (transfer full) */
static char *
describe_progress (Row *row)
{
  g_autofree char *step = NULL, *total = sonde_format_count ((gint64) row->n_steps), *loss = NULL;
  SondePoint last;

  if (!get_last (row, &last))
    return g_strdup (_ ("Preparing…"));
  step = sonde_format_count (last.step);
  loss = sonde_format_number (last.value);
  return row->n_steps > 0 ? g_strdup_printf (_ ("Step %s of %s · loss %s"), step, total, loss)
                          : g_strdup_printf (_ ("Step %s · loss %s"), step, loss);
}

static char *
describe (Row *row)
{
  g_autofree char *progress = describe_progress (row);

  switch (sonde_training_process_get_status (row->process))
    {
    case SONDE_TRAINING_STOPS:
      return g_strdup_printf (_ ("%s · stopping…"), progress);
    case SONDE_TRAINING_ENDED:
      return g_strdup_printf (_ ("%s · finished"), progress);
    case SONDE_TRAINING_STOPPED:
      return g_strdup_printf (_ ("%s · stopped"), progress);
    case SONDE_TRAINING_FAILED:
      return g_strdup (sonde_training_process_get_reason (row->process));
    case SONDE_TRAINING_RUNS:
    default:
      return g_steal_pointer (&progress);
    }
}

static void
update_row (Row *row)
{
  SondeTrainingStatus status = sonde_training_process_get_status (row->process);
  g_autofree char *text = describe (row), *escaped = g_markup_escape_text (text, -1);
  gboolean runs = status == SONDE_TRAINING_RUNS || status == SONDE_TRAINING_STOPS;
  SondePoint last;
  gboolean known = get_last (row, &last);

  adw_action_row_set_subtitle (ADW_ACTION_ROW (row->row), escaped);
  gtk_widget_set_visible (row->progress, runs && row->n_steps > 0);
  if (known && row->n_steps > 0)
    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (row->progress),
                                   CLAMP ((double) last.step / (double) row->n_steps, 0, 1));
  gtk_widget_set_sensitive (row->curves, known);
  gtk_widget_set_visible (row->inside, runs);
  gtk_widget_set_visible (row->stop, runs);
  gtk_widget_set_sensitive (row->stop, status == SONDE_TRAINING_RUNS);
  if (status == SONDE_TRAINING_FAILED)
    gtk_widget_add_css_class (row->row, "refused");
}

static void
update (SondeTrainingList *self)
{
  for (guint i = 0; i < self->rows->len; i++)
    update_row (self->rows->pdata[i]);
}

/* ---- rows ---------------------------------------------------------------- */

static void
on_curves (Row *row)
{
  g_signal_emit (row->list, signals[CURVES], 0, sonde_training_process_get_folder (row->process));
}

static void
on_inside (Row *row)
{
  g_signal_emit (row->list, signals[INSIDE], 0, sonde_training_process_get_folder (row->process));
}

static void
on_stop (Row *row)
{
  sonde_training_process_stop (row->process);
}

static GtkWidget *
add_button (Row *row, const char *icon, const char *name, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_tooltip_text (button, name);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  g_signal_connect_swapped (button, "clicked", clicked, row);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row->row), button);
  return button;
}

static void
build_row (Row *row, const char *title)
{
  row->row = adw_action_row_new ();
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row->row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row->row), title);
  row->progress = gtk_progress_bar_new ();
  gtk_widget_set_valign (row->progress, GTK_ALIGN_CENTER);
  gtk_widget_set_size_request (row->progress, 60, -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row->progress), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Progress"), -1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row->row), row->progress);
  row->curves
      = add_button (row, "sonde-scalars-symbolic", _ ("Show Curves"), G_CALLBACK (on_curves));
  row->inside
      = add_button (row, "sonde-debugger-symbolic", _ ("Look Inside"), G_CALLBACK (on_inside));
  row->stop = add_button (row, "media-playback-stop-symbolic",
                          _ ("Stop after This Step, with a Checkpoint"), G_CALLBACK (on_stop));
}

void
sonde_training_list_add (SondeTrainingList *list, SondeTrainingProcess *process, guint64 n_steps)
{
  const char *folder = sonde_training_process_get_folder (process);
  g_autofree char *title = g_path_get_basename (folder);
  Row *row = g_new0 (Row, 1);

  g_return_if_fail (SONDE_IS_TRAINING_LIST (list) && list->workspace != NULL);
  *row = (Row){ .list = list, .process = g_object_ref (process), .n_steps = n_steps };
  build_row (row, title);
  gtk_widget_set_tooltip_text (row->row, folder);
  g_signal_connect_swapped (process, "changed", G_CALLBACK (update_row), row);
  g_ptr_array_add (list->rows, row);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (list->group), row->row);
  gtk_widget_set_visible (GTK_WIDGET (list), TRUE);
  update_row (row);
}

void
sonde_training_list_set_workspace (SondeTrainingList *list, SondeWorkspace *workspace)
{
  g_return_if_fail (SONDE_IS_TRAINING_LIST (list) && list->workspace == NULL);
  list->workspace = g_object_ref (workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (update), list, G_CONNECT_SWAPPED);
}

/* ---- life ---------------------------------------------------------------- */

static void
sonde_training_list_dispose (GObject *object)
{
  SondeTrainingList *self = SONDE_TRAINING_LIST (object);

  g_clear_pointer (&self->rows, g_ptr_array_unref);
  g_clear_object (&self->workspace);
  G_OBJECT_CLASS (sonde_training_list_parent_class)->dispose (object);
}

static void
sonde_training_list_class_init (SondeTrainingListClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_training_list_dispose;
  signals[CURVES] = g_signal_new ("curves", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[INSIDE] = g_signal_new ("inside", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_training_list_init (SondeTrainingList *self)
{
  self->rows = g_ptr_array_new_with_free_func (free_row);
  self->group = adw_preferences_group_new ();
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (self->group), _ ("Started Here"));
  adw_bin_set_child (ADW_BIN (self), self->group);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
