/* Batches as Arrow columns, in one pass: a batch is checksummed and taken apart while its bytes are still in the
   processor's cache.

   Room for a batch is made before its records are read, as much as its bytes could need at most: keys and values lie in
   it side by side, so neither can be larger than all of it. Only headers, which few records have, ask one by one. */

#include "columns.h"

#include <stdlib.h>

#define HEADER_BYTES 61
#define SIZE_PREFIX_BYTES 12
#define CHECKSUMMED_FROM 21
#define MAGIC 2
#define COMPRESSION_MASK 0x07
#define APPEND_TIME_BIT 0x08
#define TRANSACTIONAL_BIT 0x10
#define CONTROL_BIT 0x20

/* Short bytes are copied in one piece of this size; what comes too much is written over by the next ones. */
#define SHORT_BYTES 16

/* A column is larger than a processor's cache: its next lines are asked for so many bytes before they are written. */
#define AHEAD_BYTES 2048
#define LINE_BYTES 64

const char NO_MEMORY[] = "there is no memory";
static const char TOO_LARGE[] = "the records are larger than a column can hold";

/* ---- Memory ---- */

const char *
reserve(Memory *memory, size_t more)
{
    if (more <= memory->room - memory->size)
        return NULL;
    size_t room = memory->size + more;
    if (room < 2 * memory->room)
        room = 2 * memory->room;
    unsigned char *start = realloc(memory->start, room);
    if (start == NULL)
        return NO_MEMORY;
    memory->start = start;
    memory->room = room;
    return NULL;
}

/* All bits are set that have room: only a null needs to be put down. */
static const char *
reserve_bits(BinaryColumn *column, Py_ssize_t rows)
{
    size_t before = column->valid.room;
    column->valid.size = 0;
    const char *reason = reserve(&column->valid, (size_t)(column->rows + rows) / 8 + 1);
    if (reason == NULL)
        memset(column->valid.start + before, 0xFF, column->valid.room - before);
    return reason;
}

static const char *
reserve_values(BinaryColumn *column, Py_ssize_t rows, size_t bytes)
{
    if (column->ends.start == NULL)
        return NULL;
    if (bytes > INT32_MAX - column->data.size)
        return TOO_LARGE;
    const char *reason = reserve(&column->ends, (size_t)rows * sizeof(int32_t));
    if (reason == NULL)
        reason = reserve(&column->data, bytes + SHORT_BYTES);
    if (reason == NULL && column->nulls)
        reason = reserve_bits(column, rows);
    return reason;
}

static const char *
reserve_rows(Memory *memory, Py_ssize_t rows, size_t width)
{
    return memory->start == NULL ? NULL : reserve(memory, (size_t)rows * width);
}

static const char *
reserve_batch(Columns *self, const Batch *batch)
{
    const char *reason = judge_count(batch);
    if (reason == NULL)
        reason = reserve_rows(&self->offsets, batch->count, sizeof(int64_t));
    if (reason == NULL)
        reason = reserve_rows(&self->timestamps, batch->count, sizeof(int64_t));
    if (reason == NULL)
        reason = reserve_rows(&self->timestamp_types, batch->count, sizeof(int32_t));
    if (reason == NULL)
        reason = reserve_rows(&self->header_ends, batch->count, sizeof(int32_t));
    for (int index = KEYS; reason == NULL && index <= VALUES; index++)
        reason = reserve_values(&self->binary[index], batch->count, (size_t)batch->body.len);
    return reason;
}

/* ---- Records ---- */

static const char *
put_null(BinaryColumn *column)
{
    if (column->nulls == 0) {
        const char *reason = reserve_bits(column, (Py_ssize_t)(column->ends.room / sizeof(int32_t)));
        if (reason != NULL)
            return reason;
    }
    column->nulls++;
    column->valid.start[column->rows / 8] &= (unsigned char)~(1 << column->rows % 8);
    return NULL;
}

