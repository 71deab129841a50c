// Which arrivals owe a removal. Each gets exactly one: it is owed from the commit of the arrival to its own, whatever
// ends in between.

/// The tags whose removal is owed, and the actions that are switched on.
struct PendingRemovals: Sendable {
  private struct Place: Sendable {
    var arrival: TagArrival
    var isStored = false
    var hasLeft = false
    /// It has not been seen since the reader started.
    var isAwaited = false
    /// The entry of its removal, on the way to the disk.
    var removal: EntryID?
  }

  private var places: [Place] = []
  /// When a tag that a new reader has not seen counts as taken away.
  private(set) var deadline: Instant?

  /// The removals that the store says are owed.
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

  /// Handles an arrival that was not accepted, or a removal that is still owed.
  mutating func notStored(_ id: EntryID) {
    places.removeAll { $0.arrival.entry == id }
    for index in places.indices where places[index].removal == id { places[index].removal = nil }
  }

  /// Forgets an arrival whose action has no removal any more.
  mutating func forget(_ entry: EntryID) { places.removeAll { $0.arrival.entry == entry } }

  /// Gives the removals that the action `former` owes to the action `name`.
  mutating func renameAction(_ former: String, to name: String) {
    for index in places.indices where places[index].arrival.action == former { places[index].arrival.action = name }
  }

  // MARK: The tags

  /// Handles a new reader, which reports a tag that lies there within moments.
  mutating func readerReady(at now: Instant) {
    for index in places.indices where places[index].arrival.uid != nil {
      places[index].isAwaited = true
      deadline = now + Limits.heldTagReturnMax
    }
  }

  /// Handles a tag that came: any other has left, and so has this one, unless it was there all along.
  mutating func tagArrived(_ uid: TagUID, wasThere: Bool) {
    for index in places.indices where places[index].arrival.uid != nil {
      if places[index].arrival.uid == uid, wasThere {
        places[index].isAwaited = false
      } else {
        places[index].hasLeft = true
      }
    }
  }

  mutating func tagLeft(_ uid: TagUID) {
    for index in places.indices where places[index].arrival.uid == uid { places[index].hasLeft = true }
  }

  /// Handles the deadline; a reader that is lost again has seen nothing.
  mutating func timerFired(readerIsUsable: Bool, at now: Instant) {
    guard let deadline, deadline <= now else { return }
    self.deadline = nil
    guard readerIsUsable else { return }
    for index in places.indices where places[index].isAwaited && places[index].arrival.uid != nil {
      places[index].hasLeft = true
    }
  }

  // MARK: Debts

  /// An arrival on the disk whose tag has left.
  var due: TagArrival? { places.first { $0.isStored && $0.hasLeft && $0.removal == nil }?.arrival }

  /// Whether this tag lies there and has set off the action.
  func holds(_ uid: TagUID, _ action: String) -> Bool {
    places.contains { $0.arrival.uid == uid && $0.arrival.action == action && !$0.hasLeft }
  }

  /// The arrival that the next tap of the action ends.
  func switchedOn(_ action: String) -> TagArrival? {
    places.first { $0.arrival.uid == nil && $0.arrival.action == action }?.arrival
  }

  /// Whether the action is on its way to the disk, so that nobody knows yet what the next tap does.
  func isSettling(_ action: String) -> Bool {
    places.contains { $0.arrival.uid == nil && $0.arrival.action == action && (!$0.isStored || $0.removal != nil) }
  }
}
