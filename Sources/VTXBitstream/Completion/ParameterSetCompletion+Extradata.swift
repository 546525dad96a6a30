import VTXMedia

extension ParameterSetCompletion {
    /// A container's header: start codes, an `avcC` or an `hvcC` record; nil where nothing has to change.
    package func completing(extradata: [UInt8]) throws(CompletionError) -> Completed<[UInt8]>? {
        if AnnexB.beginsWithStartCode(extradata.span.bytes) { return try completing(annexB: extradata.span.bytes) }
        return codec == .h264 ? try completing(avcC: extradata) : try completing(hvcC: extradata)
    }

    private func completing(avcC bytes: [UInt8]) throws(CompletionError) -> Completed<[UInt8]>? {
        var record = try bitstream { () throws(BitstreamError) in try AVCDecoderConfigurationRecord(bytes) }
        let changes = try complete(&record.spss)
        return changes.isEmpty
            ? nil
            : Completed(value: try bitstream { () throws(BitstreamError) in try record.bytes() }, changes: changes)
    }

    private func completing(hvcC bytes: [UInt8]) throws(CompletionError) -> Completed<[UInt8]>? {
        var record = try bitstream { () throws(BitstreamError) in try HEVCDecoderConfigurationRecord(bytes) }
        var changes: [ParameterSetChange] = []
        for index in record.arrays.indices where record.arrays[index].type == .sps {
            changes += try complete(&record.arrays[index].units)
        }
        return changes.isEmpty
            ? nil
            : Completed(value: try bitstream { () throws(BitstreamError) in try record.bytes() }, changes: changes)
    }

    private func complete(_ units: inout [[UInt8]]) throws(CompletionError) -> [ParameterSetChange] {
        var result = Completed<[UInt8]>(value: [], changes: [])
        for index in units.indices {
            let unit = units[index]
            let completed = try completing(sps: unit.span.bytes)
            units[index] = completed.value
            result.add(completed.changes)
        }
        return result.changes
    }
}

/// The one place where an error of the bytes becomes one of the completion.
func bitstream<Value>(_ body: () throws(BitstreamError) -> Value) throws(CompletionError) -> Value {
    do { return try body() } catch { throw .bitstream(error) }
}
