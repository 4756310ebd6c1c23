/* SPDX-License-Identifier: Apache-2.0
 * Reading the three JSON files of a dump of msprobe. */
#pragma once

#include "data/base/sonde-budget.h"
#include "data/json/sonde-json-scanner.h"
#include "data/records/msprobe/sonde-msprobe-dump.h"

G_BEGIN_DECLS

/**
 * SondeMsprobeParser: one file of @dump
 * @name: of the value that is read, grown and cut back
 * @depth: of lists and objects
 * @failure: (nullable): what is wrong beyond the JSON
 */
typedef struct
{
  SondeMsprobeDump *dump;
  SondeJsonScanner *scanner;
  SondeBudget budget;
  char *path;
  int fd;
  GString *name;
  guint depth;
  GError *failure;
} SondeMsprobeParser;

/* Errors: of the file. */
gboolean sonde_msprobe_parser_open (SondeMsprobeParser *parser, SondeMsprobeDump *dump,
                                    const char *base, GError **error);
/* @read: whether all went well. Errors: what went wrong, with the byte. Returns: @read */
gboolean sonde_msprobe_parser_close (SondeMsprobeParser *parser, gboolean read, GError **error);

/* A text of the file that stays: valid UTF-8. NULL where the budget is used up, or it is too long. */
const char *sonde_msprobe_parser_keep (SondeMsprobeParser *parser, const char *bytes, gsize n);
/* Sets the failure, where there is none. Returns: FALSE */
gboolean sonde_msprobe_parser_fail (SondeMsprobeParser *parser, int code, const char *why);
/* Room for one more thing of @bytes in a list that has @n. */
gboolean sonde_msprobe_parser_take (SondeMsprobeParser *parser, guint n, gsize bytes);

/* The next value if it is a text; any other is skipped, and *@text stays. */
gboolean sonde_msprobe_parser_take_text (SondeMsprobeParser *parser, const char **text);

/* An entry of dump.json or debug.json behind its key (sonde-msprobe-values.c). */
gboolean sonde_msprobe_parse_entry (SondeMsprobeParser *parser, const char *entry);

/* stack.json, construct.json (sonde-msprobe-stacks.c): what is wrong with them goes to the dump's
 * problems. */
void sonde_msprobe_parse_stacks (SondeMsprobeDump *dump);
void sonde_msprobe_parse_construct (SondeMsprobeDump *dump);

/* Without anything in it (sonde-msprobe-dump.c). */
SondeMsprobeDump *sonde_msprobe_dump_new (const SondeIo *io, const char *path);
/* @name: stays, and is new. (transfer none): until the next */
SondeMsprobeEntry *sonde_msprobe_dump_add_entry (SondeMsprobeDump *dump, const char *name);

G_END_DECLS
