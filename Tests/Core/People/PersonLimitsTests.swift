// The limits of a person: their own days, hours and number of taps, judged together with the action's.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct PersonLimitsTests {
  private func limits(
    from: String? = nil, until: String? = nil, hours: [String] = [], uses: Int64? = nil, used: Int64 = 0
  ) throws -> PersonLimits {
    var limits = try PersonLimits(from: from, until: until, hours: hours, uses: uses, ticket: "t1")
    limits.used = used
    return limits
  }

  private func secret(_ limits: PersonLimits?, _ action: Action = .light) -> TagSecret {
    var secret = TagSecret.of(action, id: "light-1", byte: 0x77)
    secret.person = Person(id: "1", name: "Ann", createdUnixSeconds: 1, limits: limits)
    return secret
  }

  private func story(_ secret: TagSecret, _ actions: [Action] = [.light], clockIsGood: Bool = true) -> KioskScript {
    let story = KioskScript(actions)
    story.startAll(clockIsGood: clockIsGood)
    story.at(20, .secretsLoaded([secret]))
    return story
  }

  @Test func `limits round-trip through their lines, and a damaged line is refused`() throws {
    let all = try limits(
      from: "2026-01-02", until: "2026-12-31", hours: ["Mon-Fri 07:00-19:30", "Sat,Sun 09:05-24:00"], uses: 3)
    #expect(
      all.lines == [
        "from 2026-01-02", "until 2026-12-31", "hours Mon-Fri 07:00-19:30", "hours Sat-Sun 09:05-24:00", "uses 3 t1",
      ])
    #expect(PersonLimits(lines: all.lines) == all)
    for line in [
      "", "hours", "hours always", "uses 3", "uses x t1", "until tomorrow", "other 1", "hours Mon 8-",
    ] {
      #expect(PersonLimits(lines: [line]) == nil, "\(line)")
    }
  }

  @Test(
    arguments: [
      (PersonLimitsError.day("2026-02-30"), "2026-02-30", "2026-12-31", ["Mon 08:00-09:00"], 1),
      (.endsBeforeBegin, "2026-02-03", "2026-02-02", [], 1),
      (.hours("Someday 08:00-09:00"), nil, nil, ["Someday 08:00-09:00"], 1),
      (.hoursEndBeforeBegin("Mon 09:00-08:00"), nil, nil, ["Mon 09:00-08:00"], 1),
      (.overlap("Mon 08:30-10:00"), nil, nil, ["Mon-Fri 08:00-09:00", "Mon 08:30-10:00"], 1),
      (.uses(max: 1_000_000), nil, nil, [], 1_000_001), (.uses(max: 1_000_000), nil, nil, [], -1),
    ] as [(PersonLimitsError, String?, String?, [String], Int64)])
  func `impossible limits are refused`(
    error: PersonLimitsError, from: String?, until: String?, hours: [String], uses: Int64
  ) {
    #expect(throws: error) {
      try PersonLimits(from: from, until: until, hours: hours, uses: uses, ticket: "t1")
    }
  }

  @Test func `a person's days and hours apply in addition to the action's own hours`() throws {
    // The script's second 0 is a Monday, 13:33 UTC.
    let closed = try story(secret(limits(hours: ["Tue 00:00-24:00"])))
    #expect(
      closed.tap(at: 100, .of(secret(nil))) == [
        "light refused", "report refused wrong time outsideHours of Ann for light",
      ])
    let over = try story(secret(limits(until: "2026-01-01")))
    #expect(over.tap(at: 100, .of(secret(nil))).last == "report refused wrong time noLonger of Ann for light")
    let open = try story(secret(limits(from: "2026-01-01", hours: ["Mon-Sun 00:00-24:00"])))
    #expect(open.tap(at: 100, .of(secret(nil))) == ["store light", "note light-1"])
    let unknown = try story(secret(limits(hours: ["Mon-Sun 00:00-24:00"])), clockIsGood: false)
    #expect(unknown.tap(at: 100, .of(secret(nil))).last == "report refused wrong time clockUnknown of Ann for light")
  }

  @Test func `a single-use ticket acts once, however the secrets are reloaded in between`() throws {
    let ticket = try secret(limits(uses: 1))
    let story = story(ticket)
    #expect(story.tap(at: 100, .of(ticket)) == ["store light", "note light-1"])
    #expect(story.lastEffects.first?.storedEntry?.ticket == "t1")
    // Before the commit, after it, and after a load that does not know of it yet.
    #expect(story.tap(at: 20_000, .of(ticket)).last == "report refused used up Ann at light")
    story.at(20_100, .secretsLoaded([ticket]))
    #expect(story.tap(at: 40_000, .of(ticket)).last == "report refused used up Ann at light")
    // Another kiosk process, to which the store says it.
    let after = try secret(limits(uses: 1, used: 1))
    let restarted = self.story(after)
    #expect(restarted.tap(at: 100, .of(after)).last == "report refused used up Ann at light")
  }

  @Test func `a use that could not be written is restored`() throws {
    let ticket = try secret(limits(uses: 1))
    let story = story(ticket)
    story.tap(at: 100, .of(ticket))
    let entry = try #require(story.lastEffects.first?.storedEntry)
    story.at(110, .store(.storeFailed(entry.id, .full)))
    #expect(story.tap(at: 20_000, .of(ticket)) == ["store light", "note light-1"])
  }

  @Test func `a ticket's output is driven only once its use is on disk`() throws {
    var panel = PanelPlan()
    panel.outputs = [OutputPlan(name: "lock", pulse: .milliseconds(700))]
    let action = Action(
      name: "door", title: "Door", index: 5, topic: nil, message: PayloadTemplate(""),
      outputs: [OutputOrder(output: "lock", request: .on)])
    let ticket = try secret(limits(uses: 1), action)
    for isStored in [true, false] {
      let story = KioskScript([action], panel: panel)
      story.startAll()
      story.at(12, .panel(.opened(.output(0), isActive: false, debouncesItself: false)))
      story.at(20, .secretsLoaded([ticket]))
      #expect(story.tap(at: 5_000, .of(ticket)) == ["count t1", "note light-1"])
      guard case .store(.countUse(let id, _))? = story.lastEffects.first else { return #expect(Bool(false)) }
      let words = story.at(5_010, .store(isStored ? .counted(id) : .storeFailed(id, .full)))
      #expect(words.contains("output 0 on") == isStored, "\(words)")
      #expect(words.contains("light refused") != isStored, "\(words)")
    }
  }

  @Test func `changing the secrets during a confirmation takes effect`() throws {
    let action = Action(
      name: "light", title: "Light", index: 0, topic: "home/light",
      message: try #require(PayloadTemplate(configured: "on")), confirmWithin: .seconds(2))
    let free = secret(nil, action)
    func outcome(_ later: [TagSecret]) -> [String] {
      let story = story(free, [action])
      story.at(100, .reader(.tagArrived(TagReading.of(free).uid)))
      story.at(100, .reader(.tagRead(.of(free))))
      story.at(1000, .secretsLoaded(later))
      return story.at(2200, .timerFired)
    }
    #expect(outcome([free]).contains("store light"))
    var suspended = free
    suspended.person = free.person?.with(isSuspended: true)
    #expect(outcome([suspended]).contains("report refused suspended Ann at light"))
    #expect(outcome([]).contains("report refused forged light"))
    #expect(
      try outcome([secret(limits(uses: 1, used: 1), action)]).contains("report refused used up Ann at light"))
  }
}
