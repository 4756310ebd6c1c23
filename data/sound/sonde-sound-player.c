/* SPDX-License-Identifier: Apache-2.0 */
#include "data/sound/sonde-sound-player.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "data/sound/sonde-gstreamer-private.h"

#define CHUNK 4096 /* frames a buffer */
#define MAX_RATE 1000000
#define FORMAT                                                                                     \
  "appsrc name=source format=time stream-type=seekable "                                           \
  "caps=audio/x-raw,format=F32LE,layout=interleaved,rate=%d,channels=%d ! "                        \
  "audioconvert ! audioresample ! %s"

/* Outputs, the best first. */
static const char *const sinks[] = { "autoaudiosink", "pulsesink", "pipewiresink", "alsasink" };

/* What the streaming thread reads. */
typedef struct
{
  const SondeGstreamer *gst;
  SondeTensor *samples;
  int rate, n_channels; /* that are played */
  gint64 next;          /* frame */
  GMutex mutex;         /* of @next */
} Feed;

struct _SondeSoundPlayer
{
  GObject parent_instance;
  char *sink; /* (nullable) */
  SondeTensor *samples;
  double rate;
  gboolean loop, is_playing;
  double position; /* s, where nothing plays or where it is sought to */

  const SondeGstreamer *gst; /* NULL before the first play */
  GstElement *pipeline;      /* of the sound that is loaded; NULL: none yet */
  gboolean is_ready;         /* the pipeline has done what it was last told */
  gboolean must_seek;        /* to @position, once it is ready */
};

enum
{
  CHANGED,
  FAILED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSoundPlayer, sonde_sound_player, G_TYPE_OBJECT)

static double
get_duration (SondeSoundPlayer *player)
{
  return player->samples != NULL ? (double) player->samples->shape.dims[0] / player->rate : 0;
}

static void
tell (SondeSoundPlayer *player)
{
  g_signal_emit (player, signals[CHANGED], 0);
}

/* ---- samples for the pipeline (its thread) ------------------------------- */

static float
make_sound (float sample)
{
  return isnan (sample) ? 0 : CLAMP (sample, -1.0f, 1.0f);
}

static void
fill_frame (const Feed *feed, gint64 frame, float *to)
{
  const gint64 n = feed->samples->shape.dims[1];
  const float *from = (const float *) (const void *) feed->samples->data + frame * n;
  float sum = 0;

  for (gint64 c = 0; c < n; c++)
    if (n <= 2)
      to[c] = make_sound (from[c]);
    else
      sum += make_sound (from[c]);
  if (n > 2)
    to[0] = sum / (float) n;
}

static void
on_need_data (GstElement *source, guint length, Feed *feed)
{
  const gint64 n_frames = feed->samples->shape.dims[0];
  gint64 first, n;
  float *chunk;
  GstBuffer *buffer;
  int unused;

  g_mutex_lock (&feed->mutex);
  first = feed->next;
  n = MIN (CHUNK, n_frames - first);
  feed->next += n;
  g_mutex_unlock (&feed->mutex);
  if (n <= 0)
    {
      g_signal_emit_by_name (source, "end-of-stream", &unused);
      return;
    }
  chunk = g_new (float, (gsize) (n * feed->n_channels));
  for (gint64 i = 0; i < n; i++)
    fill_frame (feed, first + i, chunk + i * feed->n_channels);
  buffer = feed->gst->buffer_new_wrapped (chunk, (gsize) (n * feed->n_channels) * sizeof *chunk);
  GST_BUFFER_PTS (buffer) = (guint64) ((double) first / feed->rate * GST_SECOND);
  GST_BUFFER_DURATION (buffer) = (guint64) ((double) n / feed->rate * GST_SECOND);
  g_signal_emit_by_name (source, "push-buffer", buffer, &unused);
  feed->gst->mini_object_unref (GST_MINI_OBJECT_CAST (buffer));
}

static gboolean
on_seek_data (GstElement *source, guint64 ns, Feed *feed)
{
  double frame = (double) ns / GST_SECOND * feed->rate;

  g_mutex_lock (&feed->mutex);
  feed->next = (gint64) CLAMP (frame, 0, (double) feed->samples->shape.dims[0]);
  g_mutex_unlock (&feed->mutex);
  return TRUE;
}

static void
feed_free (void *data, GClosure *closure)
{
  Feed *feed = data;

  sonde_tensor_unref (feed->samples);
  g_mutex_clear (&feed->mutex);
  g_free (feed);
}

static Feed *
feed_new (SondeSoundPlayer *player)
{
  Feed *feed = g_new0 (Feed, 1);

  feed->gst = player->gst;
  feed->samples = sonde_tensor_ref (player->samples);
  feed->rate = (int) lround (player->rate);
  feed->n_channels = player->samples->shape.dims[1] == 2 ? 2 : 1;
  g_mutex_init (&feed->mutex);
  return feed;
}

