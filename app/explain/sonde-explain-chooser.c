/* SPDX-License-Identifier: Apache-2.0
 * One table of fields: key, words, which dialog fills it. */
#include "app/explain/sonde-explain-chooser.h"

#include <string.h>

typedef enum
{
  PICK_NOTHING,
  PICK_FILE,
  PICK_FOLDER,
  PICK_BOTH,
} Pick;

typedef struct
{
  const char *title, *tooltip;
  gsize offset; /* of the text in SondeExplanationSettings */
  Pick pick;
  gboolean rare;
} Field;

#define AT(member) G_STRUCT_OFFSET (SondeExplanationSettings, member)

static const Field fields[] = {
  { "Model", "An ONNX file, or the folder of a run that was trained here", AT (model), PICK_BOTH,
    FALSE },
  { "Images",
    "A folder with a folder for each class, IDX files, a table (.tsv) with the columns file and "
    "class, or a "
    "source like cifar10:FOLDER",
    AT (data), PICK_BOTH, FALSE },
  { "Training Images",
    "What the model was trained on, for neighbours, duplicates and what is out of distribution",
    AT (training), PICK_BOTH, FALSE },
  { "Names of Classes", "A text file with one name a line, in the order of the model’s outputs",
    AT (labels), PICK_FILE, TRUE },
  { "Mean", "Red, green, blue, in 0…1: 0.485,0.456,0.406", AT (mean), PICK_NOTHING, TRUE },
  { "Std", "Red, green, blue, in 0…1: 0.229,0.224,0.225", AT (std), PICK_NOTHING, TRUE },
  { "Size", "Width and height that images are scaled to cover, then cut around the middle: 224x224",
    AT (size), PICK_NOTHING, TRUE },
  { "Channels", "Order of the planes: rgb, bgr or grey", AT (channels), PICK_NOTHING, TRUE },
  { "Suspected Label Errors",
    "A table (.tsv) with the columns file and given: labels to check instead of the true ones",
    AT (given_labels), PICK_FILE, TRUE },
};

struct _SondeExplainChooser
{
  AdwBin parent_instance;

  GtkWidget *rows[G_N_ELEMENTS (fields)], *options, *error, *error_box, *open, *cancel;
};

G_DEFINE_FINAL_TYPE (SondeExplainChooser, sonde_explain_chooser, ADW_TYPE_BIN)

static guint open_signal, cancelled_signal;

/* ---- settings ------------------------------------------------------------ */

static char **
member (const SondeExplanationSettings *settings, const Field *field)
{
  return (char **) ((char *) settings + field->offset);
}

void
sonde_explain_chooser_set_settings (SondeExplainChooser *chooser,
                                    const SondeExplanationSettings *settings)
{
  gboolean rare = FALSE;

  g_return_if_fail (SONDE_IS_EXPLAIN_CHOOSER (chooser));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      const char *text = *member (settings, &fields[i]);

      gtk_editable_set_text (GTK_EDITABLE (chooser->rows[i]), text != NULL ? text : "");
      rare = rare || (fields[i].rare && text != NULL);
    }
  adw_expander_row_set_expanded (ADW_EXPANDER_ROW (chooser->options), rare);
  sonde_explain_chooser_set_error (chooser, NULL);
}

SondeExplanationSettings *
sonde_explain_chooser_dup_settings (SondeExplainChooser *chooser)
{
  SondeExplanationSettings *settings = g_new0 (SondeExplanationSettings, 1);

  g_return_val_if_fail (SONDE_IS_EXPLAIN_CHOOSER (chooser), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      g_autofree char *text
          = g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (chooser->rows[i]))));

      if (*text != '\0')
        *member (settings, &fields[i]) = g_steal_pointer (&text);
    }
  return settings;
}

/* "cifar10:DIR" and other sources are not paths. */
static gboolean
is_missing (const char *text)
{
  const char *colon = strchr (text, ':');

  return !(colon != NULL && colon > text + 1 && strchr (text, G_DIR_SEPARATOR) != text)
         && !g_str_equal (text, "glyphs") && !g_file_test (text, G_FILE_TEST_EXISTS);
}

char *
sonde_explain_chooser_dup_problem (const SondeExplanationSettings *settings)
{
  if (settings->model == NULL)
    return g_strdup ("Choose a model: an ONNX file, or the folder of a run.");
  if (g_str_has_suffix (settings->model, ".recipe") || g_str_has_suffix (settings->model, ".ini"))
    return g_strdup ("A recipe says how to train; the weights are in the run that was made with "
                     "it. Choose its folder.");
  if (!g_file_test (settings->model, G_FILE_TEST_EXISTS))
    return g_strdup_printf ("There is no model “%s”.", settings->model);
  if (settings->data == NULL && !g_file_test (settings->model, G_FILE_TEST_IS_DIR))
    return g_strdup (
        "Choose the images: a folder with a folder for each class, IDX files, or a table.");
  if (settings->data != NULL && is_missing (settings->data))
    return g_strdup_printf ("There are no images at “%s”.", settings->data);
  if (settings->training != NULL && is_missing (settings->training))
    return g_strdup_printf ("There are no training images at “%s”.", settings->training);
  if (settings->labels != NULL && !g_file_test (settings->labels, G_FILE_TEST_IS_REGULAR))
    return g_strdup_printf ("There is no file of names “%s”.", settings->labels);
  if ((settings->mean != NULL) != (settings->std != NULL))
    return g_strdup ("Mean and std go together: give both, or neither.");
  return NULL;
}

