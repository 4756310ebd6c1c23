/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-sound-list.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/records/sonde-record.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-wave-view.h"

/* One sound on its way through the thread. @title: "word · 2"; @type: MIME */
typedef struct
{
  GBytes *encoded;
  char *title, *type, *label;
  gboolean alone; /* at its step */
  double rate;
  gint64 n_frames;
  int n_channels;
  SondeTensor *samples; /* (nullable) */
  char *problem;        /* (nullable) */
} Sound;

/* What a thread is given. */
typedef struct
{
  SondeSoundDecoder *decoder;
  GPtrArray *sounds;
} Job;

struct _SondeSoundList
{
  GtkBox parent_instance;
  SondeSoundDecoder *decoder; /* NULL before sonde_sound_list_set_decoder() */
  GCancellable *decoding;     /* under way, else NULL */
};

G_DEFINE_FINAL_TYPE (SondeSoundList, sonde_sound_list, GTK_TYPE_BOX)

static void
sound_free (void *data)
{
  Sound *sound = data;

  g_clear_pointer (&sound->encoded, g_bytes_unref);
  g_free (sound->title);
  g_free (sound->type);
  g_free (sound->label);
  g_clear_pointer (&sound->samples, sonde_tensor_unref);
  g_free (sound->problem);
  g_free (sound);
}

static void
job_free (void *data)
{
  Job *job = data;

  sonde_sound_decoder_unref (job->decoder);
  g_ptr_array_unref (job->sounds);
  g_free (job);
}

static Sound *
sound_new (const SondeRecord *record, gboolean alone)
{
  Sound *sound = g_new0 (Sound, 1);
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
decode (Sound *sound, SondeSoundDecoder *decoder)
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

/* ---- saving -------------------------------------------------------------- */

static void
on_save_chosen (GtkNativeDialog *dialog, int response, SondeSoundList *list)
{
  GBytes *bytes = g_object_get_data (G_OBJECT (dialog), "bytes");
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      if (!g_file_replace_contents (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                    NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL, &error))
        g_signal_emit_by_name (list, "problem", sonde_error_get_text (error));
    }
  g_object_unref (dialog);
}

static void
on_save (GtkWidget *button, SondeSoundList *list)
{
  GtkFileChooserNative *dialog
      = gtk_file_chooser_native_new (_ ("Save Sound"), GTK_WINDOW (gtk_widget_get_root (button)),
                                     GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);
  g_autofree char *name = g_strdup (g_object_get_data (G_OBJECT (button), "name"));

  g_strdelimit (name, "/\\", '-');
  g_object_set_data_full (G_OBJECT (dialog), "bytes",
                          g_bytes_ref (g_object_get_data (G_OBJECT (button), "bytes")),
                          (GDestroyNotify) g_bytes_unref);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_chosen), list, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

static GtkWidget *
make_save_button (SondeSoundList *list, const Sound *sound)
{
  GtkWidget *button = gtk_button_new_with_label (_ ("Save As…"));
  const char *subtype = strrchr (sound->type, '/');
  gboolean is_wav = strstr (sound->type, "wav") != NULL || subtype == NULL;

  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  g_object_set_data_full (G_OBJECT (button), "bytes", g_bytes_ref (sound->encoded),
                          (GDestroyNotify) g_bytes_unref);
  g_object_set_data_full (G_OBJECT (button), "name",
                          g_strdup_printf ("%s.%s", sound->title, is_wav ? "wav" : subtype + 1),
                          g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (on_save), list, 0);
  return button;
}

/* ---- cards --------------------------------------------------------------- */

