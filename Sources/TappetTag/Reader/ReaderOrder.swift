// Commands to tappet-reader from its parent over their SOCK_SEQPACKET socket, one per datagram. A command applies to
// the tag that the reader has just reported, identified by its UID, and never to a tag presented later.
//
//   task (1)   uid   0; or 1, password (4), its answer (2)   message to the datagram's end (write only)
//
//   1 write   2 erase   3 lock   4 format   5 protect

/// An operation on a tag.
package enum TagTask: Hashable, Sendable {
  /// Makes the given NDEF message the tag's only content.
  case write([UInt8])
  /// Empties the tag, and uses the command's password to remove the password protection.
  case erase
  /// Makes the tag permanently read-only.
  case lock
  /// Writes a capability container, which is permanent, and an empty message.
  case format
  /// Protects the tag with the password against writing.
  case protect
}

/// The password of an NTAG21x or Ultralight EV1, and the tag's response to the password.
package struct TagPassword: Hashable, Sendable {
  /// The password (PWD), 4 bytes.
  package let password: [UInt8]
  /// The response (PACK), 2 bytes.
  package let answer: [UInt8]

  /// Creates a password with its response; `nil` if a size is wrong.
  package init?(password: [UInt8], answer: [UInt8]) {
    guard password.count == 4, answer.count == 2 else { return nil }
    self.password = password
    self.answer = answer
  }
}

/// One command to tappet-reader, which replies with `ReaderMessage.orderProgress` and finally with `.orderDone`.
package struct ReaderOrder: Hashable, Sendable {
  /// The only tag to which the command applies.
  package var uid: TagUID
  /// The password that protects the tag, or that will protect it.
  package var password: TagPassword?
  /// The operation to perform.
  package var task: TagTask

  /// Creates a command for the tag `uid`.
  package init(uid: TagUID, password: TagPassword? = nil, task: TagTask) {
    self.uid = uid
    self.password = password
    self.task = task
  }
}

extension ReaderOrder: WireField {
  /// Encodes the command as one datagram, which can be decoded if the message is within `Limits.tagMemorySizeMax`.
  @export(interface)
  package func encode() -> [UInt8] { datagram }

  /// Decodes a datagram.
  @export(interface)
  package init(decoding bytes: [UInt8]) throws(WireError) { try self.init(datagram: bytes) }

  @export(interface)
  package func write(to writer: inout ByteWriter) {
    // Avoids a reallocation, which would leave copies of a password in memory.
    writer.bytes.reserveCapacity(Limits.readerMessageSizeMax)
    switch task {
    case .write(let message): writer.message(1, uid, password, rest: message)
    case .erase: writer.message(2, uid, password)
    case .lock: writer.message(3, uid, password)
    case .format: writer.message(4, uid, password)
    case .protect: writer.message(5, uid, password)
    }
  }

  @export(interface)
  package init(from reader: inout ByteReader) throws(WireError) {
    let kind: UInt8 = try reader.next()
    (uid, password) = (try reader.next(), try reader.next())
    switch kind {
    case 1: task = .write(try reader.rest(sizeMax: Limits.tagMemorySizeMax))
    case 2: task = .erase
    case 3: task = .lock
    case 4: task = .format
    case 5: task = .protect
    default: throw .unknownKind(kind)
    }
  }
}

extension TagPassword: WireField {
  package func write(to writer: inout ByteWriter) { writer.bytes += password + answer }

  package init(from reader: inout ByteReader) throws(WireError) {
    (password, answer) = (try reader.bytes(4), try reader.bytes(2))
  }
}
