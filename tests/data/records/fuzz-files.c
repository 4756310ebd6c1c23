/* SPDX-License-Identifier: Apache-2.0
 * Fuzz target for files that hold records in other ways than frames: gzip copies, the projector's
 * configuration with its tables, and the arrays and sounds beside them. Built by gcc it replays the
 * files named on the command line (a test); with clang -fsanitize=fuzzer -DSONDE_LIBFUZZER it is a
 * libFuzzer target (scripts/fuzz).
 *
 * First byte of the input: 0 a gzip file, 1 a configuration, points and labels with a byte 0xfe
 * between them, 2 an .npy, 3 a sound. */
#include <fcntl.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "data/sound/sonde-sound-helper-private.h"
#include "data/sound/sonde-sound-limits-private.h"
#include "data/records/sonde-record-format.h"

int LLVMFuzzerTestOneInput (const guint8 *data, size_t length);

/* ---- three files in memory: the record file itself, points, labels ------- */

#define FIRST_FD 1000
#define FOLDER_FD 1003

typedef struct
{
  const guint8 *data;
  gsize length;
} Part;

typedef struct
{
  SondeIo io;
  Part parts[3];
  gsize max_bytes;
} PartsIo;

/* Names as the configurations of the corpus have them; all others are the points. */
static int
part_of (const char *path)
{
  if (g_str_has_suffix (path, ".pbtxt") || g_str_has_suffix (path, ".gz"))
    return 0;
  return strstr (path, "m.tsv") != NULL ? 2 : 1;
}

static int
parts_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  return (flags & O_DIRECTORY) != 0 ? FOLDER_FD : FIRST_FD + part_of (path);
}

static int
parts_open_beneath (const SondeIo *io, int dirfd, const char *path)
{
  return FIRST_FD + part_of (path);
}

static int
parts_close (const SondeIo *io, int fd)
{
  return 0;
}

static int
parts_fstat (const SondeIo *io, int fd, struct stat *result)
{
  const PartsIo *files = (const PartsIo *) io;

  *result = (struct stat){ .st_mode = S_IFDIR | 0700, .st_nlink = 1 };
  if (fd == FOLDER_FD)
    return 0;
  result->st_mode = S_IFREG | 0600;
  result->st_size = (off_t) files->parts[fd - FIRST_FD].length;
  return 0;
}

static int
parts_stat (const SondeIo *io, int dirfd, const char *path, struct stat *result, int flags)
{
  return parts_fstat (io, FIRST_FD + part_of (path), result);
}

static ssize_t
parts_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  const PartsIo *files = (const PartsIo *) io;
  const Part *part = &files->parts[fd - FIRST_FD];
  gsize bytes;

  if ((gsize) offset >= part->length)
    return 0;
  bytes = MIN (MIN (length, files->max_bytes), part->length - (gsize) offset);
  memcpy (data, part->data + offset, bytes);
  return (ssize_t) bytes;
}

static void
parts_init (PartsIo *files, const guint8 *data, gsize length, gsize max_bytes)
{
  *files = (PartsIo){ .io = *sonde_io_system (), .max_bytes = max_bytes };
  files->io.open = parts_open;
  files->io.open_beneath = parts_open_beneath;
  files->io.close = parts_close;
  files->io.fstat = parts_fstat;
  files->io.stat = parts_stat;
  files->io.pread = parts_pread;
  for (guint i = 0; i < G_N_ELEMENTS (files->parts); i++)
    {
      const guint8 *end
          = i + 1 < G_N_ELEMENTS (files->parts) && length > 0 ? memchr (data, 0xfe, length) : NULL;
      gsize bytes = end != NULL ? (gsize) (end - data) : length;

      files->parts[i] = (Part){ data, bytes };
      bytes += end != NULL;
      data += bytes;
      length -= bytes;
    }
}

/* ---- reading ------------------------------------------------------------- */

/* @digest: of what was found: the same however much each read gives. */
static guint64
read_file (const SondeRecordFormat *format, const SondeIo *io, const char *path)
{
  g_autoptr (GPtrArray) damage
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  gpointer source = format->open (io, path, 0, NULL, 0, NULL);
  guint64 position = 0, n_records = 0, digest = 0;
  SondeRecordBatch batch;
  GArray *tags;

  if (source == NULL)
    return 0;
  sonde_record_batch_init (&batch);
  while (format->next (source, &batch, &position, &n_records, damage, NULL) == SONDE_FRAME_RECORD)
    digest += n_records;
  tags = format->get_tags (source);
  digest = digest * 31 + batch.n_points * 7 + batch.refs->len;
  for (guint i = 0; i < MIN (batch.refs->len, 20); i++)
    {
      SondeRecord record;

      if (!sonde_record_format_read (format, io, path,
                                     g_array_index (batch.refs, SondeRecordRef, i).place,
                                     (const SondeRecordTag *) tags->data, tags->len, &record, NULL))
        continue;
      digest = digest * 31 + sonde_record_n_bytes (&record);
      sonde_record_clear (&record);
    }
  sonde_record_batch_clear (&batch);
  format->close (source);
  return digest;
}

static void
read_whole_and_in_pieces (const SondeRecordFormat *format, const char *path, const guint8 *data,
                          gsize length, gboolean is_one)
{
  PartsIo whole, pieces;

  parts_init (&whole, data, length, G_MAXSIZE);
  parts_init (&pieces, data, length, 7);
  if (is_one)
    whole.parts[0] = pieces.parts[0] = (Part){ data, length };
  g_assert (read_file (format, &whole.io, path) == read_file (format, &pieces.io, path));
}

/* As each kind of sound, in this process and without the helper's limits. */
static void
decode_sound (const guint8 *data, gsize length)
{
  sonde_sound_load_library ();
  for (guint32 kind = SONDE_SOUND_WAV; kind <= SONDE_SOUND_OGG; kind++)
    {
      SondeHelperResult result = { 0 };

      if (!sonde_sound_decode (kind, data, length, &result, NULL))
        continue;
      g_assert (result.length
                == sizeof (float) * (gsize) result.facts[0] * (gsize) result.facts[1]);
      result.release (result.owner);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, size_t length)
{
  g_autoptr (SondeTensor) tensor = NULL;

  if (length == 0)
    return 0;
  if (data[0] == 0)
    read_whole_and_in_pieces (&sonde_record_format_tensorboard_gzip,
                              "/r/events.out.tfevents.1.h.gz", data + 1, length - 1, TRUE);
  else if (data[0] == 1)
    read_whole_and_in_pieces (&sonde_record_format_tensorboard_projector,
                              "/r/projector_config.pbtxt", data + 1, length - 1, FALSE);
  else if (data[0] == 2)
    tensor = sonde_npy_parse (data + 1, length - 1, "memory", NULL);
  else if (data[0] == 3)
    decode_sound (data + 1, length - 1);
  g_assert (tensor == NULL || sonde_tensor_n_elements (tensor) >= 0);
  return 0;
}

#ifndef SONDE_LIBFUZZER
int
main (int argc, char *argv[])
{
  g_autoptr (GDir) dir = argc == 2 ? g_dir_open (argv[1], 0, NULL) : NULL;
  const char *name;
  int n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (argv[1], name, NULL), *data = NULL;
      gsize length;

      if (!g_file_get_contents (path, &data, &length, NULL))
        continue;
      LLVMFuzzerTestOneInput ((const guint8 *) data, length);
      n++;
    }
  g_print ("1..1\n%s 1 - /data/records/fuzz-files # %d inputs\n", n > 0 ? "ok" : "not ok", n);
  return n > 0 ? 0 : 1;
}
#endif
