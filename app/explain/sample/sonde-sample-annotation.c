/* SPDX-License-Identifier: Apache-2.0
 * Reason and annotation. */
#include "app/explain/sample/sonde-sample-annotation.h"

#include <string.h>

#include "app/explain/sonde-explain-widgets.h"

/* Rows of the menu: none, agree, no error, then each reason. */
#define FIRST_CATEGORY 3
#define NOTE_HEIGHT 84

struct _SondeSampleAnnotation
{
  AdwBin parent_instance;

  GtkWidget *reason, *others, *choice, *note, *count;
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
      = n > 0 ? g_strdup_printf ("%u %s of this study %s a annotation or a note.", n,
                                 n == 1 ? "sample" : "samples", n == 1 ? "has" : "have")
              : NULL;

  gtk_label_set_text (GTK_LABEL (self->count), problem != NULL ? problem
                                               : text != NULL  ? text
                                                               : "");
  gtk_widget_set_visible (gtk_widget_get_next_sibling (self->count), n > 0);
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
        gtk_label_set_text (GTK_LABEL (self->count), error->message);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
on_export (SondeSampleAnnotation *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      "Save Verdicts and Notes", GTK_WINDOW (root), GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", NULL);

  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "verdicts.tsv");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_saved), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* The other reasons that spoke. */
static char *
list_others (const SondeSampleResult *row)
{
  GString *text = g_string_new (NULL);

  for (int i = 0; i < SONDE_N_CATEGORIES; i++)
    if ((row->categories >> i & 1) && (SondeErrorCategory) i != row->category)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "Also spoke: ",
                              sonde_error_category_get_title ((SondeErrorCategory) i));
  return g_string_free (text, FALSE);
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
  g_autofree char *others = row != NULL ? list_others (row) : NULL, *given = NULL;
  gboolean error = row != NULL && row->label >= 0 && row->label != row->predicted;
  const char *title = row == NULL ? ""
                      : row->category < SONDE_N_CATEGORIES
                          ? sonde_error_category_get_title (row->category)
                      : row->label < 0 ? "The true class is not known"
                      : error          ? "No reason yet: start the triage of this study"
                                       : "Answered right";

  g_return_if_fail (SONDE_IS_SAMPLE_ANNOTATION (annotation));
  g_free (annotation->name);
  annotation->name = row != NULL ? g_strdup (row->name) : NULL;
  given = row != NULL && row->category < SONDE_N_CATEGORIES
              ? g_strdup_printf ("Reason given: %s", title)
              : g_strdup (title);
  gtk_label_set_text (GTK_LABEL (annotation->reason), given);
  gtk_label_set_text (GTK_LABEL (annotation->others), others != NULL ? others : "");
  gtk_widget_set_visible (annotation->others, others != NULL && *others != '\0');
  show_annotation (annotation);
}

static void
sonde_sample_annotation_finalize (GObject *object)
{
  g_free (SONDE_SAMPLE_ANNOTATION (object)->name);
  G_OBJECT_CLASS (sonde_sample_annotation_parent_class)->finalize (object);
}

static void
sonde_sample_annotation_class_init (SondeSampleAnnotationClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_annotation_finalize;
}

static GtkWidget *
make_choice (void)
{
  g_autoptr (GtkStringList) rows = gtk_string_list_new ((const char *const[]){
      "No annotation yet", "Yes, that is the reason", "It is not an error", NULL });

  for (int i = 0; i < SONDE_N_CATEGORIES; i++)
    {
      g_autofree char *text = g_strdup_printf (
          "No, rather: %s", sonde_error_category_get_title ((SondeErrorCategory) i));

      gtk_string_list_append (rows, text);
    }
  return gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&rows)), NULL);
}

static void
sonde_sample_annotation_init (SondeSampleAnnotation *self)
{
  GtkWidget *column = sonde_make_column (6), *scroller = gtk_scrolled_window_new (),
            *foot = sonde_make_row (12);
  GtkWidget *export = gtk_button_new_with_label ("Save as TSV…");

  self->reason = sonde_make_text (NULL, "heading");
  self->others = sonde_make_text (NULL, "dim-label");
  self->choice = make_choice ();
  gtk_widget_set_halign (self->choice, GTK_ALIGN_START);
  gtk_widget_set_margin_top (self->choice, 12);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->choice), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Your annotation", -1);
  self->note = gtk_text_view_new ();
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (self->note), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_left_margin (GTK_TEXT_VIEW (self->note), 9);
  gtk_text_view_set_right_margin (GTK_TEXT_VIEW (self->note), 9);
  gtk_text_view_set_top_margin (GTK_TEXT_VIEW (self->note), 6);
  gtk_text_view_set_bottom_margin (GTK_TEXT_VIEW (self->note), 6);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->note), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Your note on this sample", -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), self->note);
  gtk_widget_set_size_request (scroller, -1, NOTE_HEIGHT);
  gtk_widget_add_css_class (scroller, "card");
  self->count = sonde_make_text (NULL, "caption dim-label");
  gtk_widget_set_hexpand (self->count, TRUE);
  gtk_widget_add_css_class (export, "small-toggle");
  gtk_box_append (GTK_BOX (foot), self->count);
  gtk_box_append (GTK_BOX (foot), export);
  gtk_box_append (GTK_BOX (column), self->reason);
  gtk_box_append (GTK_BOX (column), self->others);
  gtk_box_append (GTK_BOX (column), self->choice);
  gtk_box_append (GTK_BOX (column), sonde_make_label ("Note", "caption dim-label"));
  gtk_box_append (GTK_BOX (column), scroller);
  gtk_box_append (GTK_BOX (column), foot);
  g_signal_connect_object (self->choice, "notify::selected", G_CALLBACK (keep), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note)), "changed",
                           G_CALLBACK (keep), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (export, "clicked", G_CALLBACK (on_export), self, G_CONNECT_SWAPPED);
  adw_bin_set_child (ADW_BIN (self), column);
  sonde_sample_annotation_set_row (self, NULL);
}

GtkWidget *
sonde_sample_annotation_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_ANNOTATION, NULL);
}
