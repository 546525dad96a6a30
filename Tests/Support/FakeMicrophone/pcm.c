/// A microphone for ALSA: an external plugin of the type `vtxtest`. It records 1 kHz for the first tenth of each second
/// of the monotonic clock, and silence otherwise: the beeps show when a recording was made.
///
///     pcm_type.vtxtest { lib "/path/libasound_module_pcm_vtxtest.so" }
///     pcm.!default { type vtxtest hint { show on description "Fake Microphone" } }
///
///     VTX_MICROPHONE_DRIFT=0        parts per million by which its clock is fast
///     VTX_MICROPHONE_CHANNELS=2     1 or 2
///     VTX_MICROPHONE_UNPLUGGED=S    ENODEV this many seconds after its start
///     VTX_MICROPHONE_BUSY=1         open: EBUSY

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <math.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>

enum { rate = 48000 };

struct microphone {
    snd_pcm_ioplug_t io;
    double start, speed, unplugged;
    unsigned long given;
};

static double number(const char *name, double fallback) {
    const char *value = getenv(name);
    return value && *value ? atof(value) : fallback;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int start(snd_pcm_ioplug_t *io) {
    struct microphone *microphone = io->private_data;
    microphone->start = now();
    microphone->given = 0;
    return 0;
}

static int stop(snd_pcm_ioplug_t *io) {
    (void)io;
    return 0;
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
    struct microphone *microphone = io->private_data;
    double passed = now() - microphone->start;
    if (passed > microphone->unplugged)
        return -ENODEV;
    return (snd_pcm_sframes_t)((unsigned long)(passed * microphone->speed) % io->buffer_size);
}

static snd_pcm_sframes_t transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                  snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    struct microphone *microphone = io->private_data;
    for (snd_pcm_uframes_t index = 0; index < size; index++) {
        double time = microphone->start + (double)(microphone->given + index) / microphone->speed;
        double value = time - floor(time) < 0.1 ? 8000 * sin(2 * M_PI * 1000 * time) : 0;
        for (unsigned channel = 0; channel < io->channels; channel++) {
            const snd_pcm_channel_area_t *area = areas + channel;
            char *place = (char *)area->addr + area->first / 8 + (offset + index) * area->step / 8;
            *(short *)place = (short)value;
        }
    }
    microphone->given += size;
    return (snd_pcm_sframes_t)size;
}

static int close_microphone(snd_pcm_ioplug_t *io) {
    close(io->poll_fd);
    free(io->private_data);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = start, .stop = stop, .pointer = pointer, .transfer = transfer, .close = close_microphone};

static int set_abilities(snd_pcm_ioplug_t *io) {
    unsigned access = SND_PCM_ACCESS_RW_INTERLEAVED, format = SND_PCM_FORMAT_S16_LE;
    unsigned channels = (unsigned)number("VTX_MICROPHONE_CHANNELS", 2);
    int status = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, &access);
    if (status >= 0)
        status = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, &format);
    if (status >= 0)
        status = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    if (status >= 0)
        status = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
    if (status >= 0)
        status = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 256, 1 << 18);
    if (status >= 0)
        status = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 1024, 1 << 20);
    return status;
}

SND_PCM_PLUGIN_DEFINE_FUNC(vtxtest) {
    (void)root, (void)conf;
    if (number("VTX_MICROPHONE_BUSY", 0) > 0)
        return -EBUSY;
    struct microphone *microphone = calloc(1, sizeof *microphone);
    if (!microphone)
        return -ENOMEM;
    microphone->speed = rate * (1 + number("VTX_MICROPHONE_DRIFT", 0) / 1e6);
    microphone->unplugged = number("VTX_MICROPHONE_UNPLUGGED", 1e9);
    microphone->io.version = SND_PCM_IOPLUG_VERSION;
    microphone->io.name = "Fake Microphone";
    microphone->io.callback = &callbacks;
    microphone->io.private_data = microphone;
    microphone->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    microphone->io.poll_events = POLLIN;
    int status = snd_pcm_ioplug_create(&microphone->io, name, stream, mode);
    if (status >= 0)
        status = set_abilities(&microphone->io);
    if (status < 0)
        return status;
    *pcmp = microphone->io.pcm;
    return 0;
}

SND_PCM_PLUGIN_SYMBOL(vtxtest);
