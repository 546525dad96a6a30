#include "ratecontrol.h"

#include <math.h>

void rate_target_read(struct rate_target *target, const VAEncMiscParameterRateControl *parameters) {
    double percentage = parameters->target_percentage;
    // Of CBR the percentage says nothing.
    if (target->mode == VA_RC_CBR || percentage <= 0 || percentage > 100)
        percentage = 100;
    target->bits_per_second = parameters->bits_per_second * percentage / 100;
    unsigned quality = target->mode == VA_RC_ICQ ? parameters->ICQ_quality_factor : parameters->quality_factor;
    target->quality = quality < 51 ? (int)quality : 51;
    target->initial_qp = (int)parameters->initial_qp;
    target->min_qp = (int)parameters->min_qp;
    target->max_qp = (int)parameters->max_qp;
}

static double clip(double value, double low, double high) {
    return value < low ? low : value > high ? high : value;
}

static double frame_rate(const struct rate_target *target) {
    return target->frame_rate > 0 ? target->frame_rate : 30;
}

/// What a picture may cost now: the plain mean, more or less by what was saved or overspent, which is to be made good
/// within half a second.
static double budget(const struct rate_control *control, const struct rate_target *target) {
    double mean = target->bits_per_second / frame_rate(target);
    double debt = control->spent - control->planned;
    return mean * clip(1 - 2 * debt / target->bits_per_second, 0.2, 4);
}

int rate_qp(struct rate_control *control, const struct rate_target *target, int constant_qp, double pixels) {
    if (target->mode == VA_RC_CQP)
        return constant_qp;
    if (target->mode == VA_RC_ICQ || target->bits_per_second <= 0)
        return (int)clip(target->quality ? target->quality : 26, 1, 51);
    if (control->complexity <= 0)
        control->complexity = pixels * 4;
    double qp = 6 * log2(control->complexity / budget(control, target));
    // Not in one leap: the model is crude.
    if (control->qp > 0)
        qp = clip(qp, control->qp - 6, control->qp + 6);
    double low = target->min_qp > 0 ? target->min_qp : 1, high = target->max_qp > 0 ? target->max_qp : 51;
    if (target->mode == VA_RC_QVBR && target->quality > low)
        low = target->quality;
    control->qp = clip(qp, low, high);
    return (int)lround(control->qp);
}

void rate_account(struct rate_control *control, const struct rate_target *target, int qp, size_t bytes) {
    double bits = (double)bytes * 8;
    if (target->bits_per_second <= 0 || target->mode == VA_RC_CQP || target->mode == VA_RC_ICQ)
        return;
    double weight = 2 / frame_rate(target);
    if (control->planned <= 0)
        weight = 0.5;
    control->complexity += (bits * exp2(qp / 6.0) - control->complexity) * weight;
    control->spent += bits;
    control->planned += target->bits_per_second / frame_rate(target);
}
