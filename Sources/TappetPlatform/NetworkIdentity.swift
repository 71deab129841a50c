// The machine's host name and its first network interface, whose addresses devices use to identify themselves.

import CPlatform
import TappetBase

/// Hardware and network address of one interface.
package struct NetworkIdentity: Sendable {
  /// Hardware address as 12 upper-case hexadecimal digits; all zeros if there is no interface.
  package var hardwareAddress: String
  /// IPv4 address such as `192.0.2.7`; `0.0.0.0` if there is no interface.
  package var ipv4: String

  /// Returns the addresses of the first interface that is up and is not the loopback interface.
  @export(interface)
  package static func current() -> NetworkIdentity {
    var addresses = [UInt8](repeating: 0, count: 10)
    tp_network_identity(&addresses)
    let digits = Hex.digits(of: Array(addresses[..<6])).map { (0x61...0x66).contains($0) ? $0 - 32 : $0 }
    return NetworkIdentity(
      hardwareAddress: String(decoding: digits, as: UTF8.self),
      ipv4: addresses[6...].map { String($0) }.joined(separator: "."))
  }

  /// Returns the configured host name.
  package static func hostName() -> String? {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, 255) == 0 else { return nil }
    return name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
  }
}
