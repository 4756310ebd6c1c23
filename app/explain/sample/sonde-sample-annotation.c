/* SPDX-License-Identifier: Apache-2.0
 * Reason and verdict. */
#include "app/explain/sample/sonde-sample-annotation.h"

#include <string.h>

#include "app/explain/sonde-explain-widgets.h"

/* Rows of the menu: none, agree, no error, then each reason. */
#define FIRST_REASON 3
#define NOTE_HEIGHT 84

struct _SondeSampleVerdict
{
  AdwBin parent_instance;

  GtkWidget *reason, *others, *choice, *note, *count;
  SondeVerdicts *verdicts;
  char *name;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeSampleVerdict, sonde_sample_verdict, ADW_TYPE_BIN)

static char *
dup_note (SondeSampleVerdict *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note));
  GtkTextIter begin, end;

  gtk_text_buffer_get_bounds (buffer, &begin, &end);
  return gtk_text_buffer_get_text (buffer, &begin, &end, FALSE);
}

static void
show_count (SondeSampleVerdict *self)
{
  guint n = self->verdicts != NULL ? sonde_verdicts_get_n (self->verdicts) : 0;
  const char *problem = self->verdicts != NULL ? sonde_verdicts_get_problem (self->verdicts) : NULL;
  g_autofree char *text
      = n > 0 ? g_strdup_printf ("%u %s of this study %s a verdict or a note.", n,
                                 n == 1 ? "sample" : "samples", n == 1 ? "has" : "have")
              : NULL;

  gtk_label_set_text (GTK_LABEL (self->count), problem != NULL ? problem
                                               : text != NULL  ? text
                                                               : "");
  gtk_widget_set_visible (gtk_widget_get_next_sibling (self->count), n > 0);
}

static void
keep (SondeSampleVerdict *self)
{
  guint row = gtk_drop_down_get_selected (GTK_DROP_DOWN (self->choice));
  g_autofree char *note = NULL;

  if (self->filling || self->verdicts == NULL || self->name == NULL)
    return;
  note = dup_note (self);
  sonde_verdicts_set (
      self->verdicts, self->name,
      row == 0   ? SONDE_VERDICT_NONE
      : row == 1 ? SONDE_VERDICT_AGREE
      : row == 2 ? SONDE_VERDICT_NO_ERROR
                 : SONDE_VERDICT_OTHER,
      row >= FIRST_REASON ? (SondeErrorCategory) (row - FIRST_REASON) : SONDE_N_CATEGORIES, note);
  show_count (self);
}

static void
on_saved (GtkNativeDialog *dialog, int response, SondeSampleVerdict *self)
{
  if (response == GTK_RESPONSE_ACCEPT && self->verdicts != NULL)
    {
      g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      g_autofree char *text = sonde_verdicts_dup_tsv (self->verdicts);
      g_autoptr (GError) error = NULL;

      if (!g_file_replace_contents (file, text, strlen (text), NULL, FALSE, G_FILE_CREATE_NONE,
                                    NULL, NULL, &error))
        gtk_label_set_text (GTK_LABEL (self->count), error->message);
    }
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
on_export (SondeSampleVerdict *self)
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
    if ((row->reasons >> i & 1) && (SondeErrorCategory) i != row->reason)
      g_string_append_printf (text, "%s%s", text->len > 0 ? ", " : "Also spoke: ",
                              sonde_error_category_get_title ((SondeErrorCategory) i));
  return g_string_free (text, FALSE);
}

static void
show_verdict (SondeSampleVerdict *self)
{
  const SondeVerdict *verdict = self->verdicts != NULL && self->name != NULL
                                    ? sonde_verdicts_get (self->verdicts, self->name)
                                    : NULL;
  guint row = 0;

  if (verdict != NULL)
    row = verdict->kind == SONDE_VERDICT_AGREE      ? 1
          : verdict->kind == SONDE_VERDICT_NO_ERROR ? 2
          : verdict->kind == SONDE_VERDICT_OTHER    ? FIRST_REASON + verdict->reason
                                                    : 0;
  self->filling = TRUE;
  gtk_drop_down_set_selected (GTK_DROP_DOWN (self->choice), row);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note)),
                            verdict != NULL && verdict->note != NULL ? verdict->note : "", -1);
  self->filling = FALSE;
  show_count (self);
}