static char *
describe_facts (const Sound *sound)
{
  GString *text = g_string_new (NULL);
  g_autofree char *bytes = sonde_format_bytes (g_bytes_get_size (sound->encoded));

  if (sound->rate > 0 && sound->n_frames > 0)
    {
      g_autofree char *seconds = sonde_format_number ((double) sound->n_frames / sound->rate);

      g_string_append_printf (text, "%s s · ", seconds);
    }
  if (sound->rate > 0)
    g_string_append_printf (text, "%.10g Hz · ", sound->rate);
  if (sound->n_channels > 0)
    g_string_append_printf (text, P_ ("%d channel · ", "%d channels · ", sound->n_channels),
                            sound->n_channels);
  g_string_append_printf (text, "%s · %s", sound->type, bytes);
  return g_string_free (text, FALSE);
}

static GtkWidget *
make_label (const char *text, const char *class)
{
  g_autofree char *visible = sonde_text_make_visible (text);
  GtkWidget *label = gtk_label_new (visible);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, class);
  return label;
}

/* Without a back end GTK gives a file that never plays. (transfer floating) (nullable) */
static GtkWidget *
make_player (const Sound *sound)
{
  g_autoptr (GInputStream) stream = g_memory_input_stream_new_from_bytes (sound->encoded);
  g_autoptr (GtkMediaStream) media = gtk_media_file_new_for_input_stream (stream);

  if (g_strcmp0 (G_OBJECT_TYPE_NAME (media), "GtkNoMediaFile") == 0
      || gtk_media_stream_get_error (media) != NULL)
    return NULL;
  return gtk_media_controls_new (media);
}

static GtkWidget *
make_entry (SondeSoundList *list, const Sound *sound)
{
  GtkWidget *entry = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6),
            *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3), *view = sonde_wave_view_new ();
  GtkWidget *player = make_player (sound);
  g_autofree char *facts = describe_facts (sound);

  if (!sound->alone) /* its tag stands above it */
    gtk_box_append (GTK_BOX (words), make_label (sound->title, "heading"));
  gtk_box_append (GTK_BOX (words), make_label (facts, "dim-label"));
  if (sound->label != NULL && *sound->label != '\0')
    gtk_box_append (GTK_BOX (words), make_label (sound->label, "body"));
  gtk_widget_set_hexpand (words, TRUE);
  gtk_box_append (GTK_BOX (head), words);
  gtk_box_append (GTK_BOX (head), make_save_button (list, sound));
  sonde_wave_view_set_sound (SONDE_WAVE_VIEW (view), sound->samples, sound->rate, sound->problem);
  sonde_view_set_title (SONDE_VIEW (view), sound->title);
  gtk_box_append (GTK_BOX (entry), head);
  gtk_box_append (GTK_BOX (entry), view);
  if (player != NULL)
    gtk_box_append (GTK_BOX (entry), player);
  return entry;
}

static void
on_decoded (GObject *source, GAsyncResult *result, void *user_data)
{
  SondeSoundList *list = SONDE_SOUND_LIST (source);
  const Job *job = g_task_get_task_data (G_TASK (result));
  GtkWidget *child;

  /* A newer step took this one's place, or the list goes. */
  if (list->decoding != g_task_get_cancellable (G_TASK (result)))
    return;
  g_clear_object (&list->decoding);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (list))) != NULL)
    gtk_box_remove (GTK_BOX (list), child);
  for (guint i = 0; i < job->sounds->len; i++)
    gtk_box_append (GTK_BOX (list), make_entry (list, job->sounds->pdata[i]));
  g_signal_emit_by_name (list, "state-changed");
}

void
sonde_sound_list_set_decoder (SondeSoundList *list, SondeSoundDecoder *decoder)
{
  g_return_if_fail (SONDE_IS_SOUND_LIST (list) && list->decoder == NULL);
  list->decoder = sonde_sound_decoder_ref (decoder);
}

void
sonde_sound_list_take (SondeSoundList *list, GPtrArray *records)
{
  g_autoptr (GTask) task = NULL;
  Job *job;

  g_return_if_fail (SONDE_IS_SOUND_LIST (list) && list->decoder != NULL);
  job = g_new (Job, 1);
  job->decoder = sonde_sound_decoder_ref (list->decoder);
  job->sounds = g_ptr_array_new_with_free_func (sound_free);
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
