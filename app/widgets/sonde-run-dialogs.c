/* SPDX-License-Identifier: Apache-2.0 */
#include "app/widgets/sonde-run-dialogs.h"

#include <adwaita.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-badge.h"

#define SAVE "save"
#define OWN_COLOR "own"
#define NO_COLOR "none"

/* What is asked of which runs; it lives as long as its dialog. */
typedef struct
{
  GtkWidget *dialog, *parent;
  SondeWorkspace *workspace;
  GPtrArray *runs;
  SondeRunMark mark;
  GtkWidget *field; /* entry or text view */
} Question;

static void
question_free (gpointer data, GClosure *closure)
{
  Question *question = data;

  g_object_unref (question->workspace);
  g_ptr_array_unref (question->runs);
  g_free (question);
}

/* Whom it is about. */
static char *
dup_name (SondeWorkspace *workspace, GPtrArray *runs)
{
  g_autofree char *count = sonde_format_count (runs->len);

  if (runs->len > 1)
    return g_strdup_printf (P_ ("%s run", "%s runs", runs->len), count);
  return g_strdup (sonde_workspace_get_run_title (workspace, runs->pdata[0]));
}

static Question *
ask (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs, SondeRunMark mark,
     const char *heading, const char *body)
{
  Question *question = g_new0 (Question, 1);
  g_autofree char *name = dup_name (workspace, runs), *title = NULL;

  title = g_strdup_printf (C_ ("heading: what of which run", "%s: %s"), heading, name);
  question->parent = GTK_WIDGET (gtk_widget_get_root (widget));
  question->dialog = adw_message_dialog_new (GTK_WINDOW (question->parent), title, body);
  question->workspace = g_object_ref (workspace);
  question->runs = g_ptr_array_ref (runs);
  question->mark = mark;
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (question->dialog), "cancel", _ ("_Cancel"));
  return question;
}

/* The mark of all of them, "" where they differ. */
static const char *
get_common (const Question *question)
{
  const char *first = sonde_workspace_get_run_mark (question->workspace, question->runs->pdata[0],
                                                    question->mark);

  for (guint i = 1; i < question->runs->len; i++)
    if (g_strcmp0 (first, sonde_workspace_get_run_mark (question->workspace,
                                                        question->runs->pdata[i], question->mark))
        != 0)
      return "";
  return first != NULL ? first : "";
}

static void
name_field (GtkWidget *field, const char *name)
{
  gtk_accessible_update_property (GTK_ACCESSIBLE (field), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static char *
dup_answer (const Question *question)
{
  GtkTextBuffer *buffer;
  char *text;

  if (!GTK_IS_TEXT_VIEW (question->field))
    return g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (question->field))));
  buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (question->field));
  g_object_get (buffer, "text", &text, NULL);
  return g_strstrip (text);
}

static void
on_answer (AdwMessageDialog *dialog, const char *response, Question *question)
{
  g_autofree char *answer = NULL;

  if (!g_str_equal (response, SAVE))
    return;
  answer = dup_answer (question);
  if (question->mark == SONDE_RUN_MARK_TAGS)
    {
      g_auto (GStrv) tags = sonde_run_marks_split_tags (answer);

      g_free (answer);
      answer = g_strjoinv (", ", tags);
    }
  sonde_workspace_mark_runs (question->workspace, question->runs, question->mark, answer);
}

static void
present (Question *question, GtkWidget *extra, GCallback on_response)
{
  adw_message_dialog_set_extra_child (ADW_MESSAGE_DIALOG (question->dialog), extra);
  g_signal_connect_data (question->dialog, "response", on_response, question, question_free, 0);
  gtk_window_present (GTK_WINDOW (question->dialog));
  if (question->field != NULL)
    gtk_widget_grab_focus (question->field);
}

static void
present_with_save (Question *question, GtkWidget *extra)
{
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (question->dialog);

  adw_message_dialog_add_response (dialog, SAVE, _ ("_Save"));
  adw_message_dialog_set_response_appearance (dialog, SAVE, ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (dialog, SAVE);
  present (question, extra, G_CALLBACK (on_answer));
}

static void
present_entry (Question *question, const char *name, const char *placeholder)
{
  question->field = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (question->field), get_common (question));
  gtk_entry_set_placeholder_text (GTK_ENTRY (question->field), placeholder);
  gtk_entry_set_activates_default (GTK_ENTRY (question->field), TRUE);
  name_field (question->field, name);
  present_with_save (question, question->field);
}

/* ---- name, note, tags ---------------------------------------------------- */