/* ---- the pipeline -------------------------------------------------------- */

static void
drop_pipeline (SondeSoundPlayer *player)
{
  GstBus *bus;

  if (player->pipeline == NULL)
    return;
  bus = player->gst->element_get_bus (player->pipeline);
  player->gst->bus_remove_watch (bus);
  player->gst->object_unref (bus);
  player->gst->element_set_state (player->pipeline, GST_STATE_NULL);
  player->gst->object_unref (player->pipeline);
  player->pipeline = NULL;
}

/* Brings the pipeline, which is ready, to what is wanted of it. */
static void
settle (SondeSoundPlayer *player)
{
  if (player->must_seek)
    {
      player->must_seek = player->is_ready = FALSE;
      player->gst->element_seek_simple (player->pipeline, GST_FORMAT_TIME,
                                        GST_SEEK_FLAG_FLUSH | GST_SEEK_FLAG_ACCURATE,
                                        (gint64) (player->position * GST_SECOND));
      return;
    }
  player->gst->element_set_state (player->pipeline,
                                  player->is_playing ? GST_STATE_PLAYING : GST_STATE_PAUSED);
}

static void
on_end (SondeSoundPlayer *player)
{
  if (player->loop)
    {
      sonde_sound_player_seek (player, 0);
      return;
    }
  player->is_playing = FALSE;
  player->position = get_duration (player);
  drop_pipeline (player);
  tell (player);
}

static void
fail (SondeSoundPlayer *player, const char *why)
{
  g_autofree char *text
      = g_strdup_printf (_ ("No sound output on this machine: %s Save the sound instead."), why);

  player->is_playing = FALSE;
  player->position = 0;
  drop_pipeline (player);
  tell (player);
  g_signal_emit (player, signals[FAILED], 0, text);
}

/* A warning that there is no output counts as an error: silence would look like playing. */
static void
on_problem (SondeSoundPlayer *player, GstMessage *message)
{
  g_autoptr (GError) error = NULL;
  gboolean warns = GST_MESSAGE_TYPE (message) == GST_MESSAGE_WARNING;

  if (warns)
    player->gst->message_parse_warning (message, &error, NULL);
  else
    player->gst->message_parse_error (message, &error, NULL);
  if (!warns || error->domain == player->gst->resource_error_quark ())
    fail (player, error->message);
}

static gboolean
on_message (GstBus *bus, GstMessage *message, void *user_data)
{
  SondeSoundPlayer *player = user_data;

  switch (GST_MESSAGE_TYPE (message))
    {
    case GST_MESSAGE_ASYNC_DONE:
      player->is_ready = TRUE;
      settle (player);
      break;
    case GST_MESSAGE_EOS:
      on_end (player);
      break;
    case GST_MESSAGE_WARNING:
    case GST_MESSAGE_ERROR:
      on_problem (player, message);
      break;
    default:
      break;
    }
  return G_SOURCE_CONTINUE;
}

/* (nullable): there is none here */
static const char *
find_sink (SondeSoundPlayer *player)
{
  if (player->sink != NULL)
    return player->sink;
  for (gsize i = 0; i < G_N_ELEMENTS (sinks); i++)
    {
      GstElementFactory *factory = player->gst->element_factory_find (sinks[i]);

      if (factory == NULL)
        continue;
      player->gst->object_unref (factory);
      return sinks[i];
    }
  return NULL;
}

static void
connect_source (SondeSoundPlayer *player, Feed *feed)
{
  GstElement *source = player->gst->bin_get_by_name ((GstBin *) player->pipeline, "source");
  GstBus *bus = player->gst->element_get_bus (player->pipeline);

  g_signal_connect_data (source, "need-data", G_CALLBACK (on_need_data), feed, feed_free, 0);
  g_signal_connect (source, "seek-data", G_CALLBACK (on_seek_data), feed);
  player->gst->bus_add_watch (bus, on_message, player);
  player->gst->object_unref (bus);
  player->gst->object_unref (source);
}

static gboolean
make_pipeline (SondeSoundPlayer *player, GError **error)
{
  const char *sink = find_sink (player);
  g_autofree char *description = NULL;
  g_autoptr (GError) problem = NULL;
  Feed *feed;

  if (sink == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       N_ ("Sounds cannot be played: GStreamer has no output here (package "
                           "gstreamer1.0-alsa). They can be saved."));
      return FALSE;
    }
  feed = feed_new (player);
  description = g_strdup_printf (FORMAT, feed->rate, feed->n_channels, sink);
  player->pipeline = player->gst->parse_launch (description, &problem);
  if (problem != NULL)
    {
      feed_free (feed, NULL);
      if (player->pipeline != NULL)
        player->gst->object_unref (player->pipeline);
      player->pipeline = NULL;
      sonde_set_error_because (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, problem,
                               N_ ("Sounds cannot be played: "));
      return FALSE;
    }
  connect_source (player, feed);
  player->is_ready = FALSE;
  player->must_seek = player->position > 0;
  player->gst->element_set_state (player->pipeline, GST_STATE_PAUSED);
  return TRUE;
}

