/* SPDX-License-Identifier: Apache-2.0
 * What tests of the Debugger page share: a small model, and hands on the page. */
#pragma once

#include "tests/app/pages/window-fixture.h"

G_BEGIN_DECLS

/* x → conv1 → relu1 → conv2 → relu2 → y as small.onnx; x is 1×1×@side×@side, 8 without. (transfer full): its path */
char *debugger_write_model_of (const char *folder,
                               gint64      side);
char *debugger_write_model (const char *folder);

GtkWidget *debugger_page (WindowFixture *fixture);
/* A WindowCondition: a label on the page begins with the text @data. */
gboolean debugger_says (WindowFixture *fixture,
                        const void    *data);
/* "debug.step" */
void debugger_activate (WindowFixture *fixture,
                        const char    *action);

/* First entry with that placeholder below a widget. (nullable) */
GtkWidget *debugger_find_entry (GtkWidget  *widget,
                                const char *placeholder);
void debugger_enter (GtkWidget  *entry,
                     const char *text);

G_END_DECLS
