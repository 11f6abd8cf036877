/* All pairs of systems on each topic, from the ranks of their relevant documents.

   A *row* is one list: the ranks of its relevant documents, ascending, then at least one LATE, to the end of the CHUNK
   in which the longest row of the topic has its first. `used` says how many are ranks. Rows come topic by topic,
   (topics, systems, width), and results as (topics, pairs), pairs in the order (0, 1), (0, 2), ..., (1, 2), ...

   Loops over short chunks are left to the compiler, except where a bit of each lane is wanted: it knows no C for the
   instruction that every x86-64 has for it (SSE2), so these few lines are written twice.

   Everything works on plain buffers that the caller owns, with the GIL released. Sizes are checked before. The numpy
   twins, with what each loop means, are in pure_pairs.py. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__ /* as every x86-64 has */
#include <emmintrin.h>
#endif

/* As in _core.c: a wider vector unit where the processor has one. Not AVX-512: it gains nothing on chunks this short,
   and weighted votes take 1.7 times as long. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define VECTOR
#endif
#ifdef __GNUC__
#define HIDDEN __attribute__((visibility("hidden")))
#else
#define HIDDEN
#endif

#define CHUNK 16
#define STRIDE 64 /* codes looked at together */
#define LATE INT16_MAX
#define MOST INT32_MAX /* systems, or ranks of a row: sums and squares of such numbers do not overflow */
#define A_AHEAD 1
#define B_AHEAD 2

typedef uint8_t byte;

#ifdef _MSC_VER
#include <intrin.h>
#define inline __inline
static inline int low_bit(uint64_t x) { unsigned long i; _BitScanForward64(&i, x); return (int)i; }
#else
static inline int low_bit(uint64_t x) { return __builtin_ctzll(x); }
#endif

/* One bit for each of eight bytes that are 0 or 1. */
static inline uint64_t eight(uint64_t flags) { return flags * 0x0102040810204080ull >> 56; }

static inline int64_t less(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t chunks(int64_t levels) { return (levels + CHUNK - 1) / CHUNK * CHUNK; }

/* ---- lists to rows ----------------------------------------------------------------------------- */

/* One bit for each of 64 codes that is `least` or more. */
#define REACHED(NAME, CODE)                                                                                        \
    static inline uint64_t NAME(const CODE *code, CODE least) {                                                    \
        byte flag[STRIDE];                                                                                         \
        uint64_t w[STRIDE / 8], all = 0;                                                                           \
        for (int i = 0; i < STRIDE; i++) flag[i] = code[i] >= least;                                               \
        memcpy(w, flag, STRIDE);                                                                                   \
        for (int i = 0; i < STRIDE / 8; i++) all |= w[i];                                                          \
        if (!all) return 0; /* as most, deep in a list */                                                          \
        all = 0;                                                                                                   \
        for (int i = 0; i < STRIDE / 8; i++) all |= eight(w[i]) << (8 * i);                                        \
        return all;                                                                                                \
    }
#ifdef __SSE2__
static inline uint64_t reached_narrow(const uint8_t *code, uint8_t least) {
    const __m128i *sixteen = (const __m128i *)code, limit = _mm_set1_epi8((char)least);
    uint64_t all = 0;
    for (int i = 0; i < STRIDE / 16; i++) {
        __m128i x = _mm_loadu_si128(sixteen + i);
        all |= (uint64_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(x, limit), x)) << (16 * i);
    }
    return all;
}
#else
REACHED(reached_narrow, uint8_t)
#endif
REACHED(reached_wide, uint16_t)