static inline void
copy_long(unsigned char *to, Bytes start, size_t size)
{
    for (uintptr_t line = 0; line < size; line += LINE_BYTES)
        __builtin_prefetch((void *)((uintptr_t)to + AHEAD_BYTES + line), 1);
    memcpy(to, start, size);
}

/* There is room for it, and for SHORT_BYTES more. `body_end`: so far bytes may be read. */
static inline const char *
put_bytes(BinaryColumn *column, Bytes start, int32_t size, Bytes body_end)
{
    if (column->ends.start == NULL)
        return NULL;
    if (size < 0) {
        const char *reason = put_null(column);
        if (reason != NULL)
            return reason;
    }
    else {
        unsigned char *to = column->data.start + column->data.size;
        if (size <= SHORT_BYTES && body_end - start >= SHORT_BYTES)
            memcpy(to, start, SHORT_BYTES);
        else
            copy_long(to, start, (size_t)size);
        column->data.size += (size_t)size;
    }
    int32_t end = (int32_t)column->data.size;
    put_number(&column->ends, &end, sizeof end);
    column->rows++;
    return NULL;
}

static const char *
put_headers(Columns *self, const Record *record)
{
    Bytes at = record->headers;
    int32_t count;
    BinaryColumn *names = &self->binary[NAMES], *values = &self->binary[HEADER_VALUES];
    const size_t bytes = (size_t)(record->end - at);
    if (read_header_count(&at, record->end, &count) < 0 || count > INT32_MAX - names->rows)
        return TOO_LARGE;
    const char *reason = reserve_values(names, count, bytes);
    if (reason == NULL)
        reason = reserve_values(values, count, bytes);
    for (int32_t left = count; reason == NULL && left > 0; left--) {
        Header header;
        if (read_header(&at, record->end, &header) < 0)
            return TOO_LARGE;
        reason = put_bytes(names, header.name, header.name_size, record->end);
        if (reason == NULL)
            reason = put_bytes(values, header.value, header.value_size, record->end);
    }
    return reason;
}

static inline const char *
put_record(Columns *self, const Batch *batch, const Record *record, Bytes body_end)
{
    if (self->offsets.start != NULL)
        put_number(&self->offsets, &record->offset, sizeof record->offset);
    if (self->timestamps.start != NULL)
        put_number(&self->timestamps, &record->timestamp, sizeof record->timestamp);
    if (self->timestamp_types.start != NULL) {
        int32_t timestamp_type = batch->uses_append_time;
        put_number(&self->timestamp_types, &timestamp_type, sizeof timestamp_type);
    }
    self->rows++;
    const char *reason = put_bytes(&self->binary[KEYS], record->key, record->key_size, body_end);
    if (reason == NULL)
        reason = put_bytes(&self->binary[VALUES], record->value, record->value_size, body_end);
    if (reason == NULL && self->header_ends.start != NULL) {
        if (record->header_count)
            reason = put_headers(self, record);
        int32_t end = (int32_t)self->binary[NAMES].rows;
        put_number(&self->header_ends, &end, sizeof end);
    }
    return reason;
}

/* ---- Batches ---- */

static void
forget_values(BinaryColumn *column, const BinaryColumn *before)
{
    if (column->nulls > before->nulls)
        for (Py_ssize_t row = before->rows; row < column->rows; row++)
            column->valid.start[row / 8] |= (unsigned char)(1 << row % 8);
    column->ends.size = before->ends.size;
    column->data.size = before->data.size;
    column->rows = before->rows;
    column->nulls = before->nulls;
}

/* As if the rows after `before` had never come. The memory may lie elsewhere by now. */
static void
forget_rows(Columns *self, const Columns *before)
{
    self->rows = before->rows;
    self->offsets.size = before->offsets.size;
    self->timestamps.size = before->timestamps.size;
    self->timestamp_types.size = before->timestamp_types.size;
    self->header_ends.size = before->header_ends.size;
    for (int index = 0; index < BINARY_COLUMNS; index++)
        forget_values(&self->binary[index], &before->binary[index]);
}