void
sonde_run_dialogs_ask_title (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs)
{
  Question *question = ask (widget, workspace, runs, SONDE_RUN_MARK_TITLE, _ ("Display Name"),
                            _ ("The name in this window. The folder keeps its own."));

  present_entry (question, _ ("Display name"), sonde_run_get_name (runs->pdata[0]));
}

void
sonde_run_dialogs_ask_tags (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs)
{
  Question *question
      = ask (widget, workspace, runs, SONDE_RUN_MARK_TAGS, _ ("Tags"),
             _ ("Words separated by commas. The filter of the run list finds them."));

  present_entry (question, _ ("Tags"), _ ("baseline, keep"));
}

void
sonde_run_dialogs_ask_note (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs)
{
  Question *question = ask (widget, workspace, runs, SONDE_RUN_MARK_NOTE, _ ("Note"),
                            _ ("Stored on this computer, not in the records of the run."));
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  question->field = gtk_text_view_new ();
  gtk_text_view_set_wrap_mode (GTK_TEXT_VIEW (question->field), GTK_WRAP_WORD_CHAR);
  gtk_text_view_set_accepts_tab (GTK_TEXT_VIEW (question->field), FALSE);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (GTK_TEXT_VIEW (question->field)),
                            get_common (question), -1);
  gtk_widget_add_css_class (question->field, "note-field");
  name_field (question->field, _ ("Note"));
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), question->field);
  gtk_scrolled_window_set_min_content_height (GTK_SCROLLED_WINDOW (scrolled), 120);
  gtk_scrolled_window_set_has_frame (GTK_SCROLLED_WINDOW (scrolled), TRUE);
  present_with_save (question, scrolled);
}

/* ---- colours ------------------------------------------------------------- */

/* As the hues of the theme. */
static const char *const hue_names[] = {
  NC_ ("hue", "Blue"),  NC_ ("hue", "Orange"), NC_ ("hue", "Green"), NC_ ("hue", "Pink"),
  NC_ ("hue", "Amber"), NC_ ("hue", "Sky"),    NC_ ("hue", "Olive"), NC_ ("hue", "Black or white"),
};

static void
on_hue (GtkFlowBox *box, GtkFlowBoxChild *child, Question *question)
{
  g_autofree char *value = g_strdup_printf ("%d", gtk_flow_box_child_get_index (child));

  sonde_workspace_mark_runs (question->workspace, question->runs, question->mark, value);
  gtk_window_close (GTK_WINDOW (question->dialog));
}

static void
on_own_color (GtkDialog *chooser, int response, Question *question)
{
  GdkRGBA color;
  g_autofree char *value = NULL;

  gtk_color_chooser_get_rgba (GTK_COLOR_CHOOSER (chooser), &color);
  value = g_strdup_printf ("#%02x%02x%02x", (guint) (color.red * 255 + 0.5),
                           (guint) (color.green * 255 + 0.5), (guint) (color.blue * 255 + 0.5));
  if (response == GTK_RESPONSE_OK)
    sonde_workspace_mark_runs (question->workspace, question->runs, question->mark, value);
  gtk_window_destroy (GTK_WINDOW (chooser));
}

static void
ask_own_color (const Question *from)
{
  Question *question = g_new (Question, 1);
  GtkWidget *chooser
      = gtk_color_chooser_dialog_new (_ ("Colour of Runs"), GTK_WINDOW (from->parent));

  *question = *from;
  g_object_ref (question->workspace);
  g_ptr_array_ref (question->runs);
  gtk_color_chooser_set_use_alpha (GTK_COLOR_CHOOSER (chooser), FALSE);
  gtk_window_set_modal (GTK_WINDOW (chooser), TRUE);
  g_signal_connect_data (chooser, "response", G_CALLBACK (on_own_color), question, question_free,
                         0);
  gtk_window_present (GTK_WINDOW (chooser));
}

static void
on_color_answer (AdwMessageDialog *dialog, const char *response, Question *question)
{
  if (g_str_equal (response, OWN_COLOR))
    ask_own_color (question);
  else if (g_str_equal (response, NO_COLOR))
    sonde_workspace_mark_runs (question->workspace, question->runs, question->mark, NULL);
}

