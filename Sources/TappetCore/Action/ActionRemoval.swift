// The modes of an action, and its message when the tag leaves or at the second tap.

/// How an action's tags set it off.
package enum ActionMode: Hashable, Sendable, CaseIterable {
  /// Each tap publishes the message.
  case tap
  /// The message when the tag comes, the removal's when it leaves.
  case hold
  /// The message at one tap, the removal's at the next one of any of its tags.
  case toggle
  /// The tag stands for a thing of the inventory, or for a person; the message says what it is.
  case inventory
}

/// The message when the tag has left, and its topic.
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