const char *
put_batch(Columns *self, const Batch *batch)
{
    const Columns before = *self;
    Bytes at = batch->body.buf, end = at + batch->body.len;
    const char *reason = reserve_batch(self, batch);
    for (int index = 0; reason == NULL && index < batch->count; index++) {
        Record record;
        reason = read_record(batch, &at, end, &record);
        if (reason == NULL && is_wanted(batch, &record))
            reason = put_record(self, batch, &record, end);
    }
    if (reason == NULL && at != end)
        reason = "bytes are left after the last record";
    if (reason != NULL)
        forget_rows(self, &before);
    return reason;
}

static inline int64_t
read_number(Bytes at, int width)
{
    uint64_t number = 0;
    for (int index = 0; index < width; index++)
        number = number << 8 | at[index];
    return (int64_t)number;
}

/* Whether a batch begins at `at` that is whole and as most are, with something wanted in it. All else is for those who
   can say what is wrong with it, decompress it, or know more of transactions. */
static int
open_plain(const Run *run, Bytes at, Bytes end, Batch *batch, int64_t *next_offset)
{
    if (end - at < HEADER_BYTES || at[16] != MAGIC)
        return 0;
    const int32_t length = (int32_t)read_number(at + 8, 4);
    const int attributes = (int)read_number(at + 21, 2);
    const int32_t last_delta = (int32_t)read_number(at + 23, 4);
    batch->base_offset = read_number(at, 8);
    batch->count = (int32_t)read_number(at + 57, 4);
    if (length < HEADER_BYTES - SIZE_PREFIX_BYTES || length > end - at - SIZE_PREFIX_BYTES
        || attributes & (COMPRESSION_MASK | CONTROL_BIT) || (attributes & TRANSACTIONAL_BIT && run->has_aborted)
        || batch->base_offset < 0 || last_delta < 0 || batch->base_offset >= INT64_MAX - last_delta
        || batch->count < 1)
        return 0;
    *next_offset = batch->base_offset + last_delta + 1;
    batch->body.buf = (void *)(at + HEADER_BYTES);
    batch->body.len = length - (HEADER_BYTES - SIZE_PREFIX_BYTES);
    if (batch->body.len > run->largest_body || batch->base_offset >= run->stop || *next_offset <= run->first)
        return 0;
    batch->base_timestamp = read_number(at + 27, 8);
    batch->append_time = read_number(at + 35, 8);
    batch->uses_append_time = (attributes & APPEND_TIME_BIT) != 0;
    return !run->checks || checksum(at + CHECKSUMMED_FROM, (size_t)(length + SIZE_PREFIX_BYTES - CHECKSUMMED_FROM))
                               == (uint32_t)read_number(at + 17, 4);
}

/* The values of a run are most of its bytes, as a rule: their memory need not grow on the way. */
static const char *
expect_values(Columns *self, const Run *run)
{
    Py_ssize_t expected = run->records.len - run->position;
    if (expected > run->most_bytes)
        expected = run->most_bytes;
    Memory *data = &self->binary[VALUES].data;
    return data->start == NULL ? NULL : reserve(data, (size_t)expected);
}

const char *
put_run(Columns *self, Run *run, Py_ssize_t *taken, int64_t *next_offset)
{
    const char *reason = expect_values(self, run);
    Bytes end = (Bytes)run->records.buf + run->records.len;
    Batch batch = {.first = run->first, .stop = run->stop};
    while (reason != NO_MEMORY && *taken < run->most_bytes) {
        int64_t after;
        if (!open_plain(run, (Bytes)run->records.buf + run->position, end, &batch, &after))
            return NULL;
        reason = put_batch(self, &batch);
        if (reason != NULL)
            break; /* whoever reads this batch next says so */
        run->position += HEADER_BYTES + batch.body.len;
        *taken += batch.body.len;
        if (after > *next_offset)
            *next_offset = after;
    }
    return reason == NO_MEMORY ? reason : NULL;
}
