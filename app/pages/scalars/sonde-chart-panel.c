/* SPDX-License-Identifier: Apache-2.0
 * A table says which rows there are; a row reads its field from what holds for the card and writes it into the
 * card's own settings, or into the common ones. Lists of texts are in sonde-chart-list.c. */
#include "app/pages/scalars/sonde-chart-panel.h"

#include <math.h>

#include "app/pages/scalars/sonde-chart-list.h"
#include "app/pages/scalars/sonde-chart-rows.h"
#include "app/pages/scalars/sonde-curve-expression.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-text-scale.h"

#define WIDTH 320 /* px */
struct _SondeChartPanel
{
  AdwBin parent_instance;
  SondeChartBoard *board;
  char *card;
  GtkLabel *title;
  GtkWidget *all, *reset;
  GtkWidget *widgets[SONDE_CHART_N_ROWS]; /* a row each; of a LIST its group */
  AdwPreferencesGroup *groups[SONDE_CHART_N_ROW_GROUPS];
  GtkStringList *tags;
  gboolean setting_up;
};

enum
{
  CLOSE,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeChartPanel, sonde_chart_panel, ADW_TYPE_BIN)

/* ---- what is said -------------------------------------------------------- */

static SondeChartSetup *
dup_effective (SondeChartPanel *panel)
{
  return panel->card != NULL ? sonde_chart_board_dup_setup (panel->board, panel->card)
                             : sonde_chart_setup_copy (sonde_chart_board_get_common (panel->board));
}

/* (transfer full): charts of expressions */
static char **
dup_cards (SondeChartPanel *panel)
{
  GPtrArray *added = sonde_chart_board_get_added (panel->board);
  char **cards = g_new0 (char *, added->len + 1);

  for (guint i = 0; i < added->len; i++)
    cards[i] = g_strdup (added->pdata[i]);
  return cards;
}

/* A copy of what is changed here. */
static SondeChartSetup *
dup_said (SondeChartPanel *panel)
{
  const SondeChartSetup *own
      = panel->card != NULL ? sonde_chart_board_get_own (panel->board, panel->card) : NULL;

  if (panel->card == NULL)
    return sonde_chart_setup_copy (sonde_chart_board_get_common (panel->board));
  return own != NULL ? sonde_chart_setup_copy (own) : sonde_chart_setup_new ();
}

static void
say (SondeChartPanel *panel, const SondeChartSetup *setup)
{
  if (panel->card != NULL)
    sonde_chart_board_set_own (panel->board, panel->card, setup);
  else
    sonde_chart_board_set_common (panel->board, setup);
}

static const SondeChartRow *
find_row (SondeChartPanel *panel, GtkWidget *widget, guint *index)
{
  for (guint i = 0; i < SONDE_CHART_N_ROWS; i++)
    if (panel->widgets[i] == widget)
      {
        if (index != NULL)
          *index = i;
        return &sonde_chart_rows[i];
      }
  return NULL;
}

/* ---- rows are changed ---------------------------------------------------- */

static void
say_choice (SondeChartPanel *panel, SondeChartField field, int value)
{
  g_autoptr (SondeChartSetup) setup = dup_said (panel);

  sonde_chart_setup_set_choice (setup, field, value);
  say (panel, setup);
}

static void
on_combo (GtkWidget *widget, GParamSpec *pspec, SondeChartPanel *panel)
{
  const SondeChartRow *row = find_row (panel, widget, NULL);
  guint selected = adw_combo_row_get_selected (ADW_COMBO_ROW (widget));

  if (panel->setting_up || row == NULL || selected == GTK_INVALID_LIST_POSITION)
    return;
  if (row->kind == SONDE_CHART_ROW_TAG)
    {
      g_autoptr (SondeChartSetup) setup = dup_said (panel);

      sonde_chart_setup_set_text (setup, row->field,
                                  gtk_string_list_get_string (panel->tags, selected));
      say (panel, setup);
    }
  else
    say_choice (panel, row->field, (int) selected);
}

static void
on_switch (GtkSwitch *control, GParamSpec *pspec, SondeChartPanel *panel)
{
  const SondeChartRow *row
      = find_row (panel, gtk_widget_get_ancestor (GTK_WIDGET (control), ADW_TYPE_ACTION_ROW), NULL);
  g_autoptr (SondeChartSetup) now = NULL;
  gboolean active = gtk_switch_get_active (control);

  if (panel->setting_up || row == NULL)
    return;
  now = dup_effective (panel);
  say_choice (panel, row->field,
              row->kind != SONDE_CHART_ROW_MARK ? active
              : active                          ? now->marks | (int) row->bit
                                                : now->marks & ~(int) row->bit);
}

