// The modes of an action, and the message that is sent when the tag is removed or at the second tap.

/// How an action's tags trigger it.
package enum ActionMode: Hashable, Sendable, CaseIterable {
  /// Each tap publishes the message.
  case tap
  /// The message is published when the tag arrives, and the removal message when the tag is removed.
  case hold
  /// The message is published at one tap, and the removal message at the next tap of any of the action's tags.
  case toggle
  /// The tag represents an inventory entry or a person, which the message describes.
  case inventory
}

/// The removal message and its topic.
package struct ActionRemoval: Equatable, Sendable {
  let topic: PayloadTemplate
  let message: PayloadTemplate

  /// Creates a removal message; the topic may contain placeholders for facts about the tap unless it is literal.
  package init(topic: String, message: PayloadTemplate, hasLiteralTopic: Bool = false) {
    self.topic =
      PayloadTemplate(configured: topic, format: hasLiteralTopic ? .literal : .text) ?? PayloadTemplate(topic)
    self.message = message
  }

  /// Whether the topic or the message contains a placeholder for the given fact.
  package func names(_ fact: TapFact) -> Bool { topic.names(fact) || message.names(fact) }
}