#define RANKS(NAME, CODE, BITS)                                                                                    \
    VECTOR static int NAME(const CODE *code, int64_t systems, int64_t topics, int64_t length, int64_t first,       \
                           int64_t depth, int64_t levels, int64_t start, int64_t stop, int64_t width,              \
                           int16_t *rank, int32_t *used, CODE *found) {                                            \
        CODE least = (CODE)first;                                                                                  \
        if (first < 0 || first > (CODE)-1) depth = 0; /* no code is so high */                                     \
        for (int64_t s = 0; s < systems; s++)                                                                      \
            for (int64_t t = start; t < stop; t++) { /* as they lie in memory */                                   \
                const CODE *row = code + (s * topics + t) * length;                                                \
                int64_t at = (t - start) * systems + s, n = 0, r = 0;                                              \
                int16_t *out = rank + at * width;                                                                  \
                CODE *grade = found ? found + at * width : NULL;                                                   \
                for (; r < depth; r += STRIDE) {                                                                   \
                    uint64_t left;                                                                                 \
                    if (depth - r >= STRIDE) left = BITS(row + r, least);                                          \
                    else {                                                                                         \
                        CODE last[STRIDE] = {0};                                                                   \
                        memcpy(last, row + r, (size_t)(depth - r) * sizeof *last);                                 \
                        left = BITS(last, least) & (((uint64_t)1 << (depth - r)) - 1);                             \
                    }                                                                                              \
                    for (; left; left &= left - 1) {                                                               \
                        int64_t at_rank = r + low_bit(left);                                                       \
                        if (grade) grade[n] = row[at_rank];                                                        \
                        out[n++] = (int16_t)(at_rank + 1);                                                         \
                    }                                                                                              \
                    if (n > levels) return -1; /* there is room for one stride more */                             \
                }                                                                                                  \
                used[at] = (int32_t)n;                                                                             \
                if (grade) for (int64_t i = n; i < chunks(n + 1); i++) grade[i] = 0;                               \
            }                                                                                                      \
        for (int64_t t = 0; t < stop - start; t++) { /* nobody looks further than this */                          \
            int64_t at = t * systems, most = 0;                                                                    \
            for (int64_t s = 0; s < systems; s++) most = used[at + s] > most ? used[at + s] : most;                \
            for (int64_t s = 0; s < systems; s++)                                                                  \
                for (int64_t i = used[at + s]; i < chunks(most + 1); i++) rank[(at + s) * width + i] = LATE;       \
        }                                                                                                          \
        return 0;                                                                                                  \
    }
RANKS(ranks_narrow, uint8_t, reached_narrow)
RANKS(ranks_wide, uint16_t, reached_wide)

/* ---- pairs ------------------------------------------------------------------------------------- */

typedef struct {
    const int16_t *rank;
    const int32_t *used;
    int64_t topics, systems, width;
} Rows;

/* Rows come by value: what is written might otherwise be a size that has to be read again for every pair. */
#define EACH_PAIR(rows)                                                                                            \
    for (int64_t t = 0; t < (rows).topics; t++)                                                                    \
        for (int64_t i = 0; i < (rows).systems; i++)                                                               \
            for (int64_t j = i + 1; j < (rows).systems; j++)
#define ROW(rows, s) ((rows).rank + (t * (rows).systems + (s)) * (rows).width)
#define USED(rows, s) ((rows).used[t * (rows).systems + (s)])

/* Who is ahead at some of a chunk of recall levels. */
#ifdef __SSE2__
static inline int ahead(const int16_t *p, const int16_t *q) {
    __m128i a = _mm_setzero_si128(), b = a;
    for (int x = 0; x < CHUNK; x += 8) {
        __m128i here = _mm_loadu_si128((const __m128i *)(p + x)), there = _mm_loadu_si128((const __m128i *)(q + x));
        a = _mm_or_si128(a, _mm_cmpgt_epi16(there, here));
        b = _mm_or_si128(b, _mm_cmpgt_epi16(here, there));
    }
    int both = _mm_movemask_epi8(_mm_packs_epi16(a, b)); /* eight bits each */
    return (both & 255 ? A_AHEAD : 0) | (both >> 8 ? B_AHEAD : 0);
}
#else
static inline int ahead(const int16_t *p, const int16_t *q) {
    int16_t lane[CHUNK];
    uint64_t four[CHUNK / 4], any = 0;
    for (int x = 0; x < CHUNK; x++) lane[x] = (int16_t)((p[x] < q[x] ? A_AHEAD : 0) | (p[x] > q[x] ? B_AHEAD : 0));
    memcpy(four, lane, sizeof lane);
    for (int x = 0; x < CHUNK / 4; x++) any |= four[x];
    any |= any >> 32;
    return (int)((any | any >> 16) & (A_AHEAD | B_AHEAD));
}
#endif

