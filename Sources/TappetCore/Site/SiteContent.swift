// The sealed content of a bundle. Numbers are big-endian; an id is encoded as 16 bytes if it is a UUID, else as text.
//
//     people count, 4 bytes;  each: id, suspended (1), created (8), name, number of lines (1), the lines of the limits
//     action count, 4 bytes;  each: its name
//     tag count, 4 bytes;     each: id, action (4), index (8), created (8), person (4), key (32), UID, label

/// The people of a site, and their tags.
package struct SiteContent: Sendable {
  /// All people of the site, in the order of the bundle.
  package var people: [Person]
  /// The secrets of the tags, each of which belongs to one of `people`.
  package var tags: [TagSecret]

  /// Creates content from the given people, and those of the given secrets that belong to them.
  package init(people: [Person], secrets: [TagSecret]) {
    let ids = Set(people.map { $0.id })
    self.people = people
    tags = secrets.filter { $0.person.map { ids.contains($0.id) } ?? false }
  }

  // MARK: Encoding

  /// Returns the encoded bytes, which the caller must wipe.
  @export(interface)
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    // Avoids a reallocation, which would leave copies of keys in memory.
    writer.bytes.reserveCapacity(64 + people.count * 1200 + tags.count * 400)
    var places: [String: UInt32] = [:]
    writer.fields(UInt32(clamping: people.count))
    for (place, person) in people.enumerated() {
      places[person.id] = UInt32(clamping: place)
      writer.fields(
        SiteID(text: person.id), person.isSuspended, person.createdUnixSeconds, person.name,
        person.limits?.lines ?? [])
    }
    let actions = Set(tags.map { $0.action }).sorted()
    var numbers: [String: UInt32] = [:]
    writer.fields(UInt32(clamping: actions.count))
    for (number, action) in actions.enumerated() {
      numbers[action] = UInt32(clamping: number)
      writer.fields(action)
    }
    writer.fields(UInt32(clamping: tags.count))
    for tag in tags {
      let person = tag.person.flatMap { places[$0.id] } ?? 0
      writer.fields(SiteID(text: tag.id), numbers[tag.action] ?? 0, tag.index, tag.createdUnixSeconds, person)
      tag.key.withBytes { writer.bytes += $0 }
      writer.fields(UInt16(tag.uid?.bytes.count ?? 0))
      writer.bytes += tag.uid?.bytes ?? []
      writer.fields(tag.label ?? "")
    }
    return writer.bytes
  }

  // MARK: Decoding

  /// Decodes the output of `encoded`, and marks all people as belonging to the site.
  package init(decoding bytes: [UInt8]) throws(SiteRefusal) {
    do throws(WireError) {
      var reader = ByteReader(bytes)
      try self.init(from: &reader)
    } catch { throw .malformed }
  }

  private init(from reader: inout ByteReader) throws(WireError) {
    people = []
    var (ids, names): (Set<String>, Set<String>) = ([], [])
    for _ in 0..<(try reader.count(max: Limits.peopleMax)) {
      let person = try Person(from: &reader)
      guard ids.insert(person.id).inserted, names.insert(person.name).inserted else {
        throw .invalid(offset: reader.offset)
      }
      people.append(person)
    }
    var actions: [String] = []
    for _ in 0..<(try reader.count(max: Limits.actionsMax)) {
      actions.append(try reader.name(sizes: 1...Limits.actionNameSizeMax))
    }
    tags = []
    ids = []
    for _ in 0..<(try reader.count(max: .max)) {
      let tag = try TagSecret(from: &reader, actions, people)
      guard ids.insert(tag.id).inserted else { throw .invalid(offset: reader.offset) }
      tags.append(tag)
    }
    guard reader.remaining == 0 else { throw .trailingBytes(offset: reader.offset) }
  }
}

