/* Step-down counts of a bootstrap: in how many samples the largest statistic so far reaches each pair's bar.

   Everything works on plain buffers that the caller owns, with the GIL released. Sums of squares are exact in double
   precision; what follows is written one operation a statement, so that no compiler fuses two of them, and the counts
   are those of the numpy twin, `stepped` in pure.py.

   A statistic is size / (spread + extra), where spread + size is topics times a sum of squares over the sample. The
   largest so far rarely changes, so most statistics need not be known: the topics on which a pair differs most alone
   bound the sum of squares from below, and a size that does not reach the largest statistic with this bound is passed
   over. Bounds are in single precision, with more room than their roundings need; whatever reaches one is computed in
   double precision. Values are whole and sums of all topics are below 2^53, so that squares are within range. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>
#include <float.h>
#include <math.h>
#include <stdint.h>

/* As in _core.c: a wider vector unit where the processor has one. */
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

#define WIDE 64   /* samples side by side: a tile */
#define LANES 8   /* partial sums of squares */
#define LEADING 12 /* topics of a pair that bound its sums of squares */
#define CHUNK 2048 /* pairs whose squares are held at a time */
#define MOST (INT32_MAX / 4) /* trials, topics, systems: as bytes, products of two do not overflow */
#define LESS (1 - 0x1p-18)
#define MORE (1 + 0x1p-18)

typedef struct {
    const double *often, *values, *bar;      /* (trials, topics), (systems, topics), (pairs) */
    const float *often_single, *sums_single; /* (tiles, topics, WIDE), (tiles, systems, WIDE), filled with 0 */
    const float *slack;                      /* (tiles, WIDE): more than the rounding of any difference of sums */
    const int64_t *one, *other;
    double extra;
    int64_t trials, tiles, topics, systems, pairs;
    double *squares; /* (CHUNK, topics) */
    float *leading;  /* (CHUNK, LEADING) */
    int64_t *where;  /* (CHUNK, LEADING) */
    double *most;    /* of each trial */
    int64_t *count;  /* of each pair */
} Steps;

/* Squares of the differences of a pair about their mean, as `centred_squares` rounds them. */
VECTOR static void square(const Steps *s, int64_t pair, double *out) {
    const double *one = s->values + s->one[pair] * s->topics, *other = s->values + s->other[pair] * s->topics;
    double sum[LANES] = {0}, mean = 0, largest = 0;
    int64_t topics = s->topics, t = 0;
    int exponent;
    for (; t + LANES <= topics; t += LANES)
        for (int k = 0; k < LANES; k++) sum[k] += one[t + k] - other[t + k];
    for (; t < topics; t++) sum[0] += one[t] - other[t];
    for (int k = 0; k < LANES; k++) mean += sum[k];
    mean /= (double)topics;
    for (t = 0; t < topics; t++) {
        double apart = one[t] - other[t];
        apart -= mean;
        out[t] = apart;
        apart = apart < 0 ? -apart : apart;
        largest = apart > largest ? apart : largest;
    }
    if (largest <= 2) {
        for (t = 0; t < topics; t++) out[t] = 0;
        return;
    }
    int bits = 1;
    while (((int64_t)1 << bits) < topics) bits++;
    frexp(largest * largest, &exponent);
    double unit = ldexp(1.0, exponent + bits - 52), inverse = 1 / unit; /* powers of 2: products are exact */
    for (t = 0; t < topics; t++) {
        double square = out[t] * out[t];
        square *= inverse; /* below 2^51, so adding 2^52 rounds it to a whole number */
        square += 0x1p52;
        square -= 0x1p52;
        out[t] = square * unit;
    }
}

/* Large squares of a pair, times the number of topics and rounded down, and their topics: the largest among every
   LEADING-th topic from the first on, from the second on, and so on. */
