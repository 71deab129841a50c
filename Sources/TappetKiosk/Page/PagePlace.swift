// Where tappet-web serves the page, as it reports with each request; the terminal shows it.

import TappetJSON
import TappetMessages

/// Facts about the tappet-web that asked last; nothing is known before the first browser, and behind a proxy.
package struct PagePlace: Hashable, Sendable {
  /// SHA-256 of its certificate as browsers show it: `AB:CD:…`.
  package var certificate: String?
  /// Time at which the certificate expires, in seconds since 1970.
  package var certificateEnd: Int64?
  package var port: Int64?
  /// Whether it listens on the loopback interface only.
  package var isLocal = false

  package init() {}

  /// Decodes the facts in a request; what cannot be true is left out.
  init(_ request: RequestMembers) {
    certificate = request.optionalText("certificate").flatMap { PagePlace.isFingerprint($0) ? $0 : nil }
    certificateEnd = request["until"]?.wholeNumber.flatMap { (0..<1 << 40).contains($0) ? $0 : nil }
    port = request["port"]?.wholeNumber.flatMap { (1...65_535).contains($0) ? $0 : nil }
    isLocal = request.isTrue("local")
  }

  /// The facts in the status and in the response to `tappet web pair`.
  var members: [JSON.Member] {
    [
      .init(name: "certificate", value: .optional(certificate)),
      .init(
        name: "certificate_ends_at", value: certificateEnd.map { .time(unixMilliseconds: $0 * 1000) } ?? .null),
      .init(name: "port", value: port.map { .number($0) } ?? .null), .init(name: "local", value: .bool(isLocal)),
    ]
  }

  private static func isFingerprint(_ text: String) -> Bool {
    text.utf8.count == 95
      && text.utf8.enumerated().allSatisfy { place, byte in
        place % 3 == 2 ? byte == UInt8(ascii: ":") : (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
      }
  }
}
