/* SPDX-License-Identifier: Apache-2.0
 * `sonde export --to npy|png`: one file a record, RUN/TAG/step-N.EXT, and index.json that says what
 * each is. */
#include <string.h>

#include "app/cli/sonde-cli-export-private.h"
#include "app/cli/sonde-cli-table.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/images/sonde-image-decoder.h"
#include "data/images/sonde-png.h"

/* ---- names --------------------------------------------------------------- */

/* Parts of a tag become folders; what a file name should not hold becomes “_”, and no part can be
 * empty, hidden, or climb out of the folder. */
static char *
make_safe (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);
  GString *path = g_string_new (NULL);

  for (gsize i = 0; parts[i] != NULL; i++)
    {
      g_autofree char *part = g_strndup (parts[i], 100);

      for (char *p = part; *p != '\0'; p++)
        if (!g_ascii_isalnum (*p) && strchr ("._-+=@", *p) == NULL)
          *p = '_';
      g_string_append_printf (path, "%s%s%s", i > 0 ? "/" : "",
                              *part == '.' || *part == '\0' ? "_" : "", part);
    }
  return g_string_free (path, FALSE);
}

/* A name below the folder that no other record has. @index: ≥ 0 for one of several of a step */
static char *
make_file_name (SondeExport *job, const SondeRecord *record, int index, const char *suffix,
                const char *extension)
{
  g_autofree char *run
      = g_str_equal (job->run_name, ".") ? g_strdup ("run") : make_safe (job->run_name);
  g_autofree char *tag
      = make_safe (record->tag != NULL ? record->tag : sonde_record_kind_name (record->kind));
  g_autofree char *number = index >= 0 ? g_strdup_printf ("-%d", index) : g_strdup ("");
  g_autofree char *stem = g_strdup_printf ("%s/%s/step-%08" G_GINT64_FORMAT "%s%s", run, tag,
                                           record->step, number, suffix);
  char *name = g_strconcat (stem, extension, NULL);

  for (guint i = 2; g_hash_table_contains (job->files, name); i++)
    {
      g_free (name);
      name = g_strdup_printf ("%s.%u%s", stem, i, extension);
    }
  g_hash_table_add (job->files, g_strdup (name));
  return name;
}

/* ---- index.json ---------------------------------------------------------- */

static gboolean
files_begin (SondeExport *job, GError **error)
{
  job->first_item = TRUE;
  if (!sonde_export_text_open (&job->text, job->folder, "index.json", error))
    return FALSE;
  g_string_append (job->text.buffer, "{\"files\":[");
  return TRUE;
}

static gboolean
files_end (SondeExport *job, GError **error)
{
  g_string_append (job->text.buffer, "]}\n");
  return sonde_export_text_close (&job->text, error);
}

static void
add_to_index (SondeExport *job, const SondeRecord *record, const char *name, const char *what)
{
  GString *out = job->text.buffer;

  g_string_append (out, job->first_item ? "\n{\"file\":" : ",\n{\"file\":");
  sonde_export_append_json (out, name);
  g_string_append (out, ",\"run\":");
  sonde_export_append_json (out, job->run_name);
  g_string_append (out, ",\"tag\":");
  sonde_export_append_json (out, record->tag);
  g_string_append_printf (
      out, ",\"kind\":\"%s\",\"what\":\"%s\",\"step\":%" PRIi64 ",\"session\":%u",
      sonde_record_kind_name (record->kind), what, record->step, record->session);
  job->first_item = FALSE;
  job->n_items++;
}

static gboolean
end_index_entry (SondeExport *job, GError **error)
{
  g_string_append_c (job->text.buffer, '}');
  return sonde_export_text_drain (&job->text, error);
}

