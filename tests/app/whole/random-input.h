/* SPDX-License-Identifier: Apache-2.0
 * Random pointer and keys with a fixed seed, a few in each frame, page after page. What they open is closed with the
 * page: dialogs, menus. */
#pragma once

#include "tests/app/pages/window-fixture.h"

G_BEGIN_DECLS

typedef struct _RandomInput RandomInput;

/* In main(), after GTK is there: warnings of GTK that no program can avoid are not fatal, and are not told. */
void random_input_know_warnings (void);

/* Begins at once, with the next frame; what is written by a relative name goes to the fixture's folder.
 * @pages (nullable): their names, one after another; NULL: all of them
 * (nullable): NULL: there is no X server with XTEST */
RandomInput *random_input_new (WindowFixture *fixture, guint32 seed, guint events_on_a_page,
                               const char *const *pages);
void random_input_free (RandomInput *input);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (RandomInput, random_input_free)

guint random_input_get_n_events (RandomInput *input);
guint random_input_get_n_pages (RandomInput *input);
/* Times that the first page was shown again, just now the last of them or some events ago. */
guint random_input_get_n_rounds (RandomInput *input);

G_END_DECLS
