// What tappet-reader is told by its parent over their SOCK_SEQPACKET socket, one order a datagram. An order is for the tag that
// the parent has just heard of, by its UID, and never for one that was put in its place.
//
//   byte 0     1           then
//   task       uid size    uid, 0 or 1 (1), password (4) and its answer (2) if 1, message to the datagram's end (write only)
//
//   1 write   2 erase   3 lock   4 format   5 protect

/// What is to be done to a tag.
public enum TagTask: Hashable, Sendable {
  /// Make this NDEF message the tag's only content.
  case write([UInt8])
  /// Empty it, and lift the password that is given with the order.
  case erase
  /// Make it unwritable, for good.
  case lock
  /// Give it a capability container, for good, and an empty message.
  case format
  /// Let only who has the password write it.
  case protect
}

/// The password of an NTAG21x or Ultralight EV1, and what the tag answers to it.
public struct TagPassword: Hashable, Sendable {
  /// PWD: 4 bytes.
  public let password: [UInt8]
  /// PACK: 2 bytes.
  public let answer: [UInt8]

  /// Nil for other sizes.
  public init?(password: [UInt8], answer: [UInt8]) {
    guard password.count == 4, answer.count == 2 else { return nil }
    self.password = password
    self.answer = answer
  }

  /// The password of one tag, drawn from the kiosk's own key: it is never the same on two tags, and needs not be stored.
  public init(of uid: TagUID, key: SecretKey) throws(CryptoError) {
    let code = try key.authenticate(Array("tappet tag password 1 ".utf8) + uid.bytes)
    password = Array(code[0..<4])
    answer = Array(code[4..<6])
  }
}

/// One order to tappet-reader; it answers with `ReaderMessage.orderDone`, and with `.orderProgress` before that.
public struct ReaderOrder: Hashable, Sendable {
  /// For this tag only.
  public var uid: TagUID
  /// The password that it may be protected with, or is to be.
  public var password: TagPassword?
  /// What to do.
  public var task: TagTask

  /// An order for the tag `uid`.
  public init(uid: TagUID, password: TagPassword? = nil, task: TagTask) {
    self.uid = uid
    self.password = password
    self.task = task
  }

  /// One datagram, which decodes to the order if its message is within `Limits.tagMemorySizeMax`.
  public func encode() -> [UInt8] {
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

  /// Takes a datagram apart.
  public init(decoding bytes: [UInt8]) throws(ReaderMessageError) {
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
