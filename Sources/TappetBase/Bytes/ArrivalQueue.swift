// A queue whose members are removed in approximately the order of their arrival, such as messages awaiting a PUBACK.

/// Members in the order of their arrival.
package struct ArrivalQueue<Member> {
  private var members: [Member] = []
  /// Number of members at the front that have already been removed.
  private var goneCount = 0

  package init() {}

  /// Number of members.
  package var count: Int { members.count - goneCount }
  /// The oldest member of the queue.
  package var first: Member? { goneCount < members.count ? members[goneCount] : nil }
  /// All members, in order.
  package var all: ArraySlice<Member> { members[goneCount...] }

  /// Adds a member at the end.
  package mutating func append(_ member: Member) { members.append(member) }

  /// Removes and returns the first matching member; fast if the member is at the front.
  package mutating func remove(where fits: (Member) -> Bool) -> Member? {
    guard let index = members[goneCount...].firstIndex(where: fits) else { return nil }
    guard index == goneCount else { return members.remove(at: index) }
    goneCount += 1
    defer { if goneCount > 32, goneCount * 2 > members.count { compact() } }
    return members[index]
  }

  /// Modifies the member at `place`, counted from the front, if that member exists.
  package mutating func change(at place: Int, _ body: (inout Member) -> Void) {
    guard place >= 0, place < count else { return }
    body(&members[goneCount + place])
  }

  /// Removes all members.
  package mutating func removeAll() { self = ArrivalQueue() }

  private mutating func compact() {
    members.removeFirst(goneCount)
    goneCount = 0
  }
}
