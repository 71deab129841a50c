// Tracks arrivals with a pending removal. Each arrival gets exactly one removal, which is pending from the commit of
// the arrival until the commit of the removal, regardless of restarts in between.

/// The tags whose removal is pending, and the actions that are switched on.
struct PendingRemovals: Sendable {
  private struct Place: Sendable {
    var arrival: TagArrival
    var isStored = false
    var hasLeft = false
    /// Whether the tag has not been seen since the reader started.
    var isAwaited = false
    /// The entry of the removal, if it is being committed.
    var removal: EntryID?
  }

  private var places: [Place] = []
  /// Time at which a tag counts as removed that a new reader has not detected.
  private(set) var deadline: Instant?

  /// Creates the state from the pending removals in the store.
  init(_ arrivals: [TagArrival] = []) { places = arrivals.map { Place(arrival: $0, isStored: true, isAwaited: true) } }

  mutating func willStore(_ arrival: TagArrival) { places.append(Place(arrival: arrival)) }

  mutating func willEnd(_ entry: EntryID, by removal: EntryID) {
    for index in places.indices where places[index].arrival.entry == entry { places[index].removal = removal }
  }

  /// Handles the commit of an arrival or of a removal.
  mutating func stored(_ id: EntryID) {
    places.removeAll { $0.removal == id }
    for index in places.indices where places[index].arrival.entry == id { places[index].isStored = true }
  }

  /// Handles a failed commit: the arrival was not accepted, or the removal is still pending.
  mutating func notStored(_ id: EntryID) {
    places.removeAll { $0.arrival.entry == id }
    for index in places.indices where places[index].removal == id { places[index].removal = nil }
  }

  /// Discards an arrival whose action no longer has a removal.
  mutating func forget(_ entry: EntryID) { places.removeAll { $0.arrival.entry == entry } }

  /// Moves the pending removals of the action `former` to the action `name`.
  mutating func renameAction(_ former: String, to name: String) {
    for index in places.indices where places[index].arrival.action == former { places[index].arrival.action = name }
  }

  // MARK: The tags

  /// Handles a new reader, which immediately reports a tag that is already present.
  mutating func readerReady(at now: Instant) {
    for index in places.indices where places[index].arrival.uid != nil {
      places[index].isAwaited = true
      deadline = now + Limits.heldTagReturnMax
    }
  }

  /// Handles the arrival of a tag: any other tag has left; so has this tag if it was not on the reader all along.
  mutating func tagArrived(_ uid: TagUID, wasPresent: Bool) {
    for index in places.indices where places[index].arrival.uid != nil {
      if places[index].arrival.uid == uid, wasPresent {
        places[index].isAwaited = false
      } else {
        places[index].hasLeft = true
      }
    }
  }

  mutating func tagLeft(_ uid: TagUID) {
    for index in places.indices where places[index].arrival.uid == uid { places[index].hasLeft = true }
  }

  /// Handles the deadline; if the reader was lost again, it cannot have detected the tags.
  mutating func timerFired(readerIsUsable: Bool, at now: Instant) {
    guard let deadline, deadline <= now else { return }
    self.deadline = nil
    guard readerIsUsable else { return }
    for index in places.indices where places[index].isAwaited && places[index].arrival.uid != nil {
      places[index].hasLeft = true
    }
  }

  // MARK: Pending removals

  /// The first committed arrival whose tag has left and whose removal is not being committed.
  var due: TagArrival? { places.first { $0.isStored && $0.hasLeft && $0.removal == nil }?.arrival }

  /// Returns whether the given tag is on the reader and has triggered the action.
  func holds(_ uid: TagUID, _ action: String) -> Bool {
    places.contains { $0.arrival.uid == uid && $0.arrival.action == action && !$0.hasLeft }
  }

  /// Returns the arrival that the next tap of the action will end.
  func switchedOn(_ action: String) -> TagArrival? {
    places.first { $0.arrival.uid == nil && $0.arrival.action == action }?.arrival
  }

  /// Returns whether a commit of the action is pending, so that the effect of the next tap is not known yet.
  func isSettling(_ action: String) -> Bool {
    places.contains { $0.arrival.uid == nil && $0.arrival.action == action && (!$0.isStored || $0.removal != nil) }
  }
}
