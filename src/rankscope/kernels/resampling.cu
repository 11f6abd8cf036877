/* Resampling on a graphics card. The draws are those of _core.c and pure.py, a function of (seed, trial, topic,
   position), and sums are of whole numbers, so every result is that of the processors to the last bit.
   resampling.py has the twins and says what each kernel gives; cuda.py starts them. Kernels are right for any number
   of blocks and threads; only plain C++ is used, so that tests can run this very file without a card. */

typedef unsigned long long word;
typedef long long whole;

enum { FLIPPED, EVERY, DRAWN }; /* which topics count: a coin a topic, the bits of the trial's number, replacement */
enum { WIDE = 8 };              /* columns that a thread sums at a time */
enum { ABREAST = 16 };          /* trials, or pairs, that a thread sums at a time */
#define GOLDEN 0x9E3779B97F4A7C15ull

extern __shared__ whole shared[];

/* ---- draws ------------------------------------------------------------------------------------------- */

static __device__ word scramble(word z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
static __device__ word trial_key(word seed, word trial) {
    return scramble(scramble(seed ^ GOLDEN) + trial * 0xD1B54A32D192ED03ull);
}
static __device__ word topic_key(word trial, word topic) { return scramble(trial + topic * 0x8CB92BA72F3D8DD7ull); }
static __device__ int below(word draw, int n) { return (int)((draw & 0xFFFFFFFFull) * (word)n >> 32); }

/* The topic that counts at this topic's turn, or -1. */
static __device__ int picked(int kind, word trial, int t, int topics) {
    if (kind == EVERY) return trial >> t & 1 ? t : -1;
    word draw = scramble(topic_key(trial, (word)t) + GOLDEN);
    if (kind == DRAWN) return below(draw, topics);
    return draw & 1 ? t : -1;
}

/* ---- permutations within topics ------------------------------------------------------------------------ */

static __device__ void swap(unsigned short *at, int stride, int i, int j) {
    unsigned short drawn = at[j * stride];
    at[j * stride] = at[i * stride];
    at[i * stride] = drawn;
}

/* One topic's permutation, by Fisher and Yates from the end; two positions share a draw. */
static __device__ void shuffle(word key, int systems, unsigned short *at, int stride) {
    for (int i = 0; i < systems; i++) at[i * stride] = (unsigned short)i;
    for (int half = (systems - 1) / 2; half >= 0; half--) {
        word two = scramble(key + ((word)half + 1) * GOLDEN);
        int i = 2 * half;
        if (i + 1 < systems) swap(at, stride, i + 1, below(two >> 32, i + 2));
        if (i > 0) swap(at, stride, i, below(two, i + 1));
    }
}

/* The permutations of some topics side by side: that of topic t in column t, rows `stride` apart. */
static __device__ void shuffle_all(word trial, int start, int rows, int systems, unsigned short *at, int stride) {
    __syncthreads(); /* whoever still reads the last ones */
    for (int t = threadIdx.x; t < rows; t += blockDim.x)
        shuffle(topic_key(trial, (word)(start + t)), systems, at + t, stride);
    __syncthreads();
}

/* The largest that any thread of the block brings. */
static __device__ whole largest_of_all(whole mine, whole *room) {
    __syncthreads();
    room[threadIdx.x] = mine;
    for (int n = blockDim.x; n > 1; n = (n + 1) / 2) {
        __syncthreads();
        int other = threadIdx.x + (n + 1) / 2;
        if (other < n && room[other] > room[threadIdx.x]) room[threadIdx.x] = room[other];
    }
    __syncthreads();
    return room[0];
}

/* A block a trial: `tile` topics are shuffled at a time, then their columns summed, each by `groups` threads. */
extern "C" __global__ void permuted_ranges(const whole *values, int topics, int systems, int tile, int stride,
                                           int groups, word seed, word first, whole trials, whole *ranges) {
    whole *room = shared, *sums = room + blockDim.x;
    unsigned short *at = (unsigned short *)(sums + groups * systems);
    for (whole b = blockIdx.x; b < trials; b += gridDim.x) {
        word trial = trial_key(seed, first + (word)b);
        for (int start = 0; start < topics; start += tile) {
            int rows = tile < topics - start ? tile : topics - start;
            shuffle_all(trial, start, rows, systems, at, stride);
            for (int k = threadIdx.x; k < groups * systems; k += blockDim.x) {
                int i = k % systems;
                whole sum = start ? sums[k] : 0;
                for (int t = k / systems; t < rows; t += groups)
                    sum += values[(whole)(start + t) * systems + at[i * stride + t]];
                sums[k] = sum;
            }
        }
        __syncthreads();
        whole high = -0x7FFFFFFFFFFFFFFFll, low = high; /* of the sums, and of their opposites */
        for (int i = threadIdx.x; i < systems; i += blockDim.x) {
            whole sum = 0;
            for (int g = 0; g < groups; g++) sum += sums[g * systems + i];
            if (sum > high) high = sum;
            if (-sum > low) low = -sum;
        }
        whole range = largest_of_all(high, room);
        range += largest_of_all(low, room);
        if (threadIdx.x == 0) ranges[b] = range;
    }
}

/* A block a trial, a thread a pair of systems at a time; topics that do not fit at once are shuffled anew for each. */
extern "C" __global__ void permuted_pairs(const whole *values, const int *one, const int *other, int pairs, int topics,
                                          int systems, int tile, int stride, word seed, word first, whole trials,
                                          whole *largest) {
    whole *room = shared;
    unsigned short *at = (unsigned short *)(room + blockDim.x);
    for (whole b = blockIdx.x; b < trials; b += gridDim.x) {
        word trial = trial_key(seed, first + (word)b);
        whole most = 0;
        for (int from = 0; from < pairs; from += blockDim.x) {
            int p = from + threadIdx.x;
            whole sum = 0;
            for (int start = 0; start < topics; start += tile) {
                int rows = tile < topics - start ? tile : topics - start;
                if (from == 0 || tile < topics) shuffle_all(trial, start, rows, systems, at, stride);
                if (p >= pairs) continue;
                const unsigned short *mine = at + one[p] * stride, *yours = at + other[p] * stride;
                for (int t = 0; t < rows; t++)
                    sum += values[((whole)(start + t) * systems + mine[t]) * systems + yours[t]];
            }
            if (sum < 0) sum = -sum;
            if (sum > most) most = sum;
        }
        most = largest_of_all(most, room);
        if (threadIdx.x == 0) largest[b] = most;
    }
}

/* ---- topics flipped, or drawn with replacement ------------------------------------------------------------ */

/* A thread sums some columns of a trial. */
extern "C" __global__ void picked_sums(const whole *values, int topics, int columns, int kind, word seed, word first,
                                       whole trials, whole *sums) {
    int chunks = (columns + WIDE - 1) / WIDE;
    whole step = (whole)gridDim.x * blockDim.x;
    for (whole k = (whole)blockIdx.x * blockDim.x + threadIdx.x; k < trials * chunks; k += step) {
        whole b = k / chunks;
        int c = (int)(k % chunks) * WIDE;
        word trial = kind == EVERY ? first + (word)b : trial_key(seed, first + (word)b);
        whole sum[WIDE] = {0};
        for (int t = 0; t < topics; t++) {
            int row = picked(kind, trial, t, topics);
            if (row < 0) continue;
            const whole *value = values + (whole)row * columns + c;
#pragma unroll
            for (int i = 0; i < WIDE; i++)
                if (c + i < columns) sum[i] += value[i];
        }
#pragma unroll
        for (int i = 0; i < WIDE; i++)
            if (c + i < columns) sums[b * columns + c + i] = sum[i];
    }
}

/* From sums over the topics whose sign is flipped: how many trials leave two systems at least `bar` apart. A thread a
   pair, some trials each. */
extern "C" __global__ void flipped_pairs(const whole *sums, const whole *total, const whole *bar, int systems,
                                         whole trials, word *count) {
    whole pairs = (whole)systems * systems, step = (whole)gridDim.x * blockDim.x;
    for (whole p = (whole)blockIdx.x * blockDim.x + threadIdx.x; p < pairs; p += step) {
        int i = (int)(p / systems), j = (int)(p % systems);
        if (j <= i) continue;
        whole before = total[j] - total[i];
        word found = 0;
        for (whole b = blockIdx.y; b < trials; b += gridDim.y) {
            whole apart = before - 2 * (sums[b * systems + j] - sums[b * systems + i]);
            found += (apart < 0 ? -apart : apart) >= bar[p];
        }
        atomicAdd(count + p, found);
    }
}

/* How many samples of topics reach each pair's bar. The sums are exact in floating point, in any order; what follows
   is done step by step as in resampling.py, so it must not be fused. A thread a pair, ABREAST trials side by side. */
extern "C" __global__ void drawn_pairs(const double *values, const double *squares, const double *bar,
                                       const double *variance, const double *least, int studentised, int topics,
                                       int pairs, int tile, word seed, word first, whole trials, word *count) {
    double *times = (double *)shared; /* of each topic, in each trial */
    for (whole start = (whole)blockIdx.y * ABREAST; start < trials; start += (whole)gridDim.y * ABREAST) {
        int abreast = trials - start < ABREAST ? (int)(trials - start) : ABREAST;
        for (int from = blockIdx.x * blockDim.x; from < pairs; from += gridDim.x * blockDim.x) {
            int p = from + threadIdx.x;
            double sum[ABREAST] = {0}, square[ABREAST] = {0};
            for (int top = 0; top < topics; top += tile) {
                int rows = tile < topics - top ? tile : topics - top;
                __syncthreads();
                for (int k = threadIdx.x; k < rows * ABREAST; k += blockDim.x) times[k] = 0;
                __syncthreads();
                for (int k = threadIdx.x; k < topics * abreast; k += blockDim.x) {
                    int r = k / topics;
                    int row = picked(DRAWN, trial_key(seed, first + (word)(start + r)), k % topics, topics) - top;
                    if (row >= 0 && row < rows) atomicAdd(times + row * ABREAST + r, 1.0);
                }
                __syncthreads();
                if (p >= pairs) continue;
                for (int t = 0; t < rows; t++) {
                    whole cell = (whole)(top + t) * pairs + p;
                    double value = values[cell], product = squares[cell];
#pragma unroll
                    for (int r = 0; r < ABREAST; r++) {
                        sum[r] = fma(times[t * ABREAST + r], value, sum[r]);
                        square[r] = fma(times[t * ABREAST + r], product, square[r]);
                    }
                }
            }
            if (p >= pairs) continue;
            word found = 0;
#pragma unroll
            for (int r = 0; r < ABREAST; r++) {
                double mean = sum[r] / topics;
                double size = mean * mean;
                double spread = (square[r] - topics * size) / (topics - 1);
                double needed = bar[p] * spread;
                int reached = studentised ? size * variance[p] >= (needed > least[p] ? needed : least[p])
                                          : (mean < 0 ? -mean : mean) >= bar[p];
                found += r < abreast && reached;
            }
            atomicAdd(count + p, found);
        }
    }
}

/* How often each topic is drawn in each trial, (topics, trials), from zeros. A thread a trial. */
extern "C" __global__ void drawn_times(int topics, word seed, word first, whole trials, int *times) {
    whole step = (whole)gridDim.x * blockDim.x;
    for (whole b = (whole)blockIdx.x * blockDim.x + threadIdx.x; b < trials; b += step) {
        word trial = trial_key(seed, first + (word)b);
        for (int t = 0; t < topics; t++) times[picked(DRAWN, trial, t, topics) * trials + b]++;
    }
}

/* How many trials reach the bar of each pair by the pair itself or by one before it. A thread a trial, ABREAST pairs
   at a time, whose squares the block holds; `most` is the largest statistic of each trial so far. Sums are exact; what
   follows is done step by step as in resampling.py. */
extern "C" __global__ void drawn_steps(const double *squares, const int *times, const whole *sums, const whole *total,
                                       const int *one, const int *other, const double *bar, double extra, int topics,
                                       int systems, int pairs, int tile, whole trials, double *most, word *count) {
    double *held = (double *)shared;
    word *reached = (word *)(held + tile * ABREAST);
    for (whole start = (whole)blockIdx.x * blockDim.x; start < trials; start += (whole)gridDim.x * blockDim.x) {
        whole b = start + threadIdx.x;
        int works = b < trials;
        double largest = works ? most[b] : 0;
        for (int from = 0; from < pairs; from += ABREAST) {
            double square[ABREAST] = {0};
            for (int top = 0; top < topics; top += tile) {
                int rows = tile < topics - top ? tile : topics - top;
                __syncthreads();
                for (int k = threadIdx.x; k < rows * ABREAST; k += blockDim.x) {
                    int p = from + k % ABREAST;
                    held[k] = p < pairs ? squares[(whole)(top + k / ABREAST) * pairs + p] : 0;
                }
                if (top == 0)
                    for (int k = threadIdx.x; k < ABREAST; k += blockDim.x) reached[k] = 0;
                __syncthreads();
                if (!works) continue;
                for (int t = 0; t < rows; t++) {
                    double often = times[(top + t) * trials + b];
#pragma unroll
                    for (int r = 0; r < ABREAST; r++) square[r] = fma(often, held[t * ABREAST + r], square[r]);
                }
            }
#pragma unroll
            for (int r = 0; r < ABREAST; r++) {
                int p = from + r;
                if (!works || p >= pairs) continue;
                const whole *sum = sums + b * systems;
                double apart = (double)((sum[one[p]] - total[one[p]]) - (sum[other[p]] - total[other[p]]));
                double size = apart * apart;
                double spread = topics * square[r] - size;
                double share = size / ((spread > 0 ? spread : 0) + extra);
                if (share > largest) largest = share;
                if (largest >= bar[p]) atomicAdd(reached + r, (word)1);
            }
            __syncthreads();
            for (int k = threadIdx.x; k < ABREAST && from + k < pairs; k += blockDim.x)
                atomicAdd(count + from + k, reached[k]);
        }
        if (works) most[b] = largest;
    }
}
