/* The hash by which Kafka's producers choose a key's partition. */

#include "arrow.h"

static uint32_t
hash(Bytes key, Py_ssize_t size)
{
    const uint32_t multiplier = 0x5BD1E995;
    uint32_t result = 0x9747B28C ^ (uint32_t)size;
    Py_ssize_t at = 0;
    for (; size - at >= 4; at += 4) {
        uint32_t word = key[at] | key[at + 1] << 8 | key[at + 2] << 16 | (uint32_t)key[at + 3] << 24;
        word *= multiplier;
        word ^= word >> 24;
        result = result * multiplier ^ word * multiplier;
    }
    if (at < size) {
        for (Py_ssize_t shift = 0; at + shift < size; shift++)
            result ^= (uint32_t)key[at + shift] << (8 * shift);
        result *= multiplier;
    }
    result = (result ^ result >> 13) * multiplier;
    return result ^ result >> 15;
}

PyObject *
murmur2(PyObject *module, PyObject *key)
{
    (void)module;
    Py_buffer buffer;
    if (PyObject_GetBuffer(key, &buffer, PyBUF_SIMPLE) < 0)
        return NULL;
    uint32_t result = hash(buffer.buf, buffer.len);
    PyBuffer_Release(&buffer);
    return PyLong_FromUnsignedLong(result);
}

PyObject *
partition_keys(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *tuple;
    Py_ssize_t rows;
    int partition_count;
    Py_buffer partitions;
    if (!PyArg_ParseTuple(args, "Oniw*:partition_keys", &tuple, &rows, &partition_count, &partitions))
        return NULL;
    ArrowColumn keys;
    if (open_arrow_column(tuple, &keys) < 0) {
        PyBuffer_Release(&partitions);
        return NULL;
    }
    int is_sound = partition_count > 0 && rows <= partitions.len / (Py_ssize_t)sizeof(int32_t);
    Py_BEGIN_ALLOW_THREADS
    for (Py_ssize_t row = 0; is_sound && row < rows; row++) {
        Slice key;
        is_sound = read_arrow_value(&keys, row, &key) == 0;
        if (!is_sound)
            break;
        int32_t partition =
            key.size < 0 ? -1 : (int32_t)((hash(key.start, key.size) & 0x7FFFFFFF) % (uint32_t)partition_count);
        memcpy((char *)partitions.buf + row * sizeof partition, &partition, sizeof partition);
    }
    Py_END_ALLOW_THREADS
    close_arrow_column(&keys);
    PyBuffer_Release(&partitions);
    if (!is_sound) {
        PyErr_SetString(PyExc_ValueError, "a column that leads out of its memory, or no partitions");
        return NULL;
    }
    return Py_NewRef(Py_None);
}
