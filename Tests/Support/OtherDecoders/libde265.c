// Usage: libde265 INPUT.h265: prints the number of frames that libde265 decodes, and of failed calls.
#include <stdio.h>
#include <libde265/de265.h>

static long frames, failures;

static void take_frames(de265_decoder_context *decoder)
{
    int more = 1;
    while (more) {
        de265_error error = de265_decode(decoder, &more);
        if (error == DE265_ERROR_WAITING_FOR_INPUT_DATA)
            return;
        failures += !de265_isOK(error);
        while (de265_get_next_picture(decoder))
            frames++;
    }
}

int main(int count, char **arguments)
{
    static unsigned char chunk[4096];
    FILE *file = count == 2 ? fopen(arguments[1], "rb") : NULL;
    de265_decoder_context *decoder = de265_new_decoder();
    if (!file || !decoder)
        return 2;
    for (size_t read; (read = fread(chunk, 1, sizeof chunk, file)) > 0; take_frames(decoder))
        failures += !de265_isOK(de265_push_data(decoder, chunk, (int)read, 0, NULL));
    de265_flush_data(decoder);
    take_frames(decoder);
    while (de265_get_warning(decoder) != DE265_OK)
        failures++;
    printf("%ld frames, %ld failures\n", frames, failures);
    de265_free_decoder(decoder);
    fclose(file);
    return failures != 0;
}