/* Who is ahead at some recall level, beside what `out` holds; the first chunks of most pairs show both. */
VECTOR static void classes(Rows rows, uint8_t *out) {
    EACH_PAIR(rows) {
        const int16_t *p = ROW(rows, i), *q = ROW(rows, j);
        int32_t m = USED(rows, i), n = USED(rows, j);
        int seen = *out | (m > n ? A_AHEAD : 0) | (n > m ? B_AHEAD : 0);
        int64_t end = less(m, n);
        for (int64_t l = 0; l < end && seen != (A_AHEAD | B_AHEAD); l += CHUNK) seen |= ahead(p + l, q + l);
        *out++ = (uint8_t)seen;
    }
}

/* The running difference of gains, at the ranks where it can change. */
#define GRADED(NAME, CODE)                                                                                         \
    static void NAME(Rows rows, const CODE *code, const int64_t *gain, uint8_t *out) {                             \
        EACH_PAIR(rows) {                                                                                          \
            const int16_t *p = ROW(rows, i), *q = ROW(rows, j);                                                    \
            const CODE *f = code + (p - rows.rank), *g = code + (q - rows.rank);                                   \
            int32_t m = USED(rows, i), n = USED(rows, j), x = 0, y = 0;                                            \
            int64_t ahead = 0;                                                                                     \
            int seen = 0;                                                                                          \
            while ((x < m || y < n) && seen != (A_AHEAD | B_AHEAD)) {                                              \
                int16_t here = p[x], there = q[y]; /* LATE behind the last */                                      \
                int take = here <= there, give = there <= here;                                                    \
                ahead += take ? gain[f[x]] : 0;                                                                    \
                ahead -= give ? gain[g[y]] : 0;                                                                    \
                x += take;                                                                                         \
                y += give;                                                                                         \
                seen |= (ahead > 0 ? A_AHEAD : 0) | (ahead < 0 ? B_AHEAD : 0);                                     \
            }                                                                                                      \
            *out++ = (uint8_t)seen;                                                                                \
        }                                                                                                          \
    }
GRADED(graded_narrow, uint8_t)
GRADED(graded_wide, uint16_t)

/* A level counted from 0, -1 for a tie, as it is given: from 1, negative where the second list is the better one. */
static inline int16_t signed_level(const int16_t *p, const int16_t *q, int64_t l) {
    if (l < 0) return 0;
    int64_t flip = -(int64_t)(p[l] > q[l]); /* no branch: nothing foretells it. -x is ~x + 1 */
    return (int16_t)(((l + 1) ^ flip) - flip);
}

/* One bit for each of a chunk of recall levels that differs. */
#ifdef __SSE2__
static inline uint64_t apart(const int16_t *p, const int16_t *q) {
    __m128i same[CHUNK / 8];
    for (int x = 0; x < CHUNK / 8; x++)
        same[x] = _mm_cmpeq_epi16(_mm_loadu_si128((const __m128i *)p + x), _mm_loadu_si128((const __m128i *)q + x));
    return (uint64_t)_mm_movemask_epi8(_mm_packs_epi16(same[0], same[1])) ^ 0xFFFF;
}
#else
static inline uint64_t apart(const int16_t *p, const int16_t *q) {
    byte flag[CHUNK];
    uint64_t two[2];
    for (int x = 0; x < CHUNK; x++) flag[x] = p[x] != q[x];
    memcpy(two, flag, sizeof two);
    return eight(two[0]) | eight(two[1]) << 8;
}
#endif

