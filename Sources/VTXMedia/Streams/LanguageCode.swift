/// Compares ISO 639 codes, of which one language may have several: `de` (639-1), `deu` (639-2/T) and `ger` (639-2/B).
package enum LanguageCode {
    /// Whether the first subtag is a code of a language that also has a two-letter code.
    package static func isKnown(_ tag: some StringProtocol) -> Bool {
        codes[String(tag.lowercased().prefix { $0 != "-" && $0 != "_" })] != nil
    }

    /// Whether two tags denote the same language, ignoring region and script: `pt-BR` is `por`.
    package static func isSame(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
        canonical(one) == canonical(other)
    }

    /// Returns the ISO 639-2/T code, or the first subtag if it is not an ISO 639 code.
    package static func canonical(_ tag: some StringProtocol) -> String {
        let language = tag.lowercased().prefix { $0 != "-" && $0 != "_" }
        return codes[String(language)] ?? String(language)
    }

    /// Returns the tag with the ISO 639-2/T code of its language, its script and its region, without other subtags:
    /// `por-BR` for `pt-br`.
    package static func long(_ tag: some StringProtocol) -> String {
        let subtags: [Substring] = String(tag).split { $0 == "-" || $0 == "_" }
        // A single letter begins an extension.
        let others: [String] = subtags.dropFirst().prefix { $0.count > 1 }.compactMap(scriptOrRegion)
        return ([canonical(tag)] + others).joined(separator: "-")
    }

    private static func scriptOrRegion(_ subtag: Substring) -> String? {
        let isWord = subtag.allSatisfy { $0.isASCII && $0.isLetter }
        switch subtag.count {
        case 2 where isWord: return subtag.uppercased()
        case 3 where subtag.allSatisfy { $0.isASCII && $0.isNumber }: return String(subtag)
        case 4 where isWord: return subtag.prefix(1).uppercased() + subtag.dropFirst().lowercased()
        default: return nil
        }
    }

    /// Returns the tag with the shortest code of its language, as RFC 5646 requires: `en` for `eng`, `pt-BR` for
    /// `por-BR`.
    package static func shortest(_ tag: some StringProtocol) -> String {
        let language = tag.prefix { $0 != "-" && $0 != "_" }
        let rest = String(tag.dropFirst(language.count).map { $0 == "_" ? "-" : $0 })
        return (shortCodes[canonical(language)] ?? language.lowercased()) + rest
    }

    private static let shortCodes = Dictionary(
        codes.filter { $0.key.count == 2 }.map { ($0.value, $0.key) }, uniquingKeysWith: min)

    private static let codes: [String: String] = {
        var codes: [String: String] = [:]
        for entry in table.split(separator: ",") {
            let words = entry.split { $0 == " " || $0 == "\n" }.map(String.init)
            for word in words { codes[word] = words[1] }
        }
        return codes
    }()

    /// For each language with a two-letter code: that code, the ISO 639-2/T code, and the ISO 639-2/B code if it
    /// differs.
    private static let table = """
        aa aar, ab abk, ae ave, af afr, ak aka, am amh, an arg, ar ara, as asm, av ava, ay aym, az aze, ba bak,
        be bel, bg bul, bh bih, bi bis, bm bam, bn ben, bo bod tib, br bre, bs bos, ca cat, ce che, ch cha, co cos,
        cr cre, cs ces cze, cu chu, cv chv, cy cym wel, da dan, de deu ger, dv div, dz dzo, ee ewe, el ell gre,
        en eng, eo epo, es spa, et est, eu eus baq, fa fas per, ff ful, fi fin, fj fij, fo fao, fr fra fre, fy fry,
        ga gle, gd gla, gl glg, gn grn, gu guj, gv glv, ha hau, he heb, hi hin, ho hmo, hr hrv, ht hat, hu hun,
        hy hye arm, hz her, ia ina, id ind, ie ile, ig ibo, ii iii, ik ipk, io ido, is isl ice, it ita, iu iku,
        ja jpn, jv jav, ka kat geo, kg kon, ki kik, kj kua, kk kaz, kl kal, km khm, kn kan, ko kor, kr kau, ks kas,
        ku kur, kv kom, kw cor, ky kir, la lat, lb ltz, lg lug, li lim, ln lin, lo lao, lt lit, lu lub, lv lav,
        mg mlg, mh mah, mi mri mao, mk mkd mac, ml mal, mn mon, mr mar, ms msa may, mt mlt, my mya bur, na nau,
        nb nob, nd nde, ne nep, ng ndo, nl nld dut, nn nno, no nor, nr nbl, nv nav, ny nya, oc oci, oj oji, om orm,
        or ori, os oss, pa pan, pi pli, pl pol, ps pus, pt por, qu que, rm roh, rn run, ro ron rum, ru rus, rw kin,
        sa san, sc srd, sd snd, se sme, sg sag, si sin, sk slk slo, sl slv, sm smo, sn sna, so som, sq sqi alb,
        sr srp, ss ssw, st sot, su sun, sv swe, sw swa, ta tam, te tel, tg tgk, th tha, ti tir, tk tuk, tl tgl,
        tn tsn, to ton, tr tur, ts tso, tt tat, tw twi, ty tah, ug uig, uk ukr, ur urd, uz uzb, ve ven, vi vie,
        vo vol, wa wln, wo wol, xh xho, yi yid, yo yor, za zha, zh zho chi, zu zul
        """
}
