// Topics with retained messages from this kiosk, as recorded in the database; without the record, the messages could
// not be cleared.

import TappetCore

/// The topics with retained messages, and the components listed in a discovery message.
struct AnnouncedTopics {
  /// A component of a discovery message.
  struct Component: Hashable {
    var key: String
    var platform: String
  }

  /// Topics with their recorded content: a line `PLATFORM KEY` for each present or removed component.
  private var topics: [(topic: String, content: String)]

  init(_ topics: [(topic: String, content: String)] = []) { self.topics = topics }

  var isEmpty: Bool { topics.isEmpty }

  /// Returns the components that were published to the topic and are not in `current`.
  func removed(from topic: String, keeping current: [Component]) -> [Component] {
    guard let content = topics.first(where: { $0.topic == topic })?.content else { return [] }
    let former = content.split(separator: "\n").compactMap { line -> Component? in
      let words = line.split(separator: " ", maxSplits: 1)
      return words.count == 2 ? Component(key: String(words[1]), platform: String(words[0])) : nil
    }
    return Array(former.filter { !current.contains($0) }.suffix(Limits.removedComponentsMax))
  }

  /// Returns the recorded content for the given components.
  static func content(_ components: [Component]) -> String {
    components.map { $0.platform + " " + $0.key }.joined(separator: "\n")
  }

  /// Replaces the topics; returns the differences, with `nil` as the content of topics that are no longer used.
  mutating func replace(by new: [(topic: String, content: String)]) -> [(topic: String, content: String?)] {
    var changes: [(topic: String, content: String?)] = []
    for (topic, _) in topics where !new.contains(where: { $0.topic == topic }) { changes.append((topic, nil)) }
    for (topic, content) in new where !topics.contains(where: { $0.topic == topic && $0.content == content }) {
      changes.append((topic, content))
    }
    topics = new
    return changes
  }
}