/* The first recall level that differs. */
VECTOR static void first_levels(Rows rows, int16_t *level) {
    EACH_PAIR(rows) {
        const int16_t *p = ROW(rows, i), *q = ROW(rows, j);
        int32_t m = USED(rows, i), n = USED(rows, j);
        int64_t l = 0, end = less(m, n);
        for (; l < end; l += CHUNK) {
            uint64_t all = apart(p + l, q + l);
            if (all) { l += low_bit(all); break; }
        }
        if (l >= end) l = m == n ? -1 : end;
        *level++ = signed_level(p, q, l);
    }
}

/* The last one: that of the longer row, where one is longer. */
static void last_levels(Rows rows, int16_t *level) {
    EACH_PAIR(rows) {
        const int16_t *p = ROW(rows, i), *q = ROW(rows, j);
        int32_t m = USED(rows, i), n = USED(rows, j);
        int64_t l = m - 1;
        if (m == n) while (l >= 0 && p[l] == q[l]) l--;
        *level++ = (int16_t)(m > n ? m : m < n ? -n : signed_level(p, q, l));
    }
}

/* Differences of reciprocal ranks at these levels. */
static void differences(Rows rows, const int16_t *level, double *out) {
    EACH_PAIR(rows) {
        int64_t l = (*level < 0 ? -*level : *level) - 1;
        level++;
        *out++ = l < 0 ? 0.0 : (l < USED(rows, i) ? 1.0 / ROW(rows, i)[l] : 0.0)
                                  - (l < USED(rows, j) ? 1.0 / ROW(rows, j)[l] : 0.0);
    }
}

/* Recall levels where the first list is ahead less those where the second is. */
VECTOR static void votes(Rows rows, int32_t *out) {
    EACH_PAIR(rows) {
        const int16_t *p = ROW(rows, i), *q = ROW(rows, j);
        int32_t m = USED(rows, i), n = USED(rows, j);
        int64_t end = chunks(m); /* for all j: a loop of a length that changes costs more than a chunk too many */
        int32_t sum;
        int16_t lane[CHUNK] = {0}, all = 0; /* there are fewer than LATE votes */
        for (int64_t l = 0; l < end; l += CHUNK)
            for (int x = 0; x < CHUNK; x++)
                lane[x] = (int16_t)(lane[x] + (p[l + x] < q[l + x]) - (p[l + x] > q[l + x]));
        for (int x = 0; x < CHUNK; x++) all = (int16_t)(all + lane[x]);
        sum = all;
        if (n > end) sum -= n - (int32_t)end;
        *out++ = sum;
    }
}

/* The same with a weight for each level; `before` is the sum of the weights before it. */
VECTOR static void weighted_votes(Rows rows, const int64_t *weight, const int64_t *before, int64_t *out) {
    EACH_PAIR(rows) {
        const int16_t *p = ROW(rows, i), *q = ROW(rows, j);
        int32_t m = USED(rows, i), n = USED(rows, j);
        int64_t end = chunks(less(m, n)), sum = 0, lane[CHUNK] = {0};
        for (int64_t l = 0; l < end; l += CHUNK) {
            int16_t sign[CHUNK];
            for (int x = 0; x < CHUNK; x++) sign[x] = (int16_t)((p[l + x] < q[l + x]) - (p[l + x] > q[l + x]));
            for (int x = 0; x < CHUNK; x++) {
                int64_t s = sign[x], flip = s >> 63; /* -w is ~w + 1 */
                lane[x] += ((weight[l + x] ^ flip) - flip) & -(s & 1);
            }
        }
        for (int x = 0; x < CHUNK; x++) sum += lane[x];
        if (m > end) sum += before[m] - before[end];
        if (n > end) sum -= before[n] - before[end];
        *out++ = sum;
    }
}

/* ---- what Python sees -------------------------------------------------------------------------- */

static void release(Py_buffer *first, int n) { for (int i = 0; i < n; i++) PyBuffer_Release(first + i); }

static PyObject *refused(Py_buffer *first, int n, const char *why) {
    release(first, n);
    PyErr_SetString(PyExc_ValueError, why);
    return NULL;
}

