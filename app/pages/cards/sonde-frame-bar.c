/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/cards/sonde-frame-bar.h"

#include <glib/gi18n.h>

#define RESOURCE "/org/sonde/Sonde/pages/cards/sonde-frame-bar.ui"

struct _SondeFrameBar
{
  GtkBox parent_instance;
  GtkButton *play;
  GtkScale *scale;
  GtkLabel *count;
  SondeAnimation *animation; /* (nullable) */
  gint64 next; /* µs of the frame clock: when the next frame is due; 0: not known yet */
  guint tick;  /* while it plays */
};

enum
{
  FRAME_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeFrameBar, sonde_frame_bar, GTK_TYPE_BOX)

guint
sonde_frame_bar_get_frame (SondeFrameBar *bar)
{
  g_return_val_if_fail (SONDE_IS_FRAME_BAR (bar), 0);
  return (guint) gtk_range_get_value (GTK_RANGE (bar->scale)) - 1;
}

SondeAnimation *
sonde_frame_bar_get_animation (SondeFrameBar *bar)
{
  g_return_val_if_fail (SONDE_IS_FRAME_BAR (bar), NULL);
  return bar->animation;
}

static gint64
get_duration (SondeFrameBar *bar)
{
  return (gint64) bar->animation->durations[sonde_frame_bar_get_frame (bar)] * 1000;
}

/* A clock that stood still does not make up for it. */
static gboolean
on_tick (GtkWidget *widget, GdkFrameClock *clock, void *unused)
{
  SondeFrameBar *bar = SONDE_FRAME_BAR (widget);
  gint64 now = gdk_frame_clock_get_frame_time (clock);

  if (bar->next == 0)
    bar->next = now + get_duration (bar);
  if (now < bar->next)
    return G_SOURCE_CONTINUE;
  gtk_range_set_value (GTK_RANGE (bar->scale),
                       (sonde_frame_bar_get_frame (bar) + 1) % bar->animation->n_frames + 1);
  bar->next = MAX (bar->next + get_duration (bar), now);
  return G_SOURCE_CONTINUE;
}

static void
set_playing (SondeFrameBar *bar, gboolean plays)
{
  if (plays && bar->tick == 0)
    bar->tick = gtk_widget_add_tick_callback (GTK_WIDGET (bar), on_tick, NULL, NULL);
  else if (!plays && bar->tick != 0)
    {
      gtk_widget_remove_tick_callback (GTK_WIDGET (bar), bar->tick);
      bar->tick = 0;
    }
  bar->next = 0;
  gtk_button_set_icon_name (bar->play, plays ? "media-playback-pause-symbolic"
                                             : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (bar->play), plays ? _ ("Pause") : _ ("Play"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar->play), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  plays ? _ ("Pause") : _ ("Play"), -1);
}

static void
on_play (SondeFrameBar *bar)
{
  set_playing (bar, bar->tick == 0);
}

static void
on_unmap (SondeFrameBar *bar)
{
  set_playing (bar, FALSE);
}

static void
show_count (SondeFrameBar *bar)
{
  g_autofree char *text
      = g_strdup_printf ("%u / %u", sonde_frame_bar_get_frame (bar) + 1, bar->animation->n_frames);

  gtk_label_set_label (bar->count, text);
}

static void
on_value_changed (SondeFrameBar *bar)
{
  if (bar->animation == NULL)
    return;
  show_count (bar);
  g_signal_emit (bar, signals[FRAME_CHANGED], 0);
}

void
sonde_frame_bar_set_animation (SondeFrameBar *bar, const SondeAnimation *animation)
{
  GtkRange *range;

  g_return_if_fail (SONDE_IS_FRAME_BAR (bar));
  if (animation == bar->animation)
    return;
  range = GTK_RANGE (bar->scale);
  set_playing (bar, FALSE);
  g_clear_pointer (&bar->animation, sonde_animation_unref); /* the range says nothing meanwhile */
  gtk_range_set_range (range, 1, animation != NULL ? MAX (animation->n_frames, 2) : 2);
  gtk_range_set_value (range, 1);
  bar->animation = sonde_animation_ref (animation);
  gtk_widget_set_visible (GTK_WIDGET (bar), animation != NULL);
  if (animation == NULL)
    return;
  gtk_label_set_width_chars (bar->count, animation->n_frames < 10    ? 5
                                         : animation->n_frames < 100 ? 7
                                                                     : 11);
  show_count (bar);
}

static void
sonde_frame_bar_dispose (GObject *object)
{
  SondeFrameBar *bar = SONDE_FRAME_BAR (object);

  g_clear_pointer (&bar->animation, sonde_animation_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), SONDE_TYPE_FRAME_BAR);
  G_OBJECT_CLASS (sonde_frame_bar_parent_class)->dispose (object);
}

static void
sonde_frame_bar_class_init (SondeFrameBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_frame_bar_dispose;
  signals[FRAME_CHANGED] = g_signal_new ("frame-changed", G_TYPE_FROM_CLASS (klass),
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_template_from_resource (widget_class, RESOURCE);
  gtk_widget_class_bind_template_child (widget_class, SondeFrameBar, play);
  gtk_widget_class_bind_template_child (widget_class, SondeFrameBar, scale);
  gtk_widget_class_bind_template_child (widget_class, SondeFrameBar, count);
  gtk_widget_class_bind_template_callback (widget_class, on_play);
  gtk_widget_class_bind_template_callback (widget_class, on_unmap);
  gtk_widget_class_bind_template_callback (widget_class, on_value_changed);
}

static void
sonde_frame_bar_init (SondeFrameBar *bar)
{
  gtk_widget_init_template (GTK_WIDGET (bar));
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar->scale), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Frame"), -1);
  set_playing (bar, FALSE);
}
