/* SPDX-License-Identifier: Apache-2.0
 * Tensors in other files: what is read, and what is refused before a byte is read. And the same
 * load with every file call failing once. */
#include "tests/data/models/wire-builder.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

typedef struct
{
  char *folder, *model, *weights;
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  const float floats[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  g_autofree char *outer = g_dir_make_tmp ("sonde-external-XXXXXX", NULL);
  g_autofree char *foreign = g_build_filename (outer, "foreign.bin", NULL);

  fixture->folder = g_build_filename (outer, "model", NULL);
  fixture->model = g_build_filename (fixture->folder, "m.onnx", NULL);
  fixture->weights = g_build_filename (fixture->folder, "w.bin", NULL);
  g_assert_cmpint (g_mkdir (fixture->folder, 0700), ==, 0);
  g_assert_true (
      g_file_set_contents (fixture->weights, (const char *) floats, sizeof floats, NULL));
  g_assert_true (g_file_set_contents (foreign, (const char *) floats, sizeof floats, NULL));
}

static void
remove_all (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = NULL;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        remove_all (path);
      else
        g_unlink (path);
    }
  g_rmdir (folder);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *outer = g_path_get_dirname (fixture->folder);

  remove_all (outer);
  g_free (fixture->folder);
  g_free (fixture->model);
  g_free (fixture->weights);
}

/* A float32 tensor of @n elements; pairs of key and value follow, to NULL. */
static GByteArray *
external_tensor (const char *name, gint64 n, va_list entries)
{
  GByteArray *tensor = wire_tensor (name, 1, 1, &n);

  for (const char *key = va_arg (entries, const char *); key != NULL;
       key = va_arg (entries, const char *))
    {
      GByteArray *entry = wire_new ();

      wire_text (entry, 1, key);
      wire_text (entry, 2, va_arg (entries, const char *));
      wire_take (tensor, 13, entry);
    }
  wire_int (tensor, 14, 1);
  return tensor;
}

static void
write_model (Fixture *fixture, GByteArray *graph)
{
  GByteArray *model = wire_model (graph);

  g_assert_true (
      g_file_set_contents (fixture->model, (const char *) model->data, model->len, NULL));
  g_byte_array_unref (model);
}

static SondeGraph *
load (Fixture *fixture, GError **error, gint64 n, ...)
{
  GByteArray *graph = wire_new ();
  va_list entries;

  va_start (entries, n);
  wire_take (graph, 5, external_tensor ("w", n, entries));
  va_end (entries);
  write_model (fixture, graph);
  return sonde_model_load (NULL, fixture->model, error);
}

#define assert_refused(fixture, wanted_code, part, ...)                                            \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autoptr (GError) refused_error = NULL;                                                       \
    g_assert_null (load (fixture, &refused_error, __VA_ARGS__, NULL));                             \
    g_assert_error (refused_error, SONDE_DATA_ERROR, wanted_code);                                 \
    if (strstr (refused_error->message, part) == NULL                                              \
        || strstr (refused_error->message, "tensor “w”") == NULL)                                  \
      g_error ("“%s” is not in: %s", part, refused_error->message);                                \
  }                                                                                                \
  G_STMT_END

#define assert_first(fixture, number, ...)                                                         \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autoptr (GError) first_error = NULL;                                                         \
    g_autoptr (SondeGraph) first_graph = load (fixture, &first_error, __VA_ARGS__, NULL);          \
    g_assert_no_error (first_error);                                                               \
    g_assert_cmpfloat (                                                                            \
        sonde_tensor_get_double (                                                                  \
            sonde_value_get_tensor (sonde_graph_find_value (first_graph, "w")->constant), 0),      \
        ==, number);                                                                               \
  }                                                                                                \
  G_STMT_END

static void
test_good (Fixture *fixture, gconstpointer data)
{
  assert_first (fixture, 1, (gint64) 8, "location", "w.bin");
  assert_first (fixture, 1, (gint64) 2, "location", "w.bin");
  assert_first (fixture, 3, (gint64) 2, "location", "w.bin", "offset", "8");
  assert_first (fixture, 3, (gint64) 2, "location", "w.bin", "offset", "8", "length", "8");
  assert_first (fixture, 3, (gint64) 2, "length", "8", "offset", "0008", "location", "./w.bin");
  assert_first (fixture, 8, (gint64) 1, "location", "w.bin", "offset", "28");
  /* not a multiple of the element's size: read by bytes */
  g_assert_true (g_file_set_contents (fixture->weights, "x\0\0\0@", 5, NULL));
  assert_first (fixture, 2, (gint64) 1, "location", "w.bin", "offset", "1");
}

