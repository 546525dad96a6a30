#include "cabac.h"

static const uint8_t range_lps[64][4] = {
    {128, 176, 208, 240}, {128, 167, 197, 227}, {128, 158, 187, 216}, {123, 150, 178, 205}, {116, 142, 169, 195},
    {111, 135, 160, 185}, {105, 128, 152, 175}, {100, 122, 144, 166}, {95, 116, 137, 158},  {90, 110, 130, 150},
    {85, 104, 123, 142},  {81, 99, 117, 135},   {77, 94, 111, 128},   {73, 89, 105, 122},   {69, 85, 100, 116},
    {66, 80, 95, 110},    {62, 76, 90, 104},    {59, 72, 86, 99},     {56, 69, 81, 94},     {53, 65, 77, 89},
    {51, 62, 73, 85},     {48, 59, 69, 80},     {46, 56, 66, 76},     {43, 53, 63, 72},     {41, 50, 59, 69},
    {39, 48, 56, 65},     {37, 45, 54, 62},     {35, 43, 51, 59},     {33, 41, 48, 56},     {32, 39, 46, 53},
    {30, 37, 43, 50},     {29, 35, 41, 48},     {27, 33, 39, 45},     {26, 31, 37, 43},     {24, 30, 35, 41},
    {23, 28, 33, 39},     {22, 27, 32, 37},     {21, 26, 30, 35},     {20, 24, 29, 33},     {19, 23, 27, 31},
    {18, 22, 26, 30},     {17, 21, 25, 28},     {16, 20, 23, 27},     {15, 19, 22, 25},     {14, 18, 21, 24},
    {14, 17, 20, 23},     {13, 16, 19, 22},     {12, 15, 18, 21},     {12, 14, 17, 20},     {11, 14, 16, 19},
    {11, 13, 15, 18},     {10, 12, 15, 17},     {10, 12, 14, 16},     {9, 11, 13, 15},      {9, 11, 12, 14},
    {8, 10, 12, 14},      {8, 9, 11, 13},       {7, 9, 11, 12},       {7, 9, 10, 12},       {7, 8, 10, 11},
    {6, 8, 9, 11},        {6, 7, 9, 10},        {6, 7, 8, 9},         {2, 2, 2, 2}};

static const uint8_t next_state_lps[64] = {0,  0,  1,  2,  2,  4,  4,  5,  6,  7,  8,  9,  9,  11, 11, 12,
                                           13, 13, 15, 15, 16, 16, 18, 18, 19, 19, 21, 21, 22, 22, 23, 24,
                                           24, 25, 26, 26, 27, 27, 28, 29, 29, 30, 30, 30, 31, 32, 32, 33,
                                           33, 33, 34, 34, 35, 35, 35, 36, 36, 36, 37, 37, 37, 38, 38, 63};

struct cabac_model cabac_model(int state) {
    if (state <= 63)
        return (struct cabac_model){(uint8_t)(63 - state), 0};
    return (struct cabac_model){(uint8_t)(state - 64), 1};
}

void cabac_start(struct cabac *cabac, struct writer *writer) {
    *cabac = (struct cabac){.writer = writer, .range = 510, .first = true};
}

static void put_bit(struct cabac *cabac, uint32_t bit) {
    if (!cabac->first)
        put(cabac->writer, 1, bit);
    cabac->first = false;
    for (; cabac->outstanding > 0; cabac->outstanding--)
        put(cabac->writer, 1, !bit);
}

static void renormalize(struct cabac *cabac) {
    for (; cabac->range < 256; cabac->range <<= 1, cabac->low <<= 1) {
        if (cabac->low < 256)
            put_bit(cabac, 0);
        else if (cabac->low >= 512) {
            cabac->low -= 512;
            put_bit(cabac, 1);
        } else {
            cabac->low -= 256;
            cabac->outstanding++;
        }
    }
}

void cabac_encode(struct cabac *cabac, struct cabac_model *model, int bin) {
    uint32_t lps = range_lps[model->state][cabac->range >> 6 & 3];
    cabac->range -= lps;
    if (bin == model->most_probable) {
        if (model->state < 62)
            model->state++;
    } else {
        cabac->low += cabac->range;
        cabac->range = lps;
        if (model->state == 0)
            model->most_probable = !model->most_probable;
        model->state = next_state_lps[model->state];
    }
    renormalize(cabac);
}

void cabac_terminate(struct cabac *cabac, int bin) {
    cabac->range -= 2;
    if (!bin) {
        renormalize(cabac);
        return;
    }
    cabac->low += cabac->range;
    cabac->range = 2;
    renormalize(cabac);
    put_bit(cabac, cabac->low >> 9 & 1);
    // The last of these bits is rbsp_stop_one_bit.
    put(cabac->writer, 2, (cabac->low >> 7 & 3) | 1);
    put_alignment(cabac->writer, 0);
}
