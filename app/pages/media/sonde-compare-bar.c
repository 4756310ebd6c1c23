/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-compare-bar.h"

#include "app/widgets/sonde-bar-layout.h"
#include "app/widgets/sonde-choice.h"
#include "app/widgets/sonde-step-scale.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define SETTINGS "media"
#define SEARCHED 12 /* more runs than that are searched */

/* Before the runs in the list. */
enum
{
  WITH_NOTHING,
  WITH_STEP,
  N_FIXED
};

struct _SondeCompareBar
{
  GtkBox parent_instance;
  GtkDropDown *with, *mode;
  GListStore *choices;     /* SondeChoice, with its run as data "run" */
  SondeStepCursor *cursor; /* of the step to compare with */
  SondeStepScale *scale;
  GArray *steps;
  gint64 shown_step;         /* that a page shows; for the step that is compared at first */
  SondeWorkspace *workspace; /* (nullable): of the settings */
  char *setting;             /* (nullable) */
  gboolean updating;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeCompareBar, sonde_compare_bar, GTK_TYPE_BOX)

static void
update_controls (SondeCompareBar *bar)
{
  guint with = gtk_drop_down_get_selected (bar->with);

  gtk_widget_set_visible (GTK_WIDGET (bar->scale), with == WITH_STEP);
  gtk_widget_set_visible (GTK_WIDGET (bar->mode), with != WITH_NOTHING);
}

static void
tell (SondeCompareBar *bar)
{
  if (bar->updating)
    return;
  update_controls (bar);
  g_signal_emit (bar, signals[CHANGED], 0);
}

static SondeRun *
get_chosen_run (SondeCompareBar *bar)
{
  GObject *choice = gtk_drop_down_get_selected_item (bar->with);

  return choice != NULL ? g_object_get_data (choice, "run") : NULL;
}

/* ---- with what ----------------------------------------------------------- */

static void
add_choice (GListStore *choices, const char *title, SondeRun *run)
{
  g_autoptr (SondeChoice) choice = sonde_choice_new (title, title);

  if (run != NULL)
    g_object_set_data_full (G_OBJECT (choice), "run", g_object_ref (run), g_object_unref);
  g_list_store_append (choices, choice);
}

static gboolean
has_kind (SondeRun *run, SondeRecordKind kind)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    if (((const SondeRunTag *) tags->pdata[i])->kind == kind)
      return TRUE;
  return FALSE;
}

/* (transfer full) */
static GListStore *
list_choices (SondeWorkspace *workspace, SondeRecordKind kind)
{
  GListStore *choices = g_list_store_new (SONDE_TYPE_CHOICE);
  GListModel *runs = sonde_workspace_get_shown_runs (workspace);

  add_choice (choices, _ ("Compare with Nothing"), NULL);
  add_choice (choices, _ ("Compare with Another Step"), NULL);
  for (guint i = 0; i < g_list_model_get_n_items (runs); i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);
      g_autofree char *title
          = sonde_text_make_visible (sonde_workspace_get_run_title (workspace, run));
      g_autofree char *words = g_strdup_printf (_ ("Compare with “%s”"), title);

      if (run != sonde_workspace_get_run (workspace) && has_kind (run, kind))
        add_choice (choices, words, run);
    }
  return choices;
}

static gboolean
are_same (GListModel *a, GListModel *b)
{
  if (g_list_model_get_n_items (a) != g_list_model_get_n_items (b))
    return FALSE;
  for (guint i = 0; i < g_list_model_get_n_items (a); i++)
    {
      g_autoptr (GObject) one = g_list_model_get_item (a, i), other = g_list_model_get_item (b, i);

      if (g_object_get_data (one, "run") != g_object_get_data (other, "run")
          || g_strcmp0 (sonde_choice_get_name (SONDE_CHOICE (one)),
                        sonde_choice_get_name (SONDE_CHOICE (other)))
                 != 0)
        return FALSE;
    }
  return TRUE;
}

static guint
find_run (GListModel *choices, SondeRun *run)
{
  for (guint i = N_FIXED; i < g_list_model_get_n_items (choices); i++)
    {
      g_autoptr (GObject) choice = g_list_model_get_item (choices, i);

      if (g_object_get_data (choice, "run") == run)
        return i;
    }
  return WITH_NOTHING;
}

