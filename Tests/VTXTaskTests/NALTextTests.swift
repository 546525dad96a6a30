import Testing
import VTXMedia

@testable import VTXTask

@Suite("Lines of a listing of NAL units")
struct NALTextTests {
    private var unit: NALUnitInfo {
        var unit = NALUnitInfo(
            number: 3, accessUnit: 1, place: .stream(offset: 40, startCodeSize: 4), size: 700, type: 5,
            name: "IDR slice")
        (unit.refIDC, unit.isKeyFrame) = (3, true)
        return unit
    }

    @Test("a unit is a line")
    func text() {
        let form = NALDump.Form.text
        #expect(form.text(.unit(unit)) == "     1            40        700  IDR slice\n")
        #expect(form.text(.notice(Notice(.sourceDamaged, "words"))) == "")
    }

    @Test("a unit is a record")
    func records() throws {
        #expect(
            NALDump.Form.json.text(.unit(unit))
                == "{\"accessUnit\":1,\"keyFrame\":true,\"nalRefIdc\":3,\"nalUnitType\":5,\"name\":\"IDR slice\",\"number\":3,"
                + "\"offset\":40,\"size\":700,\"startCodeSize\":4,\"type\":\"nalUnit\"}\n")
    }

    @Test("if a container splits packets, the offset is in the packet")
    func packetPlace() {
        var unit = unit
        unit.place = .packet(number: 7, offset: 12, fileOffset: nil, pts: MediaTime(1, Rational(1, 25)))
        #expect(NALDump.Form.text.text(.unit(unit)).contains("  #7+12  "))
        #expect(NALDump.Form.json.text(.unit(unit)).contains("\"ptsSeconds\":0.04"))
        unit.place = .record
        #expect(NALDump.Form.text.text(.unit(unit)).contains("  record  "))
    }
}