extension Person {
  fileprivate convenience init(from reader: inout ByteReader) throws(WireError) {
    let (id, isSuspended): (SiteID, Bool) = (try reader.next(), try reader.next())
    let created: Int64 = try reader.next()
    let name = try reader.name(sizes: 1...Limits.secretLabelSizeMax)
    let lines: [String] = try reader.next()
    let limits = lines.isEmpty ? nil : PersonLimits(lines: lines)
    guard lines.isEmpty || limits != nil, !lines.contains(where: { $0.utf8.contains(0x0A) }) else {
      throw .invalid(offset: reader.offset)
    }
    self.init(
      id: id.text, name: name, isSuspended: isSuspended, createdUnixSeconds: created, limits: limits, isOfSite: true)
  }
}

extension TagSecret {
  fileprivate init(
    from reader: inout ByteReader, _ actions: [String], _ people: [Person]
  ) throws(WireError) {
    let id: SiteID = try reader.next()
    let (action, index): (UInt32, Int64) = (try reader.next(), try reader.next())
    let (created, person): (Int64, UInt32) = (try reader.next(), try reader.next())
    guard action < actions.count, index >= 0, person < people.count, let key = reader.key() else {
      throw .invalid(offset: reader.offset)
    }
    let size: UInt16 = try reader.next()
    let uid = TagUID(try reader.bytes(Int(size)))
    guard size == 0 || uid != nil else { throw .invalid(offset: reader.offset) }
    let label = try reader.name(sizes: 0...Limits.secretLabelSizeMax)
    self.init(
      id: id.text, action: actions[Int(action)], index: index, key: key, createdUnixSeconds: created,
      label: label.isEmpty ? nil : label, uid: uid)
    self.person = people[Int(person)]
  }
}

/// The id of a person or a secret: an empty text and 16 bytes if it is a UUID, else the text.
private struct SiteID: WireField {
  let text: String

  init(text: String) { self.text = text }

  init(from reader: inout ByteReader) throws(WireError) {
    let text: String = try reader.next()
    self.text = text.isEmpty ? UUIDText.text(of: try reader.bytes(16)) : text
    guard text.isEmpty || text.nameFault(sizeMax: Limits.siteIDSizeMax) == nil else {
      throw .invalid(offset: reader.offset)
    }
  }

  func write(to writer: inout ByteWriter) {
    guard let bytes = UUIDText.bytes(of: text) else { return writer.fields(text) }
    writer.fields("")
    writer.bytes += bytes
  }
}

extension ByteReader {
  fileprivate mutating func count(max: Int) throws(WireError) -> UInt32 {
    let count: UInt32 = try next()
    guard count <= max else { throw .invalid(offset: offset) }
    return count
  }

  /// Reads a name.
  fileprivate mutating func name(sizes: ClosedRange<Int>) throws(WireError) -> String {
    let text: String = try next()
    guard sizes.contains(text.utf8.count) else { throw .invalid(offset: offset) }
    return text.isEmpty ? text : text.storedName
  }

  fileprivate mutating func key() -> SecretKey? {
    guard let field = slice(SecretKey.size) else { return nil }
    return field.withUnsafeBytes { SecretKey(copying: $0) }
  }
}

/// UUIDs as text of 36 characters (RFC 4122 §3).
private enum UUIDText {
  private static let dashes = [8, 13, 18, 23]

  /// Returns the UUID's 16 bytes; `nil` unless the text has only lower-case hex digits, and dashes where expected.
  static func bytes(of text: String) -> [UInt8]? {
    guard text.utf8.count == 36 else { return nil }
    var digits: [UInt8] = []
    for (place, byte) in text.utf8.enumerated() {
      if dashes.contains(place) {
        guard byte == 0x2D else { return nil }
      } else {
        guard !(0x41...0x46).contains(byte) else { return nil }
        digits.append(byte)
      }
    }
    return Hex.decode(digits)
  }

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for digit in Hex.digits(of: bytes) {
      if dashes.contains(text.count) { text.append(0x2D) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
