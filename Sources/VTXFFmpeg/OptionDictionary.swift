import CFFmpeg
import VTXMedia

/// Calls `body` with the entries as an `AVDictionary`, and returns what libav left in it unused.
///
/// - Returns: the names that nothing recognised.
func withDictionary<Result>(
    _ entries: [(String, String)], _ body: (UnsafeMutablePointer<OpaquePointer?>) throws(FFmpegError) -> Result
) throws(FFmpegError) -> (result: Result, unused: [String]) {
    var dictionary: OpaquePointer?
    defer { av_dict_free(&dictionary) }
    for (key, value) in entries { av_dict_set(&dictionary, key, value, 0) }
    let result = try body(&dictionary)
    return (result, readDictionary(dictionary).map(\.key))
}

/// A dictionary's entries in their order.
func readDictionary(_ dictionary: OpaquePointer?) -> [MetadataEntry] {
    var entries: [MetadataEntry] = []
    var entry: UnsafeMutablePointer<AVDictionaryEntry>?
    while let next = av_dict_get(dictionary, "", entry, AV_DICT_IGNORE_SUFFIX) {
        entries.append(
            MetadataEntry(String(cString: next.pointee.key), String(cString: next.pointee.value)))
        entry = next
    }
    return entries
}

/// Replaces a dictionary's contents.
func writeDictionary(_ dictionary: inout OpaquePointer?, _ entries: [MetadataEntry]) {
    av_dict_free(&dictionary)
    for entry in entries { av_dict_set(&dictionary, entry.key, entry.value, 0) }
}
