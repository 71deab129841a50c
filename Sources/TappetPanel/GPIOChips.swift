// Resolves a line's address to a chip and an offset. Chips are identified by label or path, never by number: kernel
// updates renumber them (the Raspberry Pi 5's header was gpiochip4, then gpiochip0).

import CPlatform
import TappetCore
import TappetPlatform

/// The location of a line: a chip's node and an offset.
package struct GPIOPlace: Hashable, Sendable {
  /// Path of the chip's device node, such as `/dev/gpiochip0`.
  package var path: String
  /// The line's offset, from 0.
  package var offset: UInt32
}

/// The machine's chips at one point in time.
package struct GPIOChips: Sendable {
  /// Chips that could be inspected.
  package var chips: [GPIOChip]
  /// Nodes that this user may not open.
  package var deniedPaths: [String]

  package init(chips: [GPIOChip], deniedPaths: [String] = []) {
    self.chips = chips
    self.deniedPaths = deniedPaths
  }

  /// Inspects all chips under `folder`; a chip that vanishes in the meantime is skipped.
  @export(interface)
  package static func scan(folder: String = "/dev") -> GPIOChips {
    var found = GPIOChips(chips: [])
    for path in nodes(in: folder) {
      do throws(SystemError) { found.chips.append(try GPIOChip.look(at: path)) } catch {
        if error.code == EACCES || error.code == EPERM { found.deniedPaths.append(path) }
      }
    }
    return found
  }

  /// Returns only character devices, because Raspberry Pi OS also has symbolic links with older numbers.
  private static func nodes(in folder: String) -> [String] {
    FolderNames.sorted(in: folder).filter { $0.begins(with: "gpiochip") }.map { folder + "/" + $0 }.filter { path in
      var status = stat()
      return lstat(path, &status) == 0 && tp_is_character_device(status.st_mode) != 0
    }
  }

  // MARK: Finding

  /// Returns the location of `address`; `chip` is the panel's chip, as a label or path.
  @export(interface)
  package func find(_ address: LineAddress, chip: String?, profile: BoardProfile?) throws(GPIOFault) -> GPIOPlace {
    switch address {
    case .name(let name): return try find(name: name, chip: chip, profile: profile)
    case .pin(let number): return try find(pin: number, profile: profile)
    case .offset(let ownChip, let offset):
      if let chip = ownChip ?? chip { return try place(on: try self.chip(chip), offset) }
      guard let labels = profile?.onlyChip else { throw .chipNotNamed }
      return try place(on: try self.chip(ofLabels: labels), offset)
    }
  }

  /// Finds a line by its kernel name or, if the kernel does not use this name, by its name in the profile.
  private func find(name: String, chip: String?, profile: BoardProfile?) throws(GPIOFault) -> GPIOPlace {
    var candidates = chips
    if let chip { candidates = [try self.chip(chip)] }
    let places = places(on: candidates) { $0 == name }
    if let place = places.first {
      guard places.count == 1 else { throw .ambiguous(count: places.count) }
      return place
    }
    if let pin = profile?.pin(named: name) { return try find(pin) }
    throw missing(.noSuchLine)
  }

  private func find(pin number: Int, profile: BoardProfile?) throws(GPIOFault) -> GPIOPlace {
    guard let profile else { throw .wrongPin(.noProfile) }
    guard let pin = profile.pin(number) else { throw .wrongPin(.beyondHeader(last: profile.lastPin)) }
    return try find(pin)
  }

  private func find(_ pin: BoardProfile.Pin) throws(GPIOFault) -> GPIOPlace {
    if let purpose = pin.reservedFor { throw .wrongPin(.reserved(purpose)) }
    switch pin.line {
    case .none: throw .wrongPin(.notALine(pin.name))
    case .offset(let labels, let offset): return try place(on: try chip(ofLabels: labels), offset)
    case .named(let name):
      // Device trees append the line's other uses: `P9_14 [ehrpwm1a]`.
      let places = places(on: chips) { $0 == name || $0.begins(with: name + " [") }
      guard let place = places.first else { throw missing(.noSuchLine) }
      guard places.count == 1 else { throw .ambiguous(count: places.count) }
      return place
    }
  }

  private func places(on candidates: [GPIOChip], where isMeant: (String) -> Bool) -> [GPIOPlace] {
    var places: [GPIOPlace] = []
    for chip in candidates {
      for (offset, line) in chip.lines.enumerated() where isMeant(line.name) {
        places.append(GPIOPlace(path: chip.path, offset: UInt32(offset)))
      }
    }
    return places
  }

  /// Returns the chip specified by the user, as a label or path.
  private func chip(_ name: String) throws(GPIOFault) -> GPIOChip {
    guard name.utf8.first == UInt8(ascii: "/") else { return try chip(ofLabels: [name]) }
    let path = resolvedPath(name) ?? name
    if let chip = chips.first(where: { $0.path == path }) { return chip }
    if deniedPaths.contains(path) { throw .noPermission(path: path) }
    throw chips.isEmpty && deniedPaths.isEmpty ? .noChips : .noChip(name)
  }

  /// Returns the chip with the first of these labels that exists.
  private func chip(ofLabels labels: [String]) throws(GPIOFault) -> GPIOChip {
    for label in labels {
      let found = chips.filter { $0.label == label }
      guard let chip = found.first else { continue }
      guard found.count == 1 else { throw .ambiguousChip(label, count: found.count) }
      return chip
    }
    throw missing(.noChip(labels.joined(separator: " or ")))
  }

  private func place(on chip: GPIOChip, _ offset: UInt32) throws(GPIOFault) -> GPIOPlace {
    guard offset < chip.lines.count else {
      throw .noSuchOffset(chip: chip.label, offset: offset, count: UInt32(chip.lines.count))
    }
    return GPIOPlace(path: chip.path, offset: offset)
  }

  /// Returns the probable reason why a chip or line was not found.
  private func missing(_ fault: GPIOFault) -> GPIOFault {
    if let path = deniedPaths.first { return .noPermission(path: path) }
    return chips.isEmpty ? .noChips : fault
  }

  /// Returns the header pin of `address`; `nil` if it is on no header, or unknown.
  @export(interface)
  package func pin(of address: LineAddress, chip: String?, profile: BoardProfile) -> Int? {
    if case .pin(let number) = address { return number }
    if let place = try? find(address, chip: chip, profile: profile) {
      for header in profile.headers {
        for pin in header.pins where pin.line != .none {
          if (try? find(pin)) == place { return pin.number }
        }
      }
      return nil
    }
    if case .name(let name) = address { return profile.pin(named: name)?.number }
    return nil
  }

  /// Returns the chip and the line at `place`.
  package func line(at place: GPIOPlace) -> (chip: GPIOChip, line: GPIOChip.LineInfo)? {
    guard let chip = chips.first(where: { $0.path == place.path }), place.offset < chip.lines.count else { return nil }
    return (chip, chip.lines[Int(place.offset)])
  }
}
