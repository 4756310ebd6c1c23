/* SPDX-License-Identifier: Apache-2.0
 * The device interface: memory, layouts, prepared kernels. One folder a device; a plan talks to
 * devices only through this table. */
#pragma once

#include <pthread.h>

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

typedef struct _SondeDevice SondeDevice;
typedef struct _SondeDeviceClass SondeDeviceClass;
typedef struct _SondeLayout SondeLayout; /* opaque layout of a device; NULL is plain row-major */
typedef struct _SondeKernel SondeKernel; /* a prepared step */

/**
 * SondePrepareRequest:
 * @nodes: nodes this kernel stands for, in order; one unless fused
 * @inputs, @outputs: of one node: its own, NULL entries included; of a fused group: its outer
 *   inputs and outputs, each once, in order of first use
 * @input_layouts: layouts the inputs lie in now; (inout): the kernel replaces an entry by the
 *   layout it wants (see sonde_prepare_request_set_layout()) and the planner inserts a visible
 *   reorder step
 * @output_layouts: (out): layout each output will have (new reference, NULL plain)
 * @constant_inputs: TRUE where the input never changes: its reorder is done once
 * @free_inputs: TRUE where the input's layout is for this kernel to choose at no cost (a parameter
 *   that lives in the layout its first reader wants)
 * @plain_layouts: (in): no opaque layouts may be asked for
 * @in_place: (inout): output 0 may be given the memory of input 0; starts as the operator's flag,
 *   the kernel clears it when it can't and sets it when it can all the same
 * @in_place_output, @in_place_inputs: (inout): where @in_place: the output instead of 0, and a bit
 *   for each of the inputs 0 to 63 whose memory it may be given, of the output's size and layout.
 *   Start as output 0 and input 0
 * @workspace_bytes: (out): scratch the kernel needs while it runs
 * @derive_inputs: (nullable): the kernel sets TRUE for a constant input that only its derive()
 *   reads; NULL: it may not derive anything
 * @derived_bytes: (out): of what the kernel derives from those inputs whenever they change
 * @implementation: (out): static text for the profiler ("jit:avx512_core", "reference")
 */
typedef struct
{
  SondeNode *const *nodes;
  guint n_nodes;
  guint n_inputs;
  SondeGraphValue *const *inputs;
  SondeLayout **input_layouts;
  const gboolean *constant_inputs;
  const gboolean *free_inputs;
  gboolean plain_layouts;
  guint n_outputs;
  SondeGraphValue *const *outputs;
  SondeLayout **output_layouts;
  gboolean in_place;
  guint in_place_output;
  guint64 in_place_inputs;
  gsize workspace_bytes;
  gboolean *derive_inputs;
  gsize derived_bytes;
  const char *implementation;
} SondePrepareRequest;

/**
 * SondeRunArguments: device pointers of one call
 * @derived: what derive() made
 * @fetch: the plain content of a derive_input, for the rare run that needs more than was derived.
 *   Returns: (transfer full)
 * @owner, @call: for the one who gave @fetch
 * @seed, @step: for random operators
 */
typedef struct _SondeRunArguments SondeRunArguments;
struct _SondeRunArguments
{
  void *const *inputs;
  void *const *outputs;
  void *workspace;
  const void *derived;
  SondeTensor *(*fetch) (const SondeRunArguments *arguments, guint input, GError **error);
  gconstpointer owner, call;
  guint64 seed, step;
};

/**
 * SondeDeviceClass: all entries required unless said otherwise
 * @host_memory: the host can read the device's memory as it is
 * @alignment: bytes
 * @describe: (transfer full): name, version of the library, threads, ISA, for `sonde check`
 * @supports: can the node run here; NULL node types are refused by prepare anyway
 * @can_fuse: (optional; default FALSE): may @nodes, a chain in which each is the only reader of the
 *   one before, run as one kernel; prepare may still refuse with UNSUPPORTED
 * @can_chain: (optional; default FALSE): may @nodes, each but the first a reader of one before, run
 *   as one kernel that leaves every result somebody wants; prepare may still refuse with
 *   UNSUPPORTED
 * @find_view: (optional; default NULL): a layout in which the one result of @node is the memory of
 *   its input 0, which lies like @from, as it is; the device then also runs what reads the result.
 *   (transfer full) (nullable)
 * @prepare: Errors: UNSUPPORTED, SHAPE, MEMORY
 * @run: may fail (lost device); CPU kernels return TRUE
 * @derive: (optional): fills a kernel's derived memory from the plain bytes of its derive_inputs,
 *   in host memory (NULL for its other inputs)
 * @layout_bytes: memory of a value of @type in @layout (NULL plain), padding included
 * @prepare_reorder: (optional): a kernel that copies its one input to its one output, from one
 *   layout to another; the plan's inserted steps. Without it they go through @reorder
 * @reorder: from one layout to another, same type (both may be NULL), once
 * @stores: (optional): whether it pays to make a value in memory that is used again and to @store a
 * copy where it stays
 * @store: copies @bytes to memory that no kernel reads soon; both begin at the device's alignment
 * @parts: (optional; default: one after another): calls @run for parts 0…@n − 1, which do not
 *   depend on each other, on the device's threads; a part is worth a thread
 * @read_plain, @write_plain: whole value <-> host memory, row-major
 *
 * Several threads may use one device at a time, each with its own memory; a kernel holds nothing
 * that a run changes.
 */
