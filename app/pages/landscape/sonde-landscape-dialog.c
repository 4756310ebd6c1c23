/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/landscape/sonde-landscape-dialog.h"

#include <adwaita.h>

#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define GROUP "landscape" /* of the settings */
#define COMPUTE "compute"

/* Numbers of the dialog, in the order of their rows. */
enum
{
  GRID,
  BATCHES,
  RANGE,
  SEED,
  N_NUMBERS
};

static const struct
{
  const char *key, *title, *subtitle;
  double low, high, fallback, step;
  int digits;
} numbers[N_NUMBERS] = {
  { "grid", N_ ("Points on a side"), NULL, 3, 256, 41, 2, 0 },
  { "batches", N_ ("Batches"), N_ ("Each loss is their mean; 0: all"), 0, 1e6, 8, 1, 0 },
  { "range", N_ ("Half the width"), N_ ("Around the last weights; 0: chosen automatically"), 0, 1e6,
    0, 0.25, 2 },
  { "seed", N_ ("Seed"), N_ ("Of random directions and of which batches"), 0, 1e9, 1, 1, 0 },
};

/* The dialog's parts; they live as long as it does. */
typedef struct
{
  SondeWorkspace *workspace;
  AdwComboRow *directions, *part;
  GtkSpinButton *spins[N_NUMBERS];
  GtkLabel *work;
  SondeLandscapeFunc answered;
  GWeakRef data;
} Question;

static void
question_free (gpointer data, GClosure *closure)
{
  Question *question = data;

  g_object_unref (question->workspace);
  g_weak_ref_clear (&question->data);
  g_free (question);
}

/* ---- settings ------------------------------------------------------------ */

static double
load_number (SondeWorkspace *workspace, int i)
{
  const char *text = sonde_workspace_get_setting (workspace, GROUP, numbers[i].key);
  double number = text != NULL ? g_ascii_strtod (text, NULL) : numbers[i].fallback;

  return number >= numbers[i].low && number <= numbers[i].high ? number : numbers[i].fallback;
}

void
sonde_landscape_settings_load (SondeWorkspace *workspace, SondeLandscapeSettings *settings)
{
  *settings = (SondeLandscapeSettings){
    .of_path = g_strcmp0 (sonde_workspace_get_setting (workspace, GROUP, "directions"), "pca") == 0,
    .test = g_strcmp0 (sonde_workspace_get_setting (workspace, GROUP, "part"), "test") == 0,
    .grid = (guint) load_number (workspace, GRID),
    .batches = (guint) load_number (workspace, BATCHES),
    .seed = (guint) load_number (workspace, SEED),
    .range = load_number (workspace, RANGE),
  };
}