/* Keys of other tools are not obeyed; those that name places are read once. */
static void
test_keys (Fixture *fixture, gconstpointer data)
{
  assert_first (fixture, 1, (gint64) 2, "location", "w.bin", "basepath", "/etc", "__class__", "x",
                "checksum", "00");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "“location” twice", (gint64) 2, "location",
                  "w.bin", "location", "w.bin");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "“offset” twice", (gint64) 2, "location",
                  "w.bin", "offset", "0", "offset", "0");
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "no location", (gint64) 2, "offset", "0");
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "no location", (gint64) 2, "location", "");
}

static void
test_numbers (Fixture *fixture, gconstpointer data)
{
  static const char *const bad[] = {
    "-1",
    "+1",
    " 1",
    "1 ",
    "0x10",
    "1e3",
    "",
    "1.0",
    "18446744073709551616",
    "9223372036854775808",
    "1111111111111111111111111111111111111111",
    "１",
  };

  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "offset is", (gint64) 2, "location",
                      "w.bin", "offset", bad[i]);
      assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "length is", (gint64) 2, "location",
                      "w.bin", "length", bad[i]);
    }
}

static void
test_sizes (Fixture *fixture, gconstpointer data)
{
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "36 bytes at offset 0 go past the 32",
                  (gint64) 9, "location", "w.bin");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "go past", (gint64) 1, "location", "w.bin",
                  "offset", "29");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "go past", (gint64) 1, "location", "w.bin",
                  "offset", "32");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "go past", (gint64) 1, "location", "w.bin",
                  "offset", "9223372036854775807");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "go past", (gint64) 1, "location", "w.bin",
                  "offset", "8", "length", "9223372036854775807");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "needs 8 bytes, but length is 4", (gint64) 2,
                  "location", "w.bin", "length", "4");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "go past", (gint64) 1 << 38, "location",
                  "w.bin");
  assert_refused (fixture, SONDE_DATA_ERROR_DAMAGED, "needs 8 bytes, but length is 0", (gint64) 2,
                  "location", "w.bin", "length", "0");
}

static void
test_paths (Fixture *fixture, gconstpointer data)
{
  static const char *const outside[] = {
    "../foreign.bin", "x/../../foreign.bin", "/etc/passwd", "//etc/passwd", ".", "./",
  };
  g_autofree char *inside = g_build_filename (fixture->folder, "x", NULL);

  g_assert_cmpint (g_mkdir (inside, 0700), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (outside); i++)
    assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "is not opened", (gint64) 2, "location",
                    outside[i]);
  assert_refused (fixture, SONDE_DATA_ERROR_NOT_FOUND, "none.bin", (gint64) 2, "location",
                  "none.bin");
  assert_refused (fixture, SONDE_DATA_ERROR_NOT_FOUND, "file:", (gint64) 2, "location",
                  "file:///etc/passwd");
}

static void
test_links (Fixture *fixture, gconstpointer data)
{
  g_autofree char *symlink_path = g_build_filename (fixture->folder, "symbolic.bin", NULL);
  g_autofree char *hard = g_build_filename (fixture->folder, "hard.bin", NULL);
  g_autofree char *fifo = g_build_filename (fixture->folder, "fifo", NULL);
  g_autofree char *folder = g_build_filename (fixture->folder, "folder", NULL);

  g_assert_cmpint (symlink ("../foreign.bin", symlink_path), ==, 0);
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "symbolic.bin", (gint64) 2, "location",
                  "symbolic.bin");
  g_assert_cmpint (symlink (".", folder), ==, 0);
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "folder", (gint64) 2, "location",
                  "folder/w.bin");
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "fifo", (gint64) 2, "location", "fifo");
  g_assert_cmpint (link (fixture->weights, hard), ==, 0);
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "hard", (gint64) 2, "location", "w.bin");
}