VECTOR static void lead(const Steps *s, const double *squares, float *leading, int64_t *where) {
    double largest[LEADING] = {0};
    int64_t topic[LEADING] = {0}, t = 0;
    for (; t + LEADING <= s->topics; t += LEADING) {
        for (int k = 0; k < LEADING; k++) {
            topic[k] = squares[t + k] > largest[k] ? t + k : topic[k];
            largest[k] = squares[t + k] > largest[k] ? squares[t + k] : largest[k];
        }
    }
    for (int k = 0; t < s->topics; t++, k++)
        if (squares[t] > largest[k]) largest[k] = squares[t], topic[k] = t;
    for (int k = 0; k < LEADING; k++) {
        leading[k] = (float)(largest[k] * (double)s->topics * LESS);
        where[k] = topic[k];
    }
}

/* The statistic of a pair in a sample: the sum of its differences less that of the data, and its squares. */
VECTOR static double statistic(const Steps *s, const double *squares, int64_t pair, int64_t trial) {
    const double *one = s->values + s->one[pair] * s->topics, *other = s->values + s->other[pair] * s->topics;
    const double *often = s->often + trial * s->topics;
    double part[LANES] = {0}, sum[LANES] = {0}, total = 0, apart = 0;
    int64_t t = 0;
    for (; t + LANES <= s->topics; t += LANES) {
        for (int k = 0; k < LANES; k++) part[k] += often[t + k] * squares[t + k];
        for (int k = 0; k < LANES; k++) sum[k] += (often[t + k] - 1) * (one[t + k] - other[t + k]);
    }
    for (; t < s->topics; t++) part[0] += often[t] * squares[t], sum[0] += (often[t] - 1) * (one[t] - other[t]);
    for (int k = 0; k < LANES; k++) total += part[k], apart += sum[k];
    double size = apart * apart;
    double spread = (double)s->topics * total;
    spread -= size;
    if (spread < 0) spread = 0;
    spread += s->extra;
    return size / spread;
}

/* Samples of a tile, and pairs from `start` on whose squares are held. */
VECTOR static void step(const Steps *s, int64_t tile, int64_t start, int64_t pairs) {
    const float *sums_single = s->sums_single + tile * s->systems * WIDE;
    const float *often_single = s->often_single + tile * s->topics * WIDE, *slack = s->slack + tile * WIDE;
    int64_t from = tile * WIDE;
    int wide = s->trials - from < WIDE ? (int)(s->trials - from) : WIDE;
    double *most = s->most + from, low = DBL_MAX, high = 0;
    float gap[WIDE] = {0}, extra = (float)(s->extra * LESS);
    int32_t larger[WIDE];
    for (int k = 0; k < wide; k++) {
        gap[k] = (float)((1 + most[k]) / most[k] * MORE); /* infinite at first */
        low = most[k] < low ? most[k] : low, high = most[k] > high ? most[k] : high;
    }
    for (int64_t p = 0; p < pairs; p++) {
        int64_t one = s->one[start + p], other = s->other[start + p], reached = 0;
        const float *a = sums_single + one * WIDE, *b = sums_single + other * WIDE;
        const float *leading = s->leading + p * LEADING;
        const int64_t *where = s->where + p * LEADING;
        const float *often[LEADING];
        double bar = s->bar[start + p];
        int32_t any = 0;
        for (int l = 0; l < LEADING; l++) often[l] = often_single + where[l] * WIDE;
        for (int k = 0; k < WIDE; k++) { /* LEADING terms, written out: a loop of them is not vectorised */
            float part = extra + often[0][k] * leading[0] + often[1][k] * leading[1] + often[2][k] * leading[2]
                + often[3][k] * leading[3] + often[4][k] * leading[4] + often[5][k] * leading[5]
                + often[6][k] * leading[6] + often[7][k] * leading[7] + often[8][k] * leading[8]
                + often[9][k] * leading[9] + often[10][k] * leading[10] + often[11][k] * leading[11];
            float apart = a[k] - b[k];
            apart = (apart < 0 ? -apart : apart) + slack[k];
            larger[k] = apart * apart * gap[k] > part;
            any |= larger[k];
        }
        if (any) {
            int changed = 0;
            for (int k = 0; k < wide; k++) {
                if (!larger[k]) continue;
                double share = statistic(s, s->squares + p * s->topics, start + p, from + k);
                if (share > most[k]) {
                    most[k] = share, changed = 1;
                    gap[k] = (float)((1 + share) / share * MORE);
                }
            }
            if (changed) {
                low = DBL_MAX, high = 0;
                for (int k = 0; k < wide; k++) {
                    low = most[k] < low ? most[k] : low, high = most[k] > high ? most[k] : high;
                }
            }
        }
        if (low >= bar) {
            reached = wide;
        } else if (high >= bar) {
            for (int k = 0; k < wide; k++) reached += most[k] >= bar;
        }
        s->count[start + p] += reached;
    }
}

