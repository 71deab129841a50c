// The outputs' levels over time: pulses, limits, interlocks, the loss of the link.

import Testing

@testable import TappetCore

@Suite struct OutputBankTests {
  /// A bank whose lines are all there.
  private final class Bank {
    var bank: OutputBank
    /// Each change as words, since the last look.
    private var words: [String] = []

    /// It began long ago, unless `begun` says otherwise.
    init(_ plans: OutputPlan..., opened: Bool = true, begun milliseconds: Int = -60_000) {
      bank = OutputBank(plans, at: Self.time(milliseconds))
      if opened { for index in plans.indices { note(bank.opened(index, at: Self.time(0))) } }
    }

    static func time(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

    private func note(_ changes: [OutputChange]) {
      for change in changes {
        switch change {
        case .level(let index, let isOn, _): words.append("\(index) \(isOn ? "on" : "off")")
        case .waits(let index, let wait, _): words.append("\(index) waits \(wait.wholeMilliseconds)")
        case .missed(let index, let request, _, _): words.append("\(index) \(request.rawValue) missed")
        }
      }
    }

    @discardableResult
    func ask(_ request: OutputRequest, _ index: Int, at milliseconds: Int) -> [String] {
      words = []
      switch bank.perform(request, of: index, .request(.tool), at: Self.time(milliseconds)) {
      case .success(let changes): note(changes)
      case .failure(let refusal): words = ["\(refusal)"]
      }
      return words
    }

    /// Lets time pass with the bank's own deadlines; returns the changes, each with its time.
    func pass(until milliseconds: Int) -> [String] {
      var all: [String] = []
      while let due = bank.deadline, due <= Self.time(milliseconds) {
        words = []
        note(bank.advance(to: due))
        all += words.map { "\(due.nanoseconds / 1_000_000): \($0)" }
      }
      return all
    }
  }

  @Test func `a pulse ends automatically, and off ends it earlier`() {
    let bank = Bank(OutputPlan(name: "gate", pulse: .milliseconds(700)))
    #expect(bank.ask(.pulse, 0, at: 100) == ["0 on"])
    #expect(bank.pass(until: 5_000) == ["800: 0 off"])
    #expect(bank.ask(.pulse, 0, at: 6_000) == ["0 on"])
    #expect(bank.ask(.off, 0, at: 6_100) == ["0 off"])
    #expect(bank.bank.deadline == nil && bank.ask(.off, 0, at: 6_200) == [])
  }

  @Test(arguments: [(PulseRepeat.ignored, 700), (.extends, 1_400), (.restarts, 1_200)])
  func `a second pulse never shortens the first`(repeats: PulseRepeat, end: Int) {
    let bank = Bank(OutputPlan(name: "gate", pulse: .milliseconds(700), repeats: repeats))
    bank.ask(.pulse, 0, at: 0)
    #expect(bank.ask(.pulse, 0, at: 500) == [])
    #expect(bank.pass(until: 5_000) == ["\(end): 0 off"])
  }

  @Test func `a pulse does not end an output that is permanently on, and on makes a pulse permanent`() {
    let bank = Bank(OutputPlan(name: "lamp", pulse: .milliseconds(700)))
    bank.ask(.on, 0, at: 0)
    #expect(bank.ask(.pulse, 0, at: 100) == [])
    #expect(bank.pass(until: 10_000) == [])
    bank.ask(.off, 0, at: 10_000)
    bank.ask(.pulse, 0, at: 11_000)
    bank.ask(.on, 0, at: 11_100)
    #expect(bank.pass(until: 20_000) == [])
    #expect(bank.ask(.toggle, 0, at: 20_000) == ["0 off"] && bank.ask(.toggle, 0, at: 20_100) == ["0 on"])
  }

  @Test func `no output is on for longer than max_on`() {
    let bank = Bank(OutputPlan(name: "siren", pulse: .seconds(3), maxOn: .seconds(5), repeats: .extends))
    bank.ask(.on, 0, at: 0)
    #expect(bank.pass(until: 60_000) == ["5000: 0 off"])
    for time in stride(from: 60_000, to: 64_000, by: 500) { bank.ask(.pulse, 0, at: time) }
    bank.ask(.on, 0, at: 64_500)
    #expect(bank.pass(until: 90_000) == ["65000: 0 off"])
  }

