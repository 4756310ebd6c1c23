/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/projector/sonde-projector-options.h"

#include "app/widgets/sonde-accessible.h"
#include <string.h>

#include "data/base/sonde-text.h"

/* One number of the popover; a bit for each method that it belongs to. */
typedef enum
{
  NUMBER_X,
  NUMBER_Y,
  NUMBER_Z,
  NUMBER_PERPLEXITY,
  NUMBER_ITERATIONS,
  NUMBER_NEIGHBOURS,
  NUMBER_DISTANCE,
  NUMBER_EPOCHS,
  NUMBER_SEED,
  N_NUMBERS
} Number;

typedef struct
{
  const char *title, *hint;
  double low, high, step, usual;
  int digits;
  guint methods;
} NumberRow;

#define OF(method) (1u << (method))

static const NumberRow number_rows[N_NUMBERS] = {
  { N_ ("Component along X"), NULL, 1, SONDE_PCA_MOST_COMPONENTS, 1, 1, 0,
    OF (SONDE_PROJECTION_PCA) },
  { N_ ("Component along Y"), NULL, 1, SONDE_PCA_MOST_COMPONENTS, 1, 2, 0,
    OF (SONDE_PROJECTION_PCA) },
  { N_ ("Component along Z"), NULL, 1, SONDE_PCA_MOST_COMPONENTS, 1, 3, 0,
    OF (SONDE_PROJECTION_PCA) },
  { N_ ("Perplexity"), N_ ("Approximate number of neighbours of a point"), 2, 200, 1, 30, 0,
    OF (SONDE_PROJECTION_TSNE) },
  { N_ ("Iterations"), NULL, 250, 10000, 50, 1000, 0, OF (SONDE_PROJECTION_TSNE) },
  { N_ ("Neighbours"),
    N_ ("Number of neighbours of a point, itself included: few show detail, many show the overall "
        "structure"),
    2, 200, 1, 15, 0, OF (SONDE_PROJECTION_UMAP) },
  { N_ ("Smallest distance"), N_ ("Smallest distance between points; low values give dense groups"),
    0, 0.99, 0.05, 0.1, 2, OF (SONDE_PROJECTION_UMAP) },
  { N_ ("Epochs"), N_ ("0: 500 up to 10,000 points, 200 above"), 0, 5000, 50, 0, 0,
    OF (SONDE_PROJECTION_UMAP) },
  { N_ ("Seed"), NULL, 0, 1000000, 1, 0, 0, OF (SONDE_PROJECTION_UMAP) },
};

struct _SondeProjectorOptions
{
  GtkBox parent_instance;
  GtkDropDown *method, *nearness, *names;
  GtkToggleButton *space;
  GtkWidget *titles[N_NUMBERS], *nearness_title;
  GtkSpinButton *numbers[N_NUMBERS];
  GtkStringList *name_list;
  GtkSwitch *pictures;
  GtkWidget *pictures_title;
  gboolean edited; /* since the popover was opened */
};

enum
{
  CHANGED,
  SHOWN_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeProjectorOptions, sonde_projector_options, GTK_TYPE_BOX)

static SondeProjectionMethod
get_method (SondeProjectorOptions *options)
{
  return (SondeProjectionMethod) gtk_drop_down_get_selected (options->method);
}

static gboolean
is_space (SondeProjectorOptions *options)
{
  return gtk_toggle_button_get_active (options->space);
}

/* Only what belongs to the method. */
static void
update_rows (SondeProjectorOptions *options)
{
  SondeProjectionMethod method = get_method (options);

  for (Number n = 0; n < N_NUMBERS; n++)
    {
      gboolean visible
          = number_rows[n].methods & OF (method) && (n != NUMBER_Z || is_space (options));

      gtk_widget_set_visible (options->titles[n], visible);
      gtk_widget_set_visible (GTK_WIDGET (options->numbers[n]), visible);
    }
  gtk_widget_set_visible (options->nearness_title, method != SONDE_PROJECTION_PCA);
  gtk_widget_set_visible (GTK_WIDGET (options->nearness), method != SONDE_PROJECTION_PCA);
}

static void
tell_changed (SondeProjectorOptions *options)
{
  options->edited = FALSE;
  update_rows (options);
  g_signal_emit (options, signals[CHANGED], 0);
}

static void
on_number (SondeProjectorOptions *options)
{
  if (get_method (options) == SONDE_PROJECTION_PCA)
    g_signal_emit (options, signals[SHOWN_CHANGED], 0);
  else
    options->edited = TRUE;
}