/* Places of other systems are names like any other; bytes behind a NUL are not overlooked. */
static void
test_odd_names (Fixture *fixture, gconstpointer data)
{
  GByteArray *graph = wire_new (), *entry = wire_new (),
             *tensor = wire_tensor ("w", 1, 1, (const gint64[]){ 2 });
  g_autoptr (GError) error = NULL;

  assert_refused (fixture, SONDE_DATA_ERROR_NOT_FOUND, "~", (gint64) 2, "location", "~");
  assert_refused (fixture, SONDE_DATA_ERROR_NOT_FOUND, "C:", (gint64) 2, "location", "C:\\w.bin");
  wire_text (entry, 1, "location");
  wire_bytes (entry, 2, "w.bin\0/../../foreign.bin", 24);
  wire_take (tensor, 13, entry);
  wire_int (tensor, 14, 1);
  wire_take (graph, 5, tensor);
  write_model (fixture, graph);
  g_assert_null (sonde_model_load (NULL, fixture->model, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "NUL"));
}

static void
test_no_files (Fixture *fixture, gconstpointer data)
{
  g_autofree char *inside = g_build_filename (fixture->folder, "inside", NULL);
  g_autofree char *itself = g_build_filename (fixture->folder, "itself", NULL);
  g_autofree char *place = g_build_filename (fixture->folder, "socket", NULL);
  g_autofree char *folder = g_build_filename (fixture->folder, "folder", NULL);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM, 0);

  g_assert_cmpint (symlink ("w.bin", inside), ==, 0);
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "inside", (gint64) 2, "location", "inside");
  g_assert_cmpint (symlink ("itself", itself), ==, 0);
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "itself", (gint64) 2, "location", "itself");
  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  assert_refused (fixture, SONDE_DATA_ERROR_FORBIDDEN, "folder", (gint64) 2, "location", "folder");
  g_strlcpy (address.sun_path, place, sizeof address.sun_path);
  if (bind (fd, (struct sockaddr *) &address, sizeof address) == 0)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (load (fixture, &error, (gint64) 2, "location", "socket", NULL));
      g_assert_nonnull (strstr (error->message, "socket"));
    }
  close (fd);
}

/* ---- a file that changes its place while it is opened -------------------- */

/* Before call @left the place becomes what it was not: a file of the folder, or a link out of
 * it. */
typedef struct
{
  SondeIo io;
  char *place, *good, *bad;
  gboolean is_bad;
  int left;
} SwappingIo;

static void
put (SwappingIo *swapping, gboolean bad)
{
  g_assert_cmpint (g_rename (swapping->place, swapping->is_bad ? swapping->bad : swapping->good),
                   ==, 0);
  g_assert_cmpint (g_rename (bad ? swapping->bad : swapping->good, swapping->place), ==, 0);
  swapping->is_bad = bad;
}

static void
swap_if_due (const SondeIo *io)
{
  SwappingIo *swapping = (SwappingIo *) io;

  if (swapping->left-- == 0)
    put (swapping, !swapping->is_bad);
}

static int
swapping_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  swap_if_due (io);
  return sonde_io_system ()->open (sonde_io_system (), dirfd, path, flags, mode);
}

static int
swapping_open_beneath (const SondeIo *io, int dirfd, const char *path)
{
  swap_if_due (io);
  return sonde_io_system ()->open_beneath (sonde_io_system (), dirfd, path);
}

static int
swapping_close (const SondeIo *io, int fd)
{
  swap_if_due (io);
  return sonde_io_system ()->close (sonde_io_system (), fd);
}

static ssize_t
swapping_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  swap_if_due (io);
  return sonde_io_system ()->pread (sonde_io_system (), fd, data, length, offset);
}

static ssize_t
swapping_read (const SondeIo *io, int fd, void *data, size_t length)
{
  swap_if_due (io);
  return sonde_io_system ()->read (sonde_io_system (), fd, data, length);
}

static int
swapping_stat (const SondeIo *io, int dirfd, const char *path, struct stat *result, int flags)
{
  swap_if_due (io);
  return sonde_io_system ()->stat (sonde_io_system (), dirfd, path, result, flags);
}

static int
swapping_fstat (const SondeIo *io, int fd, struct stat *result)
{
  swap_if_due (io);
  return sonde_io_system ()->fstat (sonde_io_system (), fd, result);
}