void
sonde_compare_bar_set_runs (SondeCompareBar *bar, SondeWorkspace *workspace, SondeRecordKind kind)
{
  g_autoptr (GListStore) choices = NULL;
  guint selected;
  gboolean lost;

  g_return_if_fail (SONDE_IS_COMPARE_BAR (bar));
  choices = list_choices (workspace, kind);
  if (are_same (G_LIST_MODEL (bar->choices), G_LIST_MODEL (choices)))
    return;
  selected = gtk_drop_down_get_selected (bar->with);
  if (selected >= N_FIXED)
    selected = find_run (G_LIST_MODEL (choices), get_chosen_run (bar));
  lost = selected == WITH_NOTHING && gtk_drop_down_get_selected (bar->with) != WITH_NOTHING;
  g_set_object (&bar->choices, choices);
  bar->updating = TRUE;
  gtk_drop_down_set_model (bar->with, G_LIST_MODEL (choices));
  gtk_drop_down_set_selected (bar->with, selected);
  gtk_drop_down_set_enable_search (bar->with,
                                   g_list_model_get_n_items (G_LIST_MODEL (choices)) > SEARCHED);
  bar->updating = FALSE;
  update_controls (bar);
  if (lost)
    tell (bar);
}

void
sonde_compare_bar_set_steps (SondeCompareBar *bar, GArray *steps)
{
  g_return_if_fail (SONDE_IS_COMPARE_BAR (bar));
  g_array_set_size (bar->steps, 0);
  g_array_append_vals (bar->steps, steps->data, steps->len);
  sonde_step_scale_set_steps (bar->scale, steps);
}

static void
choose (SondeCompareBar *bar, guint with)
{
  bar->updating = TRUE;
  gtk_drop_down_set_selected (bar->with, with);
  bar->updating = FALSE;
  tell (bar);
}

void
sonde_compare_bar_compare_step (SondeCompareBar *bar, gint64 step)
{
  g_return_if_fail (SONDE_IS_COMPARE_BAR (bar));
  bar->updating = TRUE;
  sonde_step_cursor_set_step (bar->cursor, step);
  bar->updating = FALSE;
  choose (bar, WITH_STEP);
}

/* The step before the one that is shown, else the one after it. */
static gint64
find_neighbour (SondeCompareBar *bar)
{
  gint64 chosen = bar->shown_step;

  for (guint i = bar->steps->len; i > 0; i--)
    {
      gint64 step = g_array_index (bar->steps, gint64, i - 1);

      if (step != bar->shown_step)
        chosen = step;
      if (step < bar->shown_step)
        break;
    }
  return chosen;
}

static void
on_with_chosen (SondeCompareBar *bar)
{
  if (!bar->updating && gtk_drop_down_get_selected (bar->with) == WITH_STEP)
    sonde_compare_bar_compare_step (bar, find_neighbour (bar));
  else
    tell (bar);
}

void
sonde_compare_bar_set_shown_step (SondeCompareBar *bar, gint64 step)
{
  g_return_if_fail (SONDE_IS_COMPARE_BAR (bar));
  bar->shown_step = step;
}

void
sonde_compare_bar_stop (SondeCompareBar *bar)
{
  g_return_if_fail (SONDE_IS_COMPARE_BAR (bar));
  choose (bar, WITH_NOTHING);
}

void
sonde_compare_bar_ask (SondeCompareBar *bar)
{
  g_return_if_fail (SONDE_IS_COMPARE_BAR (bar));
  gtk_widget_activate (GTK_WIDGET (bar->with));
}

gboolean
sonde_compare_bar_find (SondeCompareBar *bar, SondeRun *run, gint64 step, SondeRun **other,
                        gint64 *other_step)
{
  guint with;

  g_return_val_if_fail (SONDE_IS_COMPARE_BAR (bar), FALSE);
  with = gtk_drop_down_get_selected (bar->with);
  if (with == WITH_NOTHING || with == GTK_INVALID_LIST_POSITION)
    return FALSE;
  *other = with == WITH_STEP ? run : get_chosen_run (bar);
  *other_step = with == WITH_STEP ? sonde_step_cursor_get_step (bar->cursor) : step;
  return *other != NULL;
}

char *
sonde_compare_bar_dup_name (SondeWorkspace *workspace, SondeRun *run, gint64 step, gint64 wanted)
{
  g_autofree char *title = sonde_text_make_visible (sonde_workspace_get_run_title (workspace, run));
  g_autofree char *count = sonde_format_count (step), *other = sonde_format_count (wanted);

  if (step == wanted)
    return g_strdup_printf (_ ("%s · step %s"), title, count);
  return g_strdup_printf (_ ("%s · step %s (nearest to %s)"), title, count, other);
}

/* ---- how ----------------------------------------------------------------- */

