/* SPDX-License-Identifier: Apache-2.0
 * What tests of the Debugger page share: a small model, and hands on the page. */
#pragma once

#include "tests/app/pages/window-fixture.h"

G_BEGIN_DECLS

/* x → conv1 → relu1 → conv2 → relu2 → y as small.onnx; x is 1×1×@side×@side, 8 without. (transfer
 * full): its path */
char *debugger_write_model_of (const char *folder, gint64 side);
char *debugger_write_model (const char *folder);

/* The small model is opened, alone, and stands before @at. */
void debugger_open_at (WindowFixture *fixture, const char *at);

/* A training of glyphs by LeNet in the fixture's folder, 16 a step, stands before @at of its first
 * step. */
void debugger_open_training (WindowFixture *fixture, const char *at);
/* The same over so many epochs of four steps. */
void debugger_open_epochs (WindowFixture *fixture, const char *at, guint n_epochs);

GtkWidget *debugger_page (WindowFixture *fixture);
/* A WindowCondition: a label on the page begins with the text @data. */
gboolean debugger_says (WindowFixture *fixture, const void *data);
/* "debug.step" */
void debugger_activate (WindowFixture *fixture, const char *action);

/* The tab @name of the dock, and the panel of that type in it. */
GtkWidget *debugger_show_tab (WindowFixture *fixture, const char *name, GType type);
/* The button that a label is on, or in. */
void debugger_click (GtkWidget *label);

/* First entry with that placeholder below a widget. (nullable) */
GtkWidget *debugger_find_entry (GtkWidget *widget, const char *placeholder);
void debugger_enter (GtkWidget *entry, const char *text);
/* What stands right of the label @words in a grid. (nullable) */
GtkWidget *debugger_find_field (GtkWidget *widget, const char *words);
/* The open window of that title. (nullable) */
GtkWidget *debugger_find_window (const char *title);

G_END_DECLS
