/* SPDX-License-Identifier: Apache-2.0
 * A folder of one's own for tests that write datasets. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *folder;
} Fixture;

void fixture_set_up (Fixture *fixture, gconstpointer data);
/* Removes the folder and all in it. */
void fixture_tear_down (Fixture *fixture, gconstpointer data);

/* The file @name in the folder, and the folders to it. @length: -1: of a string */
void fixture_put (const Fixture *fixture, const char *name, const void *data, gssize length);

G_END_DECLS
