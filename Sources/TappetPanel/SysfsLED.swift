// A light with its own kernel driver: /sys/class/leds/NAME.

import CPlatform
import TappetCore
import TappetPlatform

/// One of the kernel's LEDs.
///
/// Its trigger, such as `mmc0` or `heartbeat`, is removed while the LED is used as a light, and restored afterwards.
/// Confined to one thread.
package final class SysfsLED {
  private let path: String
  /// The maximum brightness, as text.
  private let brightest: [UInt8]
  private var trigger: [UInt8]?
  private var brightness: Int32

  /// Takes over the LED `name` and switches it off.
  ///
  /// Throws ENOENT if no LED has this name, and EACCES if this user may not access its files. `folder` is for tests.
  @export(interface)
  package convenience init(name: String, folder: String = "/sys/class/leds") throws(SystemError) {
    let path = try Self.path(of: name, in: folder)
    let brightest = Array(try Self.read(path + "/max_brightness").prefix { $0 != UInt8(ascii: "\n") })
    let trigger = Self.selected(in: try Self.read(path + "/trigger"))
    let brightness = try checked("open") { tp_open(path + "/brightness", O_WRONLY | O_CLOEXEC, 0) }
    self.init(path, brightest: brightest, brightness: brightness)
    if let trigger, trigger != Array("none".utf8) {
      try Self.write(path + "/trigger", Array("none".utf8))
      self.trigger = trigger
    }
    try set(isOn: false)
  }

  // Does not throw: Embedded Swift 6.3.1 leaks an object whose designated initializer throws, and a missing LED is
  // retried indefinitely.
  private init(_ path: String, brightest: [UInt8], brightness: Int32) {
    self.path = path
    self.brightest = brightest
    self.brightness = brightness
  }

  deinit { close() }

  /// Switches the LED `name` on or off without taking it over.
  static func leave(_ name: String, isOn: Bool, folder: String = "/sys/class/leds") throws(SystemError) {
    let path = try path(of: name, in: folder)
    try write(path + "/brightness", isOn ? read(path + "/max_brightness") : [UInt8(ascii: "0")])
  }

  private static func path(of name: String, in folder: String) throws(SystemError) -> String {
    guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")) else {
      throw SystemError(call: "open", code: ENOENT)
    }
    return folder + "/" + name
  }

  /// Switches the LED on at full brightness, or off.
  ///
  /// Throws ENODEV or EIO if the LED was removed.
  package func set(isOn: Bool) throws(SystemError) {
    try Self.put(brightness, isOn ? brightest : [UInt8(ascii: "0")])
  }

  /// Switches the LED off and restores its trigger.
  @export(interface)
  package func close() {
    guard brightness >= 0 else { return }
    try? set(isOn: false)
    CPlatform.close(brightness)
    brightness = -1
    if let trigger { try? Self.write(path + "/trigger", trigger) }
    trigger = nil
  }

  /// Returns the trigger in brackets, such as `mmc0` in `none [mmc0] timer`.
  private static func selected(in text: [UInt8]) -> [UInt8]? {
    guard let start = text.firstIndex(of: UInt8(ascii: "[")),
      let end = text[start...].firstIndex(of: UInt8(ascii: "]"))
    else { return nil }
    return Array(text[(start + 1)..<end])
  }

  private static func read(_ path: String) throws(SystemError) -> [UInt8] {
    try TextFile.read(path, sizeMax: Limits.sysfsFileSizeMax).get().bytes
  }

  private static func write(_ path: String, _ bytes: [UInt8]) throws(SystemError) {
    let fd = try checked("open") { tp_open(path, O_WRONLY | O_CLOEXEC, 0) }
    defer { CPlatform.close(fd) }
    try put(fd, bytes)
  }

  /// Writes a value to a sysfs file, which requires a single write at offset 0.
  private static func put(_ fd: Int32, _ bytes: [UInt8]) throws(SystemError) {
    try checked("write") { bytes.withUnsafeBytes { pwrite(fd, $0.baseAddress, $0.count, 0) } }
  }
}