static void
on_edited (SondeProjectorOptions *options)
{
  options->edited = TRUE;
}

static void
on_popover_closed (SondeProjectorOptions *options)
{
  if (options->edited)
    tell_changed (options);
}

static void
on_names (SondeProjectorOptions *options)
{
  g_signal_emit (options, signals[SHOWN_CHANGED], 0);
}

/* ---- widgets ------------------------------------------------------------- */

static void
name_widget (GtkWidget *widget, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static GtkWidget *
add_row (GtkGrid *grid, int row, const char *title, GtkWidget *widget)
{
  GtkWidget *label = gtk_label_new (title);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_grid_attach (grid, label, 0, row, 1, 1);
  gtk_grid_attach (grid, widget, 1, row, 1, 1);
  name_widget (widget, title);
  return label;
}

static void
add_number (SondeProjectorOptions *options, GtkGrid *grid, Number n)
{
  const NumberRow *row = &number_rows[n];
  GtkWidget *spin = gtk_spin_button_new_with_range (row->low, row->high, row->step);

  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (spin), (guint) row->digits);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), row->usual);
  if (row->hint != NULL)
    gtk_widget_set_tooltip_text (spin, _ (row->hint));
  options->numbers[n] = GTK_SPIN_BUTTON (spin);
  options->titles[n] = add_row (grid, (int) n, _ (row->title), spin);
  g_signal_connect_swapped (spin, "value-changed", G_CALLBACK (on_number), options);
}

static GtkWidget *
make_popover (SondeProjectorOptions *options)
{
  const char *const nearness[] = { _ ("Euclidean distance"), _ ("Cosine distance"), NULL };
  GtkWidget *popover = gtk_popover_new (), *grid = gtk_grid_new ();

  gtk_grid_set_row_spacing (GTK_GRID (grid), 6);
  gtk_grid_set_column_spacing (GTK_GRID (grid), 12);
  for (Number n = 0; n < N_NUMBERS; n++)
    add_number (options, GTK_GRID (grid), n);
  options->nearness = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (nearness));
  options->nearness_title
      = add_row (GTK_GRID (grid), N_NUMBERS, _ ("Nearness"), GTK_WIDGET (options->nearness));
  g_signal_connect_swapped (options->nearness, "notify::selected", G_CALLBACK (on_edited), options);
  options->name_list = gtk_string_list_new (NULL);
  gtk_string_list_append (options->name_list, _ ("None"));
  options->names = GTK_DROP_DOWN (gtk_drop_down_new (G_LIST_MODEL (options->name_list), NULL));
  add_row (GTK_GRID (grid), N_NUMBERS + 1, _ ("Names beside points"), GTK_WIDGET (options->names));
  g_signal_connect_swapped (options->names, "notify::selected", G_CALLBACK (on_names), options);
  options->pictures = GTK_SWITCH (gtk_switch_new ());
  gtk_widget_set_halign (GTK_WIDGET (options->pictures), GTK_ALIGN_END);
  options->pictures_title = add_row (GTK_GRID (grid), N_NUMBERS + 2, _ ("Images beside points"),
                                     GTK_WIDGET (options->pictures));
  sonde_projector_options_set_has_pictures (options, FALSE);
  g_signal_connect_swapped (options->pictures, "notify::active", G_CALLBACK (on_names), options);
  gtk_popover_set_child (GTK_POPOVER (popover), grid);
  g_signal_connect_swapped (popover, "closed", G_CALLBACK (on_popover_closed), options);
  return popover;
}

static void
sonde_projector_options_class_init (SondeProjectorOptionsClass *klass)
{
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_PROJECTOR_OPTIONS, G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SHOWN_CHANGED] = g_signal_new ("shown-changed", SONDE_TYPE_PROJECTOR_OPTIONS,
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_projector_options_init (SondeProjectorOptions *options)
{
  const char *const methods[] = { "PCA", "t-SNE", "UMAP", NULL };
  GtkWidget *button = gtk_menu_button_new ();

  gtk_box_set_spacing (GTK_BOX (options), 6);
  gtk_widget_set_valign (GTK_WIDGET (options), GTK_ALIGN_CENTER);
  options->method = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (methods));
  gtk_widget_set_tooltip_text (GTK_WIDGET (options->method), _ ("How points are projected"));
  name_widget (GTK_WIDGET (options->method), _ ("Method"));
  gtk_box_append (GTK_BOX (options), GTK_WIDGET (options->method));
  options->space = GTK_TOGGLE_BUTTON (gtk_toggle_button_new_with_label (_ ("3-D")));
  gtk_widget_set_tooltip_text (GTK_WIDGET (options->space),
                               _ ("In space: drag or Ctrl + arrow keys turn it"));
  gtk_box_append (GTK_BOX (options), GTK_WIDGET (options->space));
  sonde_menu_button_set_words (GTK_MENU_BUTTON (button), _ ("Parameters"));
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), make_popover (options));
  gtk_box_append (GTK_BOX (options), button);
  g_signal_connect_swapped (options->method, "notify::selected", G_CALLBACK (tell_changed),
                            options);
  g_signal_connect_swapped (options->space, "toggled", G_CALLBACK (tell_changed), options);
  update_rows (options);
}