static GByteArray *
make_external (const char *name, gint64 n, ...)
{
  va_list entries;
  GByteArray *tensor = NULL;

  va_start (entries, n);
  tensor = external_tensor (name, n, entries);
  va_end (entries);
  return tensor;
}

/* One load for each call that the swap may come before, from the link and to it. */
static void
swap_at_every_call (Fixture *fixture, SwappingIo *swapping, gboolean bad_first)
{
  int n_read = 0, n_refused = 0;

  for (int k = 0;; k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) graph = NULL;

      g_assert_cmpint (k, <, 1000);
      if (swapping->is_bad != bad_first)
        put (swapping, bad_first);
      swapping->left = k;
      graph = sonde_model_load (&swapping->io, fixture->model, &error);
      if (graph != NULL)
        g_assert_cmpfloat (
            sonde_tensor_get_double (
                sonde_value_get_tensor (sonde_graph_find_value (graph, "w")->constant), 0),
            ==, 11);
      else
        g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_FORBIDDEN);
      n_read += graph != NULL;
      n_refused += graph == NULL;
      if (swapping->left >= 0) /* there was no such call */
        break;
    }
  /* Before the file is opened the swap decides, after it no more. */
  g_assert_cmpint (n_read, >, 1);
  g_assert_cmpint (n_refused, >, 1);
}

static void
test_swapped (Fixture *fixture, gconstpointer data)
{
  const float inner[] = { 11, 12 };
  g_autofree char *place = g_build_filename (fixture->folder, "place", NULL);
  g_autofree char *good = g_build_filename (fixture->folder, "good", NULL);
  g_autofree char *bad = g_build_filename (fixture->folder, "bad", NULL);
  SwappingIo swapping = { *sonde_io_system (), place, good, bad, FALSE, -1 };
  GByteArray *graph = wire_new ();

  swapping.io.open = swapping_open;
  swapping.io.open_beneath = swapping_open_beneath;
  swapping.io.close = swapping_close;
  swapping.io.pread = swapping_pread;
  swapping.io.read = swapping_read;
  swapping.io.stat = swapping_stat;
  swapping.io.fstat = swapping_fstat;
  g_assert_true (g_file_set_contents (place, (const char *) inner, sizeof inner, NULL));
  g_assert_cmpint (symlink ("../foreign.bin", bad), ==, 0);
  wire_take (graph, 5, make_external ("w", 2, "location", "place", NULL));
  write_model (fixture, graph);
  swap_at_every_call (fixture, &swapping, FALSE);
  swap_at_every_call (fixture, &swapping, TRUE);
}

/* A million tensors over the same file would be more memory than anybody has. */
static void
test_shared_file (Fixture *fixture, gconstpointer data)
{
  const gint64 megabytes = 64;
  g_autoptr (GError) error = NULL;
  GByteArray *graph = wire_new ();
  FILE *file = fopen (fixture->weights, "wb");

  g_assert_cmpint (ftruncate (fileno (file), megabytes << 20), ==, 0);
  fclose (file);
  for (int i = 0; i < 100; i++)
    {
      g_autofree char *name = g_strdup_printf ("w%d", i);
      g_autofree char *location = g_strnfill ((gsize) i + 1, '/'); /* other names, the same file */
      g_autofree char *path = g_strdup_printf (".%sw.bin", location);

      wire_take (graph, 5, make_external (name, megabytes << 18, "location", path, NULL));
    }
  write_model (fixture, graph);
  g_assert_null (sonde_model_load (NULL, fixture->model, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);
}

/* ---- faults -------------------------------------------------------------- */

typedef struct
{
  SondeIo io;
  int left; /* calls until one fails; negative: none */
  int n_calls;
} FaultyIo;

static gboolean
fails_now (const SondeIo *io)
{
  FaultyIo *faulty = (FaultyIo *) io;

  faulty->n_calls++;
  if (faulty->left-- != 0)
    return FALSE;
  errno = EIO;
  return TRUE;
}

static int
faulty_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  return fails_now (io) ? -1
                        : sonde_io_system ()->open (sonde_io_system (), dirfd, path, flags, mode);
}

static int
faulty_open_beneath (const SondeIo *io, int dirfd, const char *path)
{
  return fails_now (io) ? -1 : sonde_io_system ()->open_beneath (sonde_io_system (), dirfd, path);
}

