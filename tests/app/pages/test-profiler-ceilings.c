/* SPDX-License-Identifier: Apache-2.0
 * The child that tells what the machine can do: what it answers, and what becomes of answers that are none. */
#include <math.h>

#include <glib/gstdio.h>

#include "app/profiler/sonde-ceilings-child.h"

typedef struct
{
  gboolean done, good;
  SondeCeilings ceilings;
  GError *error;
} Answer;

static void
on_answer (GObject *source, GAsyncResult *result, gpointer data)
{
  Answer *answer = data;

  answer->good = sonde_ceilings_child_finish (result, &answer->ceilings, &answer->error);
  answer->done = TRUE;
}

/* A program that says @text, whatever it is asked. (transfer full) */
static char *
write_program (const char *folder, const char *text)
{
  char *path = g_build_filename (folder, "program", NULL);
  g_autofree char *script = g_strdup_printf ("#!/bin/sh\ncat <<'END'\n%s\nEND\n", text);

  g_assert_true (g_file_set_contents (path, script, -1, NULL));
  g_assert_cmpint (g_chmod (path, 0700), ==, 0);
  return path;
}

static Answer
ask (const char *text)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-ceilings-XXXXXX", NULL);
  g_autofree char *program = write_program (folder, text);
  Answer answer = { 0 };

  sonde_ceilings_child_ask (program, 2, NULL, on_answer, &answer);
  while (!answer.done)
    g_main_context_iteration (NULL, TRUE);
  g_remove (program);
  g_rmdir (folder);
  return answer;
}

/* Those of float32 among others; what is not known stays so. */
static void
test_answer (void)
{
  Answer answer = ask ("{\"roofline\":[{\"dtype\":\"int8\",\"peak_gflops\":9},"
                       "{\"dtype\":\"float32\",\"peak_gflops\":12.5,\"peak_gbs\":7,"
                       "\"overhead_us\":null}]}");

  g_assert_no_error (answer.error);
  g_assert_true (answer.good);
  g_assert_cmpfloat (answer.ceilings.peak_gflops, ==, 12.5);
  g_assert_cmpfloat (answer.ceilings.peak_gbs, ==, 7);
  g_assert_true (isnan (answer.ceilings.overhead_us));
}

static void
test_wrong (void)
{
  static const char *const wrong[]
      = { "", "rubbish", "[]", "{\"roofline\":3}", "{\"roofline\":[7,{\"dtype\":\"int8\"}]}" };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      Answer answer = ask (wrong[i]);

      g_assert_false (answer.good);
      g_assert_nonnull (answer.error);
      g_clear_error (&answer.error);
    }
}

static void
test_missing (void)
{
  Answer answer = { 0 };

  sonde_ceilings_child_ask ("/nowhere/sonde", 0, NULL, on_answer, &answer);
  while (!answer.done)
    g_main_context_iteration (NULL, TRUE);
  g_assert_false (answer.good);
  g_assert_error (answer.error, G_SPAWN_ERROR, G_SPAWN_ERROR_NOENT);
  g_clear_error (&answer.error);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/pages/profiler-ceilings/answer", test_answer);
  g_test_add_func ("/app/pages/profiler-ceilings/wrong", test_wrong);
  g_test_add_func ("/app/pages/profiler-ceilings/missing", test_missing);
  return g_test_run ();
}
