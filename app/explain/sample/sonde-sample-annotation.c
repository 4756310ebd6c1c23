/* SPDX-License-Identifier: Apache-2.0
 * The category that was found, and the user's verdict and note on it. */
#include "app/explain/sample/sonde-sample-annotation.h"

#include <string.h>

#include "data/base/sonde-error.h"

/* Rows of the menu: none, agree, no error, then each category. */
#define FIRST_CATEGORY 3

struct _SondeSampleAnnotation
{
  AdwBin parent_instance;

  GtkWidget *category, *others, *choice, *note, *count, *export;
  SondeAnnotations *annotations;
  char *name;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeSampleAnnotation, sonde_sample_annotation, ADW_TYPE_BIN)

static char *
dup_note (SondeSampleAnnotation *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note));
  GtkTextIter begin, end;

  gtk_text_buffer_get_bounds (buffer, &begin, &end);
  return gtk_text_buffer_get_text (buffer, &begin, &end, FALSE);
}

static void
show_count (SondeSampleAnnotation *self)
{
  guint n = self->annotations != NULL ? sonde_annotations_get_n (self->annotations) : 0;
  const char *problem
      = self->annotations != NULL ? sonde_annotations_get_problem (self->annotations) : NULL;
  g_autofree char *text
      = n > 0 ? g_strdup_printf (P_ ("%u sample of this session has an annotation.",
                                     "%u samples of this session have annotations.", n),
                                 n)
              : NULL;

  gtk_label_set_text (GTK_LABEL (self->count), problem != NULL ? problem
                                               : text != NULL  ? text
                                                               : "");
  gtk_widget_set_visible (self->export, n > 0);
}

static void
keep (SondeSampleAnnotation *self)
{
  guint row = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->choice));
  g_autofree char *note = NULL;

  if (self->filling || self->annotations == NULL || self->name == NULL)
    return;
  note = dup_note (self);
  sonde_annotations_set (self->annotations, self->name,
                         row == 0   ? SONDE_ANNOTATION_NONE
                         : row == 1 ? SONDE_ANNOTATION_AGREE
                         : row == 2 ? SONDE_ANNOTATION_NO_ERROR
                                    : SONDE_ANNOTATION_OTHER,
                         row >= FIRST_CATEGORY ? (SondeErrorCategory) (row - FIRST_CATEGORY)
                                               : SONDE_N_CATEGORIES,
                         note);
  show_count (self);
}

static void
on_saved (GtkNativeDialog *dialog, int response, SondeSampleAnnotation *self)
{
  if (response == GTK_RESPONSE_ACCEPT && self->annotations != NULL)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *text = sonde_annotations_dup_tsv (self->annotations);
      g_autoptr (GError) error = NULL;

      if (!g_file_replace_contents (file, text, strlen (text), NULL, FALSE, G_FILE_CREATE_NONE,
                                    NULL, NULL, &error))
        gtk_label_set_text (GTK_LABEL (self->count), sonde_error_get_text (error));
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
on_export (SondeSampleAnnotation *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Save Annotations"), GTK_WINDOW (root), GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "verdicts.tsv");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_saved), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The other categories that match. */
static char *
list_others (const SondeSampleResult *row)
{
  g_autoptr (GPtrArray) titles = g_ptr_array_new ();
  g_autofree char *list = NULL;

  for (int i = 0; i < SONDE_N_CATEGORIES; i++)
    if ((row->categories >> i & 1) && (SondeErrorCategory) i != row->category)
      g_ptr_array_add (titles,
                       (char *) _ (sonde_error_category_get_title ((SondeErrorCategory) i)));
  if (titles->len == 0)
    return NULL;
  g_ptr_array_add (titles, NULL);
  list = g_strjoinv (_ (", "), (char **) titles->pdata);
  return g_strdup_printf (_ ("Also matching: %s"), list);
}

static void
show_annotation (SondeSampleAnnotation *self)
{
  const SondeAnnotation *annotation = self->annotations != NULL && self->name != NULL
                                          ? sonde_annotations_get (self->annotations, self->name)
                                          : NULL;
  guint row = 0;

  if (annotation != NULL)
    row = annotation->kind == SONDE_ANNOTATION_AGREE      ? 1
          : annotation->kind == SONDE_ANNOTATION_NO_ERROR ? 2
          : annotation->kind == SONDE_ANNOTATION_OTHER    ? FIRST_CATEGORY + annotation->category
                                                          : 0;
  self->filling = TRUE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->choice), row);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note)),
                            annotation != NULL && annotation->note != NULL ? annotation->note : "",
                            -1);
  self->filling = FALSE;
  show_count (self);
}

