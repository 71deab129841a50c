// A barcode scanner that acts as a keyboard, read through the kernel's event device (linux/input.h, and
// Documentation/input/event-codes.rst). The device is grabbed, so that scanned text is not typed anywhere else.

import CPlatform
import TappetCore
import TappetPlatform

/// The scanner at a device path, whether plugged in or not.
final class Scanner {
  /// An event that the scanner reports.
  enum Finding: Equatable {
    /// A code was scanned.
    case code(String)
    /// The scanner was opened (0), or cannot be opened, with the errno.
    case state(errno: Int32)
  }

  private let path: String
  private var device: FileDescriptor?
  private var keys = ScannedKeys()
  private var lastErrno: Int32?
  private var triedAt: Instant?

  init(path: String) { self.path = path }

  /// Descriptor to wait for; -1 while the device is missing.
  var fileDescriptor: Int32 { device?.number ?? -1 }

  /// Time until the next attempt to open the device; `nil` while it is open.
  var retryIn: Duration? { device == nil ? Limits.scannerRetryInterval : nil }

  /// Opens the device if it is missing, or reads its pending events.
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
        // The scanner was unplugged, perhaps in the middle of a code; the partial code is discarded.
        self.device = nil
        triedAt = Instant.now()
        return findings + state(SystemError.last("read").code)
      }
    }
    return findings
  }
}

/// Decoder of pressed keys, with the US keyboard layout that scanners emulate.
struct ScannedKeys {
  private var text: [UInt8] = []
  private var isShifted = false
  /// Whether the code is too long or incomplete.
  private var isSpoilt = false
  private var lastMilliseconds: Int64 = 0

  /// Handles an event; returns the code if the event completes one.
  mutating func take(_ event: tp_input_event) -> String? {
    if event.is_dropped {
      // The kernel dropped events: the rest of this code would be mistaken for a different code.
      (isShifted, isSpoilt, lastMilliseconds) = (false, true, event.milliseconds)
      text.removeAll()
      return nil
    }
    guard event.is_key else { return nil }
    if event.code == 42 || event.code == 54 {
      isShifted = event.value != 0
      return nil
    }
    // A scanner never holds a key down to repeat it: a repeat event is caused by a late release.
    guard event.value == 1 else { return nil }
    // A scanner types a code without pauses, so older characters are left over from other input.
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

  /// Characters of the keys, starting with KEY_1 and indexed by their numbers in linux/input-event-codes.h; zero for
  /// keys without a character.
  private static let plain =
    Array("\0\0".utf8) + Array("1234567890-=\0\0qwertyuiop[]\0\0asdfghjkl;'`\0\\zxcvbnm,./".utf8)
  private static let shifted =
    Array("\0\0".utf8) + Array("!@#$%^&*()_+\0\0QWERTYUIOP{}\0\0ASDFGHJKL:\"~\0|ZXCVBNM<>?".utf8)

  /// Returns the character of a key; `nil` for a key without a character.
  private static func letter(_ code: UInt16, isShifted: Bool) -> UInt8? {
    if code == 57 { return UInt8(ascii: " ") }
    let letters = isShifted ? shifted : plain
    guard letters.indices.contains(Int(code)), letters[Int(code)] != 0 else { return keypad(code) }
    return letters[Int(code)]
  }

  /// Returns the character of a key on the keypad: KEY_KP7 and so on.
  private static func keypad(_ code: UInt16) -> UInt8? {
    let digits = Array("789-456+1230.".utf8)
    return (71...83).contains(code) ? digits[Int(code) - 71] : nil
  }
}
