/* SPDX-License-Identifier: Apache-2.0
 * The caller's side of the writer: adding. Nothing here touches the disk, nothing computes more
 * than it must. */
#include "collector/writer/sonde-summary-writer.h"

#include <math.h>
#include <string.h>

#include "collector/writer/sonde-summary-writer-private.h"
#include "data/sound/sonde-wav.h"

/* Mutex held. A thread that gathers is left alone until half the room is taken. */
static void
wake_thread (SondeSummaryWriter *writer)
{
  if (!writer->asleep && !(writer->lingering && writer->queue.bytes >= writer->queue.limit / 2))
    return;
  writer->asleep = writer->lingering = FALSE;
  pthread_cond_signal (&writer->wake);
}

gboolean
sonde_summary_writer_wants (SondeSummaryWriter *writer, const char *tag, gint64 step)
{
  return G_LIKELY (!sonde_policy_set_is_active (writer->policies))
         || sonde_policy_set_wants (writer->policies, writer->clock, tag, step);
}

void
sonde_summary_writer_set_policy (SondeSummaryWriter *writer, const char *pattern,
                                 const SondePolicy *policy)
{
  sonde_policy_set_add (writer->policies, pattern, policy);
}

/* Those that their policies want, into @wanted with room for @n. */
static gsize
choose_scalars (SondeSummaryWriter *writer, gint64 step, const SondeScalar *scalars, gsize n,
                SondeScalar *wanted)
{
  gsize n_wanted = 0;

  for (gsize i = 0; i < n; i++)
    if (sonde_policy_set_wants (writer->policies, writer->clock, scalars[i].tag, step))
      wanted[n_wanted++] = scalars[i];
  return n_wanted;
}

void
sonde_summary_writer_add_scalars (SondeSummaryWriter *writer, gint64 step,
                                  const SondeScalar *scalars, gsize n)
{
  gint64 wall_time_ns = sonde_clock_wall_ns (writer->clock);
  g_autofree SondeScalar *wanted = NULL;

  if (G_UNLIKELY (sonde_policy_set_is_active (writer->policies)))
    {
      wanted = g_new (SondeScalar, n);
      n = choose_scalars (writer, step, scalars, n, wanted);
      scalars = wanted;
    }
  if (n == 0)
    return;
  pthread_mutex_lock (&writer->mutex);
  sonde_writer_queue_add_scalars (&writer->queue, step, wall_time_ns, scalars, n);
  wake_thread (writer);
  pthread_mutex_unlock (&writer->mutex);
}

void
sonde_summary_writer_add_scalar (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                 double value)
{
  const SondeScalar scalar = { tag, value };

  sonde_summary_writer_add_scalars (writer, step, &scalar, 1);
}

/* Takes the content of @record, whose tag may be the caller's, and @image, @raw (nullable). */
static void
add_item (SondeSummaryWriter *writer, SondeRecord *record, SondeImage *image, SondeWriterRaw *raw)
{
  SondeWriterItem *item = g_new0 (SondeWriterItem, 1);

  item->record = *record;
  item->record.tag = g_intern_string (record->tag);
  if (item->record.wall_time_ns == 0)
    item->record.wall_time_ns = sonde_clock_wall_ns (writer->clock);
  item->image = image;
  item->raw = raw;
  item->bytes = sizeof *item + sonde_record_n_bytes (record);
  if (image != NULL)
    item->bytes += (gsize) image->width * (gsize) image->height * (gsize) image->channels;
  if (raw != NULL)
    item->bytes += sizeof *raw + raw->room;

  pthread_mutex_lock (&writer->mutex);
  sonde_writer_queue_add_item (&writer->queue, item);
  wake_thread (writer);
  pthread_mutex_unlock (&writer->mutex);
}

void
sonde_summary_writer_add_record (SondeSummaryWriter *writer, const SondeRecord *record)
{
  SondeRecord copy;

  sonde_record_copy (record, &copy);
  /* Tags of scalars are lent only for the call, and the table of the file wants them later. */
  if (copy.kind == SONDE_RECORD_SCALARS)
    for (gsize i = 0; i < copy.u.scalars.n; i++)
      copy.u.scalars.items[i].tag = g_intern_string (copy.u.scalars.items[i].tag);
  add_item (writer, &copy, NULL, NULL);
}

/* A record that lends its members, if the tag's policy wants it. */
static void
add_lent (SondeSummaryWriter *writer, const char *tag, gint64 step, SondeRecord record)
{
  if (!sonde_summary_writer_wants (writer, tag, step))
    return;
  record.tag = tag;
  record.step = step;
  sonde_summary_writer_add_record (writer, &record);
}

void
sonde_summary_writer_add_histogram (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                    const SondeHistogram *histogram)
{
  add_lent (
      writer, tag, step,
      (SondeRecord){ .kind = SONDE_RECORD_HISTOGRAM, .u.histogram = (SondeHistogram *) histogram });
}

void
sonde_summary_writer_add_statistics (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                     const SondeStatistics *statistics)
{
  add_lent (writer, tag, step,
            (SondeRecord){ .kind = SONDE_RECORD_STATISTICS, .u.statistics = *statistics });
}

