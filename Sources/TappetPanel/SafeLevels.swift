// The levels to which the lines of a panel return when the kiosk ends. A running kiosk records them in its state
// folder; if it is killed, another process sets them, because some kernels keep the level of a released line (Raspberry
// Pi OS).
//
// A text file: the boot in which it applies, then one output or light per line, with tabs between the fields.
//
//   BOOT-ID
//   line  0|1  NAME  PATH  OFFSET  0|1 (active low)  push-pull|open-drain|open-source
//   led   0|1  NAME  LED
//   panel 0|1  NAME  SOCKET

import CPlatform
import TappetCore
import TappetPlatform

/// The safe levels of a panel's outputs and lights.
package struct SafeLevels: Hashable, Sendable {
  /// The line, the LED or the virtual output that has the level.
  package enum Target: Hashable, Sendable {
    case line(GPIOPlace, isActiveLow: Bool, LineDrive)
    /// One of the kernel's LEDs.
    case led(String)
    /// An output of the virtual panel that listens on this socket.
    case panel(String)
  }

  /// One output or light.
  package struct Entry: Hashable, Sendable {
    package var name: String
    package var isOn: Bool
    package var target: Target

    package init(name: String, isOn: Bool, _ target: Target) {
      self.name = name
      self.isOn = isOn
      self.target = target
    }
  }

  /// Name of the file in the state folder.
  package static let fileName = "safe-levels"

  package var entries: [Entry]

  package init(_ entries: [Entry] = []) { self.entries = entries }

  /// The record in a state folder.
  package enum Record: Hashable, Sendable {
    /// There is none since the machine started.
    case absent
    case whole(SafeLevels)
    /// Lines of the file cannot be decoded; these are the levels of the others.
    case damaged(SafeLevels)
  }

  // MARK: The file

  /// Records the levels in a state folder; they apply until the machine restarts.
  ///
  /// Not synced to the disk, because a power failure resets the lines.
  @export(interface)
  package func record(in folder: String) throws(SystemError) {
    let path = folder + "/" + SafeLevels.fileName
    unlink(path + ".new")
    let file = try FileDescriptor.open(path + ".new", O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    do throws(SystemError) {
      // The service's user has to read what root has written.
      try FileOwner.give(file.number) { () throws(SystemError) in try FileOwner(of: folder) }
      try file.write(Array(text(bootID: Hex.encode(SystemClock().bootID())).utf8))
      try checked("rename") { rename(path + ".new", path) }
    } catch {
      unlink(path + ".new")
      throw error
    }
  }

  /// Returns the levels recorded in a state folder since the machine started.
  @export(interface)
  package static func recorded(in folder: String) throws(SystemError) -> Record {
    switch TextFile.read(folder + "/" + fileName, sizeMax: Limits.safeLevelsSizeMax) {
    case .success(let file):
      return Record(String(decoding: file.bytes, as: UTF8.self), bootID: Hex.encode(SystemClock().bootID()))
    case .failure(let error) where error.code == ENOENT || error.code == ENOTDIR: return .absent
    case .failure(let error): throw error
    }
  }

  /// Removes the record, because all levels have been set.
  package static func removeRecord(in folder: String) { unlink(folder + "/" + fileName) }

  /// Encodes the record.
  @export(interface)
  package func text(bootID: String) -> String {
    var text = bootID + "\n"
    for entry in entries {
      let start = (entry.isOn ? "1" : "0") + "\t" + entry.name + "\t"
      switch entry.target {
      case .line(let place, let isActiveLow, let drive):
        text += "line\t" + start + place.path + "\t" + String(place.offset)
        text += "\t" + (isActiveLow ? "1" : "0") + "\t" + drive.word + "\n"
      case .led(let led): text += "led\t" + start + led + "\n"
      case .panel(let socket): text += "panel\t" + start + socket + "\n"
      }
    }
    return text
  }

  fileprivate static func entry(_ line: String) -> Entry? {
    let fields = line.utf8.split(separator: 0x09, omittingEmptySubsequences: false).map { String(Substring($0)) }
    guard fields.count >= 4, fields[1] == "0" || fields[1] == "1" else { return nil }
    return target(fields).map { Entry(name: fields[2], isOn: fields[1] == "1", $0) }
  }

  private static func target(_ fields: [String]) -> Target? {
    switch (fields[0], fields.count) {
    case ("led", 4): return .led(fields[3])
    case ("panel", 4): return .panel(fields[3])
    case ("line", 7):
      guard fields[3].begins(with: "/dev/"), let offset = UInt32(fields[4]), fields[5] == "0" || fields[5] == "1",
        let drive = LineDrive.allCases.first(where: { $0.word == fields[6] })
      else { return nil }
      return .line(GPIOPlace(path: fields[3], offset: offset), isActiveLow: fields[5] == "1", drive)
    case _: return nil
    }
  }

  // MARK: Setting the levels

  /// Sets each level; returns the entries that failed.
  ///
  /// A line that another process uses is not touched.
  @export(interface)
  package func set() -> [(entry: Entry, error: SystemError)] {
    var failures: [(entry: Entry, error: SystemError)] = []
    var panel: (path: String, connection: VirtualPanel)?
    for entry in entries {
      do throws(SystemError) { try SafeLevels.set(entry, &panel) } catch { failures.append((entry, error)) }
    }
    return failures
  }

  /// `panel` is the connection that the next entry uses again, because a panel may serve only the newest one.
  private static func set(_ entry: Entry, _ panel: inout (path: String, connection: VirtualPanel)?) throws(SystemError)
  {
    switch entry.target {
    case .line(let place, let isActiveLow, let drive):
      let line = PanelLine(address: .offset(chip: nil, offset: place.offset), isActiveLow: isActiveLow, drive: drive)
      // Requesting the line sets the level. The kernel keeps it, or makes the line an input.
      _ = try GPIOLine.request(path: place.path, offset: place.offset, line, isOn: entry.isOn)
    case .led(let name): try SysfsLED.leave(name, isOn: entry.isOn)
    case .panel(let socket):
      if panel?.path != socket { panel = (socket, try VirtualPanel(path: socket)) }
      guard panel?.connection.set(entry.name, isOn: entry.isOn, at: Instant.now()) == true else {
        throw SystemError(call: "send", code: EPIPE)
      }
    }
  }
}

extension SafeLevels.Record {
  /// Decodes the file, which has at least one entry.
  @export(interface)
  package init(_ text: String, bootID: String) {
    let lines = text.utf8.split(separator: 0x0A).map { String(Substring($0)) }
    guard !bootID.isEmpty else {
      self = .absent
      return
    }
    // A file without the id of a boot may be of this boot.
    guard let boot = lines.first, boot.utf8.count == bootID.utf8.count, Hex.decode(boot) != nil else {
      self = .damaged(SafeLevels())
      return
    }
    guard boot == bootID else {
      self = .absent
      return
    }
    let levels = SafeLevels(lines.dropFirst().compactMap { SafeLevels.entry($0) })
    self = levels.entries.isEmpty || levels.entries.count < lines.count - 1 ? .damaged(levels) : .whole(levels)
  }
}

extension LineDrive {
  /// The keyword in the record.
  fileprivate var word: String {
    switch self {
    case .pushPull: "push-pull"
    case .openDrain: "open-drain"
    case .openSource: "open-source"
    }
  }
}

/// The kernel's treatment of a released line.
package enum LinePersistence {
  /// The drivers that have the parameter: of the Raspberry Pi 4 and earlier, and of the Raspberry Pi 5.
  private static let drivers = ["pinctrl_bcm2835", "pinctrl_rp1"]

  /// Whether a driver of this machine keeps the level of a released output, as on Raspberry Pi OS by default.
  ///
  /// `folder` is for tests.
  package static func isOn(folder: String = "/sys/module") -> Bool {
    drivers.contains { driver in
      let path = folder + "/" + driver + "/parameters/persist_gpio_outputs"
      guard case .success(let file) = TextFile.read(path, sizeMax: Limits.sysfsFileSizeMax) else { return false }
      return file.bytes.first == UInt8(ascii: "Y")
    }
  }
}
