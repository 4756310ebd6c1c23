/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/window-frames.h"

#include <time.h>

gint64
window_thread_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * G_GINT64_CONSTANT (1000000000) + time.tv_nsec;
}

static void
on_begin (GdkFrameClock *clock, WindowFrames *frames)
{
  frames->begun_ns = window_thread_ns ();
  frames->begun_us = g_get_monotonic_time ();
}

static void
on_end (GdkFrameClock *clock, WindowFrames *frames)
{
  if (frames->begun_ns == 0)
    return;
  frames->in_frames_ns += window_thread_ns () - frames->begun_ns;
  frames->longest_us = MAX (frames->longest_us, g_get_monotonic_time () - frames->begun_us);
  frames->begun_ns = 0;
  frames->n++;
}

void
window_frames_init (WindowFrames *frames, GtkWidget *widget)
{
  *frames = (WindowFrames){ .clock = g_object_ref (gtk_widget_get_frame_clock (widget)) };
  frames->begin = g_signal_connect (frames->clock, "before-paint", G_CALLBACK (on_begin), frames);
  frames->end = g_signal_connect_after (frames->clock, "after-paint", G_CALLBACK (on_end), frames);
}

void
window_frames_clear (WindowFrames *frames)
{
  g_signal_handler_disconnect (frames->clock, frames->begin);
  g_signal_handler_disconnect (frames->clock, frames->end);
  g_clear_object (&frames->clock);
}

void
window_frames_wait (WindowFrames *frames)
{
  guint n = frames->n;

  while (frames->n == n)
    g_main_context_iteration (NULL, TRUE);
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

WindowCosts
window_frames_measure (WindowFrames *frames, guint n, WindowFramesFunc func, void *user_data)
{
  g_autofree double *costs = g_new (double, n);
  WindowCosts sum = { 0 };

  frames->longest_us = 0;
  for (guint i = 0; i < n; i++)
    {
      gint64 start = window_thread_ns ();

      func (i, user_data);
      window_frames_wait (frames);
      costs[i] = (double) (window_thread_ns () - start) / 1e6;
    }
  qsort (costs, n, sizeof *costs, compare);
  sum.median = costs[n / 2];
  sum.p99 = costs[(n * 99 - 1) / 100];
  sum.worst = costs[n - 1];
  sum.worst_by_clock = (double) frames->longest_us / 1e3;
  return sum;
}