  @Test func `two directions are never on together, or within the dead time`() {
    let bank = Bank(
      OutputPlan(name: "up", interlock: "motor", deadTime: .milliseconds(300)),
      OutputPlan(name: "down", interlock: "motor", deadTime: .milliseconds(500)), OutputPlan(name: "lamp"))
    #expect(bank.ask(.on, 0, at: 0) == ["0 on"])
    #expect(bank.ask(.on, 1, at: 1_000) == ["0 off", "1 waits 500"])
    #expect(bank.ask(.on, 2, at: 1_001) == ["2 on"])
    #expect(bank.pass(until: 2_000) == ["1500: 1 on"])
    // A newer request replaces the one that waits; its own edge is no reason to wait.
    #expect(bank.ask(.on, 0, at: 3_000) == ["1 off", "0 waits 500"])
    #expect(bank.ask(.on, 1, at: 3_100) == ["1 on"])
    #expect(bank.pass(until: 9_000) == [])
    // Off takes back what waits.
    #expect(bank.ask(.on, 0, at: 10_000) == ["1 off", "0 waits 500"])
    #expect(bank.ask(.off, 0, at: 10_100) == [])
    #expect(bank.pass(until: 20_000) == [])
  }

  @Test func `a group starts with its dead time, as its previous state is unknown`() {
    let bank = Bank(
      OutputPlan(name: "up", interlock: "motor", deadTime: .seconds(8)),
      OutputPlan(name: "down", interlock: "motor"), OutputPlan(name: "lamp"), begun: 0)
    #expect(bank.ask(.on, 2, at: 0) == ["2 on"])
    #expect(bank.ask(.pulse, 1, at: 800) == ["1 waits 7200"] && bank.ask(.pulse, 0, at: 1_000) == ["0 waits 7000"])
    #expect(bank.pass(until: 8_000) == ["8000: 0 on"])
    #expect(bank.pass(until: 60_000).count == 1 && bank.ask(.on, 0, at: 60_000) == ["0 on"])
  }

  @Test func `a pulse switches off an output that is safe when on`() {
    let bank = Bank(OutputPlan(name: "latch", pulse: .seconds(3), isSafeOn: true))
    #expect(bank.bank.status(of: 0).isOn)
    #expect(bank.ask(.pulse, 0, at: 0) == ["0 off"])
    #expect(bank.pass(until: 9_000) == ["3000: 0 on"])
    #expect(bank.ask(.on, 0, at: 10_000) == [])
  }

  @Test func `without the broker an output is switched off after its limit`() {
    let bank = Bank(OutputPlan(name: "pump", safeWithoutLink: .seconds(10)))
    bank.bank.recordLink(isUp: true, at: Bank.time(0))
    bank.ask(.on, 0, at: 1_000)
    #expect(bank.bank.deadline == nil)
    bank.bank.recordLink(isUp: false, at: Bank.time(60_000))
    bank.bank.recordLink(isUp: false, at: Bank.time(65_000))
    #expect(bank.pass(until: 100_000) == ["70000: 0 off"])
    #expect(bank.ask(.on, 0, at: 100_000) == ["0 on"])
    bank.bank.recordLink(isUp: true, at: Bank.time(105_000))
    #expect(bank.pass(until: 500_000) == [])
  }

  @Test func `a lost line switches nothing, and returns with its safe level`() {
    let bank = Bank(OutputPlan(name: "gate"), opened: false)
    #expect(bank.ask(.on, 0, at: 0) == ["unavailable"])
    _ = bank.bank.opened(0, at: Bank.time(10))
    bank.ask(.on, 0, at: 20)
    bank.bank.lost(0, at: Bank.time(30))
    #expect(bank.bank.status(of: 0).isOn == false && bank.bank.deadline == nil)
    _ = bank.bank.opened(0, at: Bank.time(40))
    #expect(bank.bank.status(of: 0).isOn == false)
  }

  @Test func `closing sets every output to its safe level, for good`() {
    let bank = Bank(OutputPlan(name: "gate"), OutputPlan(name: "latch", isSafeOn: true))
    bank.ask(.on, 0, at: 0)
    bank.ask(.off, 1, at: 0)
    let changes = bank.bank.close(at: Bank.time(10))
    #expect(changes == [.level(0, isOn: false, .closing), .level(1, isOn: true, .closing)])
    #expect(bank.ask(.on, 0, at: 20) == ["closing"] && bank.bank.deadline == nil)
  }
}
