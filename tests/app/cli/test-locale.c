/* SPDX-License-Identifier: Apache-2.0
 * The program in another language: texts for people are translated, what machines read is not. */
#include <string.h>

#include "tests/support/sonde-test-program.h"

/* The variable by which gettext chooses; the locale itself is C.UTF-8 in every test. */
static SondeTestProgram *
run_in (const char *language, const char *folder, const char *const *arguments)
{
  SondeTestProgram *program;

  g_setenv ("LANGUAGE", language, TRUE);
  program = sonde_test_run_strv (folder, NULL, arguments);
  g_setenv ("LANGUAGE", "", TRUE);
  return program;
}

static void
test_help (void)
{
  char *place = sonde_test_folder_new ();
  const char *arguments[] = { "--help", NULL };
  g_autoptr (SondeTestProgram) chinese = run_in ("zh_CN", place, arguments);
  g_autoptr (SondeTestProgram) english = run_in ("", place, arguments);

  sonde_test_assert_status (chinese, 0);
  sonde_test_assert_contains (chinese->out, "用法");
  sonde_test_assert_contains (chinese->out, "screenshot");
  sonde_test_assert_contains (english->out, "Usage:");
  sonde_test_folder_free (place);
}

/* Wrong use is said in the user's language; the words that were typed stay. */
static void
test_misuse (void)
{
  char *place = sonde_test_folder_new ();
  const char *arguments[] = { "--no-such-option", NULL };
  g_autoptr (SondeTestProgram) chinese = run_in ("zh_CN:zh", place, arguments);

  sonde_test_assert_status (chinese, 2);
  sonde_test_assert_contains (chinese->err, "未知选项");
  sonde_test_assert_contains (chinese->err, "--no-such-option");
  sonde_test_folder_free (place);
}

/* One object, the same bytes in both languages. */
static void
test_json (void)
{
  char *place = sonde_test_folder_new ();
  const char *arguments[] = { "train", "--list", "--json", NULL };
  g_autoptr (SondeTestProgram) chinese = run_in ("zh_CN", place, arguments);
  g_autoptr (SondeTestProgram) english = run_in ("", place, arguments);

  sonde_test_assert_status (chinese, 0);
  sonde_test_assert_status (english, 0);
  g_assert_cmpstr (chinese->out, ==, english->out);
  sonde_test_folder_free (place);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/cli/locale/help", test_help);
  g_test_add_func ("/app/cli/locale/misuse", test_misuse);
  g_test_add_func ("/app/cli/locale/json", test_json);
  return g_test_run ();
}