struct _SondeDeviceClass
{
  const char *name;
  gboolean host_memory;
  gsize alignment;
  char *(*describe) (SondeDevice *device);
  void (*free) (SondeDevice *device);
  void *(*allocate) (SondeDevice *device, gsize bytes, GError **error);
  void (*release) (SondeDevice *device, void *memory);
  gboolean (*supports) (SondeDevice *device, const SondeNode *node);
  gboolean (*can_fuse) (SondeDevice *device, SondeNode *const *nodes, guint n_nodes);
  gboolean (*can_chain) (SondeDevice *device, SondeNode *const *nodes, guint n_nodes);
  SondeLayout *(*find_view) (SondeDevice *device, const SondeNode *node, const SondeLayout *from);
  SondeKernel *(*prepare) (SondeDevice *device, SondePrepareRequest *request, GError **error);
  gboolean (*run) (SondeDevice *device, SondeKernel *kernel, const SondeRunArguments *arguments,
                   GError **error);
  void (*kernel_free) (SondeDevice *device, SondeKernel *kernel);
  gboolean (*derive) (SondeDevice *device, SondeKernel *kernel, const void *const *inputs,
                      void *derived, GError **error);
  gsize (*layout_bytes) (SondeDevice *device, const SondeType *type, const SondeLayout *layout);
  gboolean (*layout_equal) (SondeDevice *device, const SondeLayout *a, const SondeLayout *b);
  SondeLayout *(*layout_ref) (SondeDevice *device, SondeLayout *layout);
  void (*layout_unref) (SondeDevice *device, SondeLayout *layout);
  char *(*layout_describe) (SondeDevice *device,
                            const SondeLayout *layout); /* "nChw16c"; "plain" */
  SondeKernel *(*prepare_reorder) (SondeDevice *device, const SondeType *type, SondeLayout *from,
                                   SondeLayout *to, gsize *workspace_bytes, GError **error);
  gboolean (*reorder) (SondeDevice *device, const SondeType *type, const SondeLayout *from_layout,
                       const void *from, const SondeLayout *to_layout, void *to, GError **error);
  gboolean (*stores) (SondeDevice *device);
  void (*store) (SondeDevice *device, gsize bytes, const void *from, void *to);
  void (*parts) (SondeDevice *device, gint64 n, void (*run) (gint64 part, gpointer data),
                 gpointer data);
  gboolean (*read_plain) (SondeDevice *device, const SondeType *type, const SondeLayout *layout,
                          const void *memory, void *host, GError **error);
  gboolean (*write_plain) (SondeDevice *device, const SondeType *type, const SondeLayout *layout,
                           const void *host, void *memory, GError **error);
  gboolean (*synchronise) (SondeDevice *device, GError **error);
};

/**
 * SondeDevice: first member of every device
 * @n_threads: so many compute at a time at most; 1 unless the device says otherwise
 * @blocks: bytes of each piece of memory that is out; @bytes: of all of them; @most: the most there
 * were at one time
 * @n_recorded: threads whose kernels and memory are recorded; @spans: of each of them (sonde-device-spans.h)
 */
struct _SondeDevice
{
  const SondeDeviceClass *klass;
  _Atomic guint ref_count;
  guint n_threads;
  pthread_mutex_t lock; /* of the three below */
  GHashTable *blocks;
  guint64 bytes, most;
  _Atomic guint n_recorded;
  pthread_key_t spans;
};

/* For devices: the first thing a new one does; sonde_device_unref() undoes it. */
void sonde_device_init (SondeDevice *device, const SondeDeviceClass *klass);
/* For the allocate and release of a class: what is out is counted. @memory: NULL is nothing */
void sonde_device_note_allocated (SondeDevice *device, const void *memory, gsize bytes);
void sonde_device_note_released (SondeDevice *device, const void *memory);

/**
 * sonde_device_open:
 * @name: "cpu" (oneDNN and our kernels), "reference" (plain kernels only, one thread); others with
 *   their folders. An index may follow: "opencl:1".
 * @threads: 0: OMP_NUM_THREADS where that is set, else as many as the affinity mask allows
 *
 * Errors: NOT_FOUND naming the devices there are, DEVICE.
 */
SondeDevice *sonde_device_open (const char *name, int threads, GError **error);
SondeDevice *sonde_device_ref (SondeDevice *device);
void sonde_device_unref (SondeDevice *device);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDevice, sonde_device_unref)

/* The most memory that was out at one time since the device was opened: what plans, executions and
 * kernels asked for. */
guint64 sonde_device_get_peak_bytes (SondeDevice *device);
/* What is out now. */
guint64 sonde_device_get_bytes (SondeDevice *device);

/* Names sonde_device_open() knows. (array zero-terminated=1) */
const char *const *sonde_device_list (void);

/* Replaces an entry of input_layouts; @layout: (nullable): plain; a new reference is taken. */
void sonde_prepare_request_set_layout (SondeDevice *device, SondePrepareRequest *request,
                                       guint input, SondeLayout *layout);

/**
 * sonde_device_run_node:
 * @inputs: plain tensors of the node's input types, NULL for absent ones
 * @outputs: (out) (array length=n_outputs): new references, NULL for outputs nobody named
 *
 * One node alone, with the kernel a plan without fusion would use: the same bits.
 * Errors: UNSUPPORTED, SHAPE, MEMORY, DEVICE.
 */
gboolean sonde_device_run_node (SondeDevice *device, SondeNode *node, SondeTensor *const *inputs,
                                guint64 seed, guint64 step, SondeTensor **outputs, GError **error);

G_END_DECLS
