/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/sonde-train-page.h"

#include <gtksourceview/gtksource.h>

#include "app/workspace/sonde-preferred.h"
#include "app/training/sonde-training-form.h"
#include "app/training/sonde-training-list.h"
#include "app/widgets/sonde-file-dialog.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define RESOURCE "/org/sonde/Sonde/pages/sonde-train-page.ui"
#define NARROW 720   /* px: below, form and recipe do not fit beside each other */
#define PAUSE_MS 300 /* after the last change, before it is checked */

struct _SondeTrainPage
{
  SondePage parent_instance;
  SondeTrainingForm *form;
  SondeTrainingList *list;
  GtkTextView *text;
  GtkStack *outlook;
  GtkGrid *facts;
  GtkLabel *problem;
  GtkEditable *folder;
  GtkWidget *start;
  GtkScrolledWindow *room;
  GtkPaned *halves; /* form and recipe: side by side, or one above the other where it is narrow */
  guint turning;    /* tick */

  SondeRecipeDocument *document;
  SondeTrainingFacts *known; /* (nullable): of the recipe as it is */
  GCancellable *checking;    /* (nullable) */
  guint check_source;
  gboolean folder_chosen, updating, listed;
};

G_DEFINE_FINAL_TYPE (SondeTrainPage, sonde_train_page, SONDE_TYPE_PAGE)

static const char *
get_program (SondeTrainPage *page)
{
  return sonde_workspace_get_program (sonde_page_get_workspace (SONDE_PAGE (page)));
}

/* ---- the run's folder ---------------------------------------------------- */

/* Where runs of this window lie: the first folder that was opened, else the preferred one, else runs/ where the
 * program was started.
 * (transfer full) */
static char *
dup_runs_folder (SondeTrainPage *page)
{
  const char *const *paths
      = sonde_workspace_get_paths (sonde_page_get_workspace (SONDE_PAGE (page)));
  g_autofree char *preferred = NULL;

  for (gsize i = 0; paths[i] != NULL; i++)
    {
      g_autofree char *records = g_build_filename (paths[i], "records", NULL);

      if (g_file_test (paths[i], G_FILE_TEST_IS_DIR) && !g_file_test (records, G_FILE_TEST_EXISTS))
        return g_canonicalize_filename (paths[i], NULL);
    }
  preferred = sonde_preferred_dup_runs_folder (sonde_page_get_workspace (SONDE_PAGE (page)));
  return preferred != NULL ? g_steal_pointer (&preferred) : g_canonicalize_filename ("runs", NULL);
}

/* A name that is free: "lenet", "lenet-2" … */
static void
suggest_folder (SondeTrainPage *page)
{
  const SondeRecipe *recipe = sonde_recipe_document_get_recipe (page->document);
  g_autofree char *parent = NULL, *path = NULL;

  if (page->folder_chosen)
    return;
  parent = dup_runs_folder (page);
  path = sonde_preferred_choose_run (parent, recipe->model_name);
  page->updating = TRUE;
  gtk_editable_set_text (page->folder, path);
  gtk_editable_set_position (page->folder, -1);
  page->updating = FALSE;
}

static void
on_folder_edited (SondeTrainPage *page)
{
  if (!page->updating)
    page->folder_chosen = *gtk_editable_get_text (page->folder) != '\0';
}

/* ---- what it would be ---------------------------------------------------- */

static void
add_fact (GtkGrid *grid, int row, const char *name, const char *value)
{
  GtkWidget *left = gtk_label_new (name), *right = gtk_label_new (value);

  gtk_label_set_xalign (GTK_LABEL (left), 0);
  gtk_label_set_xalign (GTK_LABEL (right), 0);
  gtk_label_set_selectable (GTK_LABEL (right), TRUE);
  gtk_label_set_wrap (GTK_LABEL (right), TRUE);
  gtk_widget_set_hexpand (right, TRUE);
  gtk_widget_add_css_class (left, "dim-label");
  gtk_widget_add_css_class (right, "numeric");
  gtk_grid_attach (grid, left, 0, row, 1, 1);
  gtk_grid_attach (grid, right, 1, row, 1, 1);
}

static void
clear_grid (GtkGrid *grid)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (grid))) != NULL)
    gtk_grid_remove (grid, child);
}

