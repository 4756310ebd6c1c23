/* SPDX-License-Identifier: Apache-2.0
 * The program's answer to everything a session server asks for: opens recipes, built-in models and
 * model files as activities, writes graphs and values. */
#pragma once

#include "data/recipes/sonde-recipe.h"
#include "engine/session/server/sonde-session-server.h"

G_BEGIN_DECLS

typedef struct _SondeWorkerHost SondeWorkerHost;

/* @program: path of `sonde`, for the image helper */
SondeWorkerHost *sonde_worker_host_new (const char *program);
void sonde_worker_host_free (SondeWorkerHost *host);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWorkerHost, sonde_worker_host_free)

SondeSessionHost *sonde_worker_host_get_session_host (SondeWorkerHost *host);
/* Clients of @server, which is borrowed, hear how trainings get on that the host opens from here on. */
void sonde_worker_host_set_server (SondeWorkerHost *host, SondeSessionServer *server);

/* Is @subject trained (a recipe file, a built-in model's name) rather than inferred? */
gboolean sonde_worker_subject_is_training (const char *subject);

/**
 * sonde_worker_load_recipe:
 * @subject: recipe file, built-in model name, or ONNX file (the defaults with model.name set)
 * @sets: (nullable) (array zero-terminated=1): "key=value"
 * Returns: (transfer full). Errors: of the recipe.
 */
SondeRecipe *sonde_worker_load_recipe (const char *subject, const char *const *sets,
                                       GError **error);

G_END_DECLS
