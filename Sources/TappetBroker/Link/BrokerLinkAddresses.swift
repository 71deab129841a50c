// Resolution of a broker's name to the addresses to try.

import CPlatform
import TappetCore
import TappetPlatform

/// The resolver, which may block for a long time: only the broker's own thread calls it.
enum BrokerLinkAddresses {
  /// Returns at least one numeric address, in the resolver's order.
  static func resolve(_ host: String) throws(LinkFailure) -> [String] {
    var hints = addrinfo()
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &first)
    let systemCode = SystemError.last("getaddrinfo").code
    guard code == 0 else {
      let text = code == EAI_SYSTEM ? SystemCode(systemCode).text : gai_strerror(code).map { String(cString: $0) } ?? ""
      throw .nameNotResolved(host: host, code: code, text: text)
    }
    defer { freeaddrinfo(first) }
    var addresses: [String] = []
    var next = first
    while let entry = next, addresses.count < Limits.addressesMax {
      if let address = numeric(entry.pointee), !addresses.contains(address) { addresses.append(address) }
      next = entry.pointee.ai_next
    }
    guard !addresses.isEmpty else { throw .nameNotResolved(host: host, code: EAI_NONAME, text: "no usable address") }
    return addresses
  }

  private static func numeric(_ entry: addrinfo) -> String? {
    // NI_MAXHOST is 1025; a numeric address with its zone is far shorter.
    var text = [CChar](repeating: 0, count: 128)
    let code = getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    return code == 0 ? text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } : nil
  }
}
