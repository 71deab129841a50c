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
    writer.integer(UInt32(clamping: people.count))
    for (place, person) in people.enumerated() {
      places[person.id] = UInt32(clamping: place)
      writer.id(person.id)
      writer.byte(person.isSuspended ? 1 : 0)
      writer.integer(person.createdUnixSeconds)
      writer.text(person.name)
      let lines = person.limits?.lines ?? []
      writer.byte(UInt8(clamping: lines.count))
      for line in lines { writer.text(line) }
    }
    let actions = Set(tags.map { $0.action }).sorted()
    var numbers: [String: UInt32] = [:]
    writer.integer(UInt32(clamping: actions.count))
    for (number, action) in actions.enumerated() {
      numbers[action] = UInt32(clamping: number)
      writer.text(action)
    }
    writer.integer(UInt32(clamping: tags.count))
    for tag in tags {
      writer.id(tag.id)
      writer.integer(numbers[tag.action] ?? 0)
      writer.integer(tag.index)
      writer.integer(tag.createdUnixSeconds)
      writer.integer(tag.person.flatMap { places[$0.id] } ?? 0)
      tag.key.withBytes { writer.bytes += $0 }
      writer.sized(tag.uid?.bytes ?? [])
      writer.text(tag.label ?? "")
    }
    return writer.bytes
  }

  // MARK: Decoding

  /// Decodes the output of `encoded`, and marks all people as belonging to the site.
  package init(decoding bytes: [UInt8]) throws(SiteRefusal) {
    var reader = ByteReader(bytes)
    guard let content = SiteContent(&reader) else { throw .malformed }
    self = content
  }

  private init?(_ reader: inout ByteReader) {
    guard let peopleCount = reader.bigEndian32(), peopleCount <= Limits.peopleMax else { return nil }
    people = []
    var (ids, names): (Set<String>, Set<String>) = ([], [])
    for _ in 0..<peopleCount {
      guard let person = Person(&reader), ids.insert(person.id).inserted, names.insert(person.name).inserted else {
        return nil
      }
      people.append(person)
    }
    guard let actionCount = reader.bigEndian32(), actionCount <= Limits.actionsMax else { return nil }
    var actions: [String] = []
    for _ in 0..<actionCount {
      guard let name = reader.name(sizeMax: Limits.actionNameSizeMax), !name.isEmpty else { return nil }
      actions.append(name)
    }
    guard let tagCount = reader.bigEndian32() else { return nil }
    tags = []
    ids = []
    for _ in 0..<tagCount {
      guard let tag = TagSecret(&reader, actions, people), ids.insert(tag.id).inserted else { return nil }
      tags.append(tag)
    }
    if reader.remaining > 0 { return nil }
  }
}

extension Person {
  fileprivate convenience init?(_ reader: inout ByteReader) {
    guard let id = reader.id(), let suspended = reader.byte(), suspended <= 1, let created = reader.integer(),
      let name = reader.name(), !name.isEmpty, let lineCount = reader.byte()
    else { return nil }
    var lines: [String] = []
    for _ in 0..<lineCount {
      guard let line = reader.text(), !line.utf8.contains(0x0A) else { return nil }
      lines.append(line)
    }
    var limits: PersonLimits?
    if !lines.isEmpty {
      guard let known = PersonLimits(lines: lines) else { return nil }
      limits = known
    }
    self.init(
      id: id, name: name, isSuspended: suspended == 1, createdUnixSeconds: created, limits: limits, isOfSite: true)
  }
}

extension TagSecret {
  fileprivate init?(_ reader: inout ByteReader, _ actions: [String], _ people: [Person]) {
    guard let id = reader.id(), let action = reader.bigEndian32(), action < actions.count,
      let index = reader.integer(), index >= 0, let created = reader.integer(),
      let person = reader.bigEndian32(), person < people.count, let key = reader.key(),
      let uid = reader.sized(), let label = reader.name()
    else { return nil }
    let knownUID = TagUID(uid)
    if !uid.isEmpty, knownUID == nil { return nil }
    self.init(
      id: id, action: actions[Int(action)], index: index, key: key, createdUnixSeconds: created,
      label: label.isEmpty ? nil : label, uid: knownUID)
    self.person = people[Int(person)]
  }
}

extension ByteWriter {
  fileprivate mutating func id(_ id: String) {
    guard let bytes = UUIDText.bytes(of: id) else { return text(id) }
    byte(0)
    byte(0)
    self.bytes += bytes
  }
}

extension ByteReader {
  fileprivate mutating func id() -> String? {
    guard let text = text() else { return nil }
    if text.isEmpty { return slice(16).map { UUIDText.text(of: $0) } }
    return text.nameFault(sizeMax: Limits.siteIDSizeMax) == nil ? text : nil
  }

  /// Reads a name.
  fileprivate mutating func name(sizeMax: Int = Limits.secretLabelSizeMax) -> String? {
    guard let text = text(), text.utf8.count <= sizeMax else { return nil }
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

  static func text(of bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    for digit in Hex.digits(of: bytes) {
      if dashes.contains(text.count) { text.append(0x2D) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
