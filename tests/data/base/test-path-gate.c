/* SPDX-License-Identifier: Apache-2.0
 * The path gate: what may be opened and every way out that must stay shut, through openat2() and
 * through the walk that stands in where the kernel lacks it. */
#include "data/base/sonde-error.h"
#include "data/base/sonde-io-private.h"
#include "data/base/sonde-path-gate.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* @outer/secret, @outer/folder/{plain,sub/deep,link,loop,hard,hard2,fifo,up} */
typedef struct
{
  char *outer;
  char *folder;
} Fixture;

static char *
at (const char *folder, const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
put_file (const char *folder, const char *name)
{
  g_autofree char *path = at (folder, name);

  g_assert_true (g_file_set_contents (path, "data", 4, NULL));
}

static void
put_link (const char *target, const char *folder, const char *name)
{
  g_autofree char *path = at (folder, name);

  g_assert_cmpint (symlink (target, path), ==, 0);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->outer = g_dir_make_tmp ("sonde-gate-XXXXXX", NULL);
  fixture->folder = at (fixture->outer, "folder");
  g_autofree char *sub = at (fixture->folder, "sub");
  g_autofree char *hard = at (fixture->folder, "hard");
  g_autofree char *hard2 = at (fixture->folder, "hard2");
  g_autofree char *fifo = at (fixture->folder, "fifo");

  g_assert_cmpint (g_mkdir_with_parents (sub, 0700), ==, 0);
  put_file (fixture->outer, "secret");
  put_file (fixture->folder, "plain");
  put_file (sub, "deep");
  put_file (fixture->folder, "hard");
  g_assert_cmpint (link (hard, hard2), ==, 0);
  put_link ("plain", fixture->folder, "link");
  put_link ("sub", fixture->folder, "sublink");
  put_link ("../secret", fixture->folder, "outlink");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  static const char *const names[]
      = { "folder/sub/deep", "folder/sub",  "folder/plain",   "folder/hard",
          "folder/hard2",    "folder/link", "folder/sublink", "folder/outlink",
          "folder/fifo",     "folder",      "secret",         "" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = at (fixture->outer, names[i]);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
  g_free (fixture->folder);
  g_free (fixture->outer);
}

static const struct
{
  const char *path; /* "/secret" at the start stands for the absolute path of the secret */
  int code;         /* -1: opens */
} cases[] = {
  { "plain", -1 },
  { "./plain", -1 },
  { "sub/deep", -1 },
  { "sub//deep", -1 },
  { "missing", SONDE_DATA_ERROR_NOT_FOUND },
  { "sub/missing", SONDE_DATA_ERROR_NOT_FOUND },
  { "", SONDE_DATA_ERROR_FORBIDDEN },
  { "/secret", SONDE_DATA_ERROR_FORBIDDEN },
  { "../secret", SONDE_DATA_ERROR_FORBIDDEN },
  { "sub/../../secret", SONDE_DATA_ERROR_FORBIDDEN },
  { "link", SONDE_DATA_ERROR_FORBIDDEN },
  { "sublink/deep", SONDE_DATA_ERROR_FORBIDDEN },
  { "outlink", SONDE_DATA_ERROR_FORBIDDEN },
  { "hard", SONDE_DATA_ERROR_FORBIDDEN },
  { "fifo", SONDE_DATA_ERROR_FORBIDDEN },
  { "sub", SONDE_DATA_ERROR_FORBIDDEN },
  { ".", SONDE_DATA_ERROR_FORBIDDEN },
  { "..", SONDE_DATA_ERROR_FORBIDDEN },
};

static void
check_cases (Fixture *fixture, const SondeIo *io)
{
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *absolute = g_strconcat (fixture->outer, cases[i].path, NULL);
      const char *path = cases[i].path[0] == '/' ? absolute : cases[i].path;
      guint64 size = 0;
      int fd = sonde_path_gate_open (io, fixture->folder, path, &size, &error);

      g_test_message ("“%s”", path);
      if (cases[i].code < 0)
        {
          g_assert_no_error (error);
          g_assert_cmpint (fd, >=, 0);
          g_assert_cmpuint (size, ==, 4);
          close (fd);
        }
      else
        {
          g_assert_cmpint (fd, ==, -1);
          g_assert_error (error, SONDE_DATA_ERROR, cases[i].code);
          g_assert_nonnull (strstr (error->message, path));
        }
    }
}

static void
test_system (Fixture *fixture, gconstpointer data)
{
  check_cases (fixture, NULL);
}

static int
open_by_walk (const SondeIo *io, int dirfd, const char *path)
{
  return sonde_io_walk_beneath (dirfd, path);
}

static void
test_walk (Fixture *fixture, gconstpointer data)
{
  SondeIo io = *sonde_io_system ();

  io.open_beneath = open_by_walk;
  check_cases (fixture, &io);
}

static void
test_no_folder (Fixture *fixture, gconstpointer data)
{
  static const char *const folders[] = { NULL, "" };

  for (gsize i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (sonde_path_gate_open (NULL, folders[i], "plain", NULL, &error), ==, -1);
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/data/base/path-gate/cases", Fixture, NULL, set_up, test_system, tear_down);
  g_test_add ("/data/base/path-gate/walk", Fixture, NULL, set_up, test_walk, tear_down);
  g_test_add ("/data/base/path-gate/no-folder", Fixture, NULL, set_up, test_no_folder, tear_down);
  return g_test_run ();
}
