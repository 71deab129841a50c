// The state that decides whether a tap is accepted.

struct TapPolicy: Sendable {
  var secrets: [TagSecret] = []
  var indexes: ActionIndexes
  /// The external tags in the store.
  var learnedTags = ForeignTags()
  /// The tags that are on the reader, or were a moment ago.
  var taps = TapDeduplicator()
  var rates = TapRateLimiter()
  var tickets = UseCounter()
  /// The removals that are pending.
  var presence = PendingRemovals()
  /// The number of accepted taps of each counted tag.
  var tagCounts: [TagUID: Int64] = [:]
  /// Whether the next tag is for a job.
  var isWriting = false

  init(_ settings: KioskSettings) { indexes = ActionIndexes(settings.actions, secrets: []) }
}
