/* SPDX-License-Identifier: Apache-2.0
 * Being debugged: the whole public interface of libsonde-live, in plain C. It needs no other header.
 *
 * A program whose loop is its own (a training in PyTorch) says which nodes there are and when it
 * comes to one; breakpoints, watches, steps, expressions and statistics are looked at here, and a
 * debugger (`sonde debug --attach PID`) talks to a thread of the library.
 *
 *   unsigned char *flags = sonde_program_get_flags (program);
 *   uint32_t id = sonde_program_add_node (program, &node); // once a node
 *   if ((flags[id] | flags[0]) & SONDE_PROGRAM_BEFORE)      // each time: two loads where nobody asks
 *     if (sonde_program_pass (program, id, 0, NULL))
 *       while (sonde_program_stand (program))              // returns at least ten times a second
 *         look_for_signals ();
 *   compute ();
 *   … the same with SONDE_PROGRAM_AFTER and 1
 *
 * Threads: any; one at a time is inside, others wait. Hooks are called on the thread that is inside,
 * but for @add_call. Strings are UTF-8 and need to live only for the call; so do arrays. */
#ifndef SONDE_PROGRAM_H
#define SONDE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

/* Rises when a function is added; no function is ever changed or taken away. */
#define SONDE_PROGRAM_VERSION 7
  int sonde_program_version (void);

  typedef struct _SondeProgram SondeProgram;