static void
show_facts (SondeTrainPage *page)
{
  const SondeTrainingFacts *facts = page->known;
  g_autofree char *parameters = sonde_format_count ((gint64) facts->parameters),
                  *flops = sonde_format_number (facts->flops / 1e6),
                  *train = sonde_format_count ((gint64) facts->n_train),
                  *test = sonde_format_count ((gint64) facts->n_test),
                  *steps = sonde_format_count ((gint64) facts->steps),
                  *epoch = sonde_format_count ((gint64) facts->steps_per_epoch),
                  *memory = sonde_format_bytes (facts->bytes), *samples = NULL, *kind = NULL,
                  *length = NULL, *work = NULL;

  samples = g_strdup_printf (_ ("%s to train, %s to test"), train, test);
  kind = facts->n_classes > 0
             ? g_strdup_printf (ngettext ("%s, %u class", "%s, %u classes", facts->n_classes),
                                facts->sample, (guint) facts->n_classes)
             : g_strdup (facts->sample);
  length = g_strdup_printf (_ ("%s, %s per epoch"), steps, epoch);
  work = g_strdup_printf (_ ("%s MFLOP per sample"), flops);
  clear_grid (page->facts);
  add_fact (page->facts, 0, _ ("Parameters"), parameters);
  add_fact (page->facts, 1, _ ("Forward pass"), work);
  add_fact (page->facts, 2, _ ("Samples"), samples);
  add_fact (page->facts, 3, _ ("Sample shape"), kind);
  add_fact (page->facts, 4, _ ("Loss"), facts->loss);
  add_fact (page->facts, 5, _ ("Steps"), length);
  add_fact (page->facts, 6, _ ("Memory"), memory);
  gtk_stack_set_visible_child_name (page->outlook, "facts");
}

static void
on_checked (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeTrainPage) page = data;
  g_autoptr (GError) error = NULL;
  SondeTrainingFacts *facts = sonde_training_command_check_finish (result, &error);

  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_object (&page->checking);
      page->known = facts;
      gtk_widget_set_sensitive (page->start, facts != NULL);
      if (facts != NULL)
        show_facts (page);
      else
        {
          gtk_label_set_text (page->problem, error->message);
          gtk_stack_set_visible_child_name (page->outlook, "problem");
        }
    }
  sonde_page_release (SONDE_PAGE (page));
}

static void
forget (SondeTrainPage *page)
{
  if (page->checking != NULL)
    g_cancellable_cancel (page->checking);
  g_clear_object (&page->checking);
  g_clear_pointer (&page->known, sonde_training_facts_free);
  gtk_widget_set_sensitive (page->start, FALSE);
}

static void
check (SondeTrainPage *page)
{
  page->checking = g_cancellable_new ();
  sonde_page_hold (SONDE_PAGE (page));
  sonde_training_command_check (get_program (page),
                                sonde_recipe_document_get_recipe (page->document), page->checking,
                                on_checked, g_object_ref (page));
}

static gboolean
on_pause (gpointer data)
{
  SondeTrainPage *page = data;

  page->check_source = 0;
  check (page);
  sonde_page_release (SONDE_PAGE (page)); /* of the pause */
  return G_SOURCE_REMOVE;
}

/* What was known holds no more; it is asked again when the hands rest. */
static void
check_soon (SondeTrainPage *page)
{
  forget (page);
  gtk_stack_set_visible_child_name (page->outlook, "checking");
  if (page->check_source != 0)
    g_source_remove (page->check_source);
  else
    sonde_page_hold (SONDE_PAGE (page));
  page->check_source = g_timeout_add (PAUSE_MS, on_pause, page);
}

/* ---- the recipe ---------------------------------------------------------- */

static void
update (SondeTrainPage *page)
{
  g_autofree char *text
      = sonde_recipe_to_brief_text (sonde_recipe_document_get_recipe (page->document));

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (page->text), text, -1);
  suggest_folder (page);
  if (sonde_page_is_opened (SONDE_PAGE (page)))
    check_soon (page);
  else
    forget (page);
}

static void
on_open_response (GtkNativeDialog *dialog, int response, SondeTrainPage *page)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autoptr (GError) error = NULL;

  if (path != NULL && !sonde_recipe_document_load (page->document, path, &error))
    sonde_page_toast (SONDE_PAGE (page), error->message);
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

