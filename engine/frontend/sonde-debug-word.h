/* SPDX-License-Identifier: Apache-2.0
 * The name that is being typed at the end of an expression, a pattern, a command. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Where the word begins that ends at byte @end of @text: behind the last blank, operator or bracket. Names
 * hold letters, digits and _ . / : ' - ; a minus between blanks is an operator. */
gsize sonde_debug_word_start (const char *text, gsize end);

/* Does a name go on from the word [@start, @end) of @text, any case, also behind one of its slashes or dots?
 * Not one that is the word itself, and none from less than two bytes. */
gboolean sonde_debug_word_matches (const char *text, gsize start, gsize end, const char *name);

G_END_DECLS