static void
on_spin (GtkSpinButton *spin, SondeChartPanel *panel)
{
  const SondeChartRow *row
      = find_row (panel, gtk_widget_get_ancestor (GTK_WIDGET (spin), ADW_TYPE_ACTION_ROW), NULL);
  g_autoptr (SondeChartSetup) setup = NULL;

  if (panel->setting_up || row == NULL)
    return;
  setup = dup_said (panel);
  sonde_chart_setup_set_number (setup, row->field, gtk_spin_button_get_value (spin));
  say (panel, setup);
}

static gboolean
parse_number (const char *text, double *value)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  char *end;

  *value = g_ascii_strtod (stripped, &end);
  return end != stripped && *end == '\0' && isfinite (*value);
}

/* A limit that is no number leaves the axis as it is, and says so. */
static void
on_entry (GtkWidget *widget, SondeChartPanel *panel)
{
  const SondeChartRow *row = find_row (panel, widget, NULL);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (widget));
  g_autoptr (SondeChartSetup) setup = dup_said (panel);
  double value = NAN;

  gtk_widget_remove_css_class (widget, "error");
  if (sonde_chart_row_is_text (row))
    sonde_chart_setup_set_text (setup, row->field, text);
  else if (*text == '\0' && panel->card == NULL)
    sonde_chart_setup_forget (setup, row->field);
  else if (*text == '\0' || parse_number (text, &value))
    sonde_chart_setup_set_number (setup, row->field, value);
  else
    {
      gtk_widget_add_css_class (widget, "error");
      gtk_widget_set_tooltip_text (widget, _ ("Not a number"));
      return;
    }
  gtk_widget_set_tooltip_text (widget, row->hint != NULL ? _ (row->hint) : NULL);
  say (panel, setup);
}

/* Expressions that are common to all charts are charts of their own. */
static void
say_cards (SondeChartPanel *panel, const char *const *texts)
{
  g_auto (GStrv) wanted = g_strdupv ((char **) texts);
  g_auto (GStrv) there = dup_cards (panel);

  for (guint i = 0; there[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) wanted, there[i]))
      sonde_chart_board_remove_card (panel->board, there[i]);
  for (guint i = 0; wanted[i] != NULL; i++)
    sonde_chart_board_add_card (panel->board, wanted[i]);
}

static void
on_list (SondeChartList *list, SondeChartPanel *panel)
{
  const SondeChartRow *row = find_row (panel, GTK_WIDGET (list), NULL);
  g_autoptr (SondeChartSetup) setup = dup_said (panel);

  if (panel->card == NULL && row->field == SONDE_CHART_FIELD_CURVES)
    {
      say_cards (panel, sonde_chart_list_get_texts (list));
      return;
    }
  sonde_chart_setup_set_list (setup, row->field, sonde_chart_list_get_texts (list));
  say (panel, setup);
}

/* ---- rows show what holds ------------------------------------------------ */

static void
show_number (GtkWidget *widget, double value)
{
  g_autofree char *text = isnan (value) ? g_strdup ("") : sonde_format_exact (value);

  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (widget)), text) != 0)
    gtk_editable_set_text (GTK_EDITABLE (widget), text);
}

static void
show_tag (SondeChartPanel *panel, GtkWidget *widget, const char *tag)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (panel->tags)),
        found = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; tag != NULL && i < n; i++)
    if (g_str_equal (gtk_string_list_get_string (panel->tags, i), tag))
      found = i;
  adw_combo_row_set_selected (ADW_COMBO_ROW (widget), found);
}

/* The control that stands at the end of a row. */
static GtkWidget *
get_control (GtkWidget *row)
{
  return GTK_WIDGET (adw_action_row_get_activatable_widget (ADW_ACTION_ROW (row)));
}

static void
show_entry (GtkWidget *widget, const SondeChartRow *row, const SondeChartSetup *setup)
{
  const char *text;

  if (!sonde_chart_row_is_text (row))
    {
      show_number (widget, sonde_chart_setup_get_number (setup, row->field));
      return;
    }
  text = sonde_chart_setup_get_text (setup, row->field);
  if (g_strcmp0 (gtk_editable_get_text (GTK_EDITABLE (widget)), text != NULL ? text : "") != 0)
    gtk_editable_set_text (GTK_EDITABLE (widget), text != NULL ? text : "");
}

