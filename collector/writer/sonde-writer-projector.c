/* SPDX-License-Identifier: Apache-2.0
 * TensorBoard's projector: embeddings are text files with a configuration beside the event file.
 * Source: tensorflow/tensorboard plugins/projector/projector_config.proto; torch.utils.tensorboard
 * _embedding.py. */
#include "collector/writer/sonde-summary-writer-private.h"

#include <errno.h>
#include <string.h>

#include "data/base/sonde-error.h"

#define MAX_CONFIG_BYTES ((guint64) 16 << 20)

/* ---- names --------------------------------------------------------------- */

/* "00012/encoder_layer0": relative to the run. */
static char *
folder_of (const SondeRecord *record)
{
  g_autofree char *tag = g_strdup (record->tag);

  for (char *p = tag; *p != '\0'; p++)
    if (*p == '/' || *p == '\\' || (guchar) *p < ' ')
      *p = '_';
  if (*tag == '\0' || g_str_equal (tag, ".") || g_str_equal (tag, ".."))
    return g_strdup_printf ("%05" G_GINT64_FORMAT "/embedding", record->step);
  return g_strdup_printf ("%05" G_GINT64_FORMAT "/%s", record->step, tag);
}

static gboolean
replace (const SondeIo *io, const char *run, const char *folder, const char *name, const void *data,
         gsize length, GError **error)
{
  g_autofree char *path = g_build_filename (run, folder, name, NULL);

  return sonde_io_replace_file (io, path, data, length, error);
}

/* ---- contents ------------------------------------------------------------ */

static gboolean
write_points (const SondeIo *io, const char *run, const char *folder, SondeTensor *points,
              GError **error)
{
  g_autoptr (SondeTensor) table = sonde_tensor_contiguous (points);
  g_autoptr (GString) text = g_string_new (NULL);
  const float *numbers = (const float *) (const void *) table->data;
  const gint64 columns = table->shape.dims[1];

  for (gint64 i = 0; i < sonde_tensor_n_elements (table); i++)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append (text, g_ascii_formatd (number, sizeof number, "%.9g", (double) numbers[i]));
      g_string_append_c (text, (i + 1) % columns == 0 ? '\n' : '\t');
    }
  return replace (io, run, folder, "tensors.tsv", text->str, text->len, error);
}

/* A cell ends at a tab or a line's end. */
static void
append_cell (GString *text, const char *cell)
{
  for (const char *p = cell != NULL ? cell : ""; *p != '\0'; p++)
    g_string_append_c (text, *p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p);
}

static gboolean
write_labels (const SondeIo *io, const char *run, const char *folder, SondeTensor *labels,
              char **names, GError **error)
{
  g_autoptr (SondeTensor) table = sonde_tensor_contiguous (labels);
  g_autoptr (GString) text = g_string_new (NULL);
  const char *const *cells = (const char *const *) (const void *) table->data;
  const gint64 columns = table->shape.dims[1];

  /* a single column has no header: the reader tells by the first line's tab */
  for (gint64 i = 0; columns > 1 && i < columns; i++)
    {
      append_cell (text, names != NULL ? names[i] : "label");
      g_string_append_c (text, i + 1 == columns ? '\n' : '\t');
    }
  for (gint64 i = 0; i < sonde_tensor_n_elements (table); i++)
    {
      append_cell (text, cells[i]);
      g_string_append_c (text, (i + 1) % columns == 0 ? '\n' : '\t');
    }
  return replace (io, run, folder, "metadata.tsv", text->str, text->len, error);
}

static void
append_quoted (GString *text, const char *name, const char *folder, const char *file)
{
  g_autofree char *path = file != NULL ? g_build_filename (folder, file, NULL) : g_strdup (folder);
  g_autofree char *escaped = g_strescape (path, NULL);

  g_string_append_printf (text, "  %s: \"%s\"\n", name, escaped);
}

static gboolean
write_config (const SondeIo *io, const char *run, const char *folder, const SondeRecord *record,
              GError **error)
{
  g_autofree char *path = g_build_filename (run, "projector_config.pbtxt", NULL);
  g_autoptr (GBytes) before = sonde_io_read_file (io, path, MAX_CONFIG_BYTES, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *name = g_strdup_printf ("%s:%05" G_GINT64_FORMAT, record->tag, record->step);

  if (before != NULL)
    g_string_append_len (text, g_bytes_get_data (before, NULL), (gssize) g_bytes_get_size (before));
  g_string_append (text, "embeddings {\n");
  append_quoted (text, "tensor_name", name, NULL);
  append_quoted (text, "tensor_path", folder, "tensors.tsv");
  if (record->u.embedding.labels != NULL)
    append_quoted (text, "metadata_path", folder, "metadata.tsv");
  if (record->u.embedding.sprite != NULL)
    {
      g_string_append (text, "  sprite {\n");
      append_quoted (text, "  image_path", folder, "sprite.png");
      g_string_append_printf (text, "    single_image_dim: %d\n    single_image_dim: %d\n  }\n",
                              record->u.embedding.tile_width, record->u.embedding.tile_height);
    }
  g_string_append (text, "}\n");
  return sonde_io_replace_file (io, path, text->str, text->len, error);
}

gboolean
sonde_writer_projector_write (const SondeIo *io, const char *run, const SondeRecord *record,
                              GError **error)
{
  g_autofree char *folder = folder_of (record);
  g_autofree char *path = g_build_filename (run, folder, NULL);
  GBytes *sprite = record->u.embedding.sprite;

  if (!sonde_io_make_directories (io, path, error)
      || !write_points (io, run, folder, record->u.embedding.points, error))
    return FALSE;
  if (record->u.embedding.labels != NULL
      && !write_labels (io, run, folder, record->u.embedding.labels, record->u.embedding.columns,
                        error))
    return FALSE;
  if (sprite != NULL
      && !replace (io, run, folder, "sprite.png", g_bytes_get_data (sprite, NULL),
                   g_bytes_get_size (sprite), error))
    return FALSE;
  return write_config (io, run, folder, record, error);
}
