/* Pairs of a sequence that rise: by one number, or by two at once.

   A *key* holds the number in its upper bits and, where there are `levels` of a second one, that one in the lower
   `shift` bits. Sorted by merging, from short runs to the whole: wherever two runs meet, each key of the later run
   counts those of the earlier one that are below it. The second number is counted in a Fenwick tree.

   Works on plain buffers that the caller owns, with the GIL released; `key` is sorted on the way. The numpy twin is in
   pure_inversions.py. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>

#ifdef __GNUC__
#define HIDDEN __attribute__((visibility("hidden")))
#else
#define HIDDEN
#endif

#define RUN 16 /* keys that are compared one by one */

/* Rising pairs of a short run, which is sorted by insertion; equal keys keep their order. */
static int64_t short_run(int64_t *key, int64_t n, int shift) {
    int64_t mask = ((int64_t)1 << shift) - 1, count = 0;
    for (int64_t j = 1; j < n; j++)
        for (int64_t i = 0; i < j; i++)
            count += (key[i] >> shift) < (key[j] >> shift) && (!shift || (key[i] & mask) < (key[j] & mask));
    for (int64_t j = 1; j < n; j++) {
        int64_t moved = key[j], i = j;
        for (; i && (key[i - 1] >> shift) > (moved >> shift); i--) key[i] = key[i - 1];
        key[i] = moved;
    }
    return count;
}

/* Two sorted runs into one; equal numbers of the later run go first, so that they count nothing. */
static int64_t merge(const int64_t *left, int64_t m, const int64_t *right, int64_t n, int64_t *out) {
    if (left[m - 1] < right[0]) {
        memcpy(out, left, (size_t)m * 8);
        memcpy(out + m, right, (size_t)n * 8);
        return m * n;
    }
    int64_t i = 0, j = 0, count = 0;
    while (i < m && j < n) {
        int64_t l = left[i], r = right[j], take = l < r; /* no branch, since nobody could guess it */
        *out++ = r ^ ((l ^ r) & -take);
        count += i & (take - 1);
        i += take;
        j += 1 - take;
    }
    count += m * (n - j);
    memcpy(out, left + i, (size_t)(m - i) * 8);
    memcpy(out + (m - i), right + j, (size_t)(n - j) * 8);
    return count;
}

static int64_t merge_levels(const int64_t *left, int64_t m, const int64_t *right, int64_t n, int64_t *out, int shift,
                            int64_t levels, int64_t *tree) {
    int64_t mask = ((int64_t)1 << shift) - 1, i = 0, j = 0, count = 0;
    while (j < n) {
        if (i < m && (left[i] >> shift) < (right[j] >> shift)) {
            for (int64_t at = (left[i] & mask) + 1; at <= levels; at += at & -at) tree[at]++;
            *out++ = left[i++];
        } else {
            for (int64_t at = right[j] & mask; at; at -= at & -at) count += tree[at];
            *out++ = right[j++];
        }
    }
    memcpy(out, left + i, (size_t)(m - i) * 8);
    if (levels < 2 * i) memset(tree, 0, (size_t)(levels + 1) * 8);
    else
        while (i--)
            for (int64_t at = (left[i] & mask) + 1; at <= levels; at += at & -at) tree[at]--;
    return count;
}

static int64_t rising(int64_t *key, int64_t n, int shift, int64_t levels, int64_t *room, int64_t *tree) {
    int64_t count = 0, *from = key, *to = room;
    for (int64_t at = 0; at < n; at += RUN) count += short_run(key + at, n - at < RUN ? n - at : RUN, shift);
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t at = 0; at < n; at += 2 * width) {
            int64_t m = n - at < width ? n - at : width, rest = n - at - m, k = rest < width ? rest : width;
            if (!k) memcpy(to + at, from + at, (size_t)m * 8);
            else if (levels)
                count += merge_levels(from + at, m, from + at + m, k, to + at, shift, levels, tree);
            else count += merge(from + at, m, from + at + m, k, to + at);
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    return count;
}

PyDoc_STRVAR(rising_doc, "rising_pairs(key, n, shift, levels, room, tree)");
static PyObject *inversions_rising(PyObject *self, PyObject *args) {
    Py_buffer b[3];
    long long n, levels;
    int shift;
    if (!PyArg_ParseTuple(args, "w*LiLw*w*", b, &n, &shift, &levels, b + 1, b + 2)) return NULL;
    int fits = n >= 0 && n <= INT64_MAX / 8 && b[0].len == n * 8 && b[1].len == n * 8 && shift >= 0 && shift < 63
        && levels >= 0 && levels < INT64_MAX / 8 && b[2].len == (levels + 1) * 8 && (levels > 0) == (shift > 0)
        && levels <= (long long)1 << shift;
    const int64_t *key = b[0].buf;
    for (int64_t i = 0; fits && levels && i < n; i++) fits = (key[i] & (((int64_t)1 << shift) - 1)) < levels;
    int64_t count = 0;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        count = rising(b[0].buf, n, shift, levels, b[1].buf, b[2].buf);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < 3; i++) PyBuffer_Release(b + i);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "rising_pairs: buffers and sizes do not fit");
        return NULL;
    }
    return PyLong_FromLongLong(count);
}

static PyMethodDef INVERSIONS[] = {
    {"rising_pairs", inversions_rising, METH_VARARGS, rising_doc},
    {NULL, NULL, 0, NULL},
};

HIDDEN int add_inversions(PyObject *module); /* called by _core.c when the module is made */
int add_inversions(PyObject *module) { return PyModule_AddFunctions(module, INVERSIONS); }
