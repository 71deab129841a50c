// The address of a browser, as the limits count it.

import CMicroHTTPD

/// A browser's address in its usual spelling.
struct BrowserAddress: Equatable {
  /// IPv4 if it is mapped to IPv6.
  let text: String
  /// The /64 of an IPv6 address, whose other addresses the same computer can use; an IPv4 address itself.
  let network: String

  /// Returns the address in a text; `nil` if it is not one.
  init?(_ text: String) {
    var (address, network) = BrowserAddress.buffers
    guard tw_parse_address(text, &address, &network) != 0 else { return nil }
    self.init(address, network)
  }

  /// The address at the other end of a connection.
  init(of connection: OpaquePointer?) {
    var (address, network) = BrowserAddress.buffers
    tw_address(connection, &address, &network)
    self.init(address, network)
  }

  private init(_ address: [CChar], _ network: [CChar]) {
    func text(_ buffer: [CChar]) -> String {
      String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
    (self.text, self.network) = (text(address), text(network))
  }

  private static var buffers: ([CChar], [CChar]) {
    ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 64))
  }
}
