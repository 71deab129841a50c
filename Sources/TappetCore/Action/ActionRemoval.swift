// The modes of an action, and its message when the tag is removed or at the second tap.

/// The way in which an action's tags trigger it.
package enum ActionMode: Hashable, Sendable, CaseIterable {
  /// Each tap publishes the message.
  case tap
  /// The message is published when the tag arrives, the removal message when it is removed.
  case hold
  /// The message is published at one tap, the removal message at the next tap of any of its tags.
  case toggle
  /// The tag represents an entry of the inventory or a person, which the message describes.
  case inventory
}

/// The message for the removal of the tag, and its topic.
package struct ActionRemoval: Equatable, Sendable {
  let topic: PayloadTemplate
  let message: PayloadTemplate

  /// A message to a topic, which may name facts about the tap unless it is literal.
  package init(topic: String, message: PayloadTemplate, hasLiteralTopic: Bool = false) {
    self.topic =
      PayloadTemplate(configured: topic, format: hasLiteralTopic ? .literal : .text) ?? PayloadTemplate(topic)
    self.message = message
  }

  /// Whether its topic or its message names this fact.
  package func names(_ fact: TapFact) -> Bool { topic.names(fact) || message.names(fact) }
}