/* Whether a buffer holds a x b x c items of a size; divides, since the product of any sizes could overflow. */
static int holds(const Py_buffer *buffer, int64_t a, int64_t b, int64_t c, int64_t item) {
    int64_t left = buffer->len, sizes[] = {item, a, b, c};
    if (a < 0 || b < 0 || c < 0) return 0;
    if (!a || !b || !c) return !left;
    for (int i = 0; i < 4; left /= sizes[i++])
        if (left % sizes[i]) return 0;
    return left == 1;
}

static int good_rows(const Py_buffer *rank, const Py_buffer *used, Rows *rows) {
    if (rows->width % CHUNK || rows->width > MOST || rows->systems > MOST || !holds(rank, rows->topics, rows->systems, rows->width, 2)
        || !holds(used, rows->topics, rows->systems, 1, 4)) return 0;
    rows->rank = rank->buf;
    rows->used = used->buf;
    for (int64_t i = 0; i < rows->topics * rows->systems; i++)
        if (rows->used[i] < 0 || rows->used[i] >= rows->width) return 0; /* one LATE at least is behind the ranks */
    return 1;
}

static int64_t pairs_of(const Rows *rows) { return rows->systems * (rows->systems - 1) / 2; }

PyDoc_STRVAR(ranks_doc, "relevant_ranks(code, wide, systems, topics, length, first, depth, levels, start, stop, width,"
                        " rank, used, found)");
