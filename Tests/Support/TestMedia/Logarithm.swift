import Glibc

extension Double {
    var log10: Double { Glibc.log10(self) }
}
