// The state of 'mqtt monitor' and its key bindings. Reads no clock and draws nothing.

import TappetBroker
import TappetCommandLine
import TappetCore

/// The state of the monitor; its memory is bounded by the limits of the tree and of the recent messages.
struct MonitorModel {
  /// The contents of the middle of the screen.
  enum View {
    case tree, busiest, messages, statistics
  }

  /// An action requested by a key.
  enum Order: Equatable {
    case quit
    case publish(topic: String, message: String)
    case subscribe(topic: String)
  }

  let url: String
  let version: String
  var filters: [String]
  var statistics = ConnectionStatistics()
  /// The most recent event, as a sentence.
  var notice = ""
  private(set) var view = View.tree
  private(set) var isPaused = false
  /// Text of the publish line; `nil` while the line is closed.
  private(set) var line: String?
  /// Number of tree rows scrolled off the top, or the index of the selected message, 0 for the newest.
  private(set) var place = 0
  private(set) var showsWhole = false
  var tree = TopicTree()
  private(set) var recent: RecentMessages
  private var ratedSecond: Int64 = 0
  private var receivedBefore: Int64 = 0
  /// Number of messages in the last complete second.
  private(set) var rate: Int64 = 0

  init(url: String, version: String, filters: [String], brokerWords: [String]) {
    self.url = url
    self.version = version
    self.filters = filters
    recent = RecentMessages(brokerWords: brokerWords)
  }

  mutating func take(_ message: LinkMessage, unixMilliseconds: Int64, atSecond second: Int64) {
    advance(to: second)
    statistics.received(bytes: message.size)
    guard !isPaused else { return }
    tree.add(message.topic, value: message.summary(Limits.treeValueSizeMax), atSecond: second)
    recent.add(message, at: unixMilliseconds)
    if view == .messages, place > 0 || showsWhole { place = min(place + 1, recent.entries.count - 1) }
  }

  mutating func advance(to second: Int64) {
    guard second > ratedSecond else { return }
    rate = second == ratedSecond + 1 ? statistics.received - receivedBefore : 0
    (ratedSecond, receivedBefore) = (second, statistics.received)
  }

  // MARK: Keys

  mutating func press(_ key: TerminalKey, page: Int) -> Order? {
    if line != nil { return edit(key) }
    switch key {
    case .character("q"): return .quit
    case .character("t"): show(.tree)
    case .character("b"): show(.busiest)
    case .character("m"): show(.messages)
    case .character("s"): show(.statistics)
    case .tab: show(next)
    case .character("p"): line = view == .messages ? selected.map { $0.message.topic + " " } ?? "" : ""
    case .character(" "): isPaused.toggle()
    case .character("f"): return follow()
    case .up: move(-1)
    case .down: move(1)
    case .pageUp: move(-page)
    case .pageDown: move(page)
    case .enter: if view == .messages { showsWhole.toggle() }
    case .escape: showsWhole = false
    case .backspace, .character: break
    }
    return nil
  }

  /// The selected message; `nil` if none is selected.
  var selected: RecentMessages.Entry? {
    let entries = recent.entries
    return view == .messages && entries.indices.contains(place) ? entries[entries.count - 1 - place] : nil
  }

  private var next: View {
    switch view {
    case .tree: .busiest
    case .busiest: .messages
    case .messages: .statistics
    case .statistics: .tree
    }
  }

  private mutating func show(_ view: View) {
    self.view = view
    place = 0
    showsWhole = false
  }

  private mutating func move(_ rows: Int) {
    let most = view == .messages ? max(0, recent.entries.count - 1) : view == .statistics ? 0 : Limits.treeNodesMax
    place = min(most, max(0, place + rows))
  }

  /// Limits the scroll position to the existing rows.
  mutating func limitPlace(to most: Int) { place = min(place, most) }

  /// Subscribes to the topic of the selected message.
  private mutating func follow() -> Order? {
    guard let topic = selected?.message.topic, filters != [topic] else { return nil }
    return .subscribe(topic: topic)
  }

  private mutating func edit(_ key: TerminalKey) -> Order? {
    switch key {
    case .escape: line = nil
    case .backspace: if line?.isEmpty == false { line?.unicodeScalars.removeLast() }
    case .character(let scalar):
      let isShort = (line?.utf8.count ?? 0) < Limits.monitorLineSizeMax
      if isShort, String(scalar).isPrintable { line?.unicodeScalars.append(scalar) }
    case .enter: return publish()
    case .up, .down, .pageUp, .pageDown, .tab: break
    }
    return nil
  }

  /// Parses the line: the first word is the topic, the rest is the message.
  private mutating func publish() -> Order? {
    guard let text = line, let space = text.utf8.firstIndex(of: UInt8(ascii: " ")) else {
      notice = "type TOPIC MESSAGE"
      return nil
    }
    let topic = String(text[..<space])
    if let mistake = Command.usageErrorOfTopic(topic) {
      notice = mistake
      return nil
    }
    line = nil
    return .publish(topic: topic, message: String(text[text.utf8.index(after: space)...]))
  }
}