static void
show_list (SondeChartPanel *panel, SondeChartList *list, const SondeChartRow *row,
           const SondeChartSetup *setup)
{
  g_auto (GStrv) cards = dup_cards (panel);

  if (panel->card == NULL && row->field == SONDE_CHART_FIELD_CURVES)
    sonde_chart_list_set_texts (list, (const char *const *) cards);
  else
    sonde_chart_list_set_texts (list, sonde_chart_setup_get_list (setup, row->field));
}

static void
show_row (SondeChartPanel *panel, guint i, const SondeChartSetup *setup)
{
  const SondeChartRow *row = &sonde_chart_rows[i];
  GtkWidget *widget = panel->widgets[i];

  switch (row->kind)
    {
    case SONDE_CHART_ROW_COMBO:
      adw_combo_row_set_selected (ADW_COMBO_ROW (widget),
                                  (guint) sonde_chart_setup_get_choice (setup, row->field));
      break;
    case SONDE_CHART_ROW_TAG:
      show_tag (panel, widget, sonde_chart_setup_get_text (setup, row->field));
      break;
    case SONDE_CHART_ROW_SWITCH:
      gtk_switch_set_active (GTK_SWITCH (get_control (widget)),
                             sonde_chart_setup_get_choice (setup, row->field));
      break;
    case SONDE_CHART_ROW_MARK:
      gtk_switch_set_active (GTK_SWITCH (get_control (widget)),
                             (setup->marks & (int) row->bit) != 0);
      break;
    case SONDE_CHART_ROW_SPIN:
      gtk_spin_button_set_value (GTK_SPIN_BUTTON (get_control (widget)),
                                 sonde_chart_setup_get_number (setup, row->field));
      break;
    case SONDE_CHART_ROW_ENTRY:
      show_entry (widget, row, setup);
      break;
    case SONDE_CHART_ROW_LIST:
      show_list (panel, SONDE_CHART_LIST (widget), row, setup);
      break;
    }
}

static void
show_groups (SondeChartPanel *panel)
{
  for (guint g = 0; g < SONDE_CHART_N_ROW_GROUPS; g++)
    {
      gboolean any = FALSE;

      for (int i = sonde_chart_row_groups[g].first;
           i < sonde_chart_row_groups[g].first + sonde_chart_row_groups[g].n; i++)
        any |= gtk_widget_get_visible (panel->widgets[i]);
      gtk_widget_set_visible (GTK_WIDGET (panel->groups[g]), any);
    }
}

static void
refresh (SondeChartPanel *panel)
{
  g_autoptr (SondeChartSetup) setup = dup_effective (panel);
  g_autofree char *name = panel->card != NULL ? sonde_text_make_visible (panel->card) : NULL;

  panel->setting_up = TRUE;
  gtk_label_set_label (panel->title, name != NULL ? name : _ ("All Charts"));
  gtk_widget_set_tooltip_text (GTK_WIDGET (panel->title), name);
  gtk_widget_set_visible (panel->all, panel->card != NULL);
  gtk_widget_set_visible (panel->reset, panel->card != NULL);
  gtk_widget_set_sensitive (panel->reset,
                            panel->card != NULL
                                && sonde_chart_board_get_own (panel->board, panel->card) != NULL);
  for (guint i = 0; i < SONDE_CHART_N_ROWS; i++)
    {
      gtk_widget_set_visible (
          panel->widgets[i],
          sonde_chart_row_has_effect (&sonde_chart_rows[i], setup, panel->card == NULL));
      show_row (panel, i, setup);
    }
  show_groups (panel);
  panel->setting_up = FALSE;
}

static void
on_changed (SondeChartPanel *panel, const char *card)
{
  if (card == NULL || g_strcmp0 (card, panel->card) == 0)
    refresh (panel);
}

/* ---- rows are made ------------------------------------------------------- */

static GtkWidget *
make_combo (SondeChartPanel *panel, const SondeChartRow *row)
{
  GtkWidget *widget = adw_combo_row_new ();
  g_autoptr (GtkStringList) choices = gtk_string_list_new (NULL);

  for (int i = 0; i < SONDE_CHART_ROW_MAX_CHOICES && row->choices[i] != NULL; i++)
    gtk_string_list_append (choices, _ (row->choices[i]));
  adw_combo_row_set_model (ADW_COMBO_ROW (widget),
                           G_LIST_MODEL (row->kind == SONDE_CHART_ROW_TAG ? panel->tags : choices));
  g_signal_connect (widget, "notify::selected", G_CALLBACK (on_combo), panel);
  return widget;
}