static GtkWidget *
make_hues (Question *question)
{
  GtkWidget *box = gtk_flow_box_new ();

  gtk_flow_box_set_max_children_per_line (GTK_FLOW_BOX (box), 4);
  gtk_flow_box_set_min_children_per_line (GTK_FLOW_BOX (box), 4);
  gtk_flow_box_set_homogeneous (GTK_FLOW_BOX (box), TRUE);
  name_field (box, _ ("Hues"));
  for (guint i = 0; i < G_N_ELEMENTS (hue_names); i++)
    {
      const char *name = g_dpgettext2 (GETTEXT_PACKAGE, "hue", hue_names[i]);
      GtkWidget *line = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3);
      GtkWidget *badge = sonde_badge_new (), *label = gtk_label_new (name);

      gtk_label_set_wrap (GTK_LABEL (label), TRUE);
      gtk_label_set_justify (GTK_LABEL (label), GTK_JUSTIFY_CENTER);
      gtk_label_set_max_width_chars (GTK_LABEL (label), 8);
      sonde_badge_set_series (SONDE_BADGE (badge), i);
      gtk_widget_set_halign (badge, GTK_ALIGN_CENTER);
      gtk_widget_set_margin_top (badge, 6);
      gtk_box_append (GTK_BOX (line), badge);
      gtk_box_append (GTK_BOX (line), label);
      gtk_flow_box_append (GTK_FLOW_BOX (box), line);
      name_field (gtk_widget_get_parent (line), name);
    }
  g_signal_connect (box, "child-activated", G_CALLBACK (on_hue), question);
  return box;
}

void
sonde_run_dialogs_ask_color (GtkWidget *widget, SondeWorkspace *workspace, GPtrArray *runs)
{
  Question *question = ask (widget, workspace, runs, SONDE_RUN_MARK_COLOR, _ ("Colour"),
                            _ ("Used on all pages instead of the automatic colour."));
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (question->dialog);

  adw_message_dialog_add_response (dialog, NO_COLOR, _ ("_Automatic"));
  adw_message_dialog_add_response (dialog, OWN_COLOR, _ ("_Own Colour…"));
  question->field = make_hues (question);
  present (question, question->field, G_CALLBACK (on_color_answer));
}

/* ---- a rule for colours -------------------------------------------------- */

static void
on_regex_changed (GtkEditable *entry, AdwMessageDialog *dialog)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRegex) regex = g_regex_new (gtk_editable_get_text (entry), 0, 0, &error);

  adw_message_dialog_set_response_enabled (dialog, SAVE,
                                           regex != NULL && *gtk_editable_get_text (entry) != '\0');
  if (regex == NULL)
    gtk_widget_add_css_class (GTK_WIDGET (entry), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (entry), "error");
  gtk_widget_set_tooltip_text (GTK_WIDGET (entry),
                               regex == NULL ? sonde_error_get_text (error) : NULL);
}

static void
on_regex_answer (AdwMessageDialog *dialog, const char *response, SondeWorkspace *workspace)
{
  GtkWidget *entry = adw_message_dialog_get_extra_child (dialog);
  g_autofree char *rule
      = g_strconcat ("regex:", gtk_editable_get_text (GTK_EDITABLE (entry)), NULL);
  g_autoptr (GError) error = NULL;

  if (g_str_equal (response, SAVE) && !sonde_workspace_set_color_rule (workspace, rule, &error))
    sonde_workspace_report (workspace, sonde_error_get_text (error));
}

void
sonde_run_dialogs_ask_color_regex (GtkWidget *widget, SondeWorkspace *workspace)
{
  GtkWindow *parent = GTK_WINDOW (gtk_widget_get_root (widget));
  GtkWidget *entry = gtk_entry_new ();
  GtkWidget *dialog = adw_message_dialog_new (parent, _ ("Colours by Regular Expression"),
                                              _ ("Runs whose names match with the same groups get "
                                                 "the same colour, as in “lr-([^/]+)”. Runs that "
                                                 "do not match are grey."));
  AdwMessageDialog *message = ADW_MESSAGE_DIALOG (dialog);
  const char *rule = sonde_workspace_get_color_rule (workspace);

  adw_message_dialog_add_responses (message, "cancel", _ ("_Cancel"), SAVE, _ ("_Save"), NULL);
  adw_message_dialog_set_response_appearance (message, SAVE, ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (message, SAVE);
  name_field (entry, _ ("Regular expression"));
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  g_signal_connect (entry, "changed", G_CALLBACK (on_regex_changed), dialog);
  adw_message_dialog_set_extra_child (message, entry);
  gtk_editable_set_text (GTK_EDITABLE (entry),
                         strchr (rule, ':') != NULL ? strchr (rule, ':') + 1 : "");
  on_regex_changed (GTK_EDITABLE (entry), message);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_regex_answer), workspace, 0);
  gtk_window_present (GTK_WINDOW (dialog));
  gtk_widget_grab_focus (entry);
}
