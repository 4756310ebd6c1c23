/* SPDX-License-Identifier: Apache-2.0
 * Each text of a trace once. A text is known by its number; 0 is "". Bytes from a file may be anything:
 * what is no UTF-8 and NUL become U+FFFD when a text is first seen, and what is longer than
 * SONDE_TRACE_TEXT_MAX is cut at a character. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_TRACE_TEXT_MAX (1u << 20)

typedef struct _SondeTraceTexts SondeTraceTexts;

SondeTraceTexts *sonde_trace_texts_new (void);
void sonde_trace_texts_free (SondeTraceTexts *texts); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTraceTexts, sonde_trace_texts_free)

/* The number of the text of @n bytes. Equal bytes have one number; so have bytes that become equal. */
guint32 sonde_trace_texts_add (SondeTraceTexts *texts, const char *bytes, gsize n);
guint32 sonde_trace_texts_add_string (SondeTraceTexts *texts, const char *string);

/* (transfer none): lives as long as @texts; ends with NUL */
const char *sonde_trace_texts_get (const SondeTraceTexts *texts, guint32 text);

G_END_DECLS
