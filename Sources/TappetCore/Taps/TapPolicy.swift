// The state that decides whether a tap is accepted.

struct TapPolicy: Sendable {
  var secrets: [TagSecret] = []
  var indexes: ActionIndexes
  /// The external tags in the store.
  var learnedTags = ForeignTags()
  /// The tag on the reader, and the tags that were accepted recently.
  var taps = TapDeduplicator()
  var rates = TapRateLimiter()
  var tickets = UseCounter()
  /// The pending removals.
  var presence = PendingRemovals()
  /// The number of accepted taps of each counted tag.
  var tagCounts: [TagUID: Int64] = [:]

  init(_ settings: KioskSettings) { indexes = ActionIndexes(settings.actions, secrets: []) }
}
