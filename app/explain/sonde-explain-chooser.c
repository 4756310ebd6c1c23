/* SPDX-License-Identifier: Apache-2.0
 * One table of fields: key, words, which dialog fills it. */
#include "app/explain/sonde-explain-chooser.h"

#include <string.h>

#include "app/widgets/sonde-accessible.h"
#include "app/widgets/sonde-file-dialog.h"
#include "app/workspace/sonde-opened-model.h"
#include "data/base/sonde-text.h"

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
  { N_ ("Model"), N_ ("An ONNX file, or the folder of a run that was trained here"), AT (model),
    PICK_BOTH, FALSE },
  { N_ ("Images"),
    N_ ("A folder with one folder per class, IDX files, a table (.tsv) with the columns “file” and "
        "“class”, or a source such as cifar10:FOLDER"),
    AT (data), PICK_BOTH, FALSE },
  { N_ ("Training Images"),
    N_ ("What the model was trained on, to find neighbours, duplicates and out-of-distribution "
        "images"),
    AT (training), PICK_BOTH, FALSE },
  { N_ ("Class Names"),
    N_ ("A text file with one name per line, in the order of the model’s outputs"), AT (labels),
    PICK_FILE, TRUE },
  { N_ ("Mean"), N_ ("Red, green and blue in 0…1: 0.485,0.456,0.406"), AT (mean), PICK_NOTHING,
    TRUE },
  { N_ ("Std"), N_ ("Red, green and blue in 0…1: 0.229,0.224,0.225"), AT (std), PICK_NOTHING,
    TRUE },
  { N_ ("Size"),
    N_ ("Images are scaled to cover this width and height, then centre-cropped: 224x224"),
    AT (size), PICK_NOTHING, TRUE },
  { N_ ("Channels"), N_ ("Channel order: rgb, bgr or grey"), AT (channels), PICK_NOTHING, TRUE },
  { N_ ("Labels to Check"),
    N_ ("A table (.tsv) with the columns “file” and “given”: labels to check instead of the true "
        "ones"),
    AT (given_labels), PICK_FILE, TRUE },
};

struct _SondeExplainChooser
{
  AdwBin parent_instance;

  GtkWidget *rows[G_N_ELEMENTS (fields)], *group, *options, *error, *error_box, *open, *cancel;
  GtkDropTarget *drop;
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
    return g_strdup (_ ("Choose a model: an ONNX file, or the folder of a run."));
  if (g_str_has_suffix (settings->model, ".recipe") || g_str_has_suffix (settings->model, ".ini"))
    return g_strdup (_ ("A recipe describes training; the weights are in the run that was made "
                        "with it. Choose the run’s folder."));
  if (!g_file_test (settings->model, G_FILE_TEST_EXISTS))
    return g_strdup_printf (_ ("There is no model “%s”."), settings->model);
  if (settings->data == NULL && !g_file_test (settings->model, G_FILE_TEST_IS_DIR))
    return g_strdup (
        _ ("Choose the images: a folder with one folder per class, IDX files, or a table."));
  if (settings->data != NULL && is_missing (settings->data))
    return g_strdup_printf (_ ("There are no images at “%s”."), settings->data);
  if (settings->training != NULL && is_missing (settings->training))
    return g_strdup_printf (_ ("There are no training images at “%s”."), settings->training);
  if (settings->labels != NULL && !g_file_test (settings->labels, G_FILE_TEST_IS_REGULAR))
    return g_strdup_printf (_ ("There is no file of class names “%s”."), settings->labels);
  if ((settings->mean != NULL) != (settings->std != NULL))
    return g_strdup (_ ("Mean and std belong together: set both or neither."));
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
  else if (sonde_opened_model_is_path (lower) || sonde_opened_model_is_path (path))
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
      g_autofree char *sentence = g_strdup_printf (
          _ ("“%s” is not a model, images (a folder, .tsv, .npz) or class names (.txt)."), name);

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
  GtkFileChooserNative *dialog
      = sonde_file_dialog_new (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (row)),
                               GTK_WINDOW (gtk_widget_get_root (button)), action, _ ("_Choose"));
  const char *text = gtk_editable_get_text (GTK_EDITABLE (row));
  g_autoptr (GFile) file = *text == G_DIR_SEPARATOR ? g_file_new_for_path (text) : NULL;
  g_autoptr (GFile) folder = file != NULL ? g_file_get_parent (file) : NULL;

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

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ (field->title));
  gtk_widget_set_tooltip_text (row, _ (field->tooltip));
  if (field->pick == PICK_FILE || field->pick == PICK_BOTH)
    add_pick (row, "document-open-symbolic", _ ("Choose a file"), G_CALLBACK (on_pick_file));
  if (field->pick == PICK_FOLDER || field->pick == PICK_BOTH)
    add_pick (row, "folder-symbolic", _ ("Choose a folder"), G_CALLBACK (on_pick_folder));
  sonde_name_inside (row, GTK_TYPE_IMAGE, _ (field->title));
  g_signal_connect_object (row, "entry-activated", G_CALLBACK (on_open), self, G_CONNECT_SWAPPED);
  return row;
}

static void
sonde_explain_chooser_class_init (SondeExplainChooserClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  open_signal = g_signal_new ("open", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 0);
  cancelled_signal = g_signal_new ("cancelled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                   NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget,
                                               "/org/sonde/Sonde/explain/sonde-explain-chooser.ui");
  gtk_widget_class_bind_template_child (widget, SondeExplainChooser, group);
  gtk_widget_class_bind_template_child (widget, SondeExplainChooser, options);
  gtk_widget_class_bind_template_child (widget, SondeExplainChooser, error);
  gtk_widget_class_bind_template_child (widget, SondeExplainChooser, error_box);
  gtk_widget_class_bind_template_child (widget, SondeExplainChooser, open);
  gtk_widget_class_bind_template_child (widget, SondeExplainChooser, cancel);
  gtk_widget_class_bind_template_child (widget, SondeExplainChooser, drop);
  gtk_widget_class_bind_template_callback (widget, on_open);
  gtk_widget_class_bind_template_callback (widget, on_cancel);
  gtk_widget_class_bind_template_callback (widget, on_drop);
}

/* libadwaita names them after titles alone, and their arrows not at all. */
static void
name_lists (SondeExplainChooser *self)
{
  sonde_name_inside (self->group, GTK_TYPE_LIST_BOX, _ ("Model and images"));
  sonde_expander_row_set_title (ADW_EXPANDER_ROW (self->options), _ ("Image Preprocessing"));
}

static void
sonde_explain_chooser_init (SondeExplainChooser *self)
{
  GType files[] = { GDK_TYPE_FILE_LIST };

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_drop_target_set_gtypes (self->drop, files, G_N_ELEMENTS (files));
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      self->rows[i] = make_row (self, &fields[i]);
      if (fields[i].rare)
        adw_expander_row_add_row (ADW_EXPANDER_ROW (self->options), self->rows[i]);
      else
        adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), self->rows[i]);
    }
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (self->group), self->options);
  name_lists (self);
}

GtkWidget *
sonde_explain_chooser_new (void)
{
  return g_object_new (SONDE_TYPE_EXPLAIN_CHOOSER, NULL);
}