#define SONDE_PROGRAM_MAX_RANK 16

  /**
 * SondeProgramTensor: numbers in somebody's memory
 * @type: as SondeRecorderType of sonde-recorder.h: 1 float64, 2 float32, 3 float16, 4 bfloat16, 5 int8 …
 *   8 int64, 9 uint8 … 12 uint64, 13 bool
 * @strides: in elements, none negative
 * @owner: given to @release when @data is not needed any more; may be NULL
 */
  typedef struct
  {
    int type;
    int rank;
    int64_t dims[SONDE_PROGRAM_MAX_RANK];
    int64_t strides[SONDE_PROGRAM_MAX_RANK];
    void *data;
    void *owner;
  } SondeProgramTensor;

  /* What a node is, its phase, what it makes. */
  enum
  {
    SONDE_PROGRAM_OPERATOR = 0,
    SONDE_PROGRAM_MODULE = 1, /* passed before its first operator and after its last */
    SONDE_PROGRAM_VALUE
    = 2, /* a weight or gradient that is complete: passed after; a weight also before it is
                               * changed, and in step 1 before it is used */
  };
  enum
  {
    SONDE_PROGRAM_FORWARD = 0,
    SONDE_PROGRAM_BACKWARD = 1,
    SONDE_PROGRAM_OPTIMISER = 2,
  };
  enum
  {
    SONDE_PROGRAM_TENSOR = 0,
    SONDE_PROGRAM_WEIGHT = 1,
    SONDE_PROGRAM_GRADIENT = 2,
    SONDE_PROGRAM_ACTIVATION = 3,
  };

  /**
 * SondeProgramNode: lists end with NULL; each may be NULL, as may @scope, @begins, @source
 * @name: "layer1.conv/convolution"; @op: "convolution"
 * @functions: what it is called in programs: "conv2d"
 * @scope: the module it lies in; of a module itself
 * @begins: the outermost module of which it is the first operator
 * @inputs, @outputs: names of values; @types: of the outputs, "float32 8×16"
 * @unjudged: not 0: a view, or memory without numbers yet: no watch looks at it
 * @source: "train.py:12 in forward"
 */
  typedef struct
  {
    const char *name;
    const char *op;
    const char *const *functions;
    const char *scope;
    const char *begins;
    int phase;
    int kind;
    int makes;
    const char *const *inputs;
    const char *const *outputs;
    const char *const *types;
    int unjudged;
    const char *source;
  } SondeProgramNode;

  /* What a hook answers; anything but DONE with sonde_program_set_problem(). */
  enum
  {
    SONDE_PROGRAM_DONE = 0,
    SONDE_PROGRAM_UNKNOWN = 1, /* there is nothing of that name */
    SONDE_PROGRAM_ABSENT = 2,  /* it is not there now */
    SONDE_PROGRAM_UNABLE = 3,  /* it cannot be done */
  };

  /**
 * SondeProgramHooks: what the library asks for; all required but @add_call
 * @get_value: fills @tensor with the value @name now or, with @previous, of the step before
 * @set_value: the numbers of @tensor, dense and of the type and sizes of the value, take its place
 * @release: an owner of a tensor is not needed any more
 * @list_nodes: calls sonde_program_put_nodes() with those of the step that ran last, in order
 * @list_values: calls sonde_program_add_value() for each that can be asked for
 * @list_frames: calls sonde_program_add_frame() for each, from the innermost outwards
 * @add_call, @call: somebody asks: @add_call (@call, @data) is to have @call run soon on a thread of
 *   the program, which calls sonde_program_answer() there. Py_AddPendingCall() is one. It is called
 *   on a thread of the library
 */
  typedef struct
  {
    int (*get_value) (void *data, const char *name, int previous, SondeProgramTensor *tensor);
    int (*set_value) (void *data, const char *name, const SondeProgramTensor *tensor);
    void (*release) (void *data, void *owner);
    void (*list_nodes) (void *data);
    void (*list_values) (void *data);
    void (*list_frames) (void *data);
    int (*add_call) (int (*call) (void *data), void *data);
    int (*call) (void *data);
  } SondeProgramHooks;

  /* A way back. @count: of STEPS, and the training step of RUN; @target: of NODE, a pattern; of CAPTURE, a file. */
  enum
  {
    SONDE_PROGRAM_BACK_STEPS = 0, /* over @count operators */
    SONDE_PROGRAM_BACK_REVERSE
    = 1,                         /* to where a breakpoint stops, see sonde_program_would_stop() */
    SONDE_PROGRAM_BACK_NODE = 2, /* before @target, as it came by last */
    SONDE_PROGRAM_BACK_RUN = 3,  /* before the first operator of step @count */
    /* the same, of the present step, which starts from what @target holds (version 7) */
    SONDE_PROGRAM_BACK_CAPTURE = 4,
  };

  /* Of a recording. */
  enum
  {
    SONDE_PROGRAM_PROFILE_START = 0,
    SONDE_PROGRAM_PROFILE_STOP = 1,
    SONDE_PROGRAM_PROFILE_KEEP = 2,
    SONDE_PROGRAM_PROFILE_STATUS = 3,
  };

  /**
 * SondeProgramOffers: what a program can do beside (version 4); each may be NULL. All answer as hooks do
 * @size: of this structure
 * @check_into: UNABLE: there is nothing inside of node @node that could be stood in
 * @go_back: DONE: it is to come by there again, when it goes on; it stops by sonde_program_stop_at()
 * @find_origin: of the bad element of @value: calls sonde_program_add_link() for the chain, from what was
 *   asked for backwards, and sonde_program_set_cause()
 * @profile: START, STOP, KEEP or STATUS of a recording, which begins and ends with steps; @n_steps of START, 0:
 *   until STOP; @folder of KEEP, or NULL: calls sonde_program_set_profile() (version 5)
 * @list_sharing: calls sonde_program_add_sharing() with each value whose memory is @value's, too (version 7)
 * @save_capture: writes the moment to the file @path; @values: globs of what is to be in it whole, ends with
 *   NULL; @batch not 0: only what the step was called with
 */
  typedef struct
  {
    size_t size;
    int (*check_into) (void *data, const char *node);
    int (*go_back) (void *data, int kind, uint64_t count, const char *target);
    int (*find_origin) (void *data, const char *value);
    int (*save_capture) (void *data, const char *path, const char *const *values, int batch);
    int (*profile) (void *data, int kind, uint64_t n_steps, const char *folder);
    int (*list_sharing) (void *data, const char *value);
  } SondeProgramOffers;

  /**
 * sonde_program_new:
 * @title: what is seen that runs
 * @listens: not 0: makes a socket and a token file of mode 0600 in a folder of mode 0700, for
 *   `sonde debug --attach`; 0: only sonde_program_add_fd()
 * @error: (nullable): set to a sentence when NULL is returned; free it with
 * sonde_program_free_text()
 */
  SondeProgram *sonde_program_new (const SondeProgramHooks *hooks, void *data, const char *title,
                                   int listens, char **error);
  /* Once, before anything runs. */
  void sonde_program_offer (SondeProgram *program, const SondeProgramOffers *offers);
  /* Its clients are told that it is over. */
  void sonde_program_free (SondeProgram *program);
  /* Around a fork(), on the thread that forks. In the child its sockets are closed and stay the
   * parent's; nothing else may be called of it there, nor is its memory freed: another thread may
   * have been in it. */
  void sonde_program_before_fork (SondeProgram *program);
  void sonde_program_after_fork (SondeProgram *program, int is_child);
  void sonde_program_free_text (char *text);

  /* Takes @fd, a connected Unix stream socket; its client is in control. Not 0: done. */
  int sonde_program_add_fd (SondeProgram *program, int fd);
  /* Path of the socket; NULL when it does not listen. */
  const char *sonde_program_get_socket (SondeProgram *program);
  /* Clients are connected. */
  int sonde_program_is_heard (SondeProgram *program);
  /* What is seen that runs from now on; @steps_before: those that nobody counted; -1: not known. */
  void sonde_program_describe (SondeProgram *program, const char *title, int64_t steps_before);

  /* ---- what the program says ----------------------------------------------- */

