/* SPDX-License-Identifier: Apache-2.0
 * A decoded animation: frames of one size, each with the time it is shown; reference counted. */
#pragma once

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

/**
 * SondeAnimation:
 * @n_frames: ≥ 1
 * @n_recorded: frames of the file, ≥ @n_frames: of a long one only the first are kept
 * @frames: whole images, not differences; owned
 * @durations: ms that each frame is shown, ≥ 1; owned
 *
 * Does not change once it has a second reference.
 */
typedef struct
{
  _Atomic guint ref_count;
  guint n_frames, n_recorded;
  SondeImage **frames;
  guint *durations;
} SondeAnimation;

/* @frames: empty places, for the caller to fill. Returns: (transfer full) */
SondeAnimation *sonde_animation_new (guint n_frames, guint n_recorded);
/* References are counted atomically: any thread. NULL stays NULL. */
SondeAnimation *sonde_animation_ref (const SondeAnimation *animation);
void sonde_animation_unref (SondeAnimation *animation); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeAnimation, sonde_animation_unref)

G_END_DECLS
