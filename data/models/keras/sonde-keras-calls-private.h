/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files of SondeKerasNet. */
#pragma once

#include "data/models/keras/sonde-keras-net.h"

G_BEGIN_DECLS

void sonde_keras_call_free (gpointer call); /* SondeKerasCall */

/* Fills in the calls of all layers, their order, and the edges of the net. @config: (nullable) */
gboolean sonde_keras_net_connect (SondeKerasNet *net, JsonObject *config, const char *path,
                                  GError **error);

G_END_DECLS