static ssize_t
faulty_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  return fails_now (io)
             ? -1
             : sonde_io_system ()->pread (sonde_io_system (), fd, data, MIN (length, 16), offset);
}

static ssize_t
faulty_read (const SondeIo *io, int fd, void *data, size_t length)
{
  return fails_now (io) ? -1
                        : sonde_io_system ()->read (sonde_io_system (), fd, data, MIN (length, 16));
}

static int
faulty_fstat (const SondeIo *io, int fd, struct stat *result)
{
  return fails_now (io) ? -1 : sonde_io_system ()->fstat (sonde_io_system (), fd, result);
}

static void
test_faults (Fixture *fixture, gconstpointer data)
{
  FaultyIo faulty = { .io = *sonde_io_system () };
  GByteArray *graph = wire_new ();
  int k = 0;

  faulty.io.open = faulty_open;
  faulty.io.open_beneath = faulty_open_beneath;
  faulty.io.pread = faulty_pread;
  faulty.io.read = faulty_read;
  faulty.io.fstat = faulty_fstat;
  wire_take (graph, 5, make_external ("w", 8, "location", "w.bin", NULL));
  write_model (fixture, graph);
  for (;; k++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeGraph) read = NULL;

      faulty.left = k;
      read = sonde_model_load (&faulty.io, fixture->model, &error);
      if (read != NULL)
        break;
      g_assert_nonnull (error);
      g_assert_cmpint (k, <, 1000);
    }
  g_assert_cmpint (k, >, 6);
}

static ssize_t
shrinking_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  struct stat status;

  /* the weights */
  if (fstat (fd, &status) == 0 && status.st_size == 8 * sizeof (float) && offset > 0)
    return 0;
  return sonde_io_system ()->pread (sonde_io_system (), fd, data, MIN (length, 16), offset);
}

static void
test_shrinks (Fixture *fixture, gconstpointer data)
{
  SondeIo io = *sonde_io_system ();
  GByteArray *graph = wire_new ();
  g_autoptr (GError) error = NULL;

  io.pread = shrinking_pread;
  wire_take (graph, 5, make_external ("w", 8, "location", "w.bin", NULL));
  write_model (fixture, graph);
  g_assert_null (sonde_model_load (&io, fixture->model, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "became shorter"));
}

/* A path without a folder is one of the current folder. */
static void
test_relative (Fixture *fixture, gconstpointer data)
{
  g_autofree char *before = g_get_current_dir ();
  g_autoptr (SondeGraph) graph = load (fixture, NULL, (gint64) 2, "location", "w.bin", NULL);
  g_autoptr (SondeGraph) again = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (graph);
  g_assert_cmpint (g_chdir (fixture->folder), ==, 0);
  again = sonde_model_load (NULL, "m.onnx", &error);
  g_assert_cmpint (g_chdir (before), ==, 0);
  g_assert_no_error (error);
}

static void
test_many_keys (Fixture *fixture, gconstpointer data)
{
  GByteArray *graph = wire_new (), *tensor = make_external ("w", 2, "location", "w.bin", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) read = NULL;

  for (int i = 0; i < 100000; i++)
    {
      GByteArray *entry = wire_new ();

      wire_text (entry, 1, "unknown");
      wire_text (entry, 2, "x");
      wire_take (tensor, 13, entry);
    }
  wire_take (graph, 5, tensor);
  write_model (fixture, graph);
  read = sonde_model_load (NULL, fixture->model, &error);
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*function) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/data/models/external/good", test_good },
    { "/data/models/external/keys", test_keys },
    { "/data/models/external/numbers", test_numbers },
    { "/data/models/external/sizes", test_sizes },
    { "/data/models/external/paths", test_paths },
    { "/data/models/external/odd-names", test_odd_names },
    { "/data/models/external/no-files", test_no_files },
    { "/data/models/external/swapped", test_swapped },
    { "/data/models/external/shrinks", test_shrinks },
    { "/data/models/external/relative", test_relative },
    { "/data/models/external/many-keys", test_many_keys },
    { "/data/models/external/links", test_links },
    { "/data/models/external/shared-file", test_shared_file },
    { "/data/models/external/faults", test_faults },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, fixture_set_up, tests[i].function, fixture_tear_down);
  return g_test_run ();
}
