// What sessions are described in: codecs, profiles, sizes, times, colours, errors. Who imports VTX has them.
@_exported public import VTXMedia
