// The ports of this machine that a PN532 may be connected to.

import CPlatform
import TappetCommandLine
import TappetCore
import TappetPlatform

enum ReaderPorts {
  /// Returns libnfc's connection strings for all ports except the boards' serial consoles.
  static func candidates() -> [String] {
    var found: [String] = []
    var nodes: [String] = []
    // Persistent names come before device numbers, which change when more adapters are plugged in.
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

  /// Returns the connection string for a device path; any other text is returned unchanged.
  static func connection(_ text: String) -> String {
    guard text.begins(with: "/dev/") else { return text }
    if text.begins(with: "/dev/i2c") { return "pn532_i2c:" + text }
    return (text.begins(with: "/dev/spi") ? "pn532_spi:" : "pn532_uart:") + text
  }
}
