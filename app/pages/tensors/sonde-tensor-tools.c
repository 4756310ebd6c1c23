/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/tensors/sonde-tensor-tools.h"

#include "app/widgets/sonde-bar-layout.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-tensor-compare.h"

struct _SondeTensorTools
{
  GtkBox parent_instance;
  GtkButton *minimum, *maximum, *not_finite, *save;
  GtkDropDown *format;
  GtkToggleButton *compare;
  GtkEntry *tolerance;
  SondeTensor *tensor, *shown, *kept; /* (nullable) each */
  gint64 step, kept_step;
  char *name;
  SondeTensorPlaces places;
};

enum
{
  GO_TO,
  CHANGED,
  FORMAT,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeTensorTools, sonde_tensor_tools, GTK_TYPE_BOX)

/* ---- going to -------------------------------------------------------------- */

static void
on_minimum (SondeTensorTools *tools)
{
  g_signal_emit (tools, signals[GO_TO], 0, tools->places.minimum);
}

static void
on_maximum (SondeTensorTools *tools)
{
  g_signal_emit (tools, signals[GO_TO], 0, tools->places.maximum);
}

static void
on_not_finite (SondeTensorTools *tools)
{
  g_signal_emit (tools, signals[GO_TO], 0, tools->places.not_finite);
}

static void
on_format (SondeTensorTools *tools)
{
  g_signal_emit (tools, signals[FORMAT], 0, (int) gtk_drop_down_get_selected (tools->format));
}

/* ---- comparing ------------------------------------------------------------- */

static void
update_compare (SondeTensorTools *tools)
{
  g_autofree char *count = sonde_format_count (tools->kept_step);
  g_autofree char *text = tools->kept != NULL
                              ? g_strdup_printf (_ ("Difference from Step %s"), count)
                              : g_strdup (_ ("Difference"));

  gtk_button_set_label (GTK_BUTTON (tools->compare), text);
  gtk_widget_set_visible (GTK_WIDGET (tools->tolerance), tools->kept != NULL);
}

static void
on_compare (SondeTensorTools *tools)
{
  g_clear_pointer (&tools->kept, sonde_tensor_unref);
  if (gtk_toggle_button_get_active (tools->compare) && tools->tensor != NULL)
    {
      tools->kept = sonde_tensor_ref (tools->tensor);
      tools->kept_step = tools->step;
    }
  update_compare (tools);
  g_signal_emit (tools, signals[CHANGED], 0);
}

static gboolean
parse_tolerance (SondeTensorTools *tools, double *tolerance)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (tools->tolerance));
  char *end = NULL;

  *tolerance = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && *tolerance >= 0;
}

static void
on_tolerance (SondeTensorTools *tools)
{
  double tolerance;

  if (!parse_tolerance (tools, &tolerance))
    {
      gtk_widget_add_css_class (GTK_WIDGET (tools->tolerance), "error");
      return;
    }
  gtk_widget_remove_css_class (GTK_WIDGET (tools->tolerance), "error");
  g_signal_emit (tools, signals[CHANGED], 0);
}

SondeTensor *
sonde_tensor_tools_get_kept (SondeTensorTools *tools, gint64 *step)
{
  g_return_val_if_fail (SONDE_IS_TENSOR_TOOLS (tools), NULL);
  *step = tools->kept_step;
  return tools->kept;
}

double
sonde_tensor_tools_get_tolerance (SondeTensorTools *tools)
{
  double tolerance;

  g_return_val_if_fail (SONDE_IS_TENSOR_TOOLS (tools), 0);
  return parse_tolerance (tools, &tolerance) ? tolerance : 0;
}

/* ---- saving ---------------------------------------------------------------- */

static void
show_error (SondeTensorTools *tools, const GError *error)
{
  GtkWidget *dialog = gtk_message_dialog_new (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (tools))),
                                              GTK_DIALOG_MODAL, GTK_MESSAGE_ERROR,
                                              GTK_BUTTONS_CLOSE, _ ("Cannot Save the Tensor"));

  gtk_message_dialog_format_secondary_text (GTK_MESSAGE_DIALOG (dialog), "%s",
                                            sonde_error_get_text (error));
  g_signal_connect (dialog, "response", G_CALLBACK (gtk_window_destroy), NULL);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_save_chosen (GtkNativeDialog *dialog, int response, SondeTensorTools *tools)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL && tools->shown != NULL
      && !sonde_npy_write (NULL, path, tools->shown, &error))
    show_error (tools, error);
  g_object_unref (dialog);
}

static void
on_save (SondeTensorTools *tools)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Save What Is Shown (.npy)"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (tools))),
      GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);
  g_autofree char *name = g_strdup_printf ("%s.npy", tools->name != NULL ? tools->name : "tensor");

  g_strdelimit (name, "/\\", '-');
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_chosen), tools, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- what it is about -------------------------------------------------------- */

/* What is kept stays while there is a tensor of the same name. */
void
sonde_tensor_tools_set_tensor (SondeTensorTools *tools, SondeTensor *tensor, gint64 step,
                               const char *name)
{
  g_return_if_fail (SONDE_IS_TENSOR_TOOLS (tools));
  if (g_strcmp0 (name, tools->name) != 0)
    gtk_toggle_button_set_active (tools->compare, FALSE);
  g_free (tools->name);
  tools->name = g_strdup (name);
  g_clear_pointer (&tools->tensor, sonde_tensor_unref);
  tools->tensor = tensor != NULL ? sonde_tensor_ref (tensor) : NULL;
  tools->step = step;
  gtk_widget_set_sensitive (GTK_WIDGET (tools), tensor != NULL);
}