GtkWidget *
sonde_projector_options_new (void)
{
  return g_object_new (SONDE_TYPE_PROJECTOR_OPTIONS, NULL);
}

/* ---- what is chosen ------------------------------------------------------- */

void
sonde_projector_options_get (SondeProjectorOptions *options, SondeProjectionSettings *settings)
{
  g_return_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options));
  *settings = SONDE_PROJECTION_DEFAULTS;
  settings->method = get_method (options);
  settings->dims = is_space (options) ? 3 : 2;
  settings->nearness = (SondeNearness) gtk_drop_down_get_selected (options->nearness);
  settings->tsne.perplexity = gtk_spin_button_get_value (options->numbers[NUMBER_PERPLEXITY]);
  settings->tsne.n_iterations
      = gtk_spin_button_get_value_as_int (options->numbers[NUMBER_ITERATIONS]);
  settings->umap.n_neighbours
      = (gsize) gtk_spin_button_get_value_as_int (options->numbers[NUMBER_NEIGHBOURS]);
  settings->umap.min_distance = gtk_spin_button_get_value (options->numbers[NUMBER_DISTANCE]);
  settings->umap.n_epochs = gtk_spin_button_get_value_as_int (options->numbers[NUMBER_EPOCHS]);
  settings->umap.seed = (guint64) gtk_spin_button_get_value_as_int (options->numbers[NUMBER_SEED]);
}

gboolean
sonde_projector_options_parse (const char *name, SondeProjectionMethod *method, gboolean *space)
{
  static const char *const names[] = { "pca", "tsne", "umap" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      gsize length = strlen (names[i]);

      if (strncmp (name, names[i], length) != 0)
        continue;
      *method = i;
      *space = g_str_equal (name + length, "-3d");
      return *space || name[length] == '\0';
    }
  return FALSE;
}

void
sonde_projector_options_choose (SondeProjectorOptions *options, SondeProjectionMethod method,
                                gboolean space)
{
  g_return_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options));
  gtk_toggle_button_set_active (options->space, space);
  gtk_drop_down_set_selected (options->method, (guint) method);
}

int
sonde_projector_options_get_component (SondeProjectorOptions *options, int axis)
{
  g_return_val_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options) && axis >= 0 && axis < 3, 0);
  return gtk_spin_button_get_value_as_int (options->numbers[NUMBER_X + axis]) - 1;
}

void
sonde_projector_options_set_columns (SondeProjectorOptions *options, const char *const *names)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (options->name_list));

  g_return_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options));
  gtk_string_list_splice (options->name_list, 1, n - 1, names);
}

int
sonde_projector_options_get_name_column (SondeProjectorOptions *options)
{
  guint selected;

  g_return_val_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options), -1);
  selected = gtk_drop_down_get_selected (options->names);
  return selected == GTK_INVALID_LIST_POSITION ? -1 : (int) selected - 1;
}

void
sonde_projector_options_set_has_pictures (SondeProjectorOptions *options, gboolean has)
{
  g_return_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options));
  gtk_widget_set_visible (GTK_WIDGET (options->pictures), has);
  gtk_widget_set_visible (options->pictures_title, has);
}

gboolean
sonde_projector_options_get_pictures (SondeProjectorOptions *options)
{
  g_return_val_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options), FALSE);
  return gtk_switch_get_active (options->pictures);
}

void
sonde_projector_options_set_pictures (SondeProjectorOptions *options, gboolean shown)
{
  g_return_if_fail (SONDE_IS_PROJECTOR_OPTIONS (options));
  gtk_switch_set_active (options->pictures, shown);
}