#define SONDE_PROGRAM_MAX_NODES (1 << 20)
#define SONDE_PROGRAM_BEFORE 1 /* flags */
#define SONDE_PROGRAM_AFTER 2
#define SONDE_PROGRAM_LOOK 4 /* beside AFTER: not needed where sonde_program_look() says so */

  /* By number of the node at which moments it is to be passed. Number 0: every node is, as somebody
   * asks. They change by themselves, also on other threads. */
  const volatile unsigned char *sonde_program_get_flags (SondeProgram *program);
  /* A breakpoint, watch or step waits, or somebody asks: nodes are to be told. */
  int sonde_program_is_armed (SondeProgram *program);
  /* Operators are to be told, not modules and values of no operator alone (version 6). It changes with a step
   * that begins, and with what clients do. */
  int sonde_program_reaches_operators (SondeProgram *program);

  /* Its number, from 1; 0 when there are too many, or without name or operator. */
  uint32_t sonde_program_add_node (SondeProgram *program, const SondeProgramNode *node);
  /* Of its outputs, where they were not known before it ran. */
  void sonde_program_set_types (SondeProgram *program, uint32_t node, const char *const *types);
  /* What the values are called that it makes, where that shows only when it ran: of a list (version 7). */
  void sonde_program_set_outputs (SondeProgram *program, uint32_t node, const char *const *outputs);
  /* Training step @number begins; they count from 1. */
  void sonde_program_begin_step (SondeProgram *program, uint64_t number);
  /* @moment: 0 before, 1 after; @thread: its name, or NULL. Not 0: stand here. */
  int sonde_program_pass (SondeProgram *program, uint32_t node, int moment, const char *thread);
  /**
   * sonde_program_look:
   * @place: of an output: number of its node, 0 for the first, SondeProgramTensor's type
   * @data: @n contiguous elements, in any order
   *
   * Where conditions alone wait for the value (version 2): cheap, and nothing is remembered of it.
   *
   * Returns: 0: none is met. The node needs not be passed where this holds for all of its outputs.
   */
