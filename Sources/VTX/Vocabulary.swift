// What sessions are described in: codecs, profiles, sizes, times, colors, errors. `import VTX` exports them.
@_exported public import VTXMedia