static GtkWidget *
make_with_control (GtkWidget *control, const char *title)
{
  GtkWidget *widget = adw_action_row_new ();

  gtk_widget_set_valign (control, GTK_ALIGN_CENTER);
  adw_action_row_add_suffix (ADW_ACTION_ROW (widget), control);
  adw_action_row_set_activatable_widget (ADW_ACTION_ROW (widget), control);
  gtk_accessible_update_property (GTK_ACCESSIBLE (control), GTK_ACCESSIBLE_PROPERTY_LABEL, title,
                                  -1);
  return widget;
}

static GtkWidget *
make_switch (SondeChartPanel *panel, const SondeChartRow *row)
{
  GtkWidget *control = gtk_switch_new ();

  g_signal_connect (control, "notify::active", G_CALLBACK (on_switch), panel);
  return make_with_control (control, _ (row->title));
}

static GtkWidget *
make_spin (SondeChartPanel *panel, const SondeChartRow *row)
{
  GtkWidget *control = gtk_spin_button_new_with_range (row->low, row->high, row->increment);

  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (control), (guint) row->digits);
  g_signal_connect (control, "value-changed", G_CALLBACK (on_spin), panel);
  return make_with_control (control, _ (row->title));
}

static GtkWidget *
make_entry (SondeChartPanel *panel)
{
  GtkWidget *widget = adw_entry_row_new ();

  adw_entry_row_set_show_apply_button (ADW_ENTRY_ROW (widget), TRUE);
  g_signal_connect (widget, "apply", G_CALLBACK (on_entry), panel);
  return widget;
}

static char *
check_mark (const char *text, GError **error)
{
  double value;

  if (sonde_chart_setup_parse_mark (text, &value, NULL))
    return g_strdup (text);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” must begin with a number", text);
  return NULL;
}

static char *
check_expression (const char *text, GError **error)
{
  g_autoptr (SondeCurveExpression) expression = NULL;

  if (*text == '=')
    text++;
  expression = sonde_curve_expression_new (text, error);
  return expression != NULL ? g_strconcat ("=", text, NULL) : NULL;
}

static GtkWidget *
make_row (SondeChartPanel *panel, const SondeChartRow *row)
{
  GtkWidget *widget;

  if (row->kind == SONDE_CHART_ROW_LIST)
    {
      widget = sonde_chart_list_new (
          _ (row->title), row->field == SONDE_CHART_FIELD_CURVES ? check_expression : check_mark);
      gtk_widget_set_tooltip_text (widget, _ (row->hint));
      gtk_widget_set_margin_bottom (widget, 6);
      g_signal_connect (widget, "changed", G_CALLBACK (on_list), panel);
      return widget;
    }
  widget = row->kind == SONDE_CHART_ROW_COMBO || row->kind == SONDE_CHART_ROW_TAG
               ? make_combo (panel, row)
           : row->kind == SONDE_CHART_ROW_SWITCH || row->kind == SONDE_CHART_ROW_MARK
               ? make_switch (panel, row)
           : row->kind == SONDE_CHART_ROW_SPIN ? make_spin (panel, row)
                                               : make_entry (panel);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (widget), _ (row->title));
  if (row->hint != NULL)
    gtk_widget_set_tooltip_text (widget, _ (row->hint));
  return widget;
}

static void
make_rows (SondeChartPanel *panel, GtkBox *box)
{
  for (guint g = 0; g < SONDE_CHART_N_ROW_GROUPS; g++)
    {
      panel->groups[g] = ADW_PREFERENCES_GROUP (adw_preferences_group_new ());
      adw_preferences_group_set_title (panel->groups[g], _ (sonde_chart_row_groups[g].title));
      gtk_box_append (box, GTK_WIDGET (panel->groups[g]));
      for (int i = sonde_chart_row_groups[g].first;
           i < sonde_chart_row_groups[g].first + sonde_chart_row_groups[g].n; i++)
        {
          panel->widgets[i] = make_row (panel, &sonde_chart_rows[i]);
          adw_preferences_group_add (panel->groups[g], panel->widgets[i]);
        }
    }
}

static void
on_close (SondeChartPanel *panel)
{
  g_signal_emit (panel, signals[CLOSE], 0);
}

static void
on_all (SondeChartPanel *panel)
{
  sonde_chart_panel_set_card (panel, NULL);
}

static void
on_reset (SondeChartPanel *panel)
{
  sonde_chart_board_set_own (panel->board, panel->card, NULL);
}

