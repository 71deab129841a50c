// A serial device that a test plays: a pseudo-terminal.

import CPlatform
import TappetPlatform

/// The other end of a serial line; its deinitialization hangs up.
package final class SerialLine {
  /// The path of the device.
  package let path: String
  private let end: FileDescriptor

  package init() throws {
    let end = try FileDescriptor.make("posix_openpt") { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) }
    try checked("grantpt") { grantpt(end.number) }
    try checked("unlockpt") { unlockpt(end.number) }
    var name = [CChar](repeating: 0, count: 128)
    let code = ptsname_r(end.number, &name, name.count)
    guard code == 0 else { throw SystemError(call: "ptsname_r", code: code) }
    self.end = end
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  package func send(_ text: String) throws { try end.write(Array(text.utf8)) }
}