void
sonde_explain_chooser_set_error (SondeExplainChooser *chooser, const char *sentence)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_CHOOSER (chooser));
  gtk_label_set_text (GTK_LABEL (chooser->error), sentence != NULL ? sentence : "");
  gtk_widget_set_visible (chooser->error_box, sentence != NULL);
}

void
sonde_explain_chooser_set_can_cancel (SondeExplainChooser *chooser, gboolean can_cancel)
{
  g_return_if_fail (SONDE_IS_EXPLAIN_CHOOSER (chooser));
  gtk_widget_set_visible (chooser->cancel, can_cancel);
}

static void
on_open (SondeExplainChooser *self)
{
  g_autoptr (SondeExplanationSettings) settings = sonde_explain_chooser_dup_settings (self);
  g_autofree char *problem = sonde_explain_chooser_dup_problem (settings);

  sonde_explain_chooser_set_error (self, problem);
  if (problem == NULL)
    g_signal_emit (self, open_signal, 0);
}

static void
on_cancel (SondeExplainChooser *self)
{
  g_signal_emit (self, cancelled_signal, 0);
}

/* ---- files --------------------------------------------------------------- */

static void
set_row (SondeExplainChooser *self, gsize offset, const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    if (fields[i].offset == offset)
      gtk_editable_set_text (GTK_EDITABLE (self->rows[i]), text);
}

/* Folders of runs hold record files. */
static gboolean
is_run (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (name, ".sonde"))
      return TRUE;
  return FALSE;
}

gboolean
sonde_explain_chooser_take_file (SondeExplainChooser *chooser, GFile *file)
{
  g_autofree char *path = g_file_get_path (file);
  g_autofree char *lower = path != NULL ? g_ascii_strdown (path, -1) : NULL;

  g_return_val_if_fail (SONDE_IS_EXPLAIN_CHOOSER (chooser), FALSE);
  if (path == NULL)
    return FALSE;
  sonde_explain_chooser_set_error (chooser, NULL);
  if (g_file_test (path, G_FILE_TEST_IS_DIR))
    set_row (chooser, is_run (path) ? AT (model) : AT (data), path);
  else if (g_str_has_suffix (lower, ".onnx"))
    set_row (chooser, AT (model), path);
  else if (g_str_has_suffix (lower, ".txt") || g_str_has_suffix (lower, ".names"))
    set_row (chooser, AT (labels), path);
  else if (g_str_has_suffix (lower, ".tsv") || g_str_has_suffix (lower, ".csv")
           || g_str_has_suffix (lower, ".npz"))
    {
      g_autofree char *source
          = g_str_has_suffix (lower, ".npz") ? g_strdup_printf ("npz:%s", path) : g_strdup (path);

      set_row (chooser, AT (data), source);
    }
  else
    {
      g_autofree char *name = g_path_get_basename (path);
      g_autofree char *sentence
          = g_strdup_printf ("“%s” is neither a model (.onnx), nor images (a folder, .tsv, .npz), "
                             "nor names of classes (.txt).",
                             name);

      sonde_explain_chooser_set_error (chooser, sentence);
      return FALSE;
    }
  return TRUE;
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, SondeExplainChooser *self)
{
  GSList *files = g_value_get_boxed (value);
  gboolean taken = FALSE;

  for (GSList *link = files; link != NULL; link = link->next)
    taken = sonde_explain_chooser_take_file (self, link->data) || taken;
  return taken;
}

static void
on_picked (GtkNativeDialog *dialog, int response, GtkWidget *row)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL)
    gtk_editable_set_text (GTK_EDITABLE (row), path);
  g_object_unref (dialog);
}

static void
pick (GtkWidget *button, GtkFileChooserAction action)
{
  GtkWidget *row = g_object_get_data (G_OBJECT (button), "row");
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)),
      GTK_WINDOW (gtk_widget_get_root (button)), action, "_Choose", NULL);
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));
  g_autoptr (GFile) file = *text == G_DIR_SEPARATOR ? g_file_new_for_path (text) : NULL;
  g_autoptr (GFile) folder = file != NULL ? g_file_get_parent (file) : NULL;

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  if (folder != NULL)
    gtk_file_chooser_set_current_folder (GTK_FILE_CHOOSER (dialog), folder, NULL);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_picked), row, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_pick_file (GtkWidget *button)
{
  pick (button, GTK_FILE_CHOOSER_ACTION_OPEN);
}

static void
on_pick_folder (GtkWidget *button)
{
  pick (button, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER);
}

/* ---- widget -------------------------------------------------------------- */

