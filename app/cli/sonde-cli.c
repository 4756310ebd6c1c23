/* SPDX-License-Identifier: Apache-2.0
 * The command table and the common parts of all commands: options, messages, JSON, progress. */
#include "app/cli/sonde-cli.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gmodule.h>

#include "app/cli/sonde-cli-table.h"
#include "app/sonde-window-module.h"
#include "data/arrays/sonde-json-text.h"
#include "data/base/sonde-error.h"

static const SondeCliCommand *const commands[] = {
  &sonde_cli_command_train,
  &sonde_cli_command_infer,
  &sonde_cli_command_inspect,
  &sonde_cli_command_profile,
  &sonde_cli_command_landscape,
  &sonde_cli_command_export,
#ifndef SONDE_WITHOUT_PLOT
  &sonde_cli_command_plot,
#endif
  &sonde_cli_command_convert,
  &sonde_cli_command_scan,
  &sonde_cli_command_debug,
  &sonde_cli_command_explain,
  &sonde_cli_command_screenshot,
  &sonde_cli_command_check,
  &sonde_cli_command_engine,
  &sonde_cli_command_hdf5_helper,
  &sonde_cli_command_image_helper,
  &sonde_cli_command_sound_helper,
  NULL,
};

const SondeCliCommand *const *
sonde_cli_list (void)
{
  return commands;
}

const SondeCliCommand *
sonde_cli_find (const char *name)
{
  for (gsize i = 0; commands[i] != NULL; i++)
    if (g_str_equal (commands[i]->name, name))
      return commands[i];
  return NULL;
}

int
sonde_cli_fail (const SondeCliCommand *command, const GError *error)
{
  g_autofree char *message = sonde_cli_make_printable_lines (
      error != NULL ? sonde_error_get_text (error) : _ ("Unknown error."));

  g_printerr ("sonde %s: %s\n", command->name, message);
  return SONDE_EXIT_FAILED;
}

/* gettext ("") is the head of the catalogue. */
static const char *
translate_synopsis (const SondeCliCommand *command)
{
  return *command->synopsis != '\0' ? _ (command->synopsis) : "";
}

int
sonde_cli_misuse (const SondeCliCommand *command, const char *format, ...)
{
  g_autofree char *raw = NULL, *message = NULL;
  va_list arguments;

  va_start (arguments, format);
  raw = g_strdup_vprintf (_ (format), arguments);
  va_end (arguments);
  message = sonde_cli_make_printable_lines (raw);
  g_printerr (_ ("sonde %s: %s\nUsage: sonde %s %s\nSee “sonde %s --help”.\n"), command->name,
              message, command->name, translate_synopsis (command), command->name);
  return SONDE_EXIT_USAGE;
}

gboolean
sonde_cli_parse (const SondeCliCommand *command, int argc, char **argv, const GOptionEntry *entries,
                 int min_operands, int max_operands, char ***operands, int *status)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;
  /* GOption changes the array; the strings remain the caller's. */
  g_autofree char **arguments = g_new0 (char *, argc + 1);
  char **all = arguments;
  int n = argc, count;

  memcpy (arguments, argv, sizeof (char *) * (gsize) argc);
  g_option_context_add_main_entries (context, entries, GETTEXT_PACKAGE);
  g_option_context_set_summary (context, _ (command->summary));
  if (command->details != NULL)
    g_option_context_set_description (context, _ (command->details));
  g_option_context_set_help_enabled (context, FALSE);
  for (int i = 1; i < argc && !g_str_equal (argv[i], "--"); i++)
    if (g_str_equal (argv[i], "--help") || g_str_equal (argv[i], "-h"))
      {
        g_autofree char *help = g_option_context_get_help (context, TRUE, NULL);
        g_autofree char *line = g_strdup_printf (_ ("  sonde %s [OPTION…] %s\n"), command->name,
                                                 translate_synopsis (command));
        const char *rest = strstr (help, "\n\n");

        g_print ("%s\n%s%s", _ ("Usage:"), line, rest != NULL ? rest + 1 : "\n");
        *status = SONDE_EXIT_DONE;
        return FALSE;
      }
  if (!g_option_context_parse (context, &n, &all, &error))
    {
      *status = sonde_cli_misuse (command, "%s", error->message); /* of GLib, translated */
      return FALSE;
    }
  if (n > 1 && g_str_equal (arguments[1], "--"))
    {
      memmove (arguments + 1, arguments + 2, sizeof (char *) * (gsize) (n - 1));
      n--;
    }
  count = n - 1;
  if (count < min_operands || (max_operands >= 0 && count > max_operands))
    {
      *status = count < min_operands ? sonde_cli_misuse (command, "Missing argument.")
                                     : sonde_cli_misuse (command, "Unexpected argument “%s”.",
                                                         arguments[max_operands + 1]);
      return FALSE;
    }
  *operands = g_strdupv (arguments + 1);
  return TRUE;
}

void
sonde_cli_print_json (JsonNode *root, gboolean pretty)
{
  g_autofree char *text = sonde_json_node_to_text (root, pretty);

  fputs (text, stdout);
  fputc ('\n', stdout);
  fflush (stdout);
  json_node_unref (root);
}

#define PROGRESS_NS 100000000

void
sonde_cli_progress (SondeProgressLine *line, const char *format, ...)
{
  gint64 now = g_get_monotonic_time () * 1000;
  va_list arguments;

  if (!isatty (STDERR_FILENO) || (line->active && now - line->last_ns < PROGRESS_NS))
    return;
  line->last_ns = now;
  line->active = TRUE;
  fputs ("\r\033[K", stderr);
  va_start (arguments, format);
  vfprintf (stderr, format, arguments);
  va_end (arguments);
  fflush (stderr);
}

void
sonde_cli_progress_end (SondeProgressLine *line)
{
  if (line->active)
    fputc ('\n', stderr);
  line->active = FALSE;
}

char *
sonde_cli_dup_program (void)
{
  char path[4096];
  ssize_t length = readlink ("/proc/self/exe", path, sizeof path - 1);

  return length > 0 ? g_strndup (path, (gsize) length) : g_strdup ("sonde");
}

/* Beside the program (build folder), else in the library folder beside the program's (an
 * installation that was moved as a whole, or staged with DESTDIR), else where it was to be
 * installed. */
char *
sonde_cli_dup_window_module (void)
{
  g_autofree char *program = sonde_cli_dup_program ();
  g_autofree char *folder = g_path_get_dirname (program);
  g_autofree char *beside = g_build_filename (folder, SONDE_WINDOW_MODULE, NULL);
  g_autofree char *moved
      = g_build_filename (folder, SONDE_MODULE_FOLDER_FROM_PROGRAM, SONDE_WINDOW_MODULE, NULL);

  if (g_file_test (beside, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&beside);
  if (g_file_test (moved, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&moved);
  return g_build_filename (SONDE_MODULE_FOLDER, SONDE_WINDOW_MODULE, NULL);
}

gpointer
sonde_cli_find_in_window (const char *symbol, GError **error)
{
  g_autofree char *path = sonde_cli_dup_window_module ();
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  SondeWindowModuleGetInterface get_interface = NULL;
  gpointer function = NULL;

  if (module == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "Cannot load the window from “%s”: %s", path, g_module_error ());
      return NULL;
    }
  if (g_module_symbol (module, "sonde_window_module_get_interface", (gpointer *) &get_interface)
      && get_interface () == SONDE_WINDOW_MODULE_INTERFACE
      && g_module_symbol (module, symbol, &function))
    return function;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "The window in “%s” belongs to another version of Sonde than this program: "
                   "install or build both together.",
                   path);
  return NULL;
}
