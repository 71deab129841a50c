// A kiosk with a disk and a broker that closes the connection at some messages, by the script's clock.

@testable import TappetCore

final class PoisonStory {
  private(set) var kiosk: KioskScript
  /// The rows of the outbox.
  var disk: [OutboxEntry]
  /// The sequences of the messages at which the broker closes the connection.
  var poison: Set<Int64>
  /// How it does so.
  var ending = LinkFailure.closedByBroker
  /// Milliseconds from a message to its PUBACK.
  var delay = 20
  /// The sequences that the broker took, in order.
  private(set) var taken: [Int64] = []
  private(set) var setAside: [Int64] = []
  private(set) var failures: [LinkFailure] = []
  private(set) var stormCount = 0
  /// The milliseconds at which a connection came up.
  private(set) var connects: [Int] = []
  private(set) var expired: [Int64] = []
  private var brokerDownUntil = 0
  /// Events that are due, each for one connection; 0 means for any.
  private var coming: [(time: Int, connection: Int, event: Event)] = []
  private var connection = 0
  private var isUp = false
  private let seed: UInt64

  init(_ entries: [OutboxEntry], poison: Set<Int64> = [], seed: UInt64 = 1) {
    disk = entries
    self.poison = poison
    self.seed = seed
    kiosk = KioskScript(countMax: 5_000, hasReader: false, seed: seed)
    begin()
  }

  /// The number of messages that wait, all of one action or of two in turn.
  static func waiting(_ count: Int, actions: [Action] = [.light, .scene]) -> [OutboxEntry] {
    (1...count).map { .waiting(actions[$0 % actions.count], sequence: Int64($0)) }
  }

  private func begin() {
    tell(.started(OutboxSummary(count: disk.count, size: disk.reduce(0) { $0 + $1.message.size })), at: 0)
    tell(.clockChecked(isSynchronized: true), at: 0)
  }

  /// The kiosk is killed and started again.
  func restartKiosk() {
    let now = kiosk.time
    kiosk = KioskScript(countMax: 5_000, hasReader: false, seed: seed &+ UInt64(now) &+ UInt64(taken.count))
    (coming, isUp) = ([], false)
    connection += 1
    brokerDownUntil = max(0, brokerDownUntil - now)
    begin()
  }

  /// The broker is restarted, and listens again after this number of milliseconds.
  func restartBroker(downFor milliseconds: Int) {
    brokerDownUntil = kiosk.time + milliseconds
    lose(.closedByBroker)
  }

  /// The connection ends.
  func lose(_ failure: LinkFailure) {
    guard isUp else { return }
    isUp = false
    connection += 1
    tell(.link(.lost(failure)), at: kiosk.time)
  }

  func run(until end: Int) {
    while true {
      let next = coming.enumerated().min { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      let wake = kiosk.wakesAt ?? .max
      guard min(next?.element.time ?? .max, wake) <= end else { break }
      if let next, next.element.time <= wake {
        coming.remove(at: next.offset)
        happen(next.element)
      } else {
        tell(.timerFired, at: max(kiosk.time, wake))
      }
    }
    tell(.timerFired, at: end)
  }

  private func happen(_ next: (time: Int, connection: Int, event: Event)) {
    guard next.connection == 0 || next.connection == connection else { return }
    switch next.event {
    case .link(.connected):
      isUp = true
      connects.append(next.time)
    case .link(.lost(let failure)): return lose(failure)
    case .link(.acknowledged(let id)): taken += disk.filter { $0.id == id }.map { $0.sequence }
    default: break
    }
    tell(next.event, at: next.time)
  }

  private func tell(_ event: Event, at time: Int) {
    kiosk.at(max(time, kiosk.time), event)
    follow()
  }

  private func follow() {
    let now = kiosk.time
    func comes(_ event: Event, after delay: Int, on connection: Int = 0) {
      coming.append((now + delay, connection, event))
    }
    for effect in kiosk.lastEffects {
      switch effect {
      case .connect:
        connection += 1
        let isThere = now >= brokerDownUntil
        let answer = isThere ? LinkEvent.connected(sessionPresent: false) : .failed(.connectionRefused)
        comes(.link(answer), after: 5, on: connection)
      case .publish(let entry, _):
        let isPoison = poison.contains(entry.sequence)
        comes(.link(isPoison ? .lost(ending) : .acknowledged(entry.id)), after: delay, on: connection)
      case .store(.fetch(_, let after, let limit, _, _)):
        let rest = disk.filter { $0.sequence > after }
        comes(.brokerOutbox(.fetched(Array(rest.prefix(limit)), reachedEnd: rest.count <= limit)), after: 1)
      case .store(.fetchExpired(_, _, _, let excluding)):
        let over = disk.filter { $0.expiry.isOver(at: kiosk.moment(now)) && !excluding.contains($0.id) }
        let rest = disk.filter { row in !over.contains(row) && !excluding.contains(row.id) }
        comes(.brokerOutbox(.expired(over, earliest: rest.first?.expiry)), after: 1)
      case .store(.remove(_, let entries, _)):
        disk.removeAll { row in entries.contains { $0.id == row.id } }
        comes(.brokerOutbox(.removed(entries.map { $0.id })), after: 1)
      case .store(.recordCloses(let counts)):
        for count in counts {
          for row in disk.indices where disk[row].id == count.id { disk[row].closes = count.count }
        }
      case .report(.entry(.setAside(let entry, _))): setAside.append(entry.sequence)
      case .report(.entry(.expired(let entry))): expired.append(entry.sequence)
      case .report(.link(.lost(_, let failure, _))): failures.append(failure)
      case .report(.link(.storm)): stormCount += 1
      default: break
      }
    }
  }
}
