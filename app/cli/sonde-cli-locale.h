/* SPDX-License-Identifier: Apache-2.0
 * The locale of the program: the user's language for texts, a point in numbers, UTF-8. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_cli_start_locale:
 * @program: path of the running program; its catalogues of translations lie in ../po (build tree) or
 *   in the data folder beside it (installed, also where an installation was moved as a whole)
 *
 * Takes the locale of the environment. Numbers have a point and texts are UTF-8 in every locale, so
 * that files, JSON and recipes are the same everywhere. To be called before any thread is started.
 */
void sonde_cli_start_locale (const char *program);

/* English texts only, for a process that no person reads (the engine child). */
void sonde_cli_stop_translation (void);

G_END_DECLS
