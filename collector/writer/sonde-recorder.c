/* SPDX-License-Identifier: Apache-2.0
 * The public interface on the summary writer: plain C in, records out. */
#include "collector/writer/sonde-recorder.h"

#include <math.h>
#include <string.h>

#include "collector/writer/sonde-summary-writer-private.h"
#include "data/base/sonde-error.h"
#include "data/sound/sonde-wav.h"
#include "data/values/sonde-statistics.h"

struct _SondeRecorder
{
  SondeSummaryWriter *writer;
};

int
sonde_recorder_version (void)
{
  return SONDE_RECORDER_VERSION;
}

/* ---- open and close ------------------------------------------------------ */

/* Returns 0 for no error. */
static int
report (GError *error, char **text)
{
  if (error == NULL)
    return 0;
  if (text != NULL)
    *text = g_strdup (error->message);
  g_error_free (error);
  return 1;
}

SondeRecorder *
sonde_recorder_open (const char *run, const SondeRecorderOptions *options, char **error)
{
  const SondeRecorderOptions defaults = { 0 };
  SondeSummaryWriterOptions writer_options = { 0 };
  SondeSummaryWriter *writer = NULL;
  GError *reason = NULL;
  SondeRecorder *recorder;

  if (error != NULL)
    *error = NULL;
  if (options == NULL)
    options = &defaults;
  writer_options.program = options->program;
  writer_options.queue_bytes = options->queue_bytes;
  writer_options.fsync_ns = options->fsync_ns;
  writer_options.warn = options->warn;
  writer_options.warn_data = options->warn_data;
  if (options->format != NULL
      && !sonde_summary_format_from_name (options->format, &writer_options.format))
    sonde_set_error (&reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                     "Unknown record format “%s”: use sonde, tensorboard or mindspore.",
                     options->format);
  else
    writer = sonde_summary_writer_open (run, &writer_options, &reason);
  if (writer == NULL)
    {
      report (reason, error);
      return NULL;
    }
  recorder = g_new (SondeRecorder, 1);
  recorder->writer = writer;
  return recorder;
}

int
sonde_recorder_close (SondeRecorder *recorder, char **error)
{
  GError *reason = NULL;

  if (error != NULL)
    *error = NULL;
  if (recorder == NULL)
    return 0;
  sonde_summary_writer_close (recorder->writer, &reason);
  g_free (recorder);
  return report (reason, error);
}

void
sonde_recorder_free_text (char *text)
{
  g_free (text);
}

void
sonde_recorder_flush (SondeRecorder *recorder)
{
  sonde_summary_writer_flush (recorder->writer);
}

int
sonde_recorder_sync (SondeRecorder *recorder, char **error)
{
  GError *reason = NULL;

  if (error != NULL)
    *error = NULL;
  sonde_summary_writer_sync (recorder->writer, &reason);
  return report (reason, error);
}

const char *
sonde_recorder_get_path (SondeRecorder *recorder)
{
  return sonde_summary_writer_get_path (recorder->writer);
}

void
sonde_recorder_get_counts (SondeRecorder *recorder, uint64_t *written, uint64_t *lost,
                           uint64_t *left_out)
{
  SondeSummaryWriterState state;

  sonde_summary_writer_get_state (recorder->writer, &state);
  if (written != NULL)
    *written = state.written_records;
  if (lost != NULL)
    *lost = state.lost_records;
  if (left_out != NULL)
    *left_out = state.left_out;
}

char *
sonde_recorder_dup_warnings (SondeRecorder *recorder)
{
  g_autoptr (GPtrArray) warnings = sonde_summary_writer_dup_warnings (recorder->writer);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < warnings->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "",
                            sonde_message_get_english (warnings->pdata[i]));
  return g_string_free (text, warnings->len == 0);
}

void
sonde_recorder_set_policy (SondeRecorder *recorder, const char *pattern, int64_t every,
                           double per_second, uint64_t reservoir)
{
  SondePolicy policy;

  sonde_policy_init (&policy, every, per_second);
  policy.reservoir = reservoir;
  sonde_summary_writer_set_policy (recorder->writer, pattern, &policy);
}

