/// The serial line: a pseudo-terminal, raw from the first byte, with a name that stays while the terminal behind it
/// changes.

import CPlatform
import TappetPlatform

/// One plugged-in serial port.
final class PseudoTerminal {
  /// The chip's end; reads and writes never wait.
  let chipEnd: FileDescriptor
  /// Kept open, so that a host may come and go without a hang-up, and its termios settings outlive it, as on a real
  /// port.
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
    // Under another name first: a host sees the old port or the new one, never none in between.
    let fresh = link + ".new"
    unlink(fresh)
    try checked("symlink") { symlink(path, fresh) }
    try checked("rename") { rename(fresh, link) }
    self.chipEnd = chipEnd
    self.hostEnd = hostEnd
    self.link = link
  }

  /// Closing the chip's end hangs up the host's.
  deinit { unlink(link) }
}