void
sonde_summary_writer_add_tensor (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                 SondeTensor *tensor)
{
  add_lent (writer, tag, step, (SondeRecord){ .kind = SONDE_RECORD_TENSOR, .u.tensor = tensor });
}

static SondeRecord
lend_image (const char *tag, gint64 step, int index, int width, int height,
            const SondeSampleNote *note)
{
  SondeRecord lent = { .kind = SONDE_RECORD_IMAGE, .tag = tag, .step = step };

  lent.u.image.width = width;
  lent.u.image.height = height;
  lent.u.image.index = index;
  lent.u.image.note = note != NULL ? *note
                                   : (SondeSampleNote){ .label = -1,
                                                        .predicted = -1,
                                                        .label_probability = NAN,
                                                        .predicted_probability = NAN };
  return lent;
}

/* ---- numbers that the writing thread deals with -------------------------- */

/* A copy of @n numbers in memory that was used before, if there is some. */
static SondeWriterRaw *
copy_raw (SondeSummaryWriter *writer, SondeDtype dtype, const void *data, gsize n)
{
  const gsize bytes = n * sonde_dtype_size (dtype);
  SondeWriterRaw *raw;

  pthread_mutex_lock (&writer->mutex);
  raw = sonde_writer_pool_take (&writer->pool, bytes);
  pthread_mutex_unlock (&writer->mutex);
  if (raw == NULL)
    raw = sonde_writer_raw_new (bytes);
  raw->dtype = dtype;
  raw->n = n;
  if (n > 0)
    memcpy (raw->data, data, bytes);
  return raw;
}

/* What would fill the queue is counted by the caller's thread: the histogram is small. */
static void
add_counted (SondeSummaryWriter *writer, const SondeRecord *lent, const SondeWriterRaw *raw)
{
  SondeRecord record = *lent;
  g_autofree SondeHistogram *histogram = sonde_writer_raw_count (raw);

  record.u.histogram = histogram;
  sonde_summary_writer_add_record (writer, &record);
}

void
sonde_summary_writer_add_raw (SondeSummaryWriter *writer, const SondeRecord *lent, SondeDtype dtype,
                              const void *data, gsize n, int channels, SondePixelLayout layout)
{
  const SondeWriterRaw large = { .dtype = dtype, .n = n, .data = (guint8 *) data };
  gboolean is_picture = lent->kind == SONDE_RECORD_IMAGE;
  SondeRecord record;
  SondeWriterRaw *raw;

  if ((!is_picture || lent->u.image.index == 0)
      && !sonde_summary_writer_wants (writer, lent->tag, lent->step))
    return;
  if (!is_picture && n > writer->queue.limit / 4 / sonde_dtype_size (dtype))
    {
      add_counted (writer, lent, &large);
      return;
    }
  raw = copy_raw (writer, dtype, data, n);
  sonde_record_copy (lent, &record);
  if (is_picture)
    {
      raw->width = record.u.image.width;
      raw->height = record.u.image.height;
      raw->channels = channels;
      raw->layout = layout;
    }
  add_item (writer, &record, NULL, raw);
}

void
sonde_summary_writer_add_values (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                 SondeDtype dtype, const void *data, gsize n)
{
  const SondeRecord record = { .kind = SONDE_RECORD_HISTOGRAM, .tag = tag, .step = step };

  g_return_if_fail (dtype > SONDE_DTYPE_INVALID && dtype != SONDE_DTYPE_STRING);

  sonde_summary_writer_add_raw (writer, &record, dtype, data, n, 0, SONDE_PIXELS_CHW);
}

void
sonde_summary_writer_add_pixels (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                 int index, SondeDtype dtype, SondePixelLayout layout,
                                 const void *data, int channels, int height, int width,
                                 const SondeSampleNote *note)
{
  const SondeRecord record = lend_image (tag, step, index, width, height, note);

  g_return_if_fail (dtype > SONDE_DTYPE_INVALID && dtype != SONDE_DTYPE_STRING);
  g_return_if_fail (channels == 1 || channels == 3 || channels == 4);
  g_return_if_fail (width >= 1 && width <= 16384 && height >= 1 && height <= 16384);

  sonde_summary_writer_add_raw (writer, &record, dtype, data,
                                (gsize) channels * (gsize) height * (gsize) width, channels,
                                layout);
}

/* ---- records ------------------------------------------------------------- */

void
sonde_summary_writer_add_image (SondeSummaryWriter *writer, const char *tag, gint64 step, int index,
                                const SondeImage *image, const SondeSampleNote *note)
{
  const SondeRecord lent = lend_image (tag, step, index, image->width, image->height, note);
  SondeRecord record;
  SondeImage *copy;

  if (index == 0 && !sonde_summary_writer_wants (writer, tag, step))
    return;
  copy = sonde_image_copy (image);
  sonde_record_copy (&lent, &record);
  add_item (writer, &record, copy, NULL);
}

