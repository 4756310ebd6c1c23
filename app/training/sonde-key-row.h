/* SPDX-License-Identifier: Apache-2.0
 * A key of the recipe as a row: what it is, its name, its value to be chosen or written, and a way back to the
 * default. What is not allowed stays in the row, with the reason below it, and out of the recipe. */
#pragma once

#include <adwaita.h>

#include "app/training/sonde-recipe-document.h"

G_BEGIN_DECLS

#define SONDE_TYPE_KEY_ROW (sonde_key_row_get_type ())
G_DECLARE_FINAL_TYPE (SondeKeyRow, sonde_key_row, SONDE, KEY_ROW, AdwActionRow)

/* What is written behind a word that is chosen. */
typedef enum
{
  SONDE_REST_NONE,
  SONDE_REST_TEXT,
  SONDE_REST_FILE,
  SONDE_REST_FOLDER,
} SondeRest;

/**
 * SondeKeyWord: a word that a value begins with; tables end with a NULL word
 * @word: "mnist"; "" where the rest is the whole value
 * @title: (nullable): what is shown for it; NULL: the word
 * @detail: (nullable): a few words more, below the row's title
 * @rest: of the value, behind a colon
 * @hint: (nullable): what the rest looks like
 */
typedef struct
{
  const char *word, *title, *detail;
  SondeRest rest;
  const char *hint;
} SondeKeyWord;

/* @key: "train.loss"; the words are those of the recipe's table. */
GtkWidget *sonde_key_row_new (SondeRecipeDocument *document, const char *key);
/* With words of its own instead; strings are copied, as by sonde_key_row_set_words(). */
GtkWidget *sonde_key_row_new_with_words (SondeRecipeDocument *document, const char *key,
                                         const SondeKeyWord *words);
void sonde_key_row_set_words (SondeKeyRow *row, const SondeKeyWord *words);
const char *sonde_key_row_get_key (SondeKeyRow *row);

G_END_DECLS