static GtkWidget *
make_head (SondeChartPanel *panel)
{
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *close = gtk_button_new_from_icon_name ("window-close-symbolic");

  panel->title = GTK_LABEL (gtk_label_new (NULL));
  gtk_label_set_ellipsize (panel->title, PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (panel->title, 0);
  gtk_widget_set_hexpand (GTK_WIDGET (panel->title), TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (panel->title), "heading");
  panel->all = gtk_button_new_with_label (_ ("All Charts"));
  gtk_widget_add_css_class (panel->all, "flat");
  gtk_widget_set_tooltip_text (panel->all, _ ("Settings common to all charts"));
  gtk_widget_add_css_class (close, "flat");
  gtk_widget_set_tooltip_text (close, _ ("Close the settings"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (close), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Close the settings"), -1);
  g_signal_connect_swapped (panel->all, "clicked", G_CALLBACK (on_all), panel);
  g_signal_connect_swapped (close, "clicked", G_CALLBACK (on_close), panel);
  gtk_box_append (GTK_BOX (head), GTK_WIDGET (panel->title));
  gtk_box_append (GTK_BOX (head), panel->all);
  gtk_box_append (GTK_BOX (head), close);
  return head;
}

/* ---- object -------------------------------------------------------------- */

void
sonde_chart_panel_set_card (SondeChartPanel *panel, const char *card)
{
  char *copy = g_strdup (card);

  g_return_if_fail (SONDE_IS_CHART_PANEL (panel));
  g_free (panel->card);
  panel->card = copy;
  refresh (panel);
}

const char *
sonde_chart_panel_get_card (SondeChartPanel *panel)
{
  g_return_val_if_fail (SONDE_IS_CHART_PANEL (panel), NULL);
  return panel->card;
}

void
sonde_chart_panel_set_tags (SondeChartPanel *panel, const char *const *tags)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (panel->tags));

  g_return_if_fail (SONDE_IS_CHART_PANEL (panel));
  panel->setting_up = TRUE;
  gtk_string_list_splice (panel->tags, 0, n, tags);
  for (guint i = 0; i < SONDE_CHART_N_ROWS; i++)
    if (sonde_chart_rows[i].field == SONDE_CHART_FIELD_CURVES)
      sonde_chart_list_set_choices (SONDE_CHART_LIST (panel->widgets[i]), tags);
  panel->setting_up = FALSE;
  refresh (panel);
}

GtkWidget *
sonde_chart_panel_get_row (SondeChartPanel *panel, SondeChartField field)
{
  for (guint i = 0; i < SONDE_CHART_N_ROWS; i++)
    if (sonde_chart_rows[i].field == field)
      return panel->widgets[i];
  return NULL;
}

static void
sonde_chart_panel_dispose (GObject *object)
{
  SondeChartPanel *panel = SONDE_CHART_PANEL (object);

  panel->setting_up = TRUE;
  g_clear_object (&panel->board);
  g_clear_object (&panel->tags);
  g_clear_pointer (&panel->card, g_free);
  G_OBJECT_CLASS (sonde_chart_panel_parent_class)->dispose (object);
}

static void
sonde_chart_panel_class_init (SondeChartPanelClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_chart_panel_dispose;
  signals[CLOSE] = g_signal_new ("close", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_chart_panel_init (SondeChartPanel *panel)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (),
            *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);

  panel->setting_up = TRUE;
  panel->tags = gtk_string_list_new (NULL);
  panel->reset = gtk_button_new_with_label (_ ("Reset This Chart"));
  g_signal_connect_swapped (panel->reset, "clicked", G_CALLBACK (on_reset), panel);
  gtk_widget_add_css_class (box, "chart-panel");
  gtk_box_append (GTK_BOX (box), make_head (panel));
  make_rows (panel, GTK_BOX (box));
  gtk_box_append (GTK_BOX (box), panel->reset);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), box);
  sonde_text_scale_request (scrolled, WIDTH, -1);
  /* The room is the charts', whatever in here wants to grow. */
  gtk_widget_set_hexpand (scrolled, FALSE);
  gtk_widget_set_hexpand (GTK_WIDGET (panel), FALSE);
  adw_bin_set_child (ADW_BIN (panel), scrolled);
}

GtkWidget *
sonde_chart_panel_new (SondeChartBoard *board)
{
  SondeChartPanel *panel = g_object_new (SONDE_TYPE_CHART_PANEL, NULL);

  panel->board = g_object_ref (board);
  g_signal_connect_object (board, "changed", G_CALLBACK (on_changed), panel, G_CONNECT_SWAPPED);
  refresh (panel);
  return GTK_WIDGET (panel);
}
