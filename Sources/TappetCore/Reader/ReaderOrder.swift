// Commands to tappet-reader from its parent over their SOCK_SEQPACKET socket, one per datagram. A command applies to
// the tag that the reader has just reported, identified by its UID, and never to a tag presented later.
//
//   byte 0     1           then
//   task       uid size    uid, 0 or 1 (1), password (4) and its answer (2) if 1,
//                          message to the datagram's end (write only)
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

  /// Derives the password of one tag from the kiosk's key.
  ///
  /// The password differs for each tag, and need not be stored.
  package init(of uid: TagUID, key: SecretKey) throws(CryptoError) {
    let code = try key.authenticate(Array("tappet tag password 1 ".utf8) + uid.bytes)
    password = Array(code[0..<4])
    answer = Array(code[4..<6])
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

  /// Encodes the command as one datagram, which can be decoded if the message is within `Limits.tagMemorySizeMax`.
  @export(interface)
  package func encode() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Limits.readerMessageSizeMax)
    bytes.append(task.kind)
    bytes.append(UInt8(truncatingIfNeeded: uid.bytes.count))
    bytes += uid.bytes
    if let password {
      bytes.append(1)
      bytes += password.password
      bytes += password.answer
    } else {
      bytes.append(0)
    }
    if case .write(let message) = task { bytes += message }
    return bytes
  }

  /// Decodes a datagram.
  @export(interface)
  package init(decoding bytes: [UInt8]) throws(ReaderMessageError) {
    var reader = ByteReader(bytes)
    guard let kind = reader.byte() else { throw .empty }
    guard (1...5).contains(kind) else { throw .unknownKind(kind) }
    uid = try reader.uid()
    switch try reader.required() {
    case 0: password = nil
    case 1:
      guard let word = reader.slice(4), let answer = reader.slice(2) else { throw .truncated(offset: reader.offset) }
      password = TagPassword(password: Array(word), answer: Array(answer))
    case let flag: throw .unknownKind(flag)
    }
    switch kind {
    case 1:
      guard reader.remaining <= Limits.tagMemorySizeMax else { throw .tooLarge(size: reader.remaining) }
      task = .write(Array(reader.rest()))
    case 2: task = .erase
    case 3: task = .lock
    case 4: task = .format
    default: task = .protect
    }
    guard reader.remaining == 0 else { throw .trailingBytes(offset: reader.offset) }
  }
}

extension TagTask {
  fileprivate var kind: UInt8 {
    switch self {
    case .write: 1
    case .erase: 2
    case .lock: 3
    case .format: 4
    case .protect: 5
    }
  }
}