void
sonde_recorder_describe (SondeRecorder *recorder, const char *tag, const char *display_name,
                         const char *description, const char *unit, const char *group)
{
  sonde_summary_writer_describe (recorder->writer, tag, display_name, description, unit, group);
}

/* ---- scalars and values -------------------------------------------------- */

static SondeDtype
dtype_of (SondeRecorderType type)
{
  static const SondeDtype dtypes[] = {
    [SONDE_RECORDER_F64] = SONDE_DTYPE_F64,   [SONDE_RECORDER_F32] = SONDE_DTYPE_F32,
    [SONDE_RECORDER_F16] = SONDE_DTYPE_F16,   [SONDE_RECORDER_BF16] = SONDE_DTYPE_BF16,
    [SONDE_RECORDER_I8] = SONDE_DTYPE_I8,     [SONDE_RECORDER_I16] = SONDE_DTYPE_I16,
    [SONDE_RECORDER_I32] = SONDE_DTYPE_I32,   [SONDE_RECORDER_I64] = SONDE_DTYPE_I64,
    [SONDE_RECORDER_U8] = SONDE_DTYPE_U8,     [SONDE_RECORDER_U16] = SONDE_DTYPE_U16,
    [SONDE_RECORDER_U32] = SONDE_DTYPE_U32,   [SONDE_RECORDER_U64] = SONDE_DTYPE_U64,
    [SONDE_RECORDER_BOOL] = SONDE_DTYPE_BOOL,
  };

  return type >= SONDE_RECORDER_F64 && type <= SONDE_RECORDER_BOOL ? dtypes[type]
                                                                   : SONDE_DTYPE_INVALID;
}

/* Lent: the writer copies. Records with policies ask here. */
static void
add (SondeRecorder *recorder, const char *tag, gint64 step, gint64 wall_time_ns, SondeRecord record)
{
  if (!sonde_summary_writer_wants (recorder->writer, tag, step))
    return;
  record.tag = tag;
  record.step = step;
  record.wall_time_ns = wall_time_ns;
  sonde_summary_writer_add_record (recorder->writer, &record);
}

void
sonde_recorder_add_scalar (SondeRecorder *recorder, const char *tag, int64_t step, double value)
{
  sonde_summary_writer_add_scalar (recorder->writer, tag, step, value);
}

void
sonde_recorder_add_scalars (SondeRecorder *recorder, int64_t step, int64_t wall_time_ns,
                            const char *const *tags, const double *values, size_t n)
{
  SondeScalar few[16];
  g_autofree SondeScalar *many = n > G_N_ELEMENTS (few) ? g_new (SondeScalar, n) : NULL;
  SondeScalar *items = many != NULL ? many : few;
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS, .step = step, .wall_time_ns = wall_time_ns };
  gsize n_wanted = 0;

  for (gsize i = 0; i < n; i++)
    if (wall_time_ns == 0 || sonde_summary_writer_wants (recorder->writer, tags[i], step))
      items[n_wanted++] = (SondeScalar){ tags[i], values[i] };
  if (wall_time_ns == 0)
    {
      sonde_summary_writer_add_scalars (recorder->writer, step, items, n);
      return;
    }
  record.u.scalars.items = items;
  record.u.scalars.n = n_wanted;
  if (n_wanted > 0)
    sonde_summary_writer_add_record (recorder->writer, &record);
}

void
sonde_recorder_add_histogram (SondeRecorder *recorder, const char *tag, int64_t step,
                              int64_t wall_time_ns, SondeRecorderType type, const void *values,
                              size_t n)
{
  const SondeRecord record
      = { .kind = SONDE_RECORD_HISTOGRAM, .tag = tag, .step = step, .wall_time_ns = wall_time_ns };

  g_return_if_fail (dtype_of (type) != SONDE_DTYPE_INVALID);

  sonde_summary_writer_add_raw (recorder->writer, &record, dtype_of (type), values, n, 0,
                                SONDE_PIXELS_CHW);
}

