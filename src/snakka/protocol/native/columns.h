/* Columns that grow with the batches that are put into them, as Arrow lays them out. */

#ifndef SNAKKA_COLUMNS_H
#define SNAKKA_COLUMNS_H

#include "reading.h"

/* Reasons that are no fault of the records. */
extern const char NO_MEMORY[];

/* `size` bytes of it are in use. Without a start it is not wanted. */
typedef struct {
    unsigned char *start;
    size_t size, room;
} Memory;

/* One of Arrow's binary columns: where each value ends, the bytes, and, once one is null, a bit for each that is not. */
typedef struct {
    Memory ends, data, valid;
    Py_ssize_t rows, nulls;
} BinaryColumn;

enum { KEYS, VALUES, NAMES, HEADER_VALUES, BINARY_COLUMNS };

typedef struct {
    Memory offsets, timestamps, timestamp_types, header_ends;
    BinaryColumn binary[BINARY_COLUMNS];
    Py_ssize_t rows;
} Columns;

/* Whole batches one after the other, from `position` on: what is wanted of them, and how much at a time. */
typedef struct {
    Py_buffer records;
    Py_ssize_t position, most_bytes, largest_body;
    long long first, stop;
    int checks, has_aborted;
} Run;

/* Makes room for so many bytes more: NULL, or NO_MEMORY. */
const char *reserve(Memory *memory, size_t more);

/* There is room for it. */
static inline void
put_number(Memory *memory, const void *number, size_t width)
{
    memcpy(memory->start + memory->size, number, width);
    memory->size += width;
}

/* All rows of the batch that are wanted; or none, and the reason. */
const char *put_batch(Columns *columns, const Batch *batch);

/* The plain batches that come next: `position` is moved, `taken` are the bytes of their records, `next_offset` is the
   offset to go on with. NULL, or NO_MEMORY: what is wrong with a batch is for put_batch to say. */
const char *put_run(Columns *columns, Run *run, Py_ssize_t *taken, int64_t *next_offset);

#endif