static void
add_pick (GtkWidget *row, const char *icon, const char *tooltip, GCallback clicked)
{
  GtkWidget *button = gtk_button_new_from_icon_name (icon);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, tooltip,
                                  -1);
  g_object_set_data (G_OBJECT (button), "row", row);
  g_signal_connect (button, "clicked", clicked, NULL);
  adw_entry_row_add_suffix (ADW_ENTRY_ROW (row), button);
}

static GtkWidget *
make_row (SondeExplainChooser *self, const Field *field)
{
  GtkWidget *row = adw_entry_row_new ();

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), field->title);
  gtk_widget_set_tooltip_text (row, field->tooltip);
  if (field->pick == PICK_FILE || field->pick == PICK_BOTH)
    add_pick (row, "document-open-symbolic", "Choose a file", G_CALLBACK (on_pick_file));
  if (field->pick == PICK_FOLDER || field->pick == PICK_BOTH)
    add_pick (row, "folder-symbolic", "Choose a folder", G_CALLBACK (on_pick_folder));
  g_signal_connect_object (row, "entry-activated", G_CALLBACK (on_open), self, G_CONNECT_SWAPPED);
  return row;
}

static GtkWidget *
make_form (SondeExplainChooser *self)
{
  GtkWidget *group = adw_preferences_group_new ();

  self->options = adw_expander_row_new ();
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self->options), "How Images Are Read");
  adw_expander_row_set_subtitle (ADW_EXPANDER_ROW (self->options),
                                 "Names of classes, mean and std, size, channels");
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      self->rows[i] = make_row (self, &fields[i]);
      if (fields[i].rare)
        adw_expander_row_add_row (ADW_EXPANDER_ROW (self->options), self->rows[i]);
      else
        adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->rows[i]);
    }
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), self->options);
  return group;
}

static GtkWidget *
make_buttons (SondeExplainChooser *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  self->cancel = gtk_button_new_with_label ("Cancel");
  self->open = gtk_button_new_with_label ("Explain");
  gtk_widget_add_css_class (self->cancel, "pill");
  gtk_widget_add_css_class (self->open, "pill");
  gtk_widget_add_css_class (self->open, "suggested-action");
  gtk_widget_set_visible (self->cancel, FALSE);
  gtk_widget_set_halign (box, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), self->cancel);
  gtk_box_append (GTK_BOX (box), self->open);
  g_signal_connect_object (self->open, "clicked", G_CALLBACK (on_open), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->cancel, "clicked", G_CALLBACK (on_cancel), self,
                           G_CONNECT_SWAPPED);
  return box;
}

static GtkWidget *
make_error (SondeExplainChooser *self)
{
  self->error_box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  self->error = gtk_label_new (NULL);
  gtk_label_set_wrap (GTK_LABEL (self->error), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (self->error), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_xalign (GTK_LABEL (self->error), 0);
  gtk_label_set_selectable (GTK_LABEL (self->error), TRUE);
  gtk_widget_set_hexpand (self->error, TRUE);
  gtk_box_append (GTK_BOX (self->error_box),
                  gtk_image_new_from_icon_name ("dialog-error-symbolic"));
  gtk_box_append (GTK_BOX (self->error_box), self->error);
  gtk_widget_add_css_class (self->error_box, "error");
  gtk_widget_set_visible (self->error_box, FALSE);
  return self->error_box;
}

static void
sonde_explain_chooser_class_init (SondeExplainChooserClass *klass)
{
  GType type = G_TYPE_FROM_CLASS (klass);

  open_signal = g_signal_new ("open", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  cancelled_signal
      = g_signal_new ("cancelled", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_explain_chooser_init (SondeExplainChooser *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new (), *clamp = adw_clamp_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 18);
  GtkWidget *title = gtk_label_new ("Why Is It Wrong?");
  GtkWidget *words = gtk_label_new (
      "A model and images whose classes are known: what it takes for what, and why. "
      "Everything is computed here, by a process of its own.");
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_widget_add_css_class (title, "title-1");
  gtk_label_set_wrap (GTK_LABEL (words), TRUE);
  gtk_label_set_justify (GTK_LABEL (words), GTK_JUSTIFY_CENTER);
  gtk_box_append (GTK_BOX (box), title);
  gtk_box_append (GTK_BOX (box), words);
  gtk_box_append (GTK_BOX (box), make_form (self));
  gtk_box_append (GTK_BOX (box), make_error (self));
  gtk_box_append (GTK_BOX (box), make_buttons (self));
  gtk_widget_add_css_class (box, "explain-chooser");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  adw_clamp_set_maximum_size (ADW_CLAMP (clamp), 600);
  adw_clamp_set_child (ADW_CLAMP (clamp), box);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scrolled), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), clamp);
  adw_bin_set_child (ADW_BIN (self), scrolled);
  g_signal_connect (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
}

GtkWidget *
sonde_explain_chooser_new (void)
{
  return g_object_new (SONDE_TYPE_EXPLAIN_CHOOSER, NULL);
}