void
sonde_recorder_add_bins (SondeRecorder *recorder, const char *tag, int64_t step,
                         int64_t wall_time_ns, const double *lefts, const double *rights,
                         const double *counts, size_t n, double min, double max, double sum,
                         double sum_squares)
{
  g_autoptr (SondeBins) bins = sonde_bins_new (n);

  if (bins == NULL)
    return;
  if (n > 0)
    {
      memcpy (bins->lefts, lefts, n * sizeof *lefts);
      memcpy (bins->rights, rights, n * sizeof *rights);
      memcpy (bins->counts, counts, n * sizeof *counts);
    }
  bins->count = sonde_bins_total (bins);
  bins->min = min;
  bins->max = max;
  bins->sum = sum;
  bins->sum_squares = sum_squares;
  add (recorder, tag, step, wall_time_ns,
       (SondeRecord){ .kind = SONDE_RECORD_HISTOGRAM, .u.bins = bins });
}

void
sonde_recorder_add_statistics (SondeRecorder *recorder, const char *tag, int64_t step,
                               int64_t wall_time_ns, SondeRecorderType type, const void *values,
                               size_t n)
{
  SondeRecord record = { .kind = SONDE_RECORD_STATISTICS };

  g_return_if_fail (dtype_of (type) != SONDE_DTYPE_INVALID);

  if (!sonde_summary_writer_wants (recorder->writer, tag, step))
    return;
  sonde_statistics_compute_data (dtype_of (type), values, n, &record.u.statistics);
  record.tag = tag;
  record.step = step;
  record.wall_time_ns = wall_time_ns;
  sonde_summary_writer_add_record (recorder->writer, &record);
}

/* A tensor on the caller's memory. */
static SondeTensor *
lend_tensor (SondeDtype dtype, const gint64 *dims, int rank, const void *data)
{
  SondeShape shape = { .rank = rank };

  memcpy (shape.dims, dims, (gsize) rank * sizeof *dims);
  return sonde_tensor_new_take (dtype, &shape, (void *) data, NULL, NULL);
}

void
sonde_recorder_add_tensor (SondeRecorder *recorder, const char *tag, int64_t step,
                           int64_t wall_time_ns, SondeRecorderType type, const int64_t *dims,
                           int rank, const void *data)
{
  g_autoptr (SondeTensor) tensor = NULL;

  g_return_if_fail (dtype_of (type) != SONDE_DTYPE_INVALID && rank >= 0 && rank <= SONDE_MAX_RANK);

  tensor = lend_tensor (dtype_of (type), dims, rank, data);
  add (recorder, tag, step, wall_time_ns,
       (SondeRecord){ .kind = SONDE_RECORD_TENSOR, .u.tensor = tensor });
}

/* ---- pictures and sound -------------------------------------------------- */

static SondeRecord
lend_image (const char *tag, gint64 step, gint64 wall_time_ns, int index, int height, int width)
{
  SondeRecord record
      = { .kind = SONDE_RECORD_IMAGE, .tag = tag, .step = step, .wall_time_ns = wall_time_ns };

  record.u.image.index = index;
  record.u.image.height = height;
  record.u.image.width = width;
  record.u.image.note = (SondeSampleNote){
    .label = -1, .predicted = -1, .label_probability = NAN, .predicted_probability = NAN
  };
  return record;
}

int
sonde_recorder_add_image (SondeRecorder *recorder, const char *tag, int64_t step,
                          int64_t wall_time_ns, int index, SondeRecorderType type,
                          const void *pixels, int channels, int height, int width,
                          int channels_last)
{
  const SondeRecord record = lend_image (tag, step, wall_time_ns, index, height, width);

  if ((channels != 1 && channels != 3 && channels != 4) || width < 1 || width > 16384 || height < 1
      || height > 16384 || index < 0 || dtype_of (type) == SONDE_DTYPE_INVALID)
    return 1;
  sonde_summary_writer_add_raw (recorder->writer, &record, dtype_of (type), pixels,
                                (gsize) channels * (gsize) height * (gsize) width, channels,
                                channels_last ? SONDE_PIXELS_HWC : SONDE_PIXELS_CHW);
  return 0;
}