static void
save (Question *question, const SondeLandscapeSettings *settings)
{
  sonde_workspace_set_setting (question->workspace, GROUP, "directions",
                               settings->of_path ? "pca" : "random");
  sonde_workspace_set_setting (question->workspace, GROUP, "part",
                               settings->test ? "test" : "train");
  for (int i = 0; i < N_NUMBERS; i++)
    {
      char text[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_dtostr (text, sizeof text, gtk_spin_button_get_value (question->spins[i]));
      sonde_workspace_set_setting (question->workspace, GROUP, numbers[i].key, text);
    }
}

static void
read_answer (const Question *question, SondeLandscapeSettings *settings)
{
  *settings = (SondeLandscapeSettings){
    .of_path = adw_combo_row_get_selected (question->directions) == 1,
    .test = adw_combo_row_get_selected (question->part) == 1,
    .grid = (guint) gtk_spin_button_get_value_as_int (question->spins[GRID]),
    .batches = (guint) gtk_spin_button_get_value_as_int (question->spins[BATCHES]),
    .seed = (guint) gtk_spin_button_get_value_as_int (question->spins[SEED]),
    .range = gtk_spin_button_get_value (question->spins[RANGE]),
  };
}

static void
on_answer (AdwMessageDialog *dialog, const char *response, Question *question)
{
  g_autoptr (GObject) data = g_weak_ref_get (&question->data);
  SondeLandscapeSettings settings;

  if (!g_str_equal (response, COMPUTE) || data == NULL)
    return;
  read_answer (question, &settings);
  save (question, &settings);
  question->answered (&settings, data);
}

/* ---- rows ---------------------------------------------------------------- */

/* How much there is to compute, before it is begun. */
static void
update_work (Question *question)
{
  SondeLandscapeSettings settings;
  g_autofree char *points = NULL, *text = NULL;

  read_answer (question, &settings);
  points = sonde_format_count ((gint64) settings.grid * settings.grid);
  text = settings.batches > 0
             ? g_strdup_printf (P_ ("%s points, each the mean of %u batch",
                                    "%s points, each the mean of %u batches", settings.batches),
                                points, settings.batches)
             : g_strdup_printf (_ ("%s points, each the mean of all batches"), points);
  gtk_label_set_text (question->work, text);
}

static AdwComboRow *
add_choice (AdwPreferencesGroup *group, const char *title, const char *first, const char *second,
            gboolean is_second)
{
  const char *const words[] = { first, second, NULL };
  g_autoptr (GtkStringList) model = gtk_string_list_new (words);
  AdwComboRow *row = ADW_COMBO_ROW (adw_combo_row_new ());

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_combo_row_set_model (row, G_LIST_MODEL (model));
  adw_combo_row_set_selected (row, is_second ? 1 : 0);
  adw_preferences_group_add (group, GTK_WIDGET (row));
  return row;
}

static GtkSpinButton *
add_number (AdwPreferencesGroup *group, SondeWorkspace *workspace, int i)
{
  GtkWidget *row = adw_action_row_new (),
            *spin
            = gtk_spin_button_new_with_range (numbers[i].low, numbers[i].high, numbers[i].step);

  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin), (guint) numbers[i].digits);
  gtk_spin_button_set_numeric (GTK_SPIN_BUTTON (spin), TRUE);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), load_number (workspace, i));
  gtk_editable_set_width_chars (GTK_EDITABLE (spin), 7);
  gtk_widget_set_valign (spin, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (spin, "numeric");
  gtk_accessible_update_property (GTK_ACCESSIBLE (spin), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (numbers[i].title), -1);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (numbers[i].title));
  if (numbers[i].subtitle != NULL)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), _ (numbers[i].subtitle));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), spin);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (row), spin);
  adw_preferences_group_add (group, row);
  return GTK_SPIN_BUTTON (spin);
}

static GtkWidget *
make_form (Question *question)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 12),
            *group = adw_preferences_group_new (), *work = gtk_label_new (NULL);
  AdwPreferencesGroup *rows = ADW_PREFERENCES_GROUP (group);
  SondeLandscapeSettings last;

  sonde_landscape_settings_load (question->workspace, &last);
  question->directions
      = add_choice (rows, _ ("Directions"), _ ("Random"), _ ("Of the path"), last.of_path);
  question->part
      = add_choice (rows, _ ("Samples"), _ ("Training part"), _ ("Test part"), last.test);
  for (int i = 0; i < N_NUMBERS; i++)
    {
      question->spins[i] = add_number (rows, question->workspace, i);
      g_signal_connect_swapped (question->spins[i], "value-changed", G_CALLBACK (update_work),
                                question);
    }
  sonde_name_inside (group, GTK_TYPE_LIST_BOX, _ ("What is computed"));
  question->work = GTK_LABEL (work);
  gtk_widget_add_css_class (work, "dim-label");
  update_work (question);
  gtk_box_append (GTK_BOX (box), group);
  gtk_box_append (GTK_BOX (box), work);
  return box;
}

void
sonde_landscape_dialog_ask (GtkWidget *widget, SondeWorkspace *workspace, const char *title,
                            SondeLandscapeFunc answered, GObject *data)
{
  Question *question = g_new0 (Question, 1);
  g_autofree char *heading = g_strdup_printf (_ ("Loss Landscape of “%s”"), title);
  GtkWidget *dialog
      = adw_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (widget)), heading, NULL);
  AdwMessageDialog *message = ADW_MESSAGE_DIALOG (dialog);

  question->workspace = g_object_ref (workspace);
  question->answered = answered;
  g_weak_ref_init (&question->data, data);
  adw_message_dialog_set_extra_child (message, make_form (question));
  adw_message_dialog_add_responses (message, "cancel", _ ("_Cancel"), COMPUTE, _ ("C_ompute"),
                                    NULL);
  adw_message_dialog_set_response_appearance (message, COMPUTE, ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (message, COMPUTE);
  g_signal_connect_data (dialog, "response", G_CALLBACK (on_answer), question, question_free, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}
