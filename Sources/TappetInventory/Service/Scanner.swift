// A barcode scanner that behaves like a keyboard: the kernel's event device (linux/input.h, and
// Documentation/input/event-codes.rst), read alone, so that what is scanned is typed nowhere else.

import CPlatform
import TappetCore
import TappetPlatform

/// The scanner at a path, whether it is plugged in or not.
final class Scanner {
  /// One piece of news.
  enum Finding: Equatable {
    /// A code was scanned.
    case code(String)
    /// The scanner was opened, or, with an errno, is missing.
    case state(errno: Int32)
  }

  private let path: String
  private var device: FileDescriptor?
  private var keys = ScannedKeys()
  private var lastErrno: Int32?
  private var triedAt: Instant?

  init(path: String) { self.path = path }

  /// The descriptor to wait for; -1 while the device is missing.
  var fileDescriptor: Int32 { device?.number ?? -1 }

  /// When to look for it again; `nil` while it is there.
  var retryIn: Duration? { device == nil ? Limits.scannerRetryInterval : nil }

  /// Opens the device if it is missing, and reads what it has.
  func work(isReadable: Bool) -> [Finding] {
    if device == nil { return open() }
    return isReadable ? read() : []
  }

  private func open() -> [Finding] {
    let now = Instant.now()
    if let triedAt, now - triedAt < Limits.scannerRetryInterval { return [] }
    triedAt = now
    do throws(SystemError) {
      let device = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      try checked("ioctl") { tp_grab_input(device.number) }
      self.device = device
      keys = ScannedKeys()
      return state(0)
    } catch { return state(error.code) }
  }

  private func state(_ code: Int32) -> [Finding] {
    defer { lastErrno = code }
    return code == lastErrno ? [] : [.state(errno: code)]
  }

  private func read() -> [Finding] {
    var findings: [Finding] = []
    var event = tp_input_event()
    while let device {
      switch tp_read_input(device.number, &event) {
      case 1: if let code = keys.take(event) { findings.append(.code(code)) }
      case 0: return findings
      default:
        // Unplugged, perhaps in the middle of a code, which nobody finishes.
        self.device = nil
        triedAt = Instant.now()
        return findings + state(SystemError.last("read").code)
      }
    }
    return findings
  }
}

/// The text of the keys that were pressed, as on a keyboard of the United States, which scanners imitate.
struct ScannedKeys {
  private var text: [UInt8] = []
  private var isShifted = false
  /// Whether the code is too long, or lacks keys.
  private var isSpoilt = false
  private var lastMilliseconds: Int64 = 0

  /// Takes an event; returns the code that it ends.
  mutating func take(_ event: tp_input_event) -> String? {
    if event.is_dropped {
      // The kernel lost events: the rest of this code would be another one.
      (isShifted, isSpoilt, lastMilliseconds) = (false, true, event.milliseconds)
      text.removeAll()
      return nil
    }
    guard event.is_key else { return nil }
    if event.code == 42 || event.code == 54 {
      isShifted = event.value != 0
      return nil
    }
    // A scanner never holds a key to write it twice: a repetition is a release that came late.
    guard event.value == 1 else { return nil }
    // A scanner types at once: what lies there for longer is the rest of something else.
    if event.milliseconds - lastMilliseconds > Limits.scannerPauseMax.wholeMilliseconds { clear() }
    lastMilliseconds = event.milliseconds
    if event.code == 28 || event.code == 96 || event.code == 15 { return finish() }
    guard let letter = ScannedKeys.letter(event.code, isShifted: isShifted) else { return nil }
    if text.count < Limits.inventoryScanSizeMax { text.append(letter) } else { isSpoilt = true }
    return nil
  }

  private mutating func finish() -> String? {
    defer { clear() }
    return text.isEmpty || isSpoilt ? nil : String(decoding: text, as: UTF8.self)
  }

  private mutating func clear() {
    text.removeAll()
    isSpoilt = false
  }

  /// The keys from KEY_1 on, by their numbers in linux/input-event-codes.h; a zero for those that write nothing.
  private static let plain =
    Array("\0\0".utf8) + Array("1234567890-=\0\0qwertyuiop[]\0\0asdfghjkl;'`\0\\zxcvbnm,./".utf8)
  private static let shifted =
    Array("\0\0".utf8) + Array("!@#$%^&*()_+\0\0QWERTYUIOP{}\0\0ASDFGHJKL:\"~\0|ZXCVBNM<>?".utf8)

  /// The letter of a key; `nil` for one that writes nothing.
  private static func letter(_ code: UInt16, isShifted: Bool) -> UInt8? {
    if code == 57 { return UInt8(ascii: " ") }
    let letters = isShifted ? shifted : plain
    guard letters.indices.contains(Int(code)), letters[Int(code)] != 0 else { return keypad(code) }
    return letters[Int(code)]
  }

  /// The digits of the keypad: KEY_KP7 and so on.
  private static func keypad(_ code: UInt16) -> UInt8? {
    let digits = Array("789-456+1230.".utf8)
    return (71...83).contains(code) ? digits[Int(code) - 71] : nil
  }
}
