/// HDR to SDR with a visible effect: PQ to linear light, BT.2020 to BT.709, Reinhard's curve on the brightest
/// component, BT.1886.

#include <math.h>
#include <pthread.h>

#include "vpp.h"

enum { STEPS = 4096 };

static float light[STEPS + 1];    // of a PQ value; 1 is 100 nits
static float display[STEPS + 1];  // the value of a light from 0 to 1
static pthread_once_t once = PTHREAD_ONCE_INIT;

/// SMPTE ST 2084.
static double pq_to_nits(double value) {
    const double m1 = 2610.0 / 16384, m2 = 2523.0 / 32, c1 = 3424.0 / 4096, c2 = 2413.0 / 128, c3 = 2392.0 / 128;
    double power = pow(value, 1 / m2), numerator = power - c1;
    return 10000 * pow((numerator > 0 ? numerator : 0) / (c2 - c3 * power), 1 / m1);
}

static void make_tables(void) {
    for (int step = 0; step <= STEPS; step++) {
        light[step] = (float)(pq_to_nits((double)step / STEPS) / 100);
        display[step] = (float)pow((double)step / STEPS, 1 / 2.4);
    }
}

static float look_up(const float table[STEPS + 1], float value) {
    return table[(int)(fminf(fmaxf(value, 0), 1) * STEPS + 0.5f)];
}

/// Ten-bit samples of limited range to R'G'B' (BT.2100 non-constant luminance).
static void to_rgb(float y, float cb, float cr, float rgb[3]) {
    y = (y - 64) / 876;
    cb = (cb - 512) / 896;
    cr = (cr - 512) / 896;
    rgb[0] = y + 1.4746f * cr;
    rgb[1] = y - 0.16455f * cb - 0.57135f * cr;
    rgb[2] = y + 1.8814f * cb;
}

/// PQ BT.2020 in, display values of BT.709 out.
static void map_pixel(float rgb[3], float peak) {
    static const float matrix[3][3] = {
        {1.6605f, -0.5876f, -0.0728f}, {-0.1246f, 1.1329f, -0.0083f}, {-0.0182f, -0.1006f, 1.1187f}};
    float linear[3] = {look_up(light, rgb[0]), look_up(light, rgb[1]), look_up(light, rgb[2])};
    float mapped[3], brightest = 1e-6f;
    for (int row = 0; row < 3; row++) {
        mapped[row] = matrix[row][0] * linear[0] + matrix[row][1] * linear[1] + matrix[row][2] * linear[2];
        brightest = fmaxf(brightest, mapped[row]);
    }
    float curve = (1 + brightest / (peak * peak)) / (1 + brightest);
    for (int row = 0; row < 3; row++)
        rgb[row] = look_up(display, mapped[row] * curve);
}

static uint16_t sample(float value) {
    return (uint16_t)((int)fminf(fmaxf(value + 0.5f, 0), 1023) << 6);
}

/// Two by two pixels, which share their chroma.
static void map_block(const struct canvas *from, int x, int y, float peak, struct canvas *to) {
    const uint16_t *chroma = (const uint16_t *)(from->pixels.data[1] + (ptrdiff_t)(y / 2) * from->pixels.pitch[1]) + x;
    uint16_t *mapped = (uint16_t *)(to->pixels.data[1] + (ptrdiff_t)(y / 2) * to->pixels.pitch[1]) + x;
    float cb = 0, cr = 0;
    int count = 0;
    for (int row = y; row < y + 2 && row < from->height; row++)
        for (int column = x; column < x + 2 && column < from->width; column++, count++) {
            const uint16_t *in = (const uint16_t *)(from->pixels.data[0] + (ptrdiff_t)row * from->pixels.pitch[0]);
            uint16_t *out = (uint16_t *)(to->pixels.data[0] + (ptrdiff_t)row * to->pixels.pitch[0]);
            float rgb[3];
            to_rgb((float)(in[column] >> 6), (float)(chroma[0] >> 6), (float)(chroma[1] >> 6), rgb);
            map_pixel(rgb, peak);
            float luma = 0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2];
            out[column] = sample(64 + 876 * luma);
            cb += (rgb[2] - luma) / 1.8556f;
            cr += (rgb[0] - luma) / 1.5748f;
        }
    mapped[0] = sample(512 + 896 * cb / (float)count);
    mapped[1] = sample(512 + 896 * cr / (float)count);
}

bool tone_map(const struct canvas *from, double peak, struct canvas *to) {
    if (from->pixels.format->fourcc != VA_FOURCC_P010
        || !canvas_make(to, from->pixels.format, from->width, from->height))
        return false;
    pthread_once(&once, make_tables);
    for (int y = 0; y < from->height; y += 2)
        for (int x = 0; x < from->width; x += 2)
            map_block(from, x, y, (float)(peak / 100), to);
    return true;
}
