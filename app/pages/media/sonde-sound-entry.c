/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/media/sonde-sound-entry.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-wave-view.h"

struct _SondeSoundEntry
{
  GtkBox parent_instance;
  SondeSound *sound;
  SondeSoundPlayer *player;
  SondeWaveView *view;
  GtkButton *play; /* NULL where the sound could not be decoded */
  GtkToggleButton *loop;
  GtkLabel *time;
  double position; /* s, while the player has another sound */
  guint tick;      /* while it plays */
};

enum
{
  PROBLEM,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeSoundEntry, sonde_sound_entry, GTK_TYPE_BOX)

void
sonde_sound_free (void *data)
{
  SondeSound *sound = data;

  if (sound == NULL)
    return;
  g_clear_pointer (&sound->encoded, g_bytes_unref);
  g_free (sound->title);
  g_free (sound->type);
  g_free (sound->label);
  g_clear_pointer (&sound->samples, sonde_tensor_unref);
  g_free (sound->problem);
  g_free (sound);
}

/* ---- saving -------------------------------------------------------------- */

static void
on_save_chosen (GtkNativeDialog *dialog, int response, SondeSoundEntry *entry)
{
  GBytes *bytes = entry->sound->encoded;
  g_autoptr (GFile) file = NULL;
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      if (!g_file_replace_contents (file, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                    NULL, FALSE, G_FILE_CREATE_NONE, NULL, NULL, &error))
        g_signal_emit (entry, signals[PROBLEM], 0, sonde_error_get_text (error));
    }
  g_object_unref (dialog);
}

/* "word · 2.wav" */
static char *
dup_file_name (const SondeSound *sound)
{
  const char *subtype = strrchr (sound->type, '/');
  gboolean is_wav = strstr (sound->type, "wav") != NULL || subtype == NULL;
  char *name = g_strdup_printf ("%s.%s", sound->title, is_wav ? "wav" : subtype + 1);

  return g_strdelimit (name, "/\\", '-');
}

static void
on_save (SondeSoundEntry *entry)
{
  GtkWindow *window = GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (entry)));
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Save Sound"), window, GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Save"), NULL);
  g_autofree char *name = dup_file_name (entry->sound);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), name);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_save_chosen), entry, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- playing ------------------------------------------------------------- */

/* The player has this sound, and no other. */
static gboolean
has_player (SondeSoundEntry *entry)
{
  return entry->sound->samples != NULL
         && sonde_sound_player_get_samples (entry->player) == entry->sound->samples;
}

static gboolean
is_playing (SondeSoundEntry *entry)
{
  return has_player (entry) && sonde_sound_player_is_playing (entry->player);
}

static void
show_position (SondeSoundEntry *entry)
{
  double seconds
      = has_player (entry) ? sonde_sound_player_get_position (entry->player) : entry->position;
  g_autofree char *text = g_strdup_printf (_ ("%.2f / %.2f s"), seconds,
                                           (double) entry->sound->n_frames / entry->sound->rate);

  entry->position = seconds;
  gtk_label_set_label (entry->time, text);
  sonde_wave_view_set_position (entry->view, seconds);
}

static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, void *unused)
{
  show_position (SONDE_SOUND_ENTRY (widget));
  return G_SOURCE_CONTINUE;
}

static void
watch_position (SondeSoundEntry *entry, gboolean watches)
{
  if (watches && entry->tick == 0)
    entry->tick = gtk_widget_add_tick_callback (GTK_WIDGET (entry), on_tick, NULL, NULL);
  else if (!watches && entry->tick != 0)
    {
      gtk_widget_remove_tick_callback (GTK_WIDGET (entry), entry->tick);
      entry->tick = 0;
    }
}

static void
update_player (SondeSoundEntry *entry)
{
  gboolean plays = is_playing (entry);
  const char *words = plays ? _ ("Pause (Space)") : _ ("Play (Space)");

  watch_position (entry, plays);
  gtk_button_set_icon_name (entry->play, plays ? "media-playback-pause-symbolic"
                                               : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (entry->play), words);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry->play), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  plays ? _ ("Pause") : _ ("Play"), -1);
  show_position (entry);
}

static void
take_player (SondeSoundEntry *entry)
{
  double position = entry->position;

  if (has_player (entry))
    return;
  sonde_sound_player_load (entry->player, entry->sound->samples, entry->sound->rate);
  sonde_sound_player_set_loop (entry->player, gtk_toggle_button_get_active (entry->loop));
  sonde_sound_player_seek (entry->player, position);
}

static void
toggle (SondeSoundEntry *entry)
{
  g_autoptr (GError) error = NULL;

  if (entry->sound->samples == NULL)
    return;
  if (is_playing (entry))
    {
      sonde_sound_player_pause (entry->player);
      return;
    }
  take_player (entry);
  if (!sonde_sound_player_play (entry->player, &error))
    g_signal_emit (entry, signals[PROBLEM], 0, sonde_error_get_text (error));
}

/* Of a sound that does not play the place is kept until it does. */
static void
on_seek (SondeSoundEntry *entry, double seconds)
{
  entry->position = seconds;
  if (has_player (entry))
    sonde_sound_player_seek (entry->player, seconds);
  show_position (entry);
}

static void
on_loop (SondeSoundEntry *entry)
{
  if (has_player (entry))
    sonde_sound_player_set_loop (entry->player, gtk_toggle_button_get_active (entry->loop));
}

static void
on_failed (SondeSoundEntry *entry, const char *sentence)
{
  if (has_player (entry))
    g_signal_emit (entry, signals[PROBLEM], 0, sentence);
}

/* ---- widgets ------------------------------------------------------------- */

