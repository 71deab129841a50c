/// The serial line: a pseudo-terminal in raw mode, with a stable name even if the terminal is replaced.

import CPlatform
import TappetPlatform

/// One plugged-in serial port.
final class PseudoTerminal {
  /// The chip's end; reads and writes never block.
  let chipEnd: FileDescriptor
  /// Stays open so that a host can disconnect without a hang-up, and the termios settings persist, as on a real port.
  private let hostEnd: FileDescriptor
  private let link: String

  /// Opens a pseudo-terminal and makes `link` point to it.
  init(link: String) throws(SystemError) {
    let chipEnd = try FileDescriptor.make("posix_openpt") { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) }
    try checked("grantpt") { grantpt(chipEnd.number) }
    try checked("unlockpt") { unlockpt(chipEnd.number) }
    var name = [CChar](repeating: 0, count: 128)
    let code = ptsname_r(chipEnd.number, &name, name.count)
    guard code == 0 else { throw SystemError(call: "ptsname_r", code: code) }
    let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let hostEnd = try FileDescriptor.open(path, O_RDWR | O_NOCTTY)
    var settings = termios()
    try checked("tcgetattr") { tcgetattr(hostEnd.number, &settings) }
    cfmakeraw(&settings)
    cfsetispeed(&settings, speed_t(B115200))
    cfsetospeed(&settings, speed_t(B115200))
    try checked("tcsetattr") { tcsetattr(hostEnd.number, TCSANOW, &settings) }
    try chipEnd.setNonBlocking()
    var status = stat()
    if lstat(link, &status) == 0, tp_is_link(status.st_mode) == 0 { throw SystemError(call: "link", code: EEXIST) }
    // Created under a temporary name and renamed, so that a host sees either the old or the new port.
    let fresh = link + ".new"
    unlink(fresh)
    try checked("symlink") { symlink(path, fresh) }
    try checked("rename") { rename(fresh, link) }
    self.chipEnd = chipEnd
    self.hostEnd = hostEnd
    self.link = link
  }

  /// Closing the chip's end also hangs up the host's end.
  deinit { unlink(link) }
}