/* ---- what is told to it -------------------------------------------------- */

void
sonde_sound_player_load (SondeSoundPlayer *player, SondeTensor *samples, double rate)
{
  g_return_if_fail (SONDE_IS_SOUND_PLAYER (player));
  g_return_if_fail (samples == NULL
                    || (samples->shape.rank == 2 && samples->dtype == SONDE_DTYPE_F32));
  if (player->samples == samples)
    return;
  drop_pipeline (player);
  g_clear_pointer (&player->samples, sonde_tensor_unref);
  if (samples != NULL)
    player->samples = sonde_tensor_ref (samples);
  player->rate = rate;
  player->position = 0;
  player->is_playing = FALSE;
  tell (player);
}

SondeTensor *
sonde_sound_player_get_samples (SondeSoundPlayer *player)
{
  g_return_val_if_fail (SONDE_IS_SOUND_PLAYER (player), NULL);
  return player->samples;
}

static gboolean
check_rate (SondeSoundPlayer *player, GError **error)
{
  if (player->rate >= 1 && player->rate <= MAX_RATE)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   N_ ("Sounds of %g Hz cannot be played, but saved."), player->rate);
  return FALSE;
}

gboolean
sonde_sound_player_play (SondeSoundPlayer *player, GError **error)
{
  g_return_val_if_fail (SONDE_IS_SOUND_PLAYER (player) && player->samples != NULL, FALSE);
  if (player->is_playing)
    return TRUE;
  if (!check_rate (player, error))
    return FALSE;
  if (player->gst == NULL && (player->gst = sonde_gstreamer_load (error)) == NULL)
    return FALSE;
  if (player->position >= get_duration (player))
    player->position = 0;
  player->is_playing = TRUE;
  if (player->pipeline == NULL && !make_pipeline (player, error))
    {
      player->is_playing = FALSE;
      return FALSE;
    }
  if (player->is_ready)
    settle (player);
  tell (player);
  return TRUE;
}

void
sonde_sound_player_pause (SondeSoundPlayer *player)
{
  g_return_if_fail (SONDE_IS_SOUND_PLAYER (player));
  if (!player->is_playing)
    return;
  player->position = sonde_sound_player_get_position (player);
  player->is_playing = FALSE;
  if (player->pipeline != NULL && player->is_ready)
    settle (player);
  tell (player);
}

gboolean
sonde_sound_player_is_playing (SondeSoundPlayer *player)
{
  g_return_val_if_fail (SONDE_IS_SOUND_PLAYER (player), FALSE);
  return player->is_playing;
}

void
sonde_sound_player_seek (SondeSoundPlayer *player, double seconds)
{
  g_return_if_fail (SONDE_IS_SOUND_PLAYER (player));
  player->position = CLAMP (seconds, 0, get_duration (player));
  player->must_seek = player->pipeline != NULL;
  if (player->pipeline != NULL && player->is_ready)
    settle (player);
  tell (player);
}

double
sonde_sound_player_get_position (SondeSoundPlayer *player)
{
  gint64 ns;

  g_return_val_if_fail (SONDE_IS_SOUND_PLAYER (player), 0);
  if (player->is_playing && player->is_ready && player->pipeline != NULL
      && player->gst->element_query_position (player->pipeline, GST_FORMAT_TIME, &ns))
    return CLAMP ((double) ns / GST_SECOND, 0, get_duration (player));
  return player->position;
}

void
sonde_sound_player_set_loop (SondeSoundPlayer *player, gboolean loop)
{
  g_return_if_fail (SONDE_IS_SOUND_PLAYER (player));
  player->loop = loop;
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_sound_player_finalize (GObject *object)
{
  SondeSoundPlayer *player = SONDE_SOUND_PLAYER (object);

  drop_pipeline (player);
  g_clear_pointer (&player->samples, sonde_tensor_unref);
  g_free (player->sink);
  G_OBJECT_CLASS (sonde_sound_player_parent_class)->finalize (object);
}

static void
sonde_sound_player_class_init (SondeSoundPlayerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_sound_player_finalize;
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_SOUND_PLAYER, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[FAILED] = g_signal_new ("failed", SONDE_TYPE_SOUND_PLAYER, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_sound_player_init (SondeSoundPlayer *player)
{
  player->rate = 1;
}

SondeSoundPlayer *
sonde_sound_player_new (const char *sink)
{
  SondeSoundPlayer *player = g_object_new (SONDE_TYPE_SOUND_PLAYER, NULL);

  player->sink = sink != NULL && *sink != '\0' ? g_strdup (sink) : NULL;
  return player;
}
