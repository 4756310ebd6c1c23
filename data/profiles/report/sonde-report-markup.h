/* SPDX-License-Identifier: Apache-2.0
 * Pieces of the page that several of its parts use. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define SONDE_REPORT_WIDTH 960 /* of every picture, in its own units */

/* Text of any origin between tags or in a quoted attribute; long ones are cut. */
void sonde_report_add_escaped (GString *page, const char *text);
/* <h2>, with our own text, translated. */
void sonde_report_add_heading (GString *page, const char *text);
/* @heads: msgids, "<" or ">" in front as in the tables of the command line; ended by NULL */
void sonde_report_begin_table (GString *page, const char *const *heads);
void sonde_report_end_table (GString *page);
/* <td>; @is_number: aligned to the right */
void sonde_report_add_cell (GString *page, const char *text, gboolean is_number);
/* "12.3 ms", "–" for NaN; "45.6 %". (transfer full) */
char *sonde_report_format_ns (double ns);
char *sonde_report_format_share (double share);

/* Class of colour of a name: 0 to 11, the same for the same text. */
guint sonde_report_get_colour (const char *text);

/**
 * sonde_report_add_rectangle:
 * @tip: shown when the pointer rests on it; escaped here
 * @text: (nullable): written inside, as far as it fits; escaped here
 */
void sonde_report_add_rectangle (GString *page, double x, double y, double width, double height,
                                 guint colour, const char *tip, const char *text);
void sonde_report_begin_picture (GString *page, double height, const char *title);
void sonde_report_end_picture (GString *page);

G_END_DECLS
