/* SPDX-License-Identifier: Apache-2.0
 * Something for every page: runs with scalars, histograms, pictures and a recorded profile, a model, and, where the
 * samples are beside the checkout, runs with tensors, curves, a landscape and points. */
#pragma once

#include "tests/app/pages/window-fixture.h"

G_BEGIN_DECLS

/* Writes it into @folder. (transfer full) (array zero-terminated=1): the paths to open */
char **whole_fixture_write (const char *folder);
/* A window on it, with the page @name and settled; cleared as every window_fixture. */
void whole_fixture_open (WindowFixture *fixture, const char *name);

G_END_DECLS
