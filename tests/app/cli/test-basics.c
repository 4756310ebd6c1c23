/* SPDX-License-Identifier: Apache-2.0
 * What every command has in common: help, versions, exit statuses, a closed stdin, no GTK. */
#include <dlfcn.h>
#include <gio/gio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/sonde-test-program.h"

static const char *const commands[] = { "train", "infer", "inspect", "landscape",  "export",
                                        "plot",  "debug", "explain", "screenshot", "check" };

static void
test_version (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "--version");

  sonde_test_assert_status (program, 0);
  g_assert_true (g_str_has_prefix (program->out, "sonde "));
  g_assert_cmpstr (program->err, ==, "");
  sonde_test_folder_free (folder);
}

static void
test_help (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) all = sonde_test_run (folder, NULL, "--help");

  sonde_test_assert_status (all, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (SondeTestProgram) one = sonde_test_run (folder, NULL, commands[i], "--help");
      g_autofree char *synopsis = g_strdup_printf ("sonde %s", commands[i]);

      sonde_test_assert_status (one, 0);
      sonde_test_assert_contains (all->out, commands[i]);
      sonde_test_assert_contains (one->out, synopsis);
      g_assert_cmpstr (one->err, ==, "");
    }
  sonde_test_folder_free (folder);
}

static void
test_wrong_use (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) option = sonde_test_run (folder, NULL, "--nonsense");

  sonde_test_assert_status (option, 2);
  sonde_test_assert_contains (option->err, "--nonsense");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    {
      g_autoptr (SondeTestProgram) wrong = sonde_test_run (folder, NULL, commands[i], "--nonsense");

      sonde_test_assert_status (wrong, 2);
      sonde_test_assert_contains (wrong->err, "--nonsense");
      g_assert_cmpstr (wrong->out, ==, "");
    }
  sonde_test_folder_free (folder);
}

/* A word that is neither a command nor a path: the nearest command, and no window. */
static void
test_wrong_word (void)
{
  static const char *const words[][2]
      = { { "trains", "“sonde train”" }, { "exprot", "“sonde export”" }, { "zzz", "--help" } };
  char *folder = sonde_test_folder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autoptr (SondeTestProgram) wrong = sonde_test_run (folder, NULL, words[i][0]);

      sonde_test_assert_status (wrong, 2);
      sonde_test_assert_contains (wrong->err, words[i][0]);
      sonde_test_assert_contains (wrong->err, words[i][1]);
      g_assert_cmpstr (wrong->out, ==, "");
    }
  sonde_test_folder_free (folder);
}

/* Too few and too many operands, values that are none. */
static void
test_wrong_operands (void)
{
  static const char *const lines[][4] = {
    { "train" },
    { "train", "lenet", "mlp" },
    { "train", "lenet", "--resume" },
    { "infer" },
    { "infer", "a.onnx", "b.onnx" },
    { "infer", "a.onnx", "--repeat=-1" },
    { "infer", "a.onnx", "--threads=x" },
    { "inspect" },
    { "export", "run" },
    { "export", "run", "--to=papyrus", "--output=out" },
    { "debug", "--repl" },
    { "explain" },
    { "screenshot" },
  };
  char *folder = sonde_test_folder_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (lines); i++)
    {
      g_autoptr (SondeTestProgram) wrong
          = sonde_test_run (folder, NULL, lines[i][0], lines[i][1], lines[i][2], lines[i][3]);

      if (wrong->status != 2)
        g_test_message ("%s %s", lines[i][0], lines[i][1] != NULL ? lines[i][1] : "");
      sonde_test_assert_status (wrong, 2);
      g_assert_cmpstr (wrong->err, !=, "");
      g_assert_cmpstr (wrong->out, ==, "");
    }
  sonde_test_folder_free (folder);
}

static void
test_check (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "check", "--json");
  g_autoptr (JsonNode) json = NULL;

  sonde_test_assert_status (program, 0);
  json = sonde_test_parse_json (program->out);
  g_assert_cmpuint (json_object_get_size (json_node_get_object (json)), >, 0);
  sonde_test_folder_free (folder);
}