void
sonde_compare_bar_set_modes (SondeCompareBar *bar, const char *const *labels,
                             SondeWorkspace *workspace, const char *name)
{
  g_autoptr (GtkStringList) list = gtk_string_list_new (labels);
  const char *remembered;

  g_return_if_fail (SONDE_IS_COMPARE_BAR (bar));
  remembered = name != NULL ? sonde_workspace_get_setting (workspace, SETTINGS, name) : NULL;
  g_set_object (&bar->workspace, workspace);
  g_free (bar->setting);
  bar->setting = g_strdup (name);
  bar->updating = TRUE;
  gtk_drop_down_set_model (bar->mode, G_LIST_MODEL (list));
  if (remembered != NULL)
    gtk_drop_down_set_selected (
        bar->mode, (guint) MIN (g_ascii_strtoull (remembered, NULL, 10),
                                (guint64) g_list_model_get_n_items (G_LIST_MODEL (list)) - 1));
  bar->updating = FALSE;
}

guint
sonde_compare_bar_get_mode (SondeCompareBar *bar)
{
  guint mode;

  g_return_val_if_fail (SONDE_IS_COMPARE_BAR (bar), 0);
  mode = gtk_drop_down_get_selected (bar->mode);
  return mode != GTK_INVALID_LIST_POSITION ? mode : 0;
}

static void
on_mode_chosen (SondeCompareBar *bar)
{
  g_autofree char *value = g_strdup_printf ("%u", sonde_compare_bar_get_mode (bar));

  if (bar->updating)
    return;
  if (bar->setting != NULL)
    sonde_workspace_set_setting (bar->workspace, SETTINGS, bar->setting, value);
  tell (bar);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_compare_bar_dispose (GObject *object)
{
  SondeCompareBar *bar = SONDE_COMPARE_BAR (object);
  GtkWidget *child;

  bar->updating = TRUE;
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  g_clear_object (&bar->choices);
  g_clear_object (&bar->cursor);
  g_clear_object (&bar->workspace);
  G_OBJECT_CLASS (sonde_compare_bar_parent_class)->dispose (object);
}

static void
sonde_compare_bar_finalize (GObject *object)
{
  SondeCompareBar *bar = SONDE_COMPARE_BAR (object);

  g_array_unref (bar->steps);
  g_free (bar->setting);
  G_OBJECT_CLASS (sonde_compare_bar_parent_class)->finalize (object);
}

static void
sonde_compare_bar_class_init (SondeCompareBarClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_compare_bar_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_compare_bar_finalize;
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_COMPARE_BAR, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static GtkDropDown *
add_drop_down (SondeCompareBar *bar, const char *name, GCallback on_chosen)
{
  GtkWidget *drop_down = gtk_drop_down_new (NULL, NULL);

  gtk_accessible_update_property (GTK_ACCESSIBLE (drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL, name,
                                  -1);
  gtk_widget_set_tooltip_text (drop_down, name);
  gtk_widget_set_valign (drop_down, GTK_ALIGN_CENTER);
  g_signal_connect_object (drop_down, "notify::selected", on_chosen, bar, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (bar), drop_down);
  return GTK_DROP_DOWN (drop_down);
}

static void
sonde_compare_bar_init (SondeCompareBar *bar)
{
  bar->updating = TRUE;
  bar->steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  bar->choices = g_list_store_new (SONDE_TYPE_CHOICE);
  add_choice (bar->choices, _ ("Compare with Nothing"), NULL);
  add_choice (bar->choices, _ ("Compare with Another Step"), NULL);
  bar->with = add_drop_down (bar, _ ("What to compare with"), G_CALLBACK (on_with_chosen));
  sonde_choice_set_up (bar->with, G_LIST_MODEL (bar->choices));
  bar->cursor = sonde_step_cursor_new ();
  bar->scale = g_object_new (SONDE_TYPE_STEP_SCALE, "width-request", 150, NULL);
  sonde_step_scale_set_cursor (bar->scale, bar->cursor);
  sonde_step_scale_set_label (bar->scale, _ ("Step to compare with"));
  gtk_box_append (GTK_BOX (bar), GTK_WIDGET (bar->scale));
  bar->mode = add_drop_down (bar, _ ("How to compare"), G_CALLBACK (on_mode_chosen));
  gtk_box_set_spacing (GTK_BOX (bar), 12);
  gtk_widget_set_layout_manager (GTK_WIDGET (bar), g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL));
  g_signal_connect_object (bar->cursor, "notify::step", G_CALLBACK (tell), bar, G_CONNECT_SWAPPED);
  bar->updating = FALSE;
  update_controls (bar);
}
