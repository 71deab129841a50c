// The ports of this machine to which a PN532 may be wired.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetPlatform

enum ReaderPorts {
  /// libnfc's connection strings of all of them; the boards' serial consoles are not among them.
  static func candidates() -> [String] {
    var found: [String] = []
    var nodes: [String] = []
    // A name that stays when another adapter is plugged in comes before the number that does not.
    for name in FolderNames.sorted(in: "/dev/serial/by-id") { found.append("/dev/serial/by-id/" + name) }
    nodes += found.compactMap { resolvedPath($0) }
    for prefix in ["ttyUSB", "ttyACM"] {
      for number in 0..<4 {
        let path = "/dev/\(prefix)\(number)"
        if access(path, F_OK) == 0, !nodes.contains(path) { found.append(path) }
      }
    }
    for path in ["/dev/ttyAMA0", "/dev/i2c-1", "/dev/spidev0.0"] where access(path, F_OK) == 0 { found.append(path) }
    return found.map { connection($0) }
  }

  /// The connection string of a device's path; any other text is one already.
  static func connection(_ text: String) -> String {
    guard text.begins(with: "/dev/") else { return text }
    if text.begins(with: "/dev/i2c") { return "pn532_i2c:" + text }
    return (text.begins(with: "/dev/spi") ? "pn532_spi:" : "pn532_uart:") + text
  }
}