void
sonde_sample_verdict_set_verdicts (SondeSampleVerdict *verdict, SondeVerdicts *verdicts)
{
  g_return_if_fail (SONDE_IS_SAMPLE_VERDICT (verdict));
  verdict->verdicts = verdicts;
  show_verdict (verdict);
}

void
sonde_sample_verdict_set_row (SondeSampleVerdict *verdict, const SondeSampleResult *row)
{
  g_autofree char *others = row != NULL ? list_others (row) : NULL, *given = NULL;
  gboolean error = row != NULL && row->label >= 0 && row->label != row->predicted;
  const char *title = row == NULL ? ""
                      : row->reason < SONDE_N_CATEGORIES
                          ? sonde_error_category_get_title (row->reason)
                      : row->label < 0 ? "The true class is not known"
                      : error          ? "No reason yet: start the triage of this study"
                                       : "Answered right";

  g_return_if_fail (SONDE_IS_SAMPLE_VERDICT (verdict));
  g_free (verdict->name);
  verdict->name = row != NULL ? g_strdup (row->name) : NULL;
  given = row != NULL && row->reason < SONDE_N_CATEGORIES
              ? g_strdup_printf ("Reason given: %s", title)
              : g_strdup (title);
  gtk_label_set_text (GTK_LABEL (verdict->reason), given);
  gtk_label_set_text (GTK_LABEL (verdict->others), others != NULL ? others : "");
  gtk_widget_set_visible (verdict->others, others != NULL && *others != '\0');
  show_verdict (verdict);
}

static void
sonde_sample_verdict_finalize (GObject *object)
{
  g_free (SONDE_SAMPLE_VERDICT (object)->name);
  G_OBJECT_CLASS (sonde_sample_verdict_parent_class)->finalize (object);
}

static void
sonde_sample_verdict_class_init (SondeSampleVerdictClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_sample_verdict_finalize;
}

static GtkWidget *
make_choice (void)
{
  g_autoptr (GtkStringList) rows = gtk_string_list_new ((const char *const[]){
      "No verdict yet", "Yes, that is the reason", "It is not an error", NULL });

  for (int i = 0; i < SONDE_N_CATEGORIES; i++)
    {
      g_autofree char *text = g_strdup_printf (
          "No, rather: %s", sonde_error_category_get_title ((SondeErrorCategory) i));

      gtk_string_list_append (rows, text);
    }
  return gtk_drop_down_new (G_LIST_MODEL (g_steal_pointer (&rows)), NULL);
}

static void
sonde_sample_verdict_init (SondeSampleVerdict *self)
{
  GtkWidget *column = sonde_part_column (6), *scroller = gtk_scrolled_window_new (),
            *foot = sonde_part_row (12);
  GtkWidget *export = gtk_button_new_with_label ("Save as TSV…");

  self->reason = sonde_part_text (NULL, "heading");
  self->others = sonde_part_text (NULL, "dim-label");
  self->choice = make_choice ();
  gtk_widget_set_halign (self->choice, GTK_ALIGN_START);
  gtk_widget_set_margin_top (self->choice, 12);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->choice), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  "Your verdict", -1);
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
  self->count = sonde_part_text (NULL, "caption dim-label");
  gtk_widget_set_hexpand (self->count, TRUE);
  gtk_widget_add_css_class (export, "small-toggle");
  gtk_box_append (GTK_BOX (foot), self->count);
  gtk_box_append (GTK_BOX (foot), export);
  gtk_box_append (GTK_BOX (column), self->reason);
  gtk_box_append (GTK_BOX (column), self->others);
  gtk_box_append (GTK_BOX (column), self->choice);
  gtk_box_append (GTK_BOX (column), sonde_part_label ("Note", "caption dim-label"));
  gtk_box_append (GTK_BOX (column), scroller);
  gtk_box_append (GTK_BOX (column), foot);
  g_signal_connect_object (self->choice, "notify::selected", G_CALLBACK (keep), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_text_view_get_buffer (GTK_TEXT_VIEW (self->note)), "changed",
                           G_CALLBACK (keep), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (export, "clicked", G_CALLBACK (on_export), self, G_CONNECT_SWAPPED);
  adw_bin_set_child (ADW_BIN (self), column);
  sonde_sample_verdict_set_row (self, NULL);
}

GtkWidget *
sonde_sample_verdict_new (void)
{
  return g_object_new (SONDE_TYPE_SAMPLE_VERDICT, NULL);
}