void
sonde_recorder_add_encoded_image (SondeRecorder *recorder, const char *tag, int64_t step,
                                  int64_t wall_time_ns, int index, const void *data, size_t length,
                                  int height, int width)
{
  SondeRecord record = lend_image (tag, step, wall_time_ns, index, height, width);
  g_autoptr (GBytes) bytes = g_bytes_new (data, length);

  record.u.image.encoded = bytes;
  add (recorder, tag, step, wall_time_ns, record);
}

int
sonde_recorder_add_audio (SondeRecorder *recorder, const char *tag, int64_t step,
                          int64_t wall_time_ns, const float *samples, size_t n_frames,
                          int n_channels, int rate)
{
  SondeRecord record = { .kind = SONDE_RECORD_AUDIO };
  g_autoptr (GBytes) wav = NULL;

  if (n_channels <= 0 || n_channels >= 65536 || rate <= 0
      || n_frames >= G_MAXINT32 / 2 / (gsize) n_channels)
    return 1;
  wav = sonde_wav_make (samples, n_frames, n_channels, rate);
  record.u.audio.encoded = wav;
  record.u.audio.sample_rate = rate;
  record.u.audio.n_frames = (gint64) n_frames;
  record.u.audio.n_channels = n_channels;
  record.u.audio.content_type = (char *) "audio/wav";
  add (recorder, tag, step, wall_time_ns, record);
  return 0;
}

/* ---- text, graphs, facts ------------------------------------------------- */

void
sonde_recorder_add_text (SondeRecorder *recorder, const char *tag, int64_t step,
                         int64_t wall_time_ns, const char *text)
{
  add (recorder, tag, step, wall_time_ns,
       (SondeRecord){ .kind = SONDE_RECORD_TEXT, .u.text = (char *) text });
}

static SondeTensor *
make_strings (const char *const *cells, gsize rows, gsize columns)
{
  const SondeShape shape = { .rank = 2, .dims = { (gint64) rows, (gint64) columns } };

  return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, cells);
}

void
sonde_recorder_add_table (SondeRecorder *recorder, const char *tag, int64_t step,
                          int64_t wall_time_ns, const char *const *cells, size_t rows,
                          size_t columns)
{
  g_autoptr (SondeTensor) table = make_strings (cells, rows, columns);
  g_autoptr (GString) text = g_string_new (NULL);
  SondeRecord record = { .kind = SONDE_RECORD_TEXT };

  for (gsize i = 0; i < rows * columns; i++)
    {
      g_string_append (text, cells[i]);
      if (i + 1 < rows * columns)
        g_string_append_c (text, (i + 1) % columns == 0 ? '\n' : '\t');
    }
  record.u.text = text->str;
  record.u.cells = table;
  add (recorder, tag, step, wall_time_ns, record);
}

void
sonde_recorder_add_graph (SondeRecorder *recorder, const char *tag, int64_t step,
                          int64_t wall_time_ns, const void *model, size_t length)
{
  g_autoptr (GBytes) bytes = g_bytes_new (model, length);

  add (recorder, tag, step, wall_time_ns,
       (SondeRecord){ .kind = SONDE_RECORD_GRAPH, .u.graph.model = bytes });
}

int
sonde_recorder_add_plain_graph (SondeRecorder *recorder, const char *tag, int64_t step,
                                int64_t wall_time_ns, const void *graph, size_t length,
                                char **error)
{
  GError *reason = NULL;
  g_autoptr (SondeGraph) parsed = sonde_record_parse_graph (graph, length, &reason);

  if (error != NULL)
    *error = NULL;
  if (parsed != NULL)
    add (recorder, tag, step, wall_time_ns,
         (SondeRecord){ .kind = SONDE_RECORD_GRAPH, .u.graph.graph = parsed });
  return report (reason, error);
}

