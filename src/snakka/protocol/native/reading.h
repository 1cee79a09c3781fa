/* The records of a plain body, one after the other, each judged as a whole before anybody sees it. */

#ifndef SNAKKA_READING_H
#define SNAKKA_READING_H

#include "records.h"

#define MIN_RECORD_BYTES 7
#define MAX_VARINT_BYTES 5
#define MAX_VARLONG_BYTES 10
#define MIN_HEADER_BYTES 2

static inline int
read_zigzag(Bytes *at, Bytes end, int max_bytes, uint64_t *zigzag)
{
    Bytes pos = *at;
    uint64_t value = 0;
    for (int index = 0; index < max_bytes; index++) {
        if (pos >= end)
            return -1;
        uint64_t byte = *pos++;
        value |= (byte & 0x7F) << (7 * index);
        if (byte < 0x80) {
            *zigzag = value;
            *at = pos;
            return 0;
        }
    }
    return -1;
}

static inline int
read_varint(Bytes *at, Bytes end, int32_t *result)
{
    uint64_t wide;
    if (*at < end && **at < 0x80)
        wide = *(*at)++;
    else if (read_zigzag(at, end, MAX_VARINT_BYTES, &wide) < 0)
        return -1;
    uint32_t zigzag = (uint32_t)wide;
    *result = (int32_t)((zigzag >> 1) ^ (0u - (zigzag & 1)));
    return 0;
}

static inline int
read_varlong(Bytes *at, Bytes end, int64_t *result)
{
    uint64_t zigzag;
    if (read_zigzag(at, end, MAX_VARLONG_BYTES, &zigzag) < 0)
        return -1;
    *result = (int64_t)((zigzag >> 1) ^ (0u - (zigzag & 1)));
    return 0;
}

/* The plain body of one batch, and which of its offsets are wanted. */
typedef struct {
    Py_buffer body;
    int count;
    long long base_offset, base_timestamp, append_time, first, stop;
    int uses_append_time;
} Batch;

/* A size of -1 is a null. `headers` to `end` are the headers with their count before them. */
typedef struct {
    int64_t offset, timestamp;
    Bytes key, value, headers, end;
    int32_t key_size, value_size, header_count;
} Record;

typedef struct {
    Bytes name, value;
    int32_t name_size, value_size;
} Header;

static inline int
read_bytes(Bytes *at, Bytes end, Bytes *start, int32_t *size)
{
    if (read_varint(at, end, size) < 0)
        return -1;
    *start = *at;
    if (*size < 0) {
        *size = -1;
        return 0;
    }
    if (*size > end - *at)
        return -1;
    *at += *size;
    return 0;
}

static inline int
read_header(Bytes *at, Bytes end, Header *header)
{
    if (read_bytes(at, end, &header->name, &header->name_size) < 0 || header->name_size < 0)
        return -1;
    return read_bytes(at, end, &header->value, &header->value_size);
}

/* Positions `at` after the count. */
static inline int
read_header_count(Bytes *at, Bytes end, int32_t *count)
{
    if (read_varint(at, end, count) < 0 || *count < 0 || *count > (end - *at) / MIN_HEADER_BYTES)
        return -1;
    return 0;
}

/* The record at `at`, everything in it judged; NULL, or the reason why it is none. */
static inline const char *
read_record(const Batch *batch, Bytes *at, Bytes body_end, Record *record)
{
    Bytes pos = *at;
    int32_t length, offset_delta;
    int64_t timestamp_delta;
    if (read_varint(&pos, body_end, &length) < 0 || length < 1 || length > body_end - pos)
        return "a record is cut off";
    Bytes end = pos + length;
    pos++; /* attributes, of which none is in use */
    if (read_varlong(&pos, end, &timestamp_delta) < 0 || read_varint(&pos, end, &offset_delta) < 0)
        return "a record is cut off";
    if (read_bytes(&pos, end, &record->key, &record->key_size) < 0)
        return "a key is larger than its record";
    if (read_bytes(&pos, end, &record->value, &record->value_size) < 0)
        return "a value is larger than its record";
    record->headers = pos;
    record->end = end;
    if (read_header_count(&pos, end, &record->header_count) < 0)
        return "a record cannot have as many headers as it says";
    for (int32_t left = record->header_count; left > 0; left--) {
        Header header;
        if (read_header(&pos, end, &header) < 0)
            return "a header is larger than its record";
    }
    if (pos != end)
        return "a record ends elsewhere than it says";
    /* Beyond 64 bits both begin again at the other end, as in Java, whose producers write such deltas. */
    record->offset = (int64_t)((uint64_t)batch->base_offset + (uint64_t)(int64_t)offset_delta);
    record->timestamp = batch->uses_append_time
                            ? batch->append_time
                            : (int64_t)((uint64_t)batch->base_timestamp + (uint64_t)timestamp_delta);
    *at = end;
    return NULL;
}

static inline int
is_wanted(const Batch *batch, const Record *record)
{
    return record->offset >= batch->first && record->offset < batch->stop;
}

/* From fetched_batches.PlainBatch, which is a tuple. */
static inline int
open_batch(PyObject *tuple, Batch *batch)
{
    PyObject *append_time;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "a batch is a PlainBatch");
        return -1;
    }
    if (!PyArg_ParseTuple(tuple, "y*iLLOLL", &batch->body, &batch->count, &batch->base_offset,
                          &batch->base_timestamp, &append_time, &batch->first, &batch->stop))
        return -1;
    batch->uses_append_time = append_time != Py_None;
    if (batch->uses_append_time) {
        batch->append_time = PyLong_AsLongLong(append_time);
        if (batch->append_time == -1 && PyErr_Occurred()) {
            PyBuffer_Release(&batch->body);
            return -1;
        }
    }
    return 0;
}

static inline const char *
judge_count(const Batch *batch)
{
    if (batch->count < 0 || batch->count > batch->body.len / MIN_RECORD_BYTES)
        return "there are fewer bytes than so many records need";
    return NULL;
}

#endif
