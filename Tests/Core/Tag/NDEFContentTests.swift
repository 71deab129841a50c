// The link and the text of messages as phones, label makers and libraries write them.

import Testing

@testable import TappetCore

@Suite struct NDEFContentTests {
  private struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var hex: String
    var uri: String?
    var text: String?
    var testDescription: String { name }

    init(_ name: String, _ hex: String, uri: String? = nil, text: String? = nil) {
      (self.name, self.hex, self.uri, self.text) = (name, hex, uri, text)
    }
  }

  private static let samples = [
    Sample(
      "Smart Poster",
      "d1021753709101095501636e6e2e636f6d2f5101065402656e434e4e", uri: "http://www.cnn.com/", text: "CNN"),
    Sample(
      "a link before a Smart Poster",
      "910103550361625102105370910104550363642f5101045402656e43", uri: "http://cd/", text: "C"),
    Sample("a Smart Poster in another one", "d1020f5370d1020a5370d10106550378792e7a2f", uri: "http://xy.z/"),
    Sample("a damaged Smart Poster", "91020453709101095551010255047a", uri: "https://z"),
    Sample("a Smart Poster's title before a text", "91020a5370d101065402656e6f6e655101065402656e74776f", text: "one"),
    Sample("UTF-8 with a byte order mark", "d101085402656eefbbbf6162", text: "ab"),
    Sample("UTF-16 without a mark", "d101075482656e00e90062", text: "éb"),
    Sample("UTF-16, big-endian", "d101095482656efeff00e90062", text: "éb"),
    Sample("UTF-16, little-endian", "d101095482656efffee9006200", text: "éb"),
    Sample("UTF-16 with a pair", "d101075482656ed83dde00", text: "😀"),
    Sample("half a pair", "d101055482656ed83d"),
    Sample("an odd number of bytes", "d101065482656e006200"),
    Sample("a language without an end", "d101035405656e"),
    Sample("Latin-1 that claims to be UTF-8", "d101045402656ee9"),
    Sample("MIME text", "d20a02746578742f706c61696e6869", text: "hi"),
    Sample(
      "MIME text in capitals and UTF-16",
      "d21a04544558542f504c41494e3b20636861727365743d5554462d313600680069", text: "hi"),
    Sample("MIME text in Latin-1", "d21d01746578742f706c61696e3b636861727365743d69736f2d383835392d31e9", text: "é"),
    Sample("a text record behind MIME text", "920a02746578742f706c61696e68695101045402656e61", text: "a"),
    Sample("a visiting card", "d20a0b746578742f7663617264424547494e3a5643415244", text: "BEGIN:VCARD"),
    Sample("the password of a Wi-Fi", "d217026170706c69636174696f6e2f766e642e7766612e7773631022"),
    Sample(
      "a connection handover",
      "91020a487312d102046163010130005220026170706c69636174696f6e2f766e642e626c7565746f6f74682e65702e6f"
        + "6f620800"),
    Sample("an absolute URI", "d30a00687474703a2f2f612e62", uri: "http://a.b"),
    Sample("an absolute URI that is none", "d30300616263"),
    Sample("an empty record first", "90000051010255047a", uri: "https://z"),
    Sample("an empty link first", "910101550051010255047a", uri: "https://z"),
    Sample("the long form with an id", "c9010000000202556964047a", uri: "https://z"),
    Sample(
      "an Android application behind it",
      "91010255047a540f03616e64726f69642e636f6d3a706b67612e62", uri: "https://z"),
    Sample("an external type U", "d4010255007a"),
  ]

  @Test(arguments: samples)
  private func `links and texts are found in every form`(_ sample: Sample) throws {
    let message = try NDEFMessage(decoding: #require(Hex.decode(sample.hex)))
    #expect(message.firstURI.map { String(decoding: $0, as: UTF8.self) } == sample.uri)
    #expect(message.firstText == sample.text)
  }

  @Test func `nesting of Smart Posters is limited`() throws {
    var record = NDEFRecord(uri: Array("https://end".utf8))
    for depth in 0...Limits.ndefDepthMax {
      #expect(NDEFMessage(records: [record]).firstURI != nil, "\(depth)")
      let inner = try #require(NDEFMessage(records: [record]).encode())
      record = NDEFRecord(typeNameFormat: 1, type: Array("Sp".utf8), payload: inner)
    }
    #expect(NDEFMessage(records: [record]).firstURI == nil)
  }
}
