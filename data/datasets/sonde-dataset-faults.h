/* SPDX-License-Identifier: Apache-2.0
 * What cannot be read: samples, and folders without any. Any thread may call. */
#pragma once

#include "data/datasets/sonde-dataset.h"

G_BEGIN_DECLS

SondeFaults *sonde_faults_new (void);
void sonde_faults_free (SondeFaults *faults);
guint sonde_faults_get_n (SondeFaults *faults);
guint sonde_faults_get_n_samples (SondeFaults *faults);
/* @sample: -1: of none. @message: (transfer full). Each sample is noted once; the list ends after 1000,
 * the count does not. */
void sonde_faults_add (SondeFaults *faults, gint64 sample, SondeMessage *message);
gboolean sonde_faults_contain (SondeFaults *faults, guint sample);
/* (transfer full) (nullable): NULL behind the end of the list */
SondeMessage *sonde_faults_dup (SondeFaults *faults, guint index);

G_END_DECLS
