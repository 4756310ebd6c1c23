/* SPDX-License-Identifier: Apache-2.0 */
#include "data/values/sonde-animation.h"

#include <stdatomic.h>

SondeAnimation *
sonde_animation_new (guint n_frames, guint n_recorded)
{
  SondeAnimation *animation;

  g_return_val_if_fail (n_frames >= 1 && n_recorded >= n_frames, NULL);
  animation = g_new0 (SondeAnimation, 1);
  atomic_init (&animation->ref_count, 1);
  animation->n_frames = n_frames;
  animation->n_recorded = n_recorded;
  animation->frames = g_new0 (SondeImage *, n_frames);
  animation->durations = g_new0 (guint, n_frames);
  return animation;
}

SondeAnimation *
sonde_animation_ref (const SondeAnimation *animation)
{
  SondeAnimation *counted = (SondeAnimation *) animation;

  if (counted != NULL)
    atomic_fetch_add_explicit (&counted->ref_count, 1, memory_order_relaxed);
  return counted;
}

void
sonde_animation_unref (SondeAnimation *animation)
{
  if (animation == NULL || atomic_fetch_sub (&animation->ref_count, 1) != 1)
    return;
  for (guint i = 0; i < animation->n_frames; i++)
    sonde_image_unref (animation->frames[i]);
  g_free (animation->frames);
  g_free (animation->durations);
  g_free (animation);
}
