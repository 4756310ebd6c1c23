/* SPDX-License-Identifier: Apache-2.0
 * What the window's thread spends: in frames, and between them. Processor time of this thread, which
 * other programs on the machine do not change, and the time by the clock. */
#pragma once

#include <gtk/gtk.h>

/**
 * WindowFrames:
 * @in_frames_ns: processor time from before a frame's signals to behind its last one, all frames
 * @n: frames so far
 * @begun_ns, @begun_us: of the frame that is being drawn
 * @longest_us: the longest frame by the clock
 */
typedef struct
{
  GdkFrameClock *clock;
  gulong begin, end;
  gint64 in_frames_ns, begun_ns, begun_us, longest_us;
  guint n;
} WindowFrames;

/* Milliseconds of many frames. */
typedef struct
{
  double median, p99, worst, worst_by_clock;
} WindowCosts;

gint64 window_thread_ns (void);
/* @widget: realized, must outlive the frames */
void window_frames_init (WindowFrames *frames, GtkWidget *widget);
void window_frames_clear (WindowFrames *frames);
/* Iterates until one more frame was drawn; somebody must have asked for one. */
void window_frames_wait (WindowFrames *frames);

/* What the caller does before each frame. */
typedef void (*WindowFramesFunc) (guint number, void *user_data);
/* Calls @func, waits for the frame, @n times: all that this thread did for each. */
WindowCosts window_frames_measure (WindowFrames *frames, guint n, WindowFramesFunc func,
                                   void *user_data);