/* What could not be printed is no success. */
static void
test_output_lost (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = sonde_test_program_dup_path ();
  g_autofree char *line = g_strdup_printf ("exec '%s' check --json > /dev/full", path);
  const char *const arguments[] = { "sh", "-c", line, NULL };
  g_autoptr (SondeTestProgram) program = sonde_test_start_any (folder, NULL, arguments);

  sonde_test_wait (program, 60);
  sonde_test_assert_status (program, 1);
  sonde_test_assert_contains (program->err, "standard output");
  sonde_test_folder_free (folder);
}

/* The command line needs no GTK: only the window's module links it. */
static void
test_without_gtk (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = sonde_test_program_dup_path ();
  const char *const arguments[] = { "ldd", path, NULL };
  g_autoptr (SondeTestProgram) ldd = sonde_test_start_any (folder, NULL, arguments);

  sonde_test_wait (ldd, 60);
  sonde_test_assert_status (ldd, 0);
  sonde_test_assert_contains (ldd->out, "libglib-2.0");
  g_assert_null (strstr (ldd->out, "libgtk"));
  g_assert_null (strstr (ldd->out, "libadwaita"));
  sonde_test_folder_free (folder);
}

/* What the dynamic linker says that it loads, for a command that needs
 * neither LAPACK nor a decoder. */
static void
test_without_lapack (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *path = sonde_test_program_dup_path ();
  const char *const arguments[] = { "env", "LD_DEBUG=libs", path, "--version", NULL };
  g_autoptr (SondeTestProgram) program = sonde_test_start_any (folder, NULL, arguments);

  sonde_test_wait (program, 60);
  sonde_test_assert_status (program, 0);
  sonde_test_assert_contains (program->err, "libglib-2.0");
  g_assert_null (strstr (program->err, "liblapack"));
  g_assert_null (strstr (program->err, "libblas"));
  g_assert_null (strstr (program->err, "libsndfile"));
  sonde_test_folder_free (folder);
}

static void
copy (const char *from, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GFile) source = g_file_new_for_path (from), target = g_file_new_for_path (path);
  g_autoptr (GError) error = NULL;

  g_file_copy (source, target, G_FILE_COPY_NONE, NULL, NULL, NULL, &error);
  g_assert_no_error (error);
}

/* Beside the program lies a window that it does not belong to; any other library plays it. */
static void
test_other_window (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *built = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  g_autofree char *program = g_build_filename (folder, "sonde", NULL), *said = NULL;
  const char *const arguments[]
      = { program, "screenshot", "graph", "--output", "/nowhere/picture.png", NULL };
  g_auto (GStrv) environment = g_environ_setenv (g_get_environ (), "DISPLAY", ":none", TRUE);
  g_autoptr (GError) error = NULL;
  Dl_info glib;
  int status = 0;

  g_assert_cmpint (dladdr ((void *) (guintptr) g_malloc, &glib), !=, 0);
  copy (built, folder, "sonde");
  copy (glib.dli_fname, folder, "libsonde-window.so");
  g_spawn_sync (folder, (char **) arguments, environment, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                NULL, &said, &status, &error);
  g_assert_no_error (error);
  g_assert_true (WIFEXITED (status) && WEXITSTATUS (status) == 1);
  sonde_test_assert_contains (said, "belongs to another version of Sonde");
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/basics/version", test_version);
  g_test_add_func ("/app/cli/basics/help", test_help);
  g_test_add_func ("/app/cli/basics/wrong-use", test_wrong_use);
  g_test_add_func ("/app/cli/basics/wrong-word", test_wrong_word);
  g_test_add_func ("/app/cli/basics/wrong-operands", test_wrong_operands);
  g_test_add_func ("/app/cli/basics/check", test_check);
  g_test_add_func ("/app/cli/basics/output-lost", test_output_lost);
  g_test_add_func ("/app/cli/basics/without-gtk", test_without_gtk);
  g_test_add_func ("/app/cli/basics/other-window", test_other_window);
  g_test_add_func ("/app/cli/basics/without-lapack", test_without_lapack);
  return g_test_run ();
}