/* Lends the strings. (transfer container) */
static SondeHparam *
lend_items (const char *const *keys, const char *const *texts, const SondeRecorderItemType *types,
            gsize n)
{
  SondeHparam *items = g_new (SondeHparam, n);

  for (gsize i = 0; i < n; i++)
    items[i] = (SondeHparam){ (char *) keys[i], (char *) (texts != NULL ? texts[i] : ""),
                              types != NULL && types[i] <= SONDE_RECORDER_TRUTH
                                  ? (SondeHparamType) types[i]
                                  : SONDE_HPARAM_TEXT };
  return items;
}

void
sonde_recorder_add_hparams (SondeRecorder *recorder, int64_t wall_time_ns, const char *const *keys,
                            const char *const *texts, const SondeRecorderItemType *types, size_t n,
                            const char *group)
{
  g_autofree SondeHparam *items = lend_items (keys, texts, types, n);
  SondeRecord record
      = { .kind = SONDE_RECORD_HPARAMS, .tag = "hparams", .wall_time_ns = wall_time_ns };

  record.u.hparams.items = items;
  record.u.hparams.n = n;
  record.u.hparams.time = NAN;
  record.u.hparams.group = (char *) group;
  sonde_summary_writer_add_record (recorder->writer, &record);
}

void
sonde_recorder_add_experiment (SondeRecorder *recorder, int64_t wall_time_ns,
                               const char *const *keys, const SondeRecorderItemType *types,
                               size_t n, const char *const *metrics, size_t n_metrics)
{
  g_autofree SondeHparam *items = lend_items (keys, NULL, types, n);
  g_autofree SondeHparam *judges = lend_items (metrics, NULL, NULL, n_metrics);
  SondeRecord record
      = { .kind = SONDE_RECORD_HPARAMS, .tag = "hparams", .wall_time_ns = wall_time_ns };

  record.u.hparams.part = SONDE_HPARAMS_EXPERIMENT;
  record.u.hparams.items = items;
  record.u.hparams.n = n;
  record.u.hparams.metrics = judges;
  record.u.hparams.n_metrics = n_metrics;
  record.u.hparams.time = NAN;
  sonde_summary_writer_add_record (recorder->writer, &record);
}

void
sonde_recorder_add_lineage (SondeRecorder *recorder, const char *part, int64_t wall_time_ns,
                            const char *const *keys, const char *const *texts,
                            const SondeRecorderItemType *types, size_t n)
{
  g_autofree SondeHparam *items = lend_items (keys, texts, types, n);
  SondeRecord record
      = { .kind = SONDE_RECORD_LINEAGE, .tag = "lineage", .wall_time_ns = wall_time_ns };

  record.u.lineage.part = (char *) part;
  record.u.lineage.items = items;
  record.u.lineage.n = n;
  sonde_summary_writer_add_record (recorder->writer, &record);
}

/* ---- curves, points, charts, meshes -------------------------------------- */

int
sonde_recorder_add_pr_curve (SondeRecorder *recorder, const char *tag, int64_t step,
                             int64_t wall_time_ns, const uint8_t *labels, const float *predictions,
                             const float *weights, size_t n, uint32_t n_thresholds)
{
  g_autoptr (SondeTensor) rows = NULL;

  if (n_thresholds < 2 || n_thresholds >= 1u << 20)
    return 1;
  rows = sonde_summary_writer_make_pr_curve (labels, predictions, weights, n, n_thresholds);
  add (recorder, tag, step, wall_time_ns,
       (SondeRecord){ .kind = SONDE_RECORD_PR_CURVE, .u.pr_curve.rows = rows });
  return 0;
}

void
sonde_recorder_add_pr_rows (SondeRecorder *recorder, const char *tag, int64_t step,
                            int64_t wall_time_ns, const double *rows, size_t n)
{
  const gint64 dims[] = { 6, (gint64) n };
  g_autoptr (SondeTensor) tensor = lend_tensor (SONDE_DTYPE_F64, dims, 2, rows);

  add (recorder, tag, step, wall_time_ns,
       (SondeRecord){ .kind = SONDE_RECORD_PR_CURVE, .u.pr_curve.rows = tensor });
}