/* Path of the file, its folder made. */
static char *
prepare_file (SondeExport *job, const char *name, GError **error)
{
  g_autofree char *path = g_build_filename (job->folder, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  return sonde_io_make_directories (NULL, folder, error) ? g_steal_pointer (&path) : NULL;
}

/* ---- npy ----------------------------------------------------------------- */

static gboolean
write_array (SondeExport *job, const SondeRecord *record, SondeTensor *tensor, const char *what,
             const char *suffix, GError **error)
{
  g_autofree char *name = make_file_name (job, record, -1, suffix, ".npy");
  g_autofree char *path = prepare_file (job, name, error);
  g_autofree char *shape = NULL;

  if (path == NULL || !sonde_npy_write (NULL, path, tensor, error))
    return FALSE;
  add_to_index (job, record, name, what);
  g_string_append_printf (job->text.buffer, ",\"dtype\":\"%s\",\"shape\":[",
                          sonde_dtype_name (tensor->dtype));
  for (int i = 0; i < tensor->shape.rank; i++)
    g_string_append_printf (job->text.buffer, "%s%" PRIi64, i > 0 ? "," : "",
                            tensor->shape.dims[i]);
  g_string_append_c (job->text.buffer, ']');
  return TRUE;
}

/* [bins, 3] float64: left edge, right edge, count; the bins of numbers < 0 from large to small
 * magnitudes, zero, those > 0 from small to large. */
static SondeTensor *
make_histogram_array (const SondeHistogram *histogram)
{
  SondeShape shape = sonde_shape_make (2, 2 * SONDE_HISTOGRAM_N_BINS + 1, 3);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  double (*rows)[3] = (double (*)[3]) tensor->data;

  for (int bin = 0; bin < SONDE_HISTOGRAM_N_BINS; bin++)
    {
      double *negative = rows[SONDE_HISTOGRAM_N_BINS - 1 - bin],
             *positive = rows[SONDE_HISTOGRAM_N_BINS + 1 + bin];
      double lower, upper;

      sonde_histogram_bin_edges (bin, &lower, &upper);
      negative[0] = -upper;
      negative[1] = -lower;
      negative[2] = (double) histogram->negative[bin];
      positive[0] = lower;
      positive[1] = upper;
      positive[2] = (double) histogram->positive[bin];
    }
  rows[SONDE_HISTOGRAM_N_BINS][2] = (double) histogram->zero;
  return tensor;
}

/* The same of bins that another writer chose, from the least to the largest. */
static SondeTensor *
make_bins_array (const SondeBins *bins)
{
  SondeShape shape = sonde_shape_make (2, (gint64) bins->n, 3);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  double (*rows)[3] = (double (*)[3]) tensor->data;

  for (gsize i = 0; i < bins->n; i++)
    {
      rows[i][0] = bins->lefts[i];
      rows[i][1] = bins->rights[i];
      rows[i][2] = bins->counts[i];
    }
  return tensor;
}

static gboolean
npy_histogram (SondeExport *job, const SondeRecord *record, GError **error)
{
  const SondeHistogram *histogram = record->u.histogram;
  const SondeBins *bins = record->u.bins;
  g_autoptr (SondeTensor) tensor = NULL;

  if (histogram == NULL && bins == NULL)
    return TRUE;
  tensor = bins != NULL ? make_bins_array (bins) : make_histogram_array (histogram);
  if (!write_array (job, record, tensor, "left edge, right edge, count", "", error))
    return FALSE;
  g_string_append_printf (
      job->text.buffer, ",\"nan\":%" PRIu64 ",\"pos_inf\":%" PRIu64 ",\"neg_inf\":%" PRIu64,
      bins != NULL ? bins->nan : histogram->nan, bins != NULL ? bins->pos_inf : histogram->pos_inf,
      bins != NULL ? bins->neg_inf : histogram->neg_inf);
  return end_index_entry (job, error);
}

static gboolean
npy_tensor (SondeExport *job, const SondeRecord *record, GError **error)
{
  return record->u.tensor == NULL
         || (write_array (job, record, record->u.tensor, "tensor", "", error)
             && end_index_entry (job, error));
}

/* Several arrays of one record: @suffix tells them apart. Nothing for NULL. */
static gboolean
write_part (SondeExport *job, const SondeRecord *record, SondeTensor *tensor, const char *what,
            const char *suffix, GError **error)
{
  return tensor == NULL || tensor->dtype == SONDE_DTYPE_STRING
         || (write_array (job, record, tensor, what, suffix, error)
             && end_index_entry (job, error));
}

static gboolean
npy_pr_curve (SondeExport *job, const SondeRecord *record, GError **error)
{
  return write_part (
      job, record, record->u.pr_curve.rows,
      "true positives, false positives, true negatives, false negatives, precision, recall", "",
      error);
}

static gboolean
npy_embedding (SondeExport *job, const SondeRecord *record, GError **error)
{
  return write_part (job, record, record->u.embedding.points, "points", "", error);
}

static gboolean
npy_landscape (SondeExport *job, const SondeRecord *record, GError **error)
{
  return write_part (job, record, record->u.landscape.x, "x", "-x", error)
         && write_part (job, record, record->u.landscape.y, "y", "-y", error)
         && write_part (job, record, record->u.landscape.z, "loss", "-z", error)
         && write_part (job, record, record->u.landscape.path_x, "x of the path", "-path-x", error)
         && write_part (job, record, record->u.landscape.path_y, "y of the path", "-path-y", error)
         && write_part (job, record, record->u.landscape.path_z, "loss of the path", "-path-z",
                        error);
}

static gboolean
npy_mesh (SondeExport *job, const SondeRecord *record, GError **error)
{
  return write_part (job, record, record->u.mesh.values, "mesh", "", error);
}

static gboolean
npy_other (SondeExport *job, const SondeRecord *record, GError **error)
{
  return write_part (job, record, record->u.other.tensor, "tensor", "", error);
}

static gboolean
npy_saliency (SondeExport *job, const SondeRecord *record, GError **error)
{
  g_autofree char *target
      = make_safe (record->u.saliency.target_is != NULL ? record->u.saliency.target_is : "map");
  g_autofree char *suffix = g_strconcat ("-", target, NULL);

  if (record->u.saliency.map == NULL)
    return TRUE;
  if (!write_array (job, record, record->u.saliency.map, "map", suffix, error))
    return FALSE;
  g_string_append_printf (job->text.buffer,
                          ",\"target\":%d,\"target_is\":", record->u.saliency.target);
  sonde_export_append_json (job->text.buffer, record->u.saliency.target_is);
  g_string_append (job->text.buffer, ",\"method\":");
  sonde_export_append_json (job->text.buffer, record->u.saliency.method);
  g_string_append (job->text.buffer, ",\"sample\":");
  sonde_export_append_json (job->text.buffer, record->u.saliency.note.sample);
  return end_index_entry (job, error);
}

static const struct
{
  SondeRecordKind kind;
  gboolean (*write) (SondeExport *job, const SondeRecord *record, GError **error);
} npy_kinds[] = {
  { SONDE_RECORD_HISTOGRAM, npy_histogram }, { SONDE_RECORD_TENSOR, npy_tensor },
  { SONDE_RECORD_SALIENCY, npy_saliency },   { SONDE_RECORD_PR_CURVE, npy_pr_curve },
  { SONDE_RECORD_EMBEDDING, npy_embedding }, { SONDE_RECORD_LANDSCAPE, npy_landscape },
  { SONDE_RECORD_MESH, npy_mesh },           { SONDE_RECORD_OTHER, npy_other },
};

static gboolean
npy_record (SondeExport *job, const SondeRecord *record, GError **error)
{
  for (gsize i = 0; i < G_N_ELEMENTS (npy_kinds); i++)
    if (npy_kinds[i].kind == record->kind)
      return npy_kinds[i].write (job, record, error);
  return TRUE;
}

const SondeExportTarget sonde_export_npy = {
  .name = "npy",
  .begin = files_begin,
  .record = npy_record,
  .end = files_end,
};

/* ---- png ----------------------------------------------------------------- */

/* PNG as it is; other images are decoded (in the helper) and encoded. NULL without @error: the
 * image cannot be read. */
static GBytes *
make_png (SondeExport *job, GBytes *encoded, const char *name)
{
  g_autoptr (SondeImage) image = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *message = NULL;
  gsize size;
  const guint8 *bytes = g_bytes_get_data (encoded, &size);

  if (size >= 8 && memcmp (bytes, "\x89PNG\r\n\x1a\n", 8) == 0)
    return g_bytes_ref (encoded);
  if (job->decoder == NULL)
    {
      g_autofree char *program = sonde_cli_dup_program ();
      const char *arguments[] = { program, "image-helper", NULL };

      job->decoder = sonde_image_decoder_new (arguments);
    }
  image = sonde_image_decoder_decode (job->decoder, encoded, name, &error);
  if (image != NULL)
    return sonde_png_encode (image);
  message = sonde_cli_make_printable_lines (error->message);
  g_printerr ("sonde export: %s\n", message);
  return NULL;
}

static gboolean
png_record (SondeExport *job, const SondeRecord *record, GError **error)
{
  g_autofree char *name = NULL, *path = NULL;
  g_autoptr (GBytes) png = NULL;

  if (record->kind != SONDE_RECORD_IMAGE || record->u.image.encoded == NULL)
    return TRUE;
  name = make_file_name (job, record, record->u.image.index, "", ".png");
  png = make_png (job, record->u.image.encoded, name);
  if (png == NULL)
    return TRUE;
  path = prepare_file (job, name, error);
  if (path == NULL
      || !sonde_io_replace_file (NULL, path, g_bytes_get_data (png, NULL), g_bytes_get_size (png),
                                 error))
    return FALSE;
  add_to_index (job, record, name, "image");
  g_string_append (job->text.buffer, ",\"sample\":");
  sonde_export_append_json (job->text.buffer, record->u.image.note.sample);
  g_string_append_printf (job->text.buffer, ",\"label\":%d,\"predicted\":%d",
                          record->u.image.note.label, record->u.image.note.predicted);
  return end_index_entry (job, error);
}

const SondeExportTarget sonde_export_png = {
  .name = "png",
  .begin = files_begin,
  .record = png_record,
  .end = files_end,
};
