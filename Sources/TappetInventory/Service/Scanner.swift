// A barcode scanner, as a keyboard or on a serial line. A keyboard is read through the kernel's event device
// (linux/input.h) and grabbed, so that scanned text is not typed anywhere else. libevdev would add only the recovery of
// lost events, after which a code is discarded anyway.

import CPlatform
import TappetCore
import TappetPlatform

/// The scanner at a device path, whether plugged in or not.
final class Scanner {
  /// An event that the scanner reports.
  enum Finding: Equatable {
    /// A code was scanned.
    case scan(Scan)
    /// The scanner was opened (0), or cannot be opened, with the errno.
    case state(errno: Int32)
  }

  private let path: String
  private let layout: ScannerLayout
  private var device: FileDescriptor?
  private var isSerial = false
  private var keys: ScannedKeys
  private var code = ScannedCode()
  private var lastErrno: Int32?
  private var triedAt: Instant?
  private var readAt = Instant(nanoseconds: 0)
  private var misreadAt: [InventoryFault: Instant] = [:]

  init(path: String, layout: ScannerLayout) {
    self.path = path
    self.layout = layout
    keys = ScannedKeys(layout: layout)
  }

  /// Descriptor to wait for; -1 while the device is missing.
  var fileDescriptor: Int32 { device?.number ?? -1 }

  /// Time until the next attempt to open the device, or until an incomplete code is discarded; `nil` if there is none.
  var dueIn: Duration? {
    if device == nil { return Limits.scannerRetryInterval }
    return code.isPending ? max(.zero, readAt + Limits.scannerPauseMax - Instant.now()) : nil
  }

  /// Opens the device if it is missing, or reads its pending events.
  func work(isReadable: Bool) -> [Finding] {
    if device == nil { return open() }
    // An incomplete code is discarded only if the rest of it is not waiting to be read.
    var findings = isReadable || code.isPending ? read() : []
    if code.isPending, Instant.now() - readAt >= Limits.scannerPauseMax { add(code.expire(), to: &findings) }
    return findings
  }

  private func open() -> [Finding] {
    let now = Instant.now()
    if let triedAt, now - triedAt < Limits.scannerRetryInterval { return [] }
    triedAt = now
    do throws(SystemError) {
      let device = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      isSerial = isatty(device.number) == 1
      if isSerial {
        try Scanner.prepareLine(device)
      } else {
        guard tp_is_keyboard(device.number) else { throw SystemError(call: "ioctl", code: ENOTTY) }
        try checked("ioctl") { tp_grab_input(device.number) }
      }
      self.device = device
      (keys, code) = (ScannedKeys(layout: layout), ScannedCode())
      return state(0)
    } catch { return state(error.code) }
  }

  /// Locks a serial line, and sets it to 9600 baud, 8 data bits, no parity: the usual factory settings.
  ///
  /// USB scanners ignore these settings.
  private static func prepareLine(_ device: FileDescriptor) throws(SystemError) {
    try checked("flock") { flock(device.number, LOCK_EX | LOCK_NB) }
    var settings = termios()
    try checked("tcgetattr") { tcgetattr(device.number, &settings) }
    cfmakeraw(&settings)
    settings.c_cflag |= tcflag_t(CLOCAL | CREAD)
    cfsetispeed(&settings, speed_t(B9600))
    cfsetospeed(&settings, speed_t(B9600))
    try checked("tcsetattr") { tcsetattr(device.number, TCSANOW, &settings) }
    // The end of a code that was scanned before.
    try checked("tcflush") { tcflush(device.number, TCIFLUSH) }
  }

  /// Reports a change; a device that is gone from its path is the same fault as one that was just unplugged.
  private func state(_ errno: Int32) -> [Finding] {
    let code = errno == ENOENT || errno == EIO ? ENODEV : errno
    defer { lastErrno = code }
    return code == lastErrno ? [] : [.state(errno: code)]
  }

  private func read() -> [Finding] {
    guard let device else { return [] }
    var findings: [Finding] = []
    do throws(SystemError) {
      try isSerial ? readLine(device, &findings) : readKeys(device, &findings)
    } catch {
      // The scanner was unplugged, perhaps in the middle of a code; the partial code is discarded.
      self.device = nil
      code = ScannedCode()
      triedAt = Instant.now()
      findings += state(error.code)
    }
    return findings
  }

  private func readKeys(_ device: FileDescriptor, _ findings: inout [Finding]) throws(SystemError) {
    var event = tp_input_event()
    while try checked("read", { tp_read_input(device.number, &event) }) == 1 {
      readAt = Instant.now()
      if event.is_dropped { keys.lose(at: event.milliseconds, from: &code) }
      guard event.is_key else { continue }
      let scan = keys.take(key: event.code, value: event.value, at: event.milliseconds, into: &code)
      if let scan { add(scan, to: &findings) }
    }
  }

  /// Reads once, because noise on the line may have no end.
  private func readLine(_ device: FileDescriptor, _ findings: inout [Finding]) throws(SystemError) {
    let bytes: [UInt8]
    do throws(SystemError) { bytes = try device.read(sizeMax: Limits.scannerReadSizeMax) } catch {
      if error.code == EAGAIN { return }
      throw error
    }
    if bytes.isEmpty { throw SystemError(call: "read", code: ENODEV) }
    readAt = Instant.now()
    for byte in bytes { if let scan = code.take(byte) { add(scan, to: &findings) } }
  }

  private func add(_ scan: Scan, to findings: inout [Finding]) {
    if case .failure(let fault) = scan {
      let now = Instant.now()
      if let last = misreadAt[fault], now - last < Limits.scannerMisreadInterval { return }
      misreadAt[fault] = now
    } else {
      // After a code, a misread is a new one: no number that follows is for the item before it.
      misreadAt = [:]
    }
    findings.append(.scan(scan))
  }
}
