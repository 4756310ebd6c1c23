/* SPDX-License-Identifier: Apache-2.0
 * Texts that a user reads, in the user's language: gettext with the domain "sonde".
 *
 *   _("Text")               the translation, at once
 *   N_("Text")              only marked, for tables; _(variable) translates it where it is shown
 *   C_("context", "Text")   for a word that needs two translations (NC_ in tables, g_dpgettext2 later)
 *   P_("%u run", "%u runs", n)   the form for a number
 *
 * What a machine or another process reads (JSON, records, protocol, CSV, logs, debug output, file and
 * column names) is English in every locale and is not marked. The messages of errors are marked by
 * the functions of sonde-message.h.
 *
 * A sentence is one string with all its conversions: no sentence is composed of pieces, since other
 * languages have another order. scripts/translate collects the marked strings; docs/translating.md
 * says how. */
#pragma once

#define GETTEXT_PACKAGE "sonde"

#include <glib.h>
#include <glib/gi18n-lib.h>

/* Integers of fixed width in translatable formats: "%" PRIu64, "%" PRIi64 (G_GUINT64_FORMAT cannot be
 * read by xgettext); gsize is %zu, gssize is %zi. */
#include <inttypes.h>

/* (transfer none): @Singular or @Plural in the user's language, as @Number (≥ 0) demands there. */
#define P_(Singular, Plural, Number)                                                               \
  g_dngettext (GETTEXT_PACKAGE, (Singular), (Plural), (gulong) (Number))