void
sonde_tensor_tools_set_shown (SondeTensorTools *tools, SondeTensor *shown)
{
  g_return_if_fail (SONDE_IS_TENSOR_TOOLS (tools));
  g_clear_pointer (&tools->shown, sonde_tensor_unref);
  tools->shown = shown != NULL ? sonde_tensor_ref (shown) : NULL;
  tools->places = (SondeTensorPlaces){ -1, -1, -1 };
  if (shown != NULL)
    sonde_tensor_find_places (shown, &tools->places);
  gtk_widget_set_sensitive (GTK_WIDGET (tools->minimum), tools->places.minimum >= 0);
  gtk_widget_set_sensitive (GTK_WIDGET (tools->maximum), tools->places.maximum >= 0);
  gtk_widget_set_sensitive (GTK_WIDGET (tools->not_finite), tools->places.not_finite >= 0);
  gtk_widget_set_sensitive (GTK_WIDGET (tools->save), shown != NULL);
}

/* ---- widgets --------------------------------------------------------------- */

static GtkButton *
add_button (SondeTensorTools *tools, const char *title, const char *hint, GCallback callback)
{
  GtkWidget *button = gtk_button_new_with_label (title);

  gtk_widget_set_tooltip_text (button, hint);
  gtk_widget_set_sensitive (button, FALSE);
  gtk_box_append (GTK_BOX (tools), button);
  g_signal_connect_swapped (button, "clicked", callback, tools);
  return GTK_BUTTON (button);
}

static void
add_compare (SondeTensorTools *tools)
{
  tools->compare = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  gtk_widget_set_tooltip_text (
      GTK_WIDGET (tools->compare),
      _ ("Keeps this step; other steps are shown as their difference from it"));
  tools->tolerance = GTK_ENTRY (gtk_entry_new ());
  gtk_editable_set_text (GTK_EDITABLE (tools->tolerance), "1e-06");
  gtk_editable_set_width_chars (GTK_EDITABLE (tools->tolerance), 7);
  gtk_widget_set_tooltip_text (GTK_WIDGET (tools->tolerance),
                               _ ("Tolerance: larger differences are counted"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (tools->tolerance), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Tolerance"), -1);
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (tools->compare));
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (tools->tolerance));
  g_signal_connect_swapped (tools->compare, "toggled", G_CALLBACK (on_compare), tools);
  g_signal_connect_swapped (tools->tolerance, "changed", G_CALLBACK (on_tolerance), tools);
  update_compare (tools);
}

static void
add_format (SondeTensorTools *tools)
{
  const char *const formats[]
      = { _ ("Four digits"), _ ("All digits"), _ ("Scientific"), _ ("Hexadecimal"), NULL };

  tools->format = GTK_DROP_DOWN (gtk_drop_down_new_from_strings (formats));
  gtk_widget_set_tooltip_text (GTK_WIDGET (tools->format), _ ("How numbers are written"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (tools->format), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Format of numbers"), -1);
  gtk_box_append (GTK_BOX (tools), GTK_WIDGET (tools->format));
  g_signal_connect_swapped (tools->format, "notify::selected", G_CALLBACK (on_format), tools);
}

static void
sonde_tensor_tools_finalize (GObject *object)
{
  SondeTensorTools *tools = SONDE_TENSOR_TOOLS (object);

  g_clear_pointer (&tools->tensor, sonde_tensor_unref);
  g_clear_pointer (&tools->shown, sonde_tensor_unref);
  g_clear_pointer (&tools->kept, sonde_tensor_unref);
  g_free (tools->name);
  G_OBJECT_CLASS (sonde_tensor_tools_parent_class)->finalize (object);
}

static void
sonde_tensor_tools_class_init (SondeTensorToolsClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_tensor_tools_finalize;
  signals[GO_TO] = g_signal_new ("go-to", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE,
                                 1, G_TYPE_INT64);
  signals[CHANGED]
      = g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FORMAT] = g_signal_new ("format", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 1, G_TYPE_INT);
}

static void
sonde_tensor_tools_init (SondeTensorTools *tools)
{
  GtkLayoutManager *layout = g_object_new (SONDE_TYPE_BAR_LAYOUT, NULL);

  sonde_bar_layout_set_spacing (SONDE_BAR_LAYOUT (layout), 6);
  gtk_widget_set_layout_manager (GTK_WIDGET (tools), layout);
  tools->minimum = add_button (tools, _ ("Minimum"), _ ("Go to the smallest element"),
                               G_CALLBACK (on_minimum));
  tools->maximum
      = add_button (tools, _ ("Maximum"), _ ("Go to the largest element"), G_CALLBACK (on_maximum));
  tools->not_finite = add_button (tools, _ ("NaN or Infinite"),
                                  _ ("Go to the first element that is not a finite number"),
                                  G_CALLBACK (on_not_finite));
  add_format (tools);
  add_compare (tools);
  tools->save = add_button (tools, _ ("Save as .npy…"), _ ("Saves what is shown, with its slice"),
                            G_CALLBACK (on_save));
}

GtkWidget *
sonde_tensor_tools_new (void)
{
  return g_object_new (SONDE_TYPE_TENSOR_TOOLS, NULL);
}
