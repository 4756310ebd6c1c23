/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-sound-list.h"

#include "app/pages/media/sonde-sound-entry.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/records/sonde-record.h"
#include "viewers/paint/sonde-text-paint.h"

/* What a thread is given. */
typedef struct
{
  SondeSoundDecoder *decoder;
  GPtrArray *sounds;
} Job;

struct _SondeSoundList
{
  GtkBox parent_instance;
  SondeSoundDecoder *decoder; /* NULL before sonde_sound_list_set_up() */
  SondeSoundPlayer *player;
  GCancellable *decoding; /* under way, else NULL */
};

G_DEFINE_FINAL_TYPE (SondeSoundList, sonde_sound_list, GTK_TYPE_BOX)

static void
job_free (void *data)
{
  Job *job = data;

  sonde_sound_decoder_unref (job->decoder);
  g_ptr_array_unref (job->sounds);
  g_free (job);
}

static SondeSound *
sound_new (const SondeRecord *record, gboolean alone)
{
  SondeSound *sound = g_new0 (SondeSound, 1);
  g_autofree char *tag = sonde_text_make_visible (record->tag != NULL ? record->tag : "sound");

  sound->encoded = record->u.audio.encoded != NULL ? g_bytes_ref (record->u.audio.encoded)
                                                   : g_bytes_new (NULL, 0);
  sound->title = alone ? g_steal_pointer (&tag)
                       : g_strdup_printf ("%s · %d", tag, record->u.audio.index + 1);
  sound->alone = alone;
  sound->type = g_strdup (record->u.audio.content_type != NULL ? record->u.audio.content_type
                                                               : "audio/wav");
  sound->label = g_strdup (record->u.audio.label);
  sound->rate = record->u.audio.sample_rate;
  sound->n_frames = record->u.audio.n_frames;
  sound->n_channels = record->u.audio.n_channels;
  return sound;
}

/* ---- decoding ------------------------------------------------------------ */

static void
decode (SondeSound *sound, SondeSoundDecoder *decoder)
{
  g_autoptr (GError) error = NULL;
  double rate;

  sound->samples
      = sonde_sound_decoder_decode (decoder, sound->encoded, sound->title, &rate, &error);
  if (sound->samples == NULL)
    {
      /* Another coding is no damage: its facts are shown, and it can be saved. */
      sound->problem = g_strdup (
          strstr (sound->type, "wav") != NULL
                  || !g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED)
              ? sonde_error_get_text (error)
              : _ ("Only WAV, FLAC and Ogg sounds can be plotted"));
      return;
    }
  sound->rate = rate;
  sound->n_frames = sound->samples->shape.dims[0];
  sound->n_channels = (int) sound->samples->shape.dims[1];
}

static void
decode_in_thread (GTask *task, void *source, void *task_data, GCancellable *cancellable)
{
  const Job *job = task_data;

  for (guint i = 0; i < job->sounds->len && !g_cancellable_is_cancelled (cancellable); i++)
    decode (job->sounds->pdata[i], job->decoder);
  g_task_return_boolean (task, TRUE);
}

/* ---- the list ------------------------------------------------------------ */

static void
on_problem (SondeSoundList *list, const char *sentence)
{
  g_signal_emit_by_name (list, "problem", sentence);
}

/* The entry takes the sound. */
static void
append_entry (SondeSoundList *list, Job *job, guint i)
{
  GtkWidget *entry = sonde_sound_entry_new (g_steal_pointer (&job->sounds->pdata[i]), list->player);

  g_signal_connect_object (entry, "problem", G_CALLBACK (on_problem), list, G_CONNECT_SWAPPED);
  gtk_box_append (GTK_BOX (list), entry);
}

static void
on_decoded (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeSoundList *list = SONDE_SOUND_LIST (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  GtkWidget *child;

  /* A newer step took this one's place, or the list goes. */
  if (list->decoding != g_task_get_cancellable (G_TASK (result)))
    return;
  g_clear_object (&list->decoding);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (list))) != NULL)
    gtk_box_remove (GTK_BOX (list), child);
  for (guint i = 0; i < job->sounds->len; i++)
    append_entry (list, job, i);
  g_signal_emit_by_name (list, "state-changed");
}

void
sonde_sound_list_set_up (SondeSoundList *list, SondeSoundDecoder *decoder, SondeSoundPlayer *player)
{
  g_return_if_fail (SONDE_IS_SOUND_LIST (list) && list->decoder == NULL);
  list->decoder = sonde_sound_decoder_ref (decoder);
  list->player = g_object_ref (player);
}

void
sonde_sound_list_take (SondeSoundList *list, GPtrArray *records)
{
  g_autoptr (GTask) task = NULL;
  Job *job;

  g_return_if_fail (SONDE_IS_SOUND_LIST (list) && list->decoder != NULL);
  job = g_new (Job, 1);
  job->decoder = sonde_sound_decoder_ref (list->decoder);
  job->sounds = g_ptr_array_new_with_free_func (sonde_sound_free);
  for (guint i = 0; i < records->len; i++)
    if (((const SondeRecord *) records->pdata[i])->kind == SONDE_RECORD_AUDIO)
      g_ptr_array_add (job->sounds, sound_new (records->pdata[i], records->len == 1));
  g_cancellable_cancel (list->decoding);
  g_clear_object (&list->decoding);
  list->decoding = g_cancellable_new ();
  task = g_task_new (list, list->decoding, on_decoded, NULL);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, decode_in_thread);
}

gboolean
sonde_sound_list_is_busy (SondeSoundList *list)
{
  g_return_val_if_fail (SONDE_IS_SOUND_LIST (list), FALSE);
  return list->decoding != NULL;
}

static void
sonde_sound_list_dispose (GObject *object)
{
  SondeSoundList *list = SONDE_SOUND_LIST (object);

  g_cancellable_cancel (list->decoding);
  g_clear_object (&list->decoding);
  g_clear_pointer (&list->decoder, sonde_sound_decoder_unref);
  g_clear_object (&list->player);
  G_OBJECT_CLASS (sonde_sound_list_parent_class)->dispose (object);
}

static void
sonde_sound_list_class_init (SondeSoundListClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_sound_list_dispose;
  g_signal_new ("state-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
  g_signal_new ("problem", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_sound_list_init (SondeSoundList *list)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (list), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (list), 18);
}
