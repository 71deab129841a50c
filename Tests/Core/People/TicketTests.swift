// Tickets: whatever a tap of one opens is one of its uses, and there are no more of these than were granted.

import Testing

@testable import TappetCore

@Suite struct TicketTests {
  private static let uses: Int64 = 3

  private static let actions: [Action] = [
    // Opens an output and the panel, and is not to be repeated within a minute.
    action(cooldown: .seconds(60), offline: .queue), action(cooldown: .zero, offline: .drop),
    // Sends nothing.
    action(topic: nil, cooldown: .seconds(60)),
    action(
      cooldown: .zero, offline: .queue, mode: .toggle,
      removal: ActionRemoval(topic: "home/light", message: PayloadTemplate("off"))),
  ]

  private static func action(
    topic: String? = "home/light", cooldown: Duration, offline: OfflinePolicy? = nil, mode: ActionMode = .tap,
    removal: ActionRemoval? = nil
  ) -> Action {
    Action(
      name: "light", title: "Light", index: 1, topic: topic, message: PayloadTemplate(topic == nil ? "" : "on"),
      offline: offline, cooldown: cooldown, unlocksPanel: true,
      outputs: [OutputOrder(output: "gate", request: .pulse)], mode: mode, removal: removal)
  }

  private func ticket(used: Int64 = 0) throws -> TagSecret {
    var limits = try PersonLimits(from: nil, until: nil, hours: [], uses: Self.uses, ticket: "t1")
    limits.used = used
    var secret = TagSecret.lightSecret
    secret.person = Person(id: "1", name: "Ann", createdUnixSeconds: 1, limits: limits)
    return secret
  }

  /// A kiosk whose database has this number of uses, and these arrivals.
  private func life(_ action: Action, used: Int64, _ arrivals: [TagArrival]) throws -> KioskScript {
    var panel = PanelPlan()
    panel.outputs = [OutputPlan(name: "gate", pulse: .milliseconds(100))]
    panel.lockAfter = .seconds(5)
    let story = KioskScript([action], panel: panel)
    var summary = OutboxSummary()
    summary.arrivals = arrivals
    story.start(summary: summary)
    story.at(5, .reader(.ready(device: "chip")))
    story.at(10, .link(.connected(sessionPresent: false)))
    story.at(12, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
    story.at(20, .secretsLoaded([try ticket(used: used)]))
    return story
  }

  private func opens(_ effects: [Effect]) -> Bool {
    effects.contains { effect in
      switch effect {
      case .setOutput(0, let isOn): isOn
      case .report(.entry(.accepted)), .report(.tap(.performed)), .report(.panel(.unlocked)): true
      case _: false
      }
    }
  }

  @Test(arguments: actions.indices)
  func `a ticket opens exactly as often as granted, despite unplugging, kills and further taps`(
    _ index: Int
  ) throws {
    var random = Randomness(seed: (UInt64(index), 2, 3, 4))
    var hasOpened = 0
    for _ in 0..<30 {
      var (opened, used, arrivals) = (0 as Int64, 0 as Int64, [TagArrival]())
      var story = try life(Self.actions[index], used: 0, [])
      var time = 10_000
      for _ in 0..<15 {
        switch random.next() % 8 {
        case 0:
          story = try life(Self.actions[index], used: used, arrivals)
          time = 10_000
        case 1: story.at(time, .link(.lost(.closedByBroker)))
        case 2: story.at(time, .link(.connected(sessionPresent: false)))
        default:
          let words = story.tap(at: time, .of(try ticket()))
          #expect(!opens(story.lastEffects), "\(words)")
          for effect in story.lastEffects {
            let fails = random.next() % 4 == 0
            guard let answer = commit(effect, &used, &arrivals, fails: fails) else { continue }
            // Killed after the commit, before its answer: counted, and nothing was opened.
            guard random.next() % 4 != 0 else {
              story = try life(Self.actions[index], used: used, arrivals)
              time = 10_000
              break
            }
            story.at(time, .store(answer))
            if opens(story.lastEffects) { opened += 1 }
          }
        }
        time += random.next() % 2 == 0 ? 3_000 : 70_000
        story.at(time, .reader(.heartbeat))
      }
      #expect(opened <= Self.uses && used <= Self.uses)
      hasOpened += Int(opened)
    }
    #expect(hasOpened > 30)
  }

  /// The disk's answer to an effect; `nil` if it owes none.
  private func commit(
    _ effect: Effect, _ used: inout Int64, _ arrivals: inout [TagArrival], fails: Bool
  ) -> StoreEvent? {
    switch effect {
    case .store(.append(let entry)):
      if fails { return .storeFailed(entry.id, .full) }
      if entry.ticket != nil { used += 1 }
      if let arrival = entry.notes.arrival { arrivals = [arrival] }
      if entry.notes.ended != nil { arrivals = [] }
      return .outbox(.broker, .stored(entry.id, sequence: Int64(truncatingIfNeeded: entry.id.low >> 1)))
    case .store(.countUse(let id, _)):
      if fails { return .storeFailed(id, .full) }
      used += 1
      return .counted(id)
    case _: return nil
    }
  }
}
