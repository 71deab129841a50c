/// The serial line: a pseudo-terminal, raw from the first byte, with a name that stays while the terminal behind it changes.

import CPlatform

/// One plugged-in serial port.
final class PseudoTerminal {
  /// The chip's end.
  let chipEnd: HostDescriptor
  /// Kept open, so that a host that comes and goes is no hang-up, and its termios settings outlive it, as on a real port.
  private let hostEnd: HostDescriptor
  private let link: String

  /// Opens a pseudo-terminal and makes `link` point to it.
  init(link: String) throws(HostFailure) {
    let chipEnd = HostDescriptor(
      try HostFailure.check("posix_openpt") { posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC) })
    try HostFailure.check("grantpt") { grantpt(chipEnd.number) }
    try HostFailure.check("unlockpt") { unlockpt(chipEnd.number) }
    var name = [CChar](repeating: 0, count: 128)
    let code = ptsname_r(chipEnd.number, &name, name.count)
    guard code == 0 else { throw HostFailure(call: "ptsname_r", code: code) }
    let hostEnd = HostDescriptor(try HostFailure.check("open") { tp_open(name, O_RDWR | O_NOCTTY | O_CLOEXEC, 0) })
    var settings = termios()
    try HostFailure.check("tcgetattr") { tcgetattr(hostEnd.number, &settings) }
    cfmakeraw(&settings)
    cfsetispeed(&settings, speed_t(B115200))
    cfsetospeed(&settings, speed_t(B115200))
    try HostFailure.check("tcsetattr") { tcsetattr(hostEnd.number, TCSANOW, &settings) }
    try chipEnd.setNonBlocking()
    var status = stat()
    if lstat(link, &status) == 0, tp_is_link(status.st_mode) == 0 { throw HostFailure(call: "link", code: EEXIST) }
    // Under another name first: whoever looks sees the old port or the new one, never none in between.
    let fresh = link + ".new"
    unlink(fresh)
    try HostFailure.check("symlink") { symlink(name, fresh) }
    try HostFailure.check("rename") { rename(fresh, link) }
    self.chipEnd = chipEnd
    self.hostEnd = hostEnd
    self.link = link
  }

  /// Closing the chip's end hangs up on whoever has the other one open.
  deinit { unlink(link) }
}
