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
    #expect(memory.admit(madeAt: 61_900, at: 62_000) == .repeated)
    #expect(memory.admit("b", madeAt: 61_000, at: 62_000) == .new)
    #expect(memory.admit(of: PressCaller(number: 2), madeAt: 2_000, at: 2_100) == .new)
    #expect(memory.admit(madeAt: 62_001, at: 62_001) == .new)
  }

  @Test(arguments: [
    (madeAt: Int64(5_000), now: Int64(10_000), isForm: false, PressMemory.Admission.new), (4_999, 10_000, false, .late),
    (10_100, 10_000, false, .new), (10_101, 10_000, false, .late), (5_000, 35_000, true, .new),
    (5_000, 35_001, true, .late),
    (1_100, 1_100, false, .late), (1_101, 1_100, false, .new), (Int64.min, 10_000, true, .late),
    (Int64.max, 10_000, true, .late),
  ])
  mutating func `a press counts for 5 s, a form for 30 s, and neither from before the start`(
    _ madeAt: Int64, _ now: Int64, _ isForm: Bool, _ admission: PressMemory.Admission
  ) {
    #expect(memory.admit(madeAt: madeAt, isForm: isForm, at: now) == admission)
  }

  @Test mutating func `a flood of a device's ids is refused until the first is forgotten, and other devices press`() {
    #expect(memory.admit(madeAt: 1_000, at: 9_000) == .late)
    #expect(memory.admit(madeAt: 9_000, at: 9_000) == .new)
    for number in 1..<Limits.pagePressesMax { #expect(memory.admit("\(number)", madeAt: 9_000, at: 9_000) == .new) }
    #expect(memory.admit("one more", madeAt: 9_000, at: 9_000) == .tooMany)
    #expect(memory.admit(of: PressCaller(number: 2), madeAt: 9_000, at: 9_000) == .new)
    #expect(memory.admit("one more", madeAt: 69_001, at: 69_001) == .new)
  }
}

@Suite struct PairingCodeTests {
  private func typed(_ text: String) -> SecretBytes { Array(text.utf8).withUnsafeBytes { SecretBytes(copying: $0) } }
  private var code = PairingCode(
    digits: Array("12345678".utf8), name: "Hall", level: .press, at: Instant(milliseconds: 0))

  @Test mutating func `a code may be typed in groups`() {
    #expect(code.judge(typed("1234 5678"), from: "a", at: Instant(milliseconds: 299_000)) == .accepted)
  }

  @Test mutating func `a code is over after five minutes`() {
    #expect(code.judge(typed("12345678"), from: "a", at: Instant(milliseconds: 300_001)) == .over)
  }

  @Test mutating func `a network that has typed five wrong codes does not prevent the pairing from another`() {
    let now = Instant(milliseconds: 1)
    for _ in 0..<Limits.pairingAttemptsPerNetwork {
      #expect(code.judge(typed("12345679"), from: "a", at: now) == .wrong)
      for text in ["", "1234567", "123456789"] { #expect(code.judge(typed(text), from: "b", at: now) == .wrong) }
    }
    #expect(code.judge(typed("12345678"), from: "a", at: now) == .over)
    #expect(!code.isOver(at: now) && code.judge(typed("12345678"), from: "b", at: now) == .accepted)
  }

  @Test mutating func `a code is over after 50 wrong attempts, even for who knows it`() {
    let now = Instant(milliseconds: 1)
    for number in 0..<Limits.pairingAttemptsMax {
      #expect(code.judge(typed("12345679"), from: "\(number)", at: now) == .wrong)
    }
    #expect(code.isOver(at: now) && code.judge(typed("12345678"), from: "a", at: now) == .over)
  }

  @Test func `new codes have eight digits, and differ`() throws {
    let codes = try (0..<100).map { _ in try PairingCode.newDigits() }
    #expect(codes.allSatisfy { $0.count == 8 && $0.allSatisfy { (0x30...0x39).contains($0) } })
    #expect(Set(codes).count == 100)
  }
}

@Suite struct PagePasswordTests {
  private func typed(_ text: String) -> SecretBytes { Array(text.utf8).withUnsafeBytes { SecretBytes(copying: $0) } }

  @Test func `a password matches only itself, also after it was stored`() throws {
    let made = try #require(try PagePassword(typed("correct horse")))
    let known = try #require(PagePassword(stored: made.stored))
    #expect(try known.matches(typed("correct horse")))
    for text in ["correct hors", "correct horse ", "", String(repeating: "x", count: 129)] {
      #expect(try !known.matches(typed(text)))
    }
    #expect(try #require(try PagePassword(typed("correct horse"))).stored != made.stored)
    #expect(!String(decoding: made.stored, as: UTF8.self).contains("horse"))
    #expect(PagePassword(stored: Array("1\nab".utf8)) == nil && PagePassword(stored: []) == nil)
  }

  @Test func `a password has 12 to 128 bytes`() throws {
    for (size, isValid) in [(11, false), (12, true), (128, true), (129, false)] {
      #expect(try (PagePassword(typed(String(repeating: "x", count: size))) != nil) == isValid)
    }
  }

  @Test func `after five attempts, each one more doubles the wait, up to a quarter of an hour`() {
    var limit = GuessLimit(Limits.passwordAttemptsMax)
    for second in 0..<4 {
      limit.add(at: Instant(milliseconds: Int64(second) * 1000))
      #expect(limit.wait(at: Instant(milliseconds: Int64(second) * 1000)) == nil)
    }
    var now = Instant(milliseconds: 10_000)
    for seconds in [30, 60, 120, 240, 480, 900, 900] as [Int64] {
      limit.add(at: now)
      #expect(limit.wait(at: now) == .seconds(seconds))
      now = now + .seconds(seconds)
      #expect(limit.wait(at: now) == nil)
    }
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

  @Test func `a device answers its own question in time, while it may press`() {
    var device = PageDevice(
      id: "hall", name: "Hall", level: .press, tokenHash: [UInt8](repeating: 7, count: 32), pairedUnixSeconds: 0)
    let question: PendingQuestion = ("alarm", device.caller, .button, Instant(milliseconds: 5_000))
    func isAnswered(_ number: Int64 = 5_000, at now: Int64) -> Bool {
      device.answering(number, with: .confirm, pending: question, at: Instant(milliseconds: now)) != nil
    }
    #expect(isAnswered(at: 4_999) && !isAnswered(at: 5_000) && !isAnswered(5_001, at: 4_999))
    device.level = .look
    #expect(!isAnswered(at: 4_999))
  }

  @Test func `the question of a tag belongs to no device`() {
    let reading = TagReading.of(.alarmSecret)
    kiosk.at(100, .reader(.tagArrived(reading.uid)))
    kiosk.at(110, .reader(.tagRead(reading)))
    #expect(kiosk.at(200, .panel(.cancelAsked(by: tablet))) == [])
    #expect(kiosk.sleep(until: 9_000).contains { $0.hasPrefix("store") })
  }
}
