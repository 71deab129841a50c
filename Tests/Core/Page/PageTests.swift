// The page's presses and pairing codes.

import Testing

@testable import TappetCore

extension PressMemory {
  /// Judges a press made at `time`, in milliseconds like `now`.
  fileprivate mutating func admit(
    _ id: String = "a", of caller: PressCaller = PressCaller(number: 1), madeAt time: Int64, isForm: Bool = false,
    at now: Int64
  ) -> Admission {
    admit(id, of: caller, madeAt: Instant(milliseconds: time), isForm: isForm, at: Instant(milliseconds: now))
  }
}

@Suite struct PressMemoryTests {
  private var memory = PressMemory(startedAt: Instant(milliseconds: 1_000))

  @Test mutating func `an id acts once while a press with it could still be in time`() {
    #expect(memory.admit(madeAt: 2_000, at: 2_000) == .new)
    #expect(memory.admit(madeAt: 2_000, at: 2_001) == .repeated)
    #expect(memory.admit(madeAt: 61_000, at: 62_000) == .repeated)
    #expect(memory.admit("b", madeAt: 61_000, at: 62_000) == .new)
    #expect(memory.admit(of: PressCaller(number: 2), madeAt: 2_000, at: 2_100) == .new)
    #expect(memory.admit(madeAt: 62_001, at: 62_001) == .new)
  }

  @Test(arguments: [
    (madeAt: Int64(5_000), now: Int64(10_000), isForm: false, PressMemory.Admission.new), (4_999, 10_000, false, .late),
    (15_000, 10_000, false, .new), (15_001, 10_000, false, .late), (5_000, 35_000, true, .new),
    (5_000, 35_001, true, .late), (999, 1_100, false, .late), (Int64.min, 10_000, true, .late),
    (Int64.max, 10_000, true, .late),
  ])
  mutating func `a press counts for 5 s, a form for 30 s, and neither from before the start`(
    _ madeAt: Int64, _ now: Int64, _ isForm: Bool, _ admission: PressMemory.Admission
  ) {
    #expect(memory.admit(madeAt: madeAt, isForm: isForm, at: now) == admission)
  }

  @Test mutating func `a late press is not remembered, and a flood of ids is refused until the first is forgotten`() {
    #expect(memory.admit(madeAt: 1_000, at: 9_000) == .late)
    #expect(memory.admit(madeAt: 9_000, at: 9_000) == .new)
    for number in 1..<Limits.pagePressesMax { #expect(memory.admit("\(number)", madeAt: 9_000, at: 9_000) == .new) }
    #expect(memory.admit("one more", madeAt: 9_000, at: 9_000) == .tooMany)
    #expect(memory.admit("one more", madeAt: 69_001, at: 69_001) == .new)
  }
}

@Suite struct PairingCodeTests {
  private func typed(_ text: String) -> SecretBytes { Array(text.utf8).withUnsafeBytes { SecretBytes(copying: $0) } }
  private var code = PairingCode(
    digits: Array("12345678".utf8), name: "Hall", level: .press, at: Instant(milliseconds: 0))

  @Test mutating func `a code may be typed in groups`() {
    #expect(code.judge(typed("1234 5678"), at: Instant(milliseconds: 299_000)) == .accepted)
  }

  @Test mutating func `a code is over after five minutes`() {
    #expect(code.judge(typed("12345678"), at: Instant(milliseconds: 300_001)) == .over)
  }

  @Test mutating func `a code is over after five wrong attempts, even for who knows it`() {
    for _ in 1..<Limits.pairingAttemptsMax {
      #expect(code.judge(typed("12345679"), at: Instant(milliseconds: 1)) == .wrong)
    }
    #expect(code.judge(typed(""), at: Instant(milliseconds: 1)) == .over)
    #expect(code.judge(typed("12345678"), at: Instant(milliseconds: 1)) == .over)
  }

  @Test func `new codes have eight digits, and differ`() throws {
    let codes = try (0..<100).map { _ in try PairingCode.newDigits() }
    #expect(codes.allSatisfy { $0.count == 8 && $0.allSatisfy { (0x30...0x39).contains($0) } })
    #expect(Set(codes).count == 100)
  }
}

@Suite struct PageQuestionTests {
  private let kiosk = story(PanelPlan(buttons: [button("a", [.press: "light"])]))
  private let tablet = PressCaller(number: 7)

  @Test func `a question is cancelled by the device that asked, and by no other`() {
    kiosk.at(100, .panel(.asked(action: "alarm", by: tablet)))
    #expect(kiosk.at(200, .panel(.cancelAsked(by: PressCaller(number: 8)))) == [])
    #expect(kiosk.at(300, .panel(.cancelAsked(by: .program))) == [])
    #expect(
      kiosk.at(400, .panel(.cancelAsked(by: tablet))) == [
        "light refused", "light ready", "report not confirmed alarm cancelled",
      ])
    #expect(kiosk.at(500, .panel(.cancelAsked(by: tablet))) == [])
  }

  @Test func `the question of a tag belongs to no device`() {
    let reading = TagReading.of(.alarmSecret)
    kiosk.at(100, .reader(.tagArrived(reading.uid)))
    kiosk.at(110, .reader(.tagRead(reading)))
    #expect(kiosk.at(200, .panel(.cancelAsked(by: tablet))) == [])
    #expect(kiosk.sleep(until: 9_000).contains { $0.hasPrefix("store") })
  }
}