void
sonde_sample_annotation_set_annotations (SondeSampleAnnotation *annotation,
                                         SondeAnnotations *annotations)
{
  g_return_if_fail (SONDE_IS_SAMPLE_ANNOTATION (annotation));
  annotation->annotations = annotations;
  show_annotation (annotation);
}

void
sonde_sample_annotation_set_row (SondeSampleAnnotation *annotation, const SondeSampleResult *row)
{
  g_autofree char *others = NULL, *category = NULL;

  g_return_if_fail (SONDE_IS_SAMPLE_ANNOTATION (annotation));
  others = row != NULL ? list_others (row) : NULL;
  if (row == NULL)
    category = g_strdup ("");
  else if (row->category < SONDE_N_CATEGORIES)
    category
        = g_strdup_printf (_ ("Category: %s"), _ (sonde_error_category_get_title (row->category)));
  else if (row->label < 0)
    category = g_strdup (_ ("The true class is not known"));
  else
    category
        = g_strdup (sonde_sample_result_is_error (row)
                        ? _ ("Not categorised yet: categorise the errors of this session first")
                        : _ ("Classified correctly"));
  g_free (annotation->name);
  annotation->name = row != NULL ? g_strdup (row->name) : NULL;
  gtk_label_set_text (GTK_LABEL (annotation->category), category);
  gtk_label_set_text (GTK_LABEL (annotation->others), others != NULL ? others : "");
  gtk_widget_set_visible (annotation->others, others != NULL);
  show_annotation (annotation);
}

static void
sonde_sample_annotation_finalize (GObject *object)
{
  g_free (SONDE_SAMPLE_ANNOTATION (object)->name);
  G_OBJECT_CLASS (sonde_sample_annotation_parent_class)->finalize (object);
}

static void
fill_choice (SondeSampleAnnotation *self)
{
  g_autoptr (GtkStringList) rows = gtk_string_list_new ((const char *const[]){
      _ ("No verdict yet"), _ ("The category is right"), _ ("It is not an error"), NULL });

  for (int i = 0; i < SONDE_N_CATEGORIES; i++)
    {
      g_autofree char *text = g_strdup_printf (
          _ ("Another category: %s"), _ (sonde_error_category_get_title ((SondeErrorCategory) i)));

      gtk_string_list_append (rows, text);
    }
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->choice), G_LIST_MODEL (rows));
}

static void
sonde_sample_annotation_dispose (GObject *object)
{
  SONDE_SAMPLE_ANNOTATION (object)->annotations = NULL;
  SONDE_SAMPLE_ANNOTATION (object)->filling = TRUE;
  G_OBJECT_CLASS (sonde_sample_annotation_parent_class)->dispose (object);
}

static void
sonde_sample_annotation_class_init (SondeSampleAnnotationClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_sample_annotation_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_annotation_finalize;
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/explain/sample/sonde-sample-annotation.ui");
  gtk_widget_class_bind_template_child (widget, SondeSampleAnnotation, category);
  gtk_widget_class_bind_template_child (widget, SondeSampleAnnotation, others);
  gtk_widget_class_bind_template_child (widget, SondeSampleAnnotation, choice);
  gtk_widget_class_bind_template_child (widget, SondeSampleAnnotation, note);
  gtk_widget_class_bind_template_child (widget, SondeSampleAnnotation, count);
  gtk_widget_class_bind_template_child (widget, SondeSampleAnnotation, export);
  gtk_widget_class_bind_template_callback (widget, keep);
  gtk_widget_class_bind_template_callback (widget, on_export);
}

static void
sonde_sample_annotation_init (SondeSampleAnnotation *self)
{
  self->filling = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  fill_choice (self);
  self->filling = FALSE;
  sonde_sample_annotation_set_row (self, NULL);
}