static PyObject *pairs_ranks(PyObject *self, PyObject *args) {
    Py_buffer b[4];
    int wide;
    long long systems, topics, length, first, depth, levels, start, stop, width;
    if (!PyArg_ParseTuple(args, "y*iLLLLLLLLLw*w*w*", b, &wide, &systems, &topics, &length, &first, &depth, &levels,
                          &start, &stop, &width, b + 1, b + 2, b + 3)) return NULL;
    int64_t item = wide ? 2 : 1, here = stop - start;
    int fits = holds(b, systems, topics, length, item) && 0 <= start && start <= stop && stop <= topics
        && 0 <= depth && depth <= length && depth < LATE && levels >= 0 && width <= MOST && levels <= width - STRIDE
        && holds(b + 1, here, systems, width, 2) && holds(b + 2, here, systems, 1, 4)
        && (!b[3].len || holds(b + 3, here, systems, width, item));
    if (!fits) return refused(b, 4, "relevant_ranks: buffers and sizes do not fit");
    int status;
    void *found = b[3].len ? b[3].buf : NULL;
    Py_BEGIN_ALLOW_THREADS
    if (wide) status = ranks_wide(b[0].buf, systems, topics, length, first, depth, levels, start, stop, width,
                                  b[1].buf, b[2].buf, found);
    else status = ranks_narrow(b[0].buf, systems, topics, length, first, depth, levels, start, stop, width,
                               b[1].buf, b[2].buf, found);
    Py_END_ALLOW_THREADS
    if (status) return refused(b, 4, "relevant_ranks: a list has more relevant documents than its topic");
    release(b, 4);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(classes_doc, "pair_classes(rank, used, topics, systems, width, out)");
static PyObject *pairs_classes(PyObject *self, PyObject *args) {
    Py_buffer b[3];
    Rows r;
    long long topics, systems, width;
    if (!PyArg_ParseTuple(args, "y*y*LLLw*", b, b + 1, &topics, &systems, &width, b + 2)) return NULL;
    r.topics = topics; r.systems = systems; r.width = width;
    if (!good_rows(b, b + 1, &r) || !holds(b + 2, topics, pairs_of(&r), 1, 1))
        return refused(b, 3, "pair_classes: buffers and sizes do not fit");
    Py_BEGIN_ALLOW_THREADS
    classes(r, b[2].buf);
    Py_END_ALLOW_THREADS
    release(b, 3);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(graded_doc, "pair_classes_graded(rank, used, topics, systems, width, wide, code, gain, out)");
static PyObject *pairs_graded(PyObject *self, PyObject *args) {
    Py_buffer b[5];
    Rows r;
    int wide;
    long long topics, systems, width;
    if (!PyArg_ParseTuple(args, "y*y*LLLiy*y*w*", b, b + 1, &topics, &systems, &width, &wide, b + 2, b + 3, b + 4))
        return NULL;
    r.topics = topics; r.systems = systems; r.width = width;
    if (!good_rows(b, b + 1, &r) || !holds(b + 2, topics, systems, width, wide ? 2 : 1)
        || b[3].len < 8 * (wide ? 65536 : 256) || !holds(b + 4, topics, pairs_of(&r), 1, 1))
        return refused(b, 5, "pair_classes_graded: buffers and sizes do not fit");
    Py_BEGIN_ALLOW_THREADS
    if (wide) graded_wide(r, b[2].buf, b[3].buf, b[4].buf);
    else graded_narrow(r, b[2].buf, b[3].buf, b[4].buf);
    Py_END_ALLOW_THREADS
    release(b, 5);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(levels_doc, "pair_levels(rank, used, topics, systems, width, last, level, difference)");
static PyObject *pairs_levels(PyObject *self, PyObject *args) {
    Py_buffer b[4];
    Rows r;
    int last;
    long long topics, systems, width;
    if (!PyArg_ParseTuple(args, "y*y*LLLiw*w*", b, b + 1, &topics, &systems, &width, &last, b + 2, b + 3)) return NULL;
    r.topics = topics; r.systems = systems; r.width = width;
    if (!good_rows(b, b + 1, &r) || !holds(b + 2, topics, pairs_of(&r), 1, 2)
        || (b[3].len && !holds(b + 3, topics, pairs_of(&r), 1, 8)))
        return refused(b, 4, "pair_levels: buffers and sizes do not fit");
    double *difference = b[3].len ? b[3].buf : NULL;
    Py_BEGIN_ALLOW_THREADS
    if (last) last_levels(r, b[2].buf);
    else first_levels(r, b[2].buf);
    if (difference) differences(r, b[2].buf, difference);
    Py_END_ALLOW_THREADS
    release(b, 4);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(votes_doc, "pair_votes(rank, used, topics, systems, width, weight, before, out)");
static PyObject *pairs_votes(PyObject *self, PyObject *args) {
    Py_buffer b[5];
    Rows r;
    long long topics, systems, width;
    if (!PyArg_ParseTuple(args, "y*y*LLLy*y*w*", b, b + 1, &topics, &systems, &width, b + 2, b + 3, b + 4)) return NULL;
    r.topics = topics; r.systems = systems; r.width = width;
    int weighted = b[2].len > 0;
    if (!good_rows(b, b + 1, &r) || !holds(b + 4, topics, pairs_of(&r), 1, weighted ? 8 : 4)
        || (weighted && (!holds(b + 2, width, 1, 1, 8) || !holds(b + 3, width + 1, 1, 1, 8))))
        return refused(b, 5, "pair_votes: buffers and sizes do not fit");
    Py_BEGIN_ALLOW_THREADS
    if (weighted) weighted_votes(r, b[2].buf, b[3].buf, b[4].buf);
    else votes(r, b[4].buf);
    Py_END_ALLOW_THREADS
    release(b, 5);
    Py_RETURN_NONE;
}

static PyMethodDef PAIRS[] = {
    {"relevant_ranks", pairs_ranks, METH_VARARGS, ranks_doc},
    {"pair_classes", pairs_classes, METH_VARARGS, classes_doc},
    {"pair_classes_graded", pairs_graded, METH_VARARGS, graded_doc},
    {"pair_levels", pairs_levels, METH_VARARGS, levels_doc},
    {"pair_votes", pairs_votes, METH_VARARGS, votes_doc},
    {NULL, NULL, 0, NULL},
};

HIDDEN int add_pairs(PyObject *module); /* called by _core.c when the module is made */
int add_pairs(PyObject *module) { return PyModule_AddFunctions(module, PAIRS); }