static void
on_save_response (GtkNativeDialog *dialog, int response, SondeTrainPage *page)
{
  g_autoptr (GFile) file = response == GTK_RESPONSE_ACCEPT
                               ? gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog))
                               : NULL;
  g_autofree char *text
      = sonde_recipe_to_brief_text (sonde_recipe_document_get_recipe (page->document));
  g_autoptr (GError) error = NULL;

  if (file != NULL
      && !g_file_replace_contents (file, text, strlen (text), NULL, FALSE, G_FILE_CREATE_NONE, NULL,
                                   NULL, &error))
    sonde_page_toast (SONDE_PAGE (page), error->message);
  gtk_native_dialog_destroy (dialog);
  g_object_unref (dialog);
}

/* @done: gets the dialog, its answer and the page */
static void
choose_file (SondeTrainPage *page, const char *title, GtkFileChooserAction action, GCallback done)
{
  GtkFileChooserNative *dialog = sonde_file_dialog_new (
      title, GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (page))), action, NULL);

  if (action == GTK_FILE_CHOOSER_ACTION_SAVE)
    gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "training.recipe");
  g_signal_connect_object (dialog, "response", done, page, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static void
on_open (SondeTrainPage *page)
{
  choose_file (page, _ ("Open a Recipe"), GTK_FILE_CHOOSER_ACTION_OPEN,
               G_CALLBACK (on_open_response));
}

static void
on_save (SondeTrainPage *page)
{
  choose_file (page, _ ("Save the Recipe"), GTK_FILE_CHOOSER_ACTION_SAVE,
               G_CALLBACK (on_save_response));
}

static void
on_copy (SondeTrainPage *page)
{
  const char *const options[] = { "--run", gtk_editable_get_text (page->folder), NULL };
  g_auto (GStrv) words = sonde_training_command_new (
      "sonde", sonde_recipe_document_get_recipe (page->document), options);
  g_autoptr (GString) command = g_string_new (NULL);

  for (gsize i = 0; words[i] != NULL; i++)
    {
      g_autofree char *quoted = g_shell_quote (words[i]);
      gboolean plain = g_regex_match_simple ("^[\\w./=:%+,-]+$", words[i], 0, 0);

      g_string_append_printf (command, "%s%s", i > 0 ? " " : "", plain ? words[i] : quoted);
    }
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (page)), command->str);
  sonde_page_toast (SONDE_PAGE (page), _ ("The command was copied."));
}

/* ---- starting ------------------------------------------------------------ */

static void
on_start (SondeTrainPage *page)
{
  g_autofree char *folder = g_canonicalize_filename (gtk_editable_get_text (page->folder), NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrainingProcess) process = NULL;

  if (page->known == NULL)
    return;
  process = sonde_training_process_start (
      get_program (page), sonde_recipe_document_get_recipe (page->document), folder, &error);
  if (process == NULL)
    {
      sonde_page_toast (SONDE_PAGE (page), error->message);
      return;
    }
  sonde_run_store_add_path (sonde_page_get_store (SONDE_PAGE (page)), folder);
  sonde_training_list_add (page->list, process, page->known->steps);
  page->folder_chosen = FALSE;
}

static void
on_curves (SondeTrainPage *page, const char *folder)
{
  gtk_widget_activate_action (GTK_WIDGET (page), "win.show-run", "s", folder);
  sonde_page_go (SONDE_PAGE (page), "scalars", NULL);
}

static void
on_inside (SondeTrainPage *page, const char *folder)
{
  sonde_page_go (SONDE_PAGE (page), "debugger", NULL);
}

/* ---- page ---------------------------------------------------------------- */

static void
on_listed (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeTrainPage) page = data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) models = sonde_training_command_list_finish (result, &error);

  if (models != NULL)
    {
      sonde_training_form_set_models (page->form, models);
      sonde_recipe_document_set_models (page->document, models);
    }
  else
    sonde_page_toast (SONDE_PAGE (page), error->message);
  sonde_page_release (SONDE_PAGE (page));
}

static void
sonde_train_page_opened (SondePage *base)
{
  SondeTrainPage *page = SONDE_TRAIN_PAGE (base);

  suggest_folder (page);
  if (page->listed)
    {
      if (page->known == NULL)
        check_soon (page);
      return;
    }
  page->listed = TRUE;
  sonde_page_hold (base);
  sonde_training_command_list (get_program (page), NULL, on_listed, g_object_ref (page));
}

static void
sonde_train_page_set_up (SondePage *base)
{
  SondeTrainPage *page = SONDE_TRAIN_PAGE (base);

  sonde_training_list_set_workspace (page->list, sonde_page_get_workspace (base));
  sonde_page_set_filled (base);
  update (page);
}

