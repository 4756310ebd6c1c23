/* SPDX-License-Identifier: Apache-2.0
 * The helpers on the table of calls: whole reads and writes over short counts, EINTR and faults at
 * every single call. */
#include "data/base/sonde-error.h"
#include "data/base/sonde-replacement.h"
#include "tests/data/base/faulty-io.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct
{
  char *folder;
  char *path; /* of a file in it, not made */
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = g_dir_make_tmp ("sonde-io-XXXXXX", NULL);
  fixture->path = g_build_filename (fixture->folder, "file", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_unlink (fixture->path);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0); /* nothing was left behind */
  g_free (fixture->path);
  g_free (fixture->folder);
}

static void
assert_content (const char *path, const char *expected)
{
  g_autofree char *content = NULL;

  g_assert_true (g_file_get_contents (path, &content, NULL, NULL));
  g_assert_cmpstr (content, ==, expected);
}

static void
test_read_missing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_io_open_regular (NULL, fixture->path, NULL, &error), ==, -1);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, fixture->path));
}

static void
test_refuse_special (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (mkfifo (fixture->path, 0600), ==, 0);
  g_assert_cmpint (sonde_io_open_regular (NULL, fixture->path, NULL, &error), ==, -1);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN);
  g_clear_error (&error);

  g_assert_cmpint (sonde_io_open_regular (NULL, fixture->folder, NULL, &error), ==, -1);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN);
  g_clear_error (&error);

  g_assert_cmpint (sonde_io_open_regular (NULL, "/dev/zero", NULL, &error), ==, -1);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN);
}

