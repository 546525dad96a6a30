#include "switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <va/va.h>
#include <va/va_vpp.h>

#include "shared.h"

const char *switch_text(int device, const char *name, const char *otherwise) {
    char variable[64];
    snprintf(variable, sizeof variable, "SOFTVA_%d_%s", device, name);
    const char *value = getenv(variable);
    if (!value) {
        snprintf(variable, sizeof variable, "SOFTVA_%s", name);
        value = getenv(variable);
    }
    return value && *value ? value : otherwise;
}

bool list_has(const char *list, const char *word) {
    size_t length = strlen(word);
    while (list && *list) {
        size_t end = strcspn(list, ",");
        if (end == length && strncmp(list, word, length) == 0)
            return true;
        list += end + (list[end] == ',');
    }
    return false;
}

bool turns_read(const char *text, struct turns *turns) {
    char *end;
    turns->first = (unsigned)strtoul(text, &end, 10);
    turns->onwards = *end == '+';
    return turns->first > 0 && end[turns->onwards] == 0;
}

bool turns_include(struct turns turns, unsigned number) {
    return turns.onwards ? number >= turns.first : number == turns.first;
}

static bool is_on(int device, const char *name) {
    return strcmp(switch_text(device, name, "0"), "0") != 0;
}

/// The shim's switches are checked here, because it cannot report errors.
static bool check_fdinfo(int device) {
    const char *name = switch_text(device, "FDINFO", "i915");
    bool known = strchr(name, ',') == NULL && list_has("i915,xe,amdgpu,none", name);
    if (!known)
        fprintf(stderr, "soft: SOFTVA_FDINFO: '%s' is not i915, xe, amdgpu or none\n", name);
    return known;
}

static bool check_engines(int engines) {
    bool known = engines >= 1 && engines <= MAX_ENGINES;
    if (!known)
        fprintf(stderr, "soft: SOFTVA_ENGINES: %d is not within 1 to %d\n", engines, MAX_ENGINES);
    return known;
}

static double number(int device, const char *name) {
    return atof(switch_text(device, name, "0"));
}

static const struct {
    const char *name;
    unsigned bit;
} modes[] = {{"CQP", VA_RC_CQP}, {"CBR", VA_RC_CBR}, {"VBR", VA_RC_VBR}, {"ICQ", VA_RC_ICQ}, {"QVBR", VA_RC_QVBR}};

static unsigned rate_control(int device) {
    const char *list = switch_text(device, "RC", "CQP,CBR,VBR,ICQ,QVBR");
    unsigned bits = 0;
    for (unsigned mode = 0; mode < sizeof modes / sizeof *modes; mode++)
        if (list_has(list, modes[mode].name))
            bits |= modes[mode].bit;
    return bits;
}

bool switches_break(const struct switches *switches, bool low_power, unsigned rate_control) {
    const char *entrypoint = low_power ? "EncSliceLP" : "EncSlice";
    bool is_broken = list_has(switches->broken, entrypoint);
    for (unsigned mode = 0; mode < sizeof modes / sizeof *modes; mode++) {
        if (modes[mode].bit != rate_control)
            continue;
        char both[32];
        snprintf(both, sizeof both, "%s:%s", entrypoint, modes[mode].name);
        is_broken |= list_has(switches->broken, modes[mode].name) || list_has(switches->broken, both);
    }
    return is_broken;
}

bool has_quirk(const struct switches *switches, enum quirk quirk) {
    return switches->quirks >> quirk & 1;
}

static unsigned deinterlacing(int device) {
    static const struct {
        const char *name;
        VAProcDeinterlacingType type;
    } types[] = {{"bob", VAProcDeinterlacingBob},
                 {"weave", VAProcDeinterlacingWeave},
                 {"adaptive", VAProcDeinterlacingMotionAdaptive},
                 {"compensated", VAProcDeinterlacingMotionCompensated}};
    const char *list = switch_text(device, "DEINTERLACE", "bob,weave,adaptive,compensated");
    unsigned bits = 0;
    for (unsigned index = 0; index < sizeof types / sizeof *types; index++)
        if (list_has(list, types[index].name))
            bits |= 1u << types[index].type;
    return bits;
}

static void read_size(int device, const char *name, const char *otherwise, int *width, int *height) {
    if (sscanf(switch_text(device, name, otherwise), "%dx%d", width, height) != 2)
        sscanf(otherwise, "%dx%d", width, height);
}

struct switches switches_read(int device) {
    const char *low_power = switch_text(device, "LOW_POWER", "no");
    struct switches switches = {
        .log = is_on(device, "LOG"),
        .slice = strcmp(low_power, "only") != 0,
        .low_power = strcmp(low_power, "no") != 0,
        .packed_headers = !is_on(device, "NO_PACKED"),
        .b_frames = !is_on(device, "NO_B"),
        .ten_bit = !is_on(device, "NO_10BIT"),
        .video_proc = !is_on(device, "NO_VPP"),
        .rate_control = rate_control(device),
        .max_surfaces = (int)number(device, "MAX_SURFACES"),
        .deinterlacing = deinterlacing(device),
        .alignment = (int)number(device, "ALIGN"),
        .tone_map = !is_on(device, "NO_TONE_MAP"),
        .enhance = !is_on(device, "NO_ENHANCE"),
        .no_decode = switch_text(device, "NO_DECODE", NULL),
        .no_encode = switch_text(device, "NO_ENCODE", NULL),
        .decode_rate = number(device, "DECODE_FPS"),
        .encode_rate = number(device, "ENCODE_FPS"),
        .process_rate = number(device, "VPP_FPS"),
        .delay = number(device, "DELAY_MS") / 1000,
        .broken = switch_text(device, "BROKEN", NULL),
        .vendor = switch_text(device, "VENDOR", NULL),
        .fault = switch_text(device, "FAULT", NULL),
        .spoil = switch_text(device, "SPOIL", NULL),
        .stats = switch_text(device, "STATS", NULL),
    };
    switches.engines = atoi(switch_text(device, "ENGINES", "1"));
    switches.valid = quirks_read(switch_text(device, "QUIRKS", NULL), &switches.quirks) && check_fdinfo(device)
                     && check_engines(switches.engines);
    read_size(device, "MAX_SIZE", "4096x4096", &switches.max_width, &switches.max_height);
    read_size(device, "MIN_SIZE", "16x16", &switches.min_width, &switches.min_height);
    return switches;
}