static char *
describe_facts (const SondeSound *sound)
{
  GString *text = g_string_new (NULL);
  g_autofree char *bytes = sonde_format_bytes (g_bytes_get_size (sound->encoded));

  if (sound->rate > 0 && sound->n_frames > 0)
    {
      g_autofree char *seconds = sonde_format_number ((double) sound->n_frames / sound->rate);

      g_string_append_printf (text, "%s s · ", seconds);
    }
  if (sound->rate > 0)
    g_string_append_printf (text, _ ("%.10g kHz · "), sound->rate / 1000);
  if (sound->n_channels > 0 && sound->n_channels <= 2)
    g_string_append_printf (text, "%s · ", sound->n_channels == 1 ? _ ("mono") : _ ("stereo"));
  else if (sound->n_channels > 0)
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

static void
add_player (SondeSoundEntry *entry, GtkBox *box)
{
  entry->play = GTK_BUTTON (gtk_button_new ());
  entry->loop = GTK_TOGGLE_BUTTON (gtk_toggle_button_new ());
  entry->time = GTK_LABEL (gtk_label_new (NULL));
  gtk_button_set_icon_name (GTK_BUTTON (entry->loop), "media-playlist-repeat-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (entry->loop), _ ("Play again and again"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry->loop), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Play again and again"), -1);
  gtk_widget_add_css_class (GTK_WIDGET (entry->time), "numeric");
  gtk_label_set_xalign (entry->time, 1);
  gtk_label_set_width_chars (entry->time, 14);
  for (gsize i = 0; i < 3; i++)
    {
      GtkWidget *widgets[]
          = { GTK_WIDGET (entry->time), GTK_WIDGET (entry->play), GTK_WIDGET (entry->loop) };

      gtk_widget_set_valign (widgets[i], GTK_ALIGN_CENTER);
      gtk_box_append (box, widgets[i]);
    }
  g_signal_connect_object (entry->play, "clicked", G_CALLBACK (toggle), entry, G_CONNECT_SWAPPED);
  g_signal_connect_object (entry->loop, "toggled", G_CALLBACK (on_loop), entry, G_CONNECT_SWAPPED);
  g_signal_connect_object (entry->view, "toggle", G_CALLBACK (toggle), entry, G_CONNECT_SWAPPED);
  g_signal_connect_object (entry->view, "seek", G_CALLBACK (on_seek), entry, G_CONNECT_SWAPPED);
  g_signal_connect_object (entry->player, "changed", G_CALLBACK (update_player), entry,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (entry->player, "failed", G_CALLBACK (on_failed), entry,
                           G_CONNECT_SWAPPED);
  update_player (entry);
}

static void
fill_head (SondeSoundEntry *entry, GtkBox *head)
{
  const SondeSound *sound = entry->sound;
  GtkWidget *words = gtk_box_new (GTK_ORIENTATION_VERTICAL, 3),
            *save = gtk_button_new_with_label (_ ("Save As…"));
  g_autofree char *facts = describe_facts (sound);

  if (!sound->alone) /* its tag stands above it */
    gtk_box_append (GTK_BOX (words), make_label (sound->title, "heading"));
  gtk_box_append (GTK_BOX (words), make_label (facts, "dim-label"));
  if (sound->label != NULL && *sound->label != '\0')
    gtk_box_append (GTK_BOX (words), make_label (sound->label, "body"));
  gtk_widget_set_hexpand (words, TRUE);
  gtk_widget_set_valign (words, GTK_ALIGN_CENTER);
  gtk_box_append (head, words);
  if (sound->samples != NULL)
    add_player (entry, head);
  gtk_widget_set_valign (save, GTK_ALIGN_CENTER);
  g_signal_connect_object (save, "clicked", G_CALLBACK (on_save), entry, G_CONNECT_SWAPPED);
  gtk_box_append (head, save);
}

/* ---- object -------------------------------------------------------------- */

static void
sonde_sound_entry_dispose (GObject *object)
{
  SondeSoundEntry *entry = SONDE_SOUND_ENTRY (object);
  GtkWidget *child;

  watch_position (entry, FALSE);
  /* What nobody sees plays no more. */
  if (entry->player != NULL && has_player (entry))
    {
      g_signal_handlers_disconnect_by_data (entry->player, entry);
      sonde_sound_player_load (entry->player, NULL, 1);
    }
  g_clear_object (&entry->player);
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_box_remove (GTK_BOX (object), child);
  G_OBJECT_CLASS (sonde_sound_entry_parent_class)->dispose (object);
}

static void
sonde_sound_entry_finalize (GObject *object)
{
  sonde_sound_free (SONDE_SOUND_ENTRY (object)->sound);
  G_OBJECT_CLASS (sonde_sound_entry_parent_class)->finalize (object);
}

static void
sonde_sound_entry_class_init (SondeSoundEntryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_sound_entry_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_sound_entry_finalize;
  signals[PROBLEM] = g_signal_new ("problem", SONDE_TYPE_SOUND_ENTRY, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
sonde_sound_entry_init (SondeSoundEntry *entry)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (entry), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (entry), 6);
}

GtkWidget *
sonde_sound_entry_new (SondeSound *sound, SondeSoundPlayer *player)
{
  SondeSoundEntry *entry = g_object_new (SONDE_TYPE_SOUND_ENTRY, NULL);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);

  entry->sound = sound;
  entry->player = g_object_ref (player);
  entry->view = SONDE_WAVE_VIEW (sonde_wave_view_new ());
  sonde_wave_view_set_sound (entry->view, sound->samples, sound->rate, sound->problem);
  sonde_view_set_title (SONDE_VIEW (entry->view), sound->title);
  fill_head (entry, GTK_BOX (head));
  gtk_box_append (GTK_BOX (entry), head);
  gtk_box_append (GTK_BOX (entry), GTK_WIDGET (entry->view));
  return GTK_WIDGET (entry);
}
