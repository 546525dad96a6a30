#include "ratecontrol.h"

#include <math.h>
#include <stdlib.h>

void rate_target_read(struct rate_target *target, const VAEncMiscParameterRateControl *parameters) {
    double percentage = parameters->target_percentage;
    // CBR ignores the percentage.
    if (target->mode == VA_RC_CBR || percentage <= 0 || percentage > 100)
        percentage = 100;
    target->max_bits_per_second = parameters->bits_per_second;
    target->bits_per_second = parameters->bits_per_second * percentage / 100;
    unsigned quality = target->mode == VA_RC_ICQ ? parameters->ICQ_quality_factor : parameters->quality_factor;
    target->quality = quality < 51 ? (int)quality : 51;
    target->initial_qp = (int)parameters->initial_qp;
    target->min_qp = (int)parameters->min_qp;
    target->max_qp = (int)parameters->max_qp;
}

void rate_target_read_hrd(struct rate_target *target, const VAEncMiscParameterHRD *parameters) {
    target->buffer_size = parameters->buffer_size;
    target->initial_fullness = parameters->initial_buffer_fullness;
}

static double clip(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static double frame_rate(const struct rate_target *target) {
    return target->frame_rate > 0 ? target->frame_rate : 30;
}

static uint8_t sample(const uint8_t *luma, size_t index, int bytes) {
    return bytes == 1 ? luma[index] : (uint8_t)(((const uint16_t *)luma)[index] >> 2);
}

/// Forgets the last picture when the size changes.
static bool keep_room(struct rate_control *control, size_t samples) {
    if (control->samples == samples)
        return true;
    free(control->luma);
    control->luma = calloc(samples, 1);
    control->samples = control->luma ? samples : 0;
    return false;
}

double rate_cost(struct rate_control *control, const uint8_t *luma, int pitch, int width, int height, int bytes,
                 char type) {
    size_t columns = (size_t)width / 2, rows = (size_t)height / 2, sum = 0;
    bool has_last = keep_room(control, columns * rows) && type == 'P';
    for (size_t index = 0; index < control->samples; index++) {
        const uint8_t *row = luma + index / columns * 2 * (size_t)pitch;
        size_t x = index % columns * 2;
        int value = sample(row, x + 1, bytes), cost = abs(value - sample(row, x, bytes));
        int since = has_last ? abs(value - control->luma[index]) : cost;
        sum += (size_t)(cost < since ? cost : since);
        if (type != 'B')
            control->luma[index] = (uint8_t)value;
    }
    // A picture without residual still has headers.
    return (double)sum + (double)control->samples / 64;
}

/// The picture's budget: the mean, corrected for the bits saved or overspent, which are compensated within half a
/// second.
static double budget(const struct rate_control *control, const struct rate_target *target) {
    double mean = target->bits_per_second / frame_rate(target);
    double debt = control->spent - control->planned;
    return mean * clip(1 - 2 * debt / target->bits_per_second, 0.2, 4);
}

static bool has_buffer(const struct rate_target *target) {
    return target->buffer_size > 0 && target->max_bits_per_second > 0;
}

/// The lowest QP at which the picture leaves part of the buffer. A static scene does not predict the next one, which
/// may be as complex as noise.
static double buffer_qp(const struct rate_control *control, const struct rate_target *target, double cost) {
    const double safe_part = 0.6, noise = 30;
    double least = target->max_bits_per_second / frame_rate(target) / 8;
    double complexity = cost * fmax(control->bits / control->cost, noise);
    return has_buffer(target) ? 6 * log2(complexity / fmax(control->fullness * safe_part, least)) : 0;
}

static void begin(struct rate_control *control, const struct rate_target *target) {
    double full = target->buffer_size;
    control->fullness = target->initial_fullness > 0 ? fmin(target->initial_fullness, full) : full;
    // A first guess, from test pictures.
    control->cost = 1;
    control->bits = 12;
}

int rate_qp(struct rate_control *control, const struct rate_target *target, int constant_qp, double cost) {
    if (target->mode == VA_RC_CQP)
        return constant_qp;
    if (target->mode == VA_RC_ICQ || target->bits_per_second <= 0)
        return (int)clip(target->quality ? target->quality : 26, 1, 51);
    if (control->cost <= 0)
        begin(control, target);
    double complexity = cost * control->bits / control->cost;
    double qp = 6 * log2(complexity / budget(control, target));
    // Not in one step: the model is coarse.
    if (control->qp > 0)
        qp = clip(qp, control->qp - 6, control->qp + 6);
    qp = fmax(qp, buffer_qp(control, target, cost));
    double low = target->min_qp > 0 ? target->min_qp : 1, high = target->max_qp > 0 ? target->max_qp : 51;
    if (target->mode == VA_RC_QVBR && target->quality > low)
        low = target->quality;
    control->next_cost = cost;
    control->qp = clip(qp, low, high);
    return (int)lround(control->qp);
}

static void learn(struct rate_control *control, const struct rate_target *target, int qp, double bits) {
    double kept = control->planned > 0 ? 1 - 2 / frame_rate(target) : 0;
    control->bits = control->bits * kept + bits * exp2(qp / 6.0);
    control->cost = control->cost * kept + control->next_cost;
}

void rate_account(struct rate_control *control, const struct rate_target *target, int qp, size_t bytes) {
    double bits = (double)bytes * 8;
    if (target->bits_per_second <= 0 || target->mode == VA_RC_CQP || target->mode == VA_RC_ICQ)
        return;
    learn(control, target, qp, bits);
    control->spent += bits;
    control->planned += target->bits_per_second / frame_rate(target);
    double filled = control->fullness - bits + target->max_bits_per_second / frame_rate(target);
    control->fullness = clip(filled, 0, target->buffer_size);
}

void rate_close(struct rate_control *control) {
    free(control->luma);
}
