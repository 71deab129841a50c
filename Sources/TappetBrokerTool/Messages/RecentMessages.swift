// The newest messages of 'mqtt sub', saved as JSON lines when the command ends, in a file readable only by its owner.

import CPlatform
import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetPlatform
import TappetStore

/// The newest messages, ordered from oldest to newest.
struct RecentMessages {
  /// A message and its arrival time.
  struct Entry {
    var message: LinkMessage
    var unixMilliseconds: Int64
  }

  /// The broker options of the command that received the messages, as typed.
  let brokerWords: [String]
  private var ring: [Entry] = []
  private var oldest = 0

  init(brokerWords: [String]) { self.brokerWords = brokerWords }

  var entries: [Entry] { Array(ring[oldest...] + ring[..<oldest]) }

  /// Adds a message, truncating a long payload.
  mutating func add(_ message: LinkMessage, at unixMilliseconds: Int64) {
    var entry = Entry(message: message, unixMilliseconds: unixMilliseconds)
    if message.payload.count > Limits.recentPayloadSizeMax {
      entry.message.payload = Array(message.payload.prefix(Limits.recentPayloadSizeMax))
    }
    guard ring.count >= Limits.recentMessagesMax else { return ring.append(entry) }
    ring[oldest] = entry
    oldest = (oldest + 1) % ring.count
  }

  // MARK: The file

  private static var path: String? { BrokerHistory.usualFolder.map { $0 + "/recent.jsonl" } }

  /// Saves the messages, replacing the previous ones; does nothing if there are none.
  ///
  /// Disk errors are not reported, because the file, like the history, is only a convenience.
  func save() {
    guard !ring.isEmpty, let path = Self.path else { return }
    BrokerHistory.makeFolders(above: path)
    var lines = JSON.object(["broker": .array(brokerWords.map { .string($0) })]).encoded() + [UInt8(ascii: "\n")]
    for entry in entries { lines += entry.line }
    let files = AtomicFiles()
    do throws(AtomicFilesError) {
      try files.add(path, lines, mode: 0o600)
      try files.commit()
    } catch {}
  }

  /// Loads the saved messages; `nil` if there are none, or if the file is malformed.
  static func load() -> RecentMessages? {
    guard let path, case .success(let file) = TextFile.read(path, sizeMax: Limits.recentFileSizeMax) else { return nil }
    var lines = file.bytes.split(separator: UInt8(ascii: "\n"))[...]
    guard let words = lines.popFirst().flatMap({ JSON(decoding: Array($0)) })?["broker"]?.elements else { return nil }
    var messages = RecentMessages(brokerWords: words.compactMap { $0.text })
    for line in lines {
      guard let entry = Entry(line: Array(line)) else { return nil }
      messages.add(entry.message, at: entry.unixMilliseconds)
    }
    return messages
  }
}

extension RecentMessages.Entry {
  /// A line of a recording with `"ms":1800000000000,"size":2` appended: arrival time and original size in bytes.
  fileprivate var line: [UInt8] {
    message.recorded(
      microseconds: 0,
      [
        JSON.Member(name: "ms", value: .number(unixMilliseconds)),
        JSON.Member(name: "size", value: .number(Int64(message.size))),
      ])
  }

  fileprivate init?(line: [UInt8]) {
    guard let recorded = RecordedMessage(line)?.message, let json = JSON(decoding: line),
      let time = json["ms"]?.wholeNumber, let size = json["size"]?.wholeNumber, size >= recorded.payload.count
    else { return nil }
    unixMilliseconds = time
    message = LinkMessage(
      topic: recorded.topic, payload: recorded.payload, size: Int(size), qos: recorded.qos,
      isRetained: recorded.isRetained)
  }
}

extension Arguments {
  /// The options that select the broker, as typed.
  var brokerWords: [String] {
    (["config"] + Command.brokerOptions.map { $0.name }).flatMap { name -> [String] in
      guard has(name) else { return [] }
      return ["--" + name] + (value(name).map { [$0] } ?? [])
    }
  }
}
