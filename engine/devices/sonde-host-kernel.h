/* SPDX-License-Identifier: Apache-2.0
 * For devices whose memory the host can read: the reference kernel of an operator's row as a
 * prepared kernel, and plain memory. Every operator runs on such a device, fast or not. */
#pragma once

#include "engine/devices/sonde-device.h"

G_BEGIN_DECLS

#define SONDE_HOST_ALIGNMENT 64

typedef struct _SondeHostKernel SondeHostKernel;

/* Whether the row of @node has a reference kernel. */
gboolean sonde_host_kernel_supports (const SondeNode *node);

/**
 * sonde_host_kernel_new:
 *
 * Asks for plain inputs and gives plain outputs.
 * Errors: UNSUPPORTED (no kernel, values that are no tensors of numbers), SHAPE (a size is not
 * known).
 */
SondeHostKernel *sonde_host_kernel_new (SondeDevice *device, SondePrepareRequest *request,
                                        GError **error);
gboolean sonde_host_kernel_run (SondeHostKernel *kernel, const SondeRunArguments *arguments,
                                GError **error);
void sonde_host_kernel_free (SondeHostKernel *kernel);

/* Checks that inputs and outputs of the request are tensors of known sizes, not strings. */
gboolean sonde_prepare_request_check (const SondePrepareRequest *request, GError **error);

/* Row-major bytes; 0 when a size is not known. */
gsize sonde_host_type_bytes (const SondeType *type);

/* Entries of a device class for plain host memory. */
void *sonde_host_allocate (SondeDevice *device, gsize bytes, GError **error);
void sonde_host_release (SondeDevice *device, void *memory);
gboolean sonde_host_synchronise (SondeDevice *device, GError **error);

G_END_DECLS