#define SONDE_PROGRAM_PLACE(node, output, type) ((node) << 8 | (output) << 4 | (type))
  int sonde_program_look (SondeProgram *program, uint32_t place, const void *data, size_t n);
  /* Node @node fails with @problem, which leaves it behind this call (version 3). Not 0: stand here. */
  int sonde_program_fail (SondeProgram *program, uint32_t node, const char *problem,
                          const char *thread);
  /* On a way back, and behind one (version 4). @why: 0 so many steps, 1 the node, 2 there was nothing further
   * back, 3 a breakpoint, 4 it did not get there: @problem. Stand here. */
  void sonde_program_stop_at (SondeProgram *program, uint32_t node, int moment, int why,
                              const char *problem, const char *thread);
  /* A breakpoint, or a condition, stops there; it is not counted as a hit. It is asked of all nodes on the way. */
  int sonde_program_would_stop (SondeProgram *program, uint32_t node, int moment);
  /* Node @node has @pattern. */
  int sonde_program_matches (SondeProgram *program, uint32_t node, const char *pattern);
  /* It stands since a condition found a NaN or an infinity (version 5). */
  int sonde_program_is_bad (SondeProgram *program);
  /* Clients are told a line, as what a logpoint prints (version 5). */
  void sonde_program_tell (SondeProgram *program, const char *text);
  /* It is ready, before its first node: stand here. */
  void sonde_program_wait (SondeProgram *program);
  /* Answers what is asked, for at most 100 ms where nothing is. 0: go on. */
  int sonde_program_stand (SondeProgram *program);
  /* Whoever stands goes on without being told: an interrupt. */
  void sonde_program_go_on (SondeProgram *program);
  /* Between two nodes: answers what is asked, unless another thread does. */
  void sonde_program_answer (SondeProgram *program);

  /* As SondeStatistics of the engine: finite numbers only but for the counts; NaN where there are none. */
  typedef struct
  {
    int64_t count;
    double min, max, mean, std, abs_mean;
    int64_t zeros, negatives, nan, pos_inf, neg_inf;
  } SondeProgramStatistics;

  /* Of @tensor, whose owner is left alone (version 5). Not 0: it is none that can be read. */
  int sonde_program_measure (const SondeProgramTensor *tensor, SondeProgramStatistics *statistics);

  /* ---- inside of hooks ----------------------------------------------------- */

  void sonde_program_set_problem (SondeProgram *program, const char *problem);
  void sonde_program_put_nodes (SondeProgram *program, const uint32_t *nodes, size_t n);
  /* @role: 0 value, 1 input, 2 parameter, 4 state; @producer: (nullable): node that makes it */
  void sonde_program_add_value (SondeProgram *program, const char *name, const char *type, int role,
                                const char *producer, int is_there);
  void sonde_program_add_sharing (SondeProgram *program, const char *value);
  /* @shape: @rank sizes; @element: which one, row-major; @node, @op: NULL where no operator made it. */
  void sonde_program_add_link (SondeProgram *program, const char *node, const char *op,
                               const char *value, int phase, const int64_t *shape, int rank,
                               int64_t element, double number);
  /* @node: the first bad one, or NULL; @cause: a sentence, or NULL: sonde_program_add_cause() follows. What is to blame, where that is known, was added as
   * the last link but is none: @has_blame. */
  void sonde_program_set_cause (SondeProgram *program, const char *node, const char *cause,
                                int has_blame);
  /* A part of the cause behind those that are there: @id, a format of English that translations go by, and the text of
   * each of its conversions; ends with NULL (version 7). */
  void sonde_program_add_cause (SondeProgram *program, const char *id,
                                const char *const *arguments);
  /* How far a recording is; @trace: (nullable): file of the last that ended. */
  void sonde_program_set_profile (SondeProgram *program, int recording, uint64_t steps,
                                  uint64_t bytes, const char *trace);
  /* A module (@path, class) or a line of a program ("train.py:12 in forward", its text). */
  void sonde_program_add_frame (SondeProgram *program, int is_module, const char *place,
                                const char *what);

#ifdef __cplusplus
}
#endif

#endif