void
sonde_recorder_add_embedding (SondeRecorder *recorder, const char *tag, int64_t step,
                              int64_t wall_time_ns, const float *points, size_t n, size_t size,
                              const char *const *labels, size_t n_columns,
                              const char *const *columns, const void *sprite, size_t sprite_length,
                              int tile_width, int tile_height)
{
  const gint64 dims[] = { (gint64) n, (gint64) size };
  g_autoptr (SondeTensor) table = lend_tensor (SONDE_DTYPE_F32, dims, 2, points);
  g_autoptr (SondeTensor) texts = labels != NULL ? make_strings (labels, n, n_columns) : NULL;
  g_autoptr (GBytes) picture = sprite != NULL ? g_bytes_new (sprite, sprite_length) : NULL;
  g_autofree char **names = NULL;
  SondeRecord record = { .kind = SONDE_RECORD_EMBEDDING };

  if (labels != NULL && columns != NULL)
    {
      names = g_new0 (char *, n_columns + 1);
      memcpy (names, columns, n_columns * sizeof *names);
    }
  record.u.embedding.points = table;
  record.u.embedding.labels = texts;
  record.u.embedding.columns = names;
  record.u.embedding.sprite = picture;
  record.u.embedding.tile_width = tile_width;
  record.u.embedding.tile_height = tile_height;
  add (recorder, tag, step, wall_time_ns, record);
}

void
sonde_recorder_add_custom_scalars (SondeRecorder *recorder, int64_t wall_time_ns,
                                   const SondeRecorderChart *charts, size_t n)
{
  g_autofree SondeChartPlan *items = g_new (SondeChartPlan, n);
  SondeRecord record = { .kind = SONDE_RECORD_CUSTOM_SCALARS,
                         .tag = "custom_scalars",
                         .wall_time_ns = wall_time_ns };

  for (gsize i = 0; i < n; i++)
    items[i] = (SondeChartPlan){ (char *) charts[i].category, (char *) charts[i].title,
                                 charts[i].is_margin != 0, (char **) charts[i].tags };
  record.u.custom_scalars.items = items;
  record.u.custom_scalars.n = n;
  sonde_summary_writer_add_record (recorder->writer, &record);
}

static void
add_mesh_part (SondeRecorder *recorder, const char *name, gint64 step, gint64 wall_time_ns,
               SondeMeshPart part, const gint64 *dims, const void *data, const char *settings)
{
  static const SondeDtype dtypes[]
      = { SONDE_DTYPE_INVALID, SONDE_DTYPE_F32, SONDE_DTYPE_I32, SONDE_DTYPE_U8 };
  static const char *const endings[] = { "", "_VERTEX", "_FACE", "_COLOR" };
  g_autofree char *tag = g_strconcat (name, endings[part], NULL);
  g_autoptr (SondeTensor) values = NULL;
  SondeRecord record = { .kind = SONDE_RECORD_MESH };

  if (data == NULL)
    return;
  values = lend_tensor (dtypes[part], dims, 3, data);
  record.u.mesh.name = (char *) name;
  record.u.mesh.part = part;
  record.u.mesh.values = values;
  record.u.mesh.settings = (char *) settings;
  add (recorder, tag, step, wall_time_ns, record);
}

void
sonde_recorder_add_mesh (SondeRecorder *recorder, const char *tag, int64_t step,
                         int64_t wall_time_ns, const float *vertices, size_t batch,
                         size_t n_vertices, const uint8_t *colors, const int32_t *faces,
                         size_t n_faces, const char *settings)
{
  const gint64 of_vertices[] = { (gint64) batch, (gint64) n_vertices, 3 };
  const gint64 of_faces[] = { (gint64) batch, (gint64) n_faces, 3 };

  add_mesh_part (recorder, tag, step, wall_time_ns, SONDE_MESH_VERTEX, of_vertices, vertices,
                 settings);
  add_mesh_part (recorder, tag, step, wall_time_ns, SONDE_MESH_FACE, of_faces, faces, settings);
  add_mesh_part (recorder, tag, step, wall_time_ns, SONDE_MESH_COLOR, of_vertices, colors,
                 settings);
}
