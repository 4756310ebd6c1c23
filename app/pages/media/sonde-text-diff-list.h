/* SPDX-License-Identifier: Apache-2.0
 * What differs between two texts as a list of lines, one text under the other or side by side, with the words that
 * were changed; F7 and Shift+F7 go from change to change, Ctrl+C copies the selected lines. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define SONDE_TYPE_TEXT_DIFF_LIST (sonde_text_diff_list_get_type ())
G_DECLARE_FINAL_TYPE (SondeTextDiffList, sonde_text_diff_list, SONDE, TEXT_DIFF_LIST, GtkBox)

/**
 * sonde_text_diff_list_set_texts:
 * @first, @second: (nullable): any bytes; NULL: there is none, which is no empty text
 * @first_name, @second_name: whose they are: "run a · step 3"
 */
void sonde_text_diff_list_set_texts (SondeTextDiffList *list, const char *first, const char *second,
                                     const char *first_name, const char *second_name);
void sonde_text_diff_list_set_beside (SondeTextDiffList *list, gboolean beside);

guint sonde_text_diff_list_get_n_changes (SondeTextDiffList *list);
guint
sonde_text_diff_list_get_change (SondeTextDiffList *list); /* that is at hand, from 1; 0: none */
/* To the next one, or the one before; at the end it begins again. */
void sonde_text_diff_list_go (SondeTextDiffList *list, int direction);

G_END_DECLS