/* ---- room ---------------------------------------------------------------- */

static GtkOrientation
choose_orientation (SondeTrainPage *page)
{
  GtkAdjustment *across = gtk_scrolled_window_get_hadjustment (page->room);

  return gtk_adjustment_get_page_size (across) < NARROW ? GTK_ORIENTATION_VERTICAL
                                                        : GTK_ORIENTATION_HORIZONTAL;
}

static gboolean
turn (GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  SondeTrainPage *page = SONDE_TRAIN_PAGE (widget);

  page->turning = 0;
  gtk_orientable_set_orientation (GTK_ORIENTABLE (page->halves), choose_orientation (page));
  return G_SOURCE_REMOVE;
}

/* Not while the room is being given out. */
static void
on_room (SondeTrainPage *page)
{
  if (page->turning == 0
      && choose_orientation (page)
             != gtk_orientable_get_orientation (GTK_ORIENTABLE (page->halves)))
    page->turning = gtk_widget_add_tick_callback (GTK_WIDGET (page), turn, NULL, NULL);
}

static void
sonde_train_page_dispose (GObject *object)
{
  SondeTrainPage *page = SONDE_TRAIN_PAGE (object);

  g_clear_handle_id (&page->check_source, g_source_remove);
  if (page->turning != 0)
    gtk_widget_remove_tick_callback (GTK_WIDGET (page), page->turning);
  page->turning = 0;
  if (page->checking != NULL)
    g_cancellable_cancel (page->checking);
  g_clear_object (&page->checking);
  g_clear_pointer (&page->known, sonde_training_facts_free);
  g_clear_object (&page->document);
  G_OBJECT_CLASS (sonde_train_page_parent_class)->dispose (object);
}

static void
sonde_train_page_class_init (SondeTrainPageClass *klass)
{
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  g_type_ensure (SONDE_TYPE_TRAINING_FORM);
  g_type_ensure (SONDE_TYPE_TRAINING_LIST);
  g_type_ensure (GTK_SOURCE_TYPE_VIEW);
  G_OBJECT_CLASS (klass)->dispose = sonde_train_page_dispose;
  page_class->set_up = sonde_train_page_set_up;
  page_class->opened = sonde_train_page_opened;
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, form);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, list);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, text);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, outlook);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, facts);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, problem);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, folder);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, start);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, room);
  gtk_widget_class_bind_template_child (widget_class, SondeTrainPage, halves);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
  gtk_widget_class_bind_template_callback (widget_class, on_save);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
  gtk_widget_class_bind_template_callback (widget_class, on_start);
  gtk_widget_class_bind_template_callback (widget_class, on_folder_edited);
}

static void
on_dark_changed (SondeTrainPage *page)
{
  gboolean dark = adw_style_manager_get_dark (adw_style_manager_get_default ());
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default ();

  gtk_source_buffer_set_style_scheme (
      GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (page->text)),
      gtk_source_style_scheme_manager_get_scheme (schemes, dark ? "Adwaita-dark" : "Adwaita"));
}

/* Sections and keys of a recipe look like those of any key file. */
static void
set_up_text (SondeTrainPage *page)
{
  GtkSourceBuffer *buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (page->text));
  GtkSourceLanguageManager *languages = gtk_source_language_manager_get_default ();

  gtk_source_buffer_set_language (buffer,
                                  gtk_source_language_manager_get_language (languages, "ini"));
  g_signal_connect_object (adw_style_manager_get_default (), "notify::dark",
                           G_CALLBACK (on_dark_changed), page, G_CONNECT_SWAPPED);
  on_dark_changed (page);
}

static void
sonde_train_page_init (SondeTrainPage *page)
{
  gtk_widget_init_template (GTK_WIDGET (page));
  g_signal_connect_object (gtk_scrolled_window_get_hadjustment (page->room), "notify::page-size",
                           G_CALLBACK (on_room), page, G_CONNECT_SWAPPED);
  set_up_text (page);
  page->document = sonde_recipe_document_new ();
  sonde_training_form_set_document (page->form, page->document);
  g_signal_connect_object (page->document, "changed", G_CALLBACK (update), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (page->list, "curves", G_CALLBACK (on_curves), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (page->list, "inside", G_CALLBACK (on_inside), page, G_CONNECT_SWAPPED);
}
