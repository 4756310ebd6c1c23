/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of a training: NAME.npz (parameter name -> array) for people and other programs, and
 * NAME.state.npz with everything a resumed run needs (parameters, optimiser state, step). Both are
 * replaced atomically. */
#pragma once

#include "data/base/sonde-io.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/* Errors: IO, NO_SPACE with the path. */
gboolean sonde_checkpoint_write (const SondeIo *io,
                                 const char    *folder,
                                 const char    *name,
                                 SondeTrainer  *trainer,
                                 GError       **error);

/* Removes all but the newest @keep checkpoints named PREFIX-NNNNNNNN; 0 keeps all. */
void sonde_checkpoint_prune (const SondeIo *io,
                             const char    *folder,
                             const char    *prefix,
                             guint          keep);

/**
 * sonde_checkpoint_resume:
 * Loads the newest checkpoint (largest step) below @folder into @trainer, its step too.
 * Errors: NOT_FOUND when there is none; DAMAGED, or SHAPE when it belongs to another model.
 */
gboolean sonde_checkpoint_resume (const SondeIo *io,
                                  const char    *folder,
                                  SondeTrainer  *trainer,
                                  GError       **error);

/* Parameters by name from an .npz. Errors: NOT_FOUND naming a tensor the model does not have, SHAPE. */
gboolean sonde_checkpoint_load_weights (const SondeIo *io,
                                        const char    *path,
                                        SondeTrainer  *trainer,
                                        GError       **error);

G_END_DECLS
