/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sonde-application.h"

#include "app/sonde-recent-paths.h"
#include "app/sonde-window.h"
#include "app/widgets/sonde-accessible.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-high-contrast.h"
#include "sonde-resources.h"

#define APPLICATION_ID "org.sonde.Sonde"

struct _SondeApplication
{
  AdwApplication parent_instance;
  char *program;
  char **paths, **debug_arguments;
  SondeWorkspace *workspace; /* (nullable): that of the first window */
  guint n_reported;          /* of its store's problems */
  gboolean model_reported;
};

G_DEFINE_FINAL_TYPE (SondeApplication, sonde_application, ADW_TYPE_APPLICATION)

/* ---- what cannot be opened ----------------------------------------------- */

/* The window says so too; but who started it from a terminal looks there. */
static void
report_problems (SondeApplication *self)
{
  GPtrArray *problems = sonde_run_store_get_problems (sonde_workspace_get_store (self->workspace));
  SondeOpenedModel *model = sonde_workspace_get_model (self->workspace);

  for (; self->n_reported < problems->len; self->n_reported++)
    g_printerr ("sonde: %s\n", (const char *) problems->pdata[self->n_reported]);
  if (!self->model_reported && model != NULL && sonde_opened_model_get_problem (model) != NULL)
    {
      self->model_reported = TRUE;
      g_printerr ("sonde: %s\n", sonde_opened_model_get_problem (model));
    }
}

/* A slash at the end says that the folder is still to come. */
static void
report_missing_paths (SondeApplication *self)
{
  for (gsize i = 0; self->paths[i] != NULL; i++)
    if (!g_str_has_suffix (self->paths[i], "/")
        && !g_file_test (self->paths[i], G_FILE_TEST_EXISTS))
      g_printerr (_ ("sonde: “%s” does not exist; the window waits for it to appear\n"),
                  self->paths[i]);
}

/* ---- window -------------------------------------------------------------- */

static void
sonde_application_activate (GApplication *application)
{
  SondeApplication *self = SONDE_APPLICATION (application);
  g_autoptr (SondeWorkspace) workspace
      = sonde_workspace_new (NULL, self->program, (const char *const *) self->paths, NULL);
  SondeWindow *window;

  if (self->debug_arguments != NULL)
    sonde_workspace_set_debug_arguments (workspace, (const char *const *) self->debug_arguments);
  window = sonde_window_new (ADW_APPLICATION (self), workspace);
  if (self->debug_arguments != NULL)
    sonde_window_show_page (window, "debugger", NULL);
  g_set_object (&self->workspace, workspace);
  g_signal_connect_object (workspace, "changed", G_CALLBACK (report_problems), self,
                           G_CONNECT_SWAPPED);
  report_missing_paths (self);
  sonde_recent_paths_add ((const char *const *) self->paths);
  sonde_workspace_start (workspace);
  gtk_window_present (GTK_WINDOW (window));
}

static void
show_about (GSimpleAction *action, GVariant *parameter, void *user_data)
{
  GtkApplication *application = user_data;

  GtkWidget *about = g_object_new (
      ADW_TYPE_ABOUT_WINDOW, "transient-for", gtk_application_get_active_window (application),
      "application-name", "Sonde", "application-icon", APPLICATION_ID, "version", SONDE_VERSION,
      "comments", _ ("See inside a neural network while it runs"), "license-type",
      GTK_LICENSE_APACHE_2_0, NULL);

  /* libadwaita does not. */
  sonde_name_inside (about, GTK_TYPE_LIST_BOX, _ ("About Sonde"));
  sonde_name_buttons_inside (about);
  gtk_window_present (GTK_WINDOW (about));
}

static void
quit (GSimpleAction *action, GVariant *parameter, void *user_data)
{
  GtkWindow *window;

  /* Windows are closed, not dropped: they save what they remember. */
  while ((window = gtk_application_get_active_window (user_data)) != NULL)
    {
      gtk_window_close (window);
      if (gtk_application_get_active_window (user_data) == window)
        break;
    }
}

/* A notification was pressed. */
static void
present (GSimpleAction *action, GVariant *parameter, void *user_data)
{
  GtkWindow *window = gtk_application_get_active_window (user_data);

  if (window != NULL)
    gtk_window_present (window);
}

static const GActionEntry actions[] = {
  { "present", present },
  { "about", show_about },
  { "quit", quit },
};

static void
on_contrast (AdwStyleManager *styles)
{
  sonde_high_contrast_set (adw_style_manager_get_high_contrast (styles));
}

static void
follow_contrast (AdwStyleManager *styles)
{
  g_signal_connect (styles, "notify::high-contrast", G_CALLBACK (on_contrast), NULL);
  on_contrast (styles);
}

static void
sonde_application_startup (GApplication *application)
{
  G_APPLICATION_CLASS (sonde_application_parent_class)->startup (application);
  g_action_map_add_action_entries (G_ACTION_MAP (application), actions, G_N_ELEMENTS (actions),
                                   application);
  gtk_window_set_default_icon_name (APPLICATION_ID);
  follow_contrast (adw_style_manager_get_default ());
  /* Our texts are written from left to right in every locale. GTK goes by the language of its own, and in a line from
   * right to left “-2.25” reads “2.25-” and steps 1–96 read 96–1. */
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  /* Tab passes over texts without selecting them; GTK 4.8 warns where it would and nothing had the focus before. */
  g_object_set (gtk_settings_get_default (), "gtk-label-select-on-focus", FALSE, NULL);
}

static void
sonde_application_finalize (GObject *object)
{
  SondeApplication *self = SONDE_APPLICATION (object);

  g_clear_object (&self->workspace);
  g_free (self->program);
  g_strfreev (self->paths);
  g_strfreev (self->debug_arguments);
  G_OBJECT_CLASS (sonde_application_parent_class)->finalize (object);
}

static void
sonde_application_class_init (SondeApplicationClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_application_finalize;
  G_APPLICATION_CLASS (klass)->activate = sonde_application_activate;
  G_APPLICATION_CLASS (klass)->startup = sonde_application_startup;
}

static void
sonde_application_init (SondeApplication *self)
{
}

void
sonde_application_register_resources (void)
{
  g_resources_register (sonde_get_resource ());
}

SondeApplication *
sonde_application_new (const char *program, const char *const *paths,
                       const char *const *debug_arguments)
{
  SondeApplication *self;

  sonde_application_register_resources ();
  self = g_object_new (SONDE_TYPE_APPLICATION, "application-id", APPLICATION_ID, "flags",
                       G_APPLICATION_NON_UNIQUE, NULL);
  self->program = g_strdup (program);
  self->paths = g_strdupv ((char **) paths);
  self->debug_arguments = g_strdupv ((char **) debug_arguments);
  return self;
}