void
sonde_summary_writer_add_graph (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                GBytes *model, gboolean executed)
{
  add_lent (writer, tag, step,
            (SondeRecord){ .kind = SONDE_RECORD_GRAPH,
                           .u.graph = { .model = model, .executed = executed } });
}

void
sonde_summary_writer_add_hparams (SondeSummaryWriter *writer, const SondeHparam *items, gsize n)
{
  const SondeRecord record
      = { .kind = SONDE_RECORD_HPARAMS,
          .tag = "hparams",
          .u.hparams = { .items = (SondeHparam *) items, .n = n, .time = NAN } };

  sonde_summary_writer_add_record (writer, &record);
}

void
sonde_summary_writer_add_text (SondeSummaryWriter *writer, const char *tag, gint64 step,
                               const char *text)
{
  add_lent (writer, tag, step, (SondeRecord){ .kind = SONDE_RECORD_TEXT, .u.text = (char *) text });
}

void
sonde_summary_writer_add_message (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                  const SondeMessage *message)
{
  add_lent (writer, tag, step,
            (SondeRecord){ .kind = SONDE_RECORD_TEXT,
                           .u.text = (char *) sonde_message_get_english (message),
                           .u.message = (SondeMessage *) message });
}

void
sonde_summary_writer_describe (SondeSummaryWriter *writer, const char *tag,
                               const char *display_name, const char *description, const char *unit,
                               const char *group)
{
  SondeRecord record = { .kind = SONDE_RECORD_NOTE, .tag = tag };

  record.u.tag_note.display_name = (char *) display_name;
  record.u.tag_note.description = (char *) description;
  record.u.tag_note.unit = (char *) unit;
  record.u.tag_note.group = (char *) group;
  sonde_summary_writer_add_record (writer, &record);
}

/* ---- sound --------------------------------------------------------------- */

void
sonde_summary_writer_add_audio (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                const float *samples, gsize n_frames, int n_channels, int rate)
{
  SondeRecord record = { .kind = SONDE_RECORD_AUDIO };
  g_autoptr (GBytes) wav = NULL;

  g_return_if_fail (n_channels > 0 && n_channels < 65536 && rate > 0);
  g_return_if_fail (n_frames < G_MAXINT32 / 2 / (gsize) n_channels);

  wav = sonde_wav_make (samples, n_frames, n_channels, rate);
  record.u.audio.encoded = wav;
  record.u.audio.sample_rate = rate;
  record.u.audio.n_frames = (gint64) n_frames;
  record.u.audio.n_channels = n_channels;
  record.u.audio.content_type = (char *) "audio/wav";
  add_lent (writer, tag, step, record);
}

/* ---- precision and recall ------------------------------------------------ */

enum
{
  ROW_TP,
  ROW_FP,
  ROW_TN,
  ROW_FN,
  ROW_PRECISION,
  ROW_RECALL,
  N_ROWS
};

/* From the counts by bucket in TP and FP to the six rows. */
static void
sum_up (double *rows, gsize k)
{
  double *tp = rows + ROW_TP * k, *fp = rows + ROW_FP * k;

  for (gsize i = k - 1; i-- > 0;)
    {
      tp[i] += tp[i + 1];
      fp[i] += fp[i + 1];
    }
  for (gsize i = 0; i < k; i++)
    {
      rows[ROW_TN * k + i] = fp[0] - fp[i];
      rows[ROW_FN * k + i] = tp[0] - tp[i];
      rows[ROW_PRECISION * k + i] = tp[i] / fmax (1e-7, tp[i] + fp[i]);
      rows[ROW_RECALL * k + i] = tp[i] / fmax (1e-7, tp[0]);
    }
}

SondeTensor *
sonde_summary_writer_make_pr_curve (const guint8 *labels, const float *predictions,
                                    const float *weights, gsize n, guint n_thresholds)
{
  const SondeShape shape = sonde_shape_make (2, N_ROWS, (int) n_thresholds);
  const gsize k = n_thresholds;
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  double *rows = (double *) (void *) tensor->data;

  for (gsize i = 0; i < n; i++)
    {
      double bucket = floor ((double) predictions[i] * (double) (k - 1));

      /* NaN is no prediction of anything */
      bucket = bucket > 0 ? fmin (bucket, (double) (k - 1)) : 0;
      rows[(labels[i] ? ROW_TP : ROW_FP) * k + (gsize) bucket]
          += weights != NULL ? (double) weights[i] : 1;
    }
  sum_up (rows, k);
  return tensor;
}

void
sonde_summary_writer_add_pr_curve (SondeSummaryWriter *writer, const char *tag, gint64 step,
                                   const guint8 *labels, const float *predictions,
                                   const float *weights, gsize n, guint n_thresholds)
{
  SondeRecord record = { .kind = SONDE_RECORD_PR_CURVE };
  g_autoptr (SondeTensor) rows = NULL;

  g_return_if_fail (n_thresholds >= 2 && n_thresholds < 1u << 20);

  rows = sonde_summary_writer_make_pr_curve (labels, predictions, weights, n, n_thresholds);
  record.u.pr_curve.rows = rows;
  add_lent (writer, tag, step, record);
}