static void
test_read_limit (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  g_assert_true (g_file_set_contents (fixture->path, "12345", 5, NULL));
  g_assert_null (sonde_io_read_file (NULL, fixture->path, 4, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  g_clear_error (&error);
  bytes = sonde_io_read_file (NULL, fixture->path, 5, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "12345", 5);
}

static void
test_short_and_interrupted (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *text = g_strnfill (5000, 'x');
  FaultyIo io;

  faulty_io_init (&io);
  io.max_bytes = 7;
  io.interrupt_every = 3;
  g_assert_true (sonde_io_replace_file (&io.io, fixture->path, text, 5000, &error));
  g_assert_no_error (error);
  assert_content (fixture->path, text);
  bytes = sonde_io_read_file (&io.io, fixture->path, G_MAXUINT64, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), text, 5000);
}

/* A link and what it names stay what they are; so does a pipe, here with its reading end open. */
static void
test_replace_in_place (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *link = g_strconcat (fixture->path, ".link", NULL);
  g_autofree char *pipe = g_strconcat (fixture->path, ".pipe", NULL);
  char text[8] = { 0 };
  int fd;

  g_assert_true (g_file_set_contents (fixture->path, "longer than that", -1, &error));
  g_assert_cmpint (symlink (fixture->path, link), ==, 0);
  g_assert_true (sonde_io_replace_file (NULL, link, "linked", 6, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
  assert_content (fixture->path, "linked");

  g_assert_cmpint (mkfifo (pipe, 0600), ==, 0);
  fd = g_open (pipe, O_RDONLY | O_NONBLOCK, 0);
  g_assert_true (sonde_io_replace_file (NULL, pipe, "piped", 5, &error));
  g_assert_no_error (error);
  g_assert_cmpint (read (fd, text, sizeof text), ==, 5);
  g_assert_cmpstr (text, ==, "piped");
  close (fd);
  g_assert_cmpint (g_unlink (link) + g_unlink (pipe), ==, 0);
}

static void
test_partial_write (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  gsize written = 99;
  FaultyIo io;
  int fd = g_open (fixture->path, O_CREAT | O_WRONLY, 0600);

  faulty_io_init (&io);
  io.max_bytes = 4;
  io.fail_call = 3;
  io.fail_errno = ENOSPC;
  g_assert_false (
      sonde_io_write_full (&io.io, fd, fixture->path, "0123456789", 10, &written, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE);
  g_assert_cmpuint (written, ==, 8);
  close (fd);
  assert_content (fixture->path, "01234567");
}

/* Whichever call fails, afterwards the file is the old or the new one, and nothing else lies
 * there. */
static void
test_replace_with_faults (Fixture *fixture, gconstpointer data)
{
  gboolean done = FALSE;

  for (guint k = 1; !done; k++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *content = NULL;
      int code = k % 2 == 0 ? SONDE_DATA_ERROR_IO : SONDE_DATA_ERROR_NO_SPACE;
      FaultyIo io;

      g_assert_cmpuint (k, <, 100);
      g_assert_true (g_file_set_contents (fixture->path, "old", 3, NULL));
      faulty_io_init (&io);
      io.fail_call = k;
      io.fail_errno = k % 2 == 0 ? EIO : ENOSPC;
      done = sonde_io_replace_file (&io.io, fixture->path, "new!", 4, &error);
      g_assert_true (done == (error == NULL));
      g_assert_true (g_file_get_contents (fixture->path, &content, NULL, NULL));
      if (done)
        g_assert_cmpstr (content, ==, "new!");
      else if (strstr (error->message, "the folder") == NULL)
        g_assert_cmpstr (content, ==, "old");
      g_assert_cmpuint (io.n_open, ==, 0);
      if (!done)
        g_assert_error (error, SONDE_DATA_ERROR, code);
    }
}

static gboolean
write_pieces (SondeReplacement *replacement, GError **error)
{
  for (guint i = 0; i < 3; i++)
    if (!sonde_replacement_write (replacement, "piece ", 6, error))
      return FALSE;
  return TRUE;
}

/* Piece by piece: nothing is to be seen before the end, and of what is abandoned nothing stays. */
static void
test_pieces (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  SondeReplacement *replacement;

  g_assert_true (g_file_set_contents (fixture->path, "old", 3, NULL));
  replacement = sonde_replacement_begin (NULL, fixture->path, &error);
  g_assert_true (write_pieces (replacement, &error));
  assert_content (fixture->path, "old");
  sonde_replacement_abandon (replacement);
  assert_content (fixture->path, "old");
  replacement = sonde_replacement_begin (NULL, fixture->path, &error);
  g_assert_true (write_pieces (replacement, &error));
  g_assert_true (sonde_replacement_finish (replacement, &error));
  g_assert_no_error (error);
  assert_content (fixture->path, "piece piece piece ");
}

static void
test_pieces_with_faults (Fixture *fixture, gconstpointer data)
{
  gboolean done = FALSE;

  for (guint k = 1; !done; k++)
    {
      g_autoptr (GError) error = NULL;
      SondeReplacement *replacement;
      FaultyIo io;

      g_assert_cmpuint (k, <, 100);
      g_assert_true (g_file_set_contents (fixture->path, "old", 3, NULL));
      faulty_io_init (&io);
      io.fail_call = k;
      io.fail_errno = ENOSPC;
      replacement = sonde_replacement_begin (&io.io, fixture->path, &error);
      if (replacement != NULL && write_pieces (replacement, &error))
        done = sonde_replacement_finish (replacement, &error);
      else
        sonde_replacement_abandon (replacement);
      g_assert_true (done == (error == NULL));
      if (!done && strstr (error->message, "the folder") == NULL)
        assert_content (fixture->path, "old");
      g_assert_cmpuint (io.n_open, ==, 0);
    }
  assert_content (fixture->path, "piece piece piece ");
}

static void
test_replace_unwritable (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (fixture->folder, "missing", "file", NULL);

  g_assert_false (sonde_io_replace_file (NULL, path, "x", 1, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
}

static void
test_make_directories (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *inner = g_build_filename (fixture->folder, "a", NULL);
  g_autofree char *path = g_build_filename (inner, "b//", NULL);
  g_autofree char *beneath_file = g_build_filename (fixture->path, "c", NULL);

  for (int i = 0; i < 2; i++)
    {
      g_assert_true (sonde_io_make_directories (NULL, path, &error));
      g_assert_no_error (error);
      g_assert_true (g_file_test (path, G_FILE_TEST_IS_DIR));
    }
  g_assert_true (g_file_set_contents (fixture->path, "", 0, NULL));
  g_assert_false (sonde_io_make_directories (NULL, beneath_file, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
  g_assert_nonnull (strstr (error->message, fixture->path));

  g_assert_cmpint (g_rmdir (path), ==, 0);
  g_assert_cmpint (g_rmdir (inner), ==, 0);
}

static void
test_pread_bounds (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  char room[8];
  int fd;

  g_assert_true (g_file_set_contents (fixture->path, "abc", 3, NULL));
  fd = sonde_io_open_regular (NULL, fixture->path, NULL, &error);
  g_assert_cmpint (sonde_io_pread_full (NULL, fd, "f", room, 8, 1, &error), ==, 2);
  g_assert_cmpint (sonde_io_pread_full (NULL, fd, "f", room, 8, 100, &error), ==, 0);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_io_pread_full (NULL, fd, "f", room, 8, G_MAXUINT64, &error), ==, -1);
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
  sonde_io_close (NULL, fd);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*run) (Fixture *, gconstpointer);
  } tests[] = {
    { "/data/base/io/read-missing", test_read_missing },
    { "/data/base/io/refuse-special", test_refuse_special },
    { "/data/base/io/read-limit", test_read_limit },
    { "/data/base/io/short-and-interrupted", test_short_and_interrupted },
    { "/data/base/io/replace-in-place", test_replace_in_place },
    { "/data/base/io/partial-write", test_partial_write },
    { "/data/base/io/replace-with-faults", test_replace_with_faults },
    { "/data/base/io/pieces", test_pieces },
    { "/data/base/io/pieces-with-faults", test_pieces_with_faults },
    { "/data/base/io/replace-unwritable", test_replace_unwritable },
    { "/data/base/io/make-directories", test_make_directories },
    { "/data/base/io/pread-bounds", test_pread_bounds },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].run, tear_down);
  return g_test_run ();
}
