// The facts by which a tap is judged.

struct TapPolicy: Sendable {
  var secrets: [TagSecret] = []
  var indexes: ActionIndexes
  /// The tags of others that the store has.
  var learnedTags = ForeignTags()
  /// The tags that are there, or were a moment ago.
  var taps = TapDeduplicator()
  var rates = TapRateLimiter()
  var tickets = UseCounter()
  /// The removals that are owed.
  var presence = PendingRemovals()
  /// The number of accepted taps of each tag that is counted.
  var tagCounts: [TagUID: Int64] = [:]
  /// Whether the next tag is for a job.
  var isWriting = false

  init(_ settings: KioskSettings) { indexes = ActionIndexes(settings.actions, secrets: []) }
}