static void steps(const Steps *s) {
    for (int64_t start = 0; start < s->pairs; start += CHUNK) {
        int64_t pairs = s->pairs - start < CHUNK ? s->pairs - start : CHUNK;
        for (int64_t p = 0; p < pairs; p++) {
            square(s, start + p, s->squares + p * s->topics);
            lead(s, s->squares + p * s->topics, s->leading + p * LEADING, s->where + p * LEADING);
        }
        for (int64_t tile = 0; tile < s->tiles; tile++) step(s, tile, start, pairs);
    }
}

PyDoc_STRVAR(stepped_doc, "stepped(often, values, often_single, sums_single, slack, one, other, bar, extra, trials, "
                          "topics, systems, pairs, squares, leading, where, most, count)");
static PyObject *core_stepped(PyObject *self, PyObject *args) {
    Py_buffer b[13];
    Steps s;
    long long trials, topics, systems, pairs;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*y*y*dLLLLw*w*w*w*w*", b, b + 1, b + 2, b + 3, b + 4, b + 5, b + 6, b + 7,
                          &s.extra, &trials, &topics, &systems, &pairs, b + 8, b + 9, b + 10, b + 11, b + 12))
        return NULL;
    s.often = b[0].buf, s.values = b[1].buf, s.often_single = b[2].buf, s.sums_single = b[3].buf, s.slack = b[4].buf;
    s.one = b[5].buf, s.other = b[6].buf, s.bar = b[7].buf, s.squares = b[8].buf, s.leading = b[9].buf;
    s.where = b[10].buf, s.most = b[11].buf, s.count = b[12].buf;
    s.trials = trials, s.topics = topics, s.systems = systems, s.pairs = pairs;
    s.tiles = (trials + WIDE - 1) / WIDE;
    int fits = trials > 0 && topics > 0 && systems > 0 && pairs > 0 && trials <= MOST && topics <= MOST
        && systems <= MOST && pairs <= MOST && b[0].len == trials * topics * 8 && b[1].len == systems * topics * 8
        && b[2].len == s.tiles * topics * WIDE * 4 && b[3].len == s.tiles * systems * WIDE * 4
        && b[4].len == s.tiles * WIDE * 4 && b[5].len == pairs * 8 && b[6].len == pairs * 8 && b[7].len == pairs * 8
        && b[8].len == CHUNK * topics * 8 && b[9].len == CHUNK * LEADING * 4 && b[10].len == CHUNK * LEADING * 8
        && b[11].len == trials * 8 && b[12].len == pairs * 8;
    for (int64_t p = 0; fits && p < pairs; p++)
        fits = s.one[p] >= 0 && s.one[p] < systems && s.other[p] >= 0 && s.other[p] < systems;
    if (fits) {
        Py_BEGIN_ALLOW_THREADS
        steps(&s);
        Py_END_ALLOW_THREADS
    }
    for (int i = 0; i < 13; i++) PyBuffer_Release(b + i);
    if (!fits) {
        PyErr_SetString(PyExc_ValueError, "stepped: buffers and sizes do not fit");
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef STEPS[] = {
    {"stepped", core_stepped, METH_VARARGS, stepped_doc},
    {NULL, NULL, 0, NULL},
};

HIDDEN int add_steps(PyObject *module); /* called by _core.c when the module is made */
int add_steps(PyObject *module) { return PyModule_AddFunctions(module, STEPS); }
