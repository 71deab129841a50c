// The way of a press through the kiosk: gestures, pairs, the lock, the confirmation, and a panel that fails.

import TappetPlatform
import Testing

@testable import TappetCore

extension Action {
  /// Needs a confirmation within 5 s.
  static let alarm = Action(
    name: "alarm", title: "Alarm", index: 6, topic: "home/alarm", message: PayloadTemplate("on"),
    confirmWithin: .seconds(5))
  /// Its tags unlock the buttons.
  static let key = Action(
    name: "key", title: "Key", index: 7, topic: "home/key", message: PayloadTemplate("used"), unlocksPanel: true)
}

extension TagSecret {
  static var alarmSecret: TagSecret { of(.alarm, id: "alarm-1", byte: 0x66) }
  static var keySecret: TagSecret { of(.key, id: "key-1", byte: 0x77) }
}

/// Everything is up, with these buttons at rest.
func story(_ plan: PanelPlan) -> KioskScript {
  let story = KioskScript([.light, .scene, .garage, .alarm, .key], panel: plan)
  story.startAll()
  story.at(10, .secretsLoaded([.lightSecret, .alarmSecret, .keySecret]))
  story.openButtons()
  return story
}

func button(_ name: String, _ actions: [Gesture: String]) -> ButtonPlan {
  ButtonPlan(name: name, gestures: .with(actions))
}

@Suite struct KioskGestureTests {
  @Test func `each gesture triggers its own action, and wakes the kiosk when due`() {
    let story = story(PanelPlan(buttons: [button("a", [.press: "light", .hold: "scene"])]))
    #expect(story.press(0, at: 100) == [])
    #expect(story.wakesAt == 180)
    #expect(story.sleep(until: 500) == ["store light"])
    story.edge(0, true, at: 1_000)
    #expect(story.sleep(until: 1_799) == [])
    #expect(story.sleep(until: 1_800) == ["store scene"])
    story.edge(0, false, at: 2_500)
    #expect(story.sleep(until: 4_000) == [])
    #expect(story.wakesAt == 12_005)
  }

  @Test func `a contact is not considered open while edges are unread`() {
    let story = story(PanelPlan(buttons: [button("a", [.press: "light", .hold: "scene"])]))
    story.at(90, .panel(.edgesRead(until: story.moment(90).instant)))
    story.edge(0, true, at: 100)
    story.edge(0, false, at: 105)
    #expect(story.at(300, .clockChecked(isSynchronized: true)) == [])
    #expect(story.at(300, .timerFired) == [])
    story.at(300, .panel(.edge(input: 0, isActive: true, at: story.moment(110).instant)))
    #expect(story.at(300, .panel(.edgesRead(until: story.moment(300).instant))) == [])
    #expect(story.at(1_000, .panel(.edgesRead(until: story.moment(1_000).instant))) == ["store scene"])
  }

  @Test func `a gesture without an action has no effect`() {
    let story = story(PanelPlan(buttons: [button("a", [.hold: "scene"])]))
    story.press(0, at: 100)
    #expect(story.sleep(until: 1_000) == [])
  }

  @Test func `two buttons pressed together trigger one action, in either order`() {
    let plan = PanelPlan(
      buttons: [button("a", [.press: "light"]), button("b", [.press: "garage"]), button("c", [.press: "light"])],
      chords: [ChordPlan(first: 0, second: 1, action: "scene")])
    for (first, second) in [(0, 1), (1, 0)] {
      let story = story(plan)
      #expect(story.edge(first, true, at: 100) == [])
      #expect(story.edge(second, true, at: 150) == ["store scene"])
      story.edge(first, false, at: 300)
      story.edge(second, false, at: 310)
      #expect(story.sleep(until: 1_000) == [])
    }
    let alone = story(plan)
    // A single button of a pair waits for the other one, for no longer than a finger takes.
    #expect(alone.edge(0, true, at: 100) == [])
    #expect(alone.sleep(until: 180) == ["store light"])
    alone.edge(1, true, at: 200)
    #expect(alone.sleep(until: 290) == ["store garage"])
    #expect(alone.edge(2, true, at: 400) == ["store light"])
  }

  @Test func `a press that ends before the other button of a pair is pressed counts on its own`() {
    let plan = PanelPlan(
      buttons: [button("a", [.press: "light"]), button("b", [.press: "garage"])],
      chords: [ChordPlan(first: 0, second: 1, action: "scene")])
    let story = story(plan)
    story.edge(0, true, at: 100)
    story.edge(0, false, at: 130)
    #expect(story.sleep(until: 150) == ["store light"])
    story.edge(1, true, at: 160)
    #expect(story.sleep(until: 1_000) == ["store garage"])
  }

  @Test func `presses queued in the kernel are distinguished by their timestamps`() {
    let story = story(PanelPlan(buttons: [button("a", [.press: "light", .hold: "scene"])]))
    let edges = [(100, true), (160, false), (1_000, true), (1_900, false)]
    let words = edges.map { time, isActive in
      story.at(3_000, .panel(.edge(input: 0, isActive: isActive, at: story.moment(time).instant)))
    }
    #expect(words == [[], [], ["store light"], ["store scene"]])
    #expect(story.at(3_000, .timerFired) == [])
  }
}

@Suite struct KioskLockTests {
  private let code = PanelPlan(
    buttons: [button("a", [.press: "light"]), button("b", [.press: "scene"])], lockAfter: .seconds(60),
    unlockCode: [0, 1, 1])

  @Test func `locked buttons do nothing, tags work as usual, and only an authorized tag unlocks`() {
    let story = story(PanelPlan(buttons: [button("a", [.press: "light"])], lockAfter: .seconds(5)))
    #expect(story.kiosk.baseLight == .locked)
    #expect(story.press(0, at: 100) == ["light refused", "report refused panel locked"])
    #expect(story.tap(at: 200, .of(.lightSecret, uid: 1)) == ["store light", "note light-1"])
    #expect(story.press(0, at: 300) == ["light refused", "report refused panel locked"])
    #expect(
      story.tap(at: 400, .of(.keySecret, uid: 2)) == [
        "store key", "note key-1", "light ready", "report panel unlocked tag",
      ])
    #expect(story.press(0, at: 500) == ["store light"])
    #expect(story.sleep(until: 5_499).filter { $0.contains("lock") } == [])
    #expect(story.sleep(until: 5_500) == ["light locked", "report panel locked"])
    #expect(story.press(0, at: 5_600) == ["light refused", "report refused panel locked"])
  }

  @Test func `the code unlocks, and its last press has no other effect`() {
    let story = story(code)
    #expect(story.press(0, at: 100) == ["light reading"])
    #expect(story.press(1, at: 300) == ["light reading"])
    #expect(story.press(1, at: 500) == ["light accepted", "light ready", "report panel unlocked button"])
    #expect(story.kiosk.delivery.outbox.uncommittedCount == 0)
    #expect(story.press(1, at: 700) == ["store scene"])
  }

  @Test func `wrong codes are reported, and cause a delay`() {
    let story = story(code)
    var time = 0
    var words: [String] = []
    for _ in 0..<3 {
      for button in [1, 1, 1] {
        time += 200
        words += story.press(button, at: time)
      }
    }
    #expect(
      words.filter { $0 != "light reading" && $0 != "light refused" } == [
        "note wrong codes 1", "report panel codeRefused 0", "note wrong codes 2", "report panel codeRefused 0",
        "note wrong codes 3", "report panel codeRefused 30000",
      ])
    #expect(story.press(0, at: time + 200) == ["light refused", "report refused panel locked"])
    // The tag works all the same.
    #expect(story.tap(at: time + 400, .of(.keySecret)).contains("report panel unlocked tag"))
  }

  @Test func `a tag unlocks without a broker, and even within its cooldown`() {
    let story = KioskScript([.light, .key], panel: .init(buttons: code.buttons, lockAfter: .seconds(1)))
    story.startOffline()
    story.at(10, .secretsLoaded([.keySecret]))
    #expect(story.tap(at: 100, .of(.keySecret)).contains("report panel unlocked tag"))
    #expect(story.sleep(until: 1_100).contains("report panel locked"))
    #expect(story.tap(at: 1_200, .of(.keySecret)).contains("report panel unlocked tag"))
  }

  @Test func `a gesture that began before the panel locked has no effect`() {
    let story = story(
      PanelPlan(buttons: [button("a", [.press: "light", .hold: "scene"])], lockAfter: .seconds(1)))
    story.tap(at: 100, .of(.keySecret))
    story.commit(at: 110)
    story.edge(0, true, at: 1_000)
    #expect(story.sleep(until: 1_100) == ["light locked", "report panel locked"])
    #expect(story.sleep(until: 3_000).filter { $0.hasPrefix("store") } == [])
    #expect(story.edge(0, false, at: 3_100) == [])
    #expect(story.sleep(until: 4_000).filter { $0.hasPrefix("store") } == [])
  }
}

@Suite struct KioskConfirmationTests {
  private let plan = PanelPlan(
    buttons: [button("a", [.press: "alarm", .release: "light"]), button("b", [.press: "light"])])

  @Test func `an action that needs confirmation runs when it is pressed again in time`() {
    let story = story(plan)
    #expect(
      story.press(0, at: 100) == ["light confirming", "report confirming alarm by button within 5000"])
    #expect(story.sleep(until: 1_000) == [])
    #expect(story.press(0, at: 1_000) == ["store alarm", "light ready"])
    #expect(story.sleep(until: 2_000) == ["store light"])
    #expect(story.press(0, at: 3_000).contains("report confirming alarm by button within 5000"))
  }

  @Test func `another button cancels a question, and has no other effect`() {
    let story = story(plan)
    story.press(0, at: 100)
    #expect(
      story.press(1, at: 300) == ["light refused", "light ready", "report not confirmed alarm otherTouch"])
    #expect(story.sleep(until: 500) == [])
    #expect(story.press(1, at: 600) == ["store light"])
  }

  @Test func `a timeout cancels a question`() {
    let story = story(plan)
    story.press(0, at: 100)
    #expect(story.sleep(until: 5_099) == [])
    #expect(story.sleep(until: 5_100) == ["light refused", "light ready", "report not confirmed alarm timeUp"])
    #expect(story.kiosk.delivery.outbox.uncommittedCount == 0)
  }

  @Test func `a tag confirms by staying until the time is up`() {
    let story = story(plan)
    let reading = TagReading.of(.alarmSecret)
    story.at(100, .reader(.tagArrived(reading.uid)))
    #expect(
      story.at(110, .reader(.tagRead(reading))) == [
        "light confirming", "report confirming alarm by tag within 5000",
      ])
    #expect(story.sleep(until: 5_110) == ["store alarm", "note alarm-1", "light ready"])
  }

  @Test func `removing the tag, a button, another tag or the reader's end cancels a question`() {
    for cancel in 0..<4 {
      let story = story(plan)
      let reading = TagReading.of(.alarmSecret)
      story.at(100, .reader(.tagArrived(reading.uid)))
      story.at(110, .reader(.tagRead(reading)))
      let words: [String]
      switch cancel {
      case 0: words = story.at(1_000, .reader(.tagLeft(reading.uid)))
      case 1: words = story.press(1, at: 1_000)
      case 2: words = story.tap(at: 1_000, .of(.lightSecret, uid: 2))
      default: words = story.at(1_000, .readerEnded(.signaled(9)))
      }
      let why = ["tagGone", "otherTouch", "otherTouch", "tagGone"][cancel]
      #expect(words.contains("report not confirmed alarm \(why)"), "\(cancel): \(words)")
      #expect(words.contains("store light") == (cancel == 2))
      #expect(!story.sleep(until: 9_000).contains("store alarm"))
    }
  }

  @Test func `locking the panel does not end a tag's question`() {
    let story = story(PanelPlan(buttons: [button("a", [.press: "light"])], lockAfter: .seconds(3)))
    story.tap(at: 100, .of(.keySecret, uid: 2))
    story.commit(at: 110)
    let reading = TagReading.of(.alarmSecret)
    story.at(1_000, .reader(.tagArrived(reading.uid)))
    story.at(1_010, .reader(.tagRead(reading)))
    #expect(story.sleep(until: 4_000) == ["report panel locked"])
    #expect(story.sleep(until: 6_010) == ["store alarm", "note alarm-1", "light locked"])
  }

  @Test func `an earlier gesture, or the embedding program, cancels a question like any button`() {
    for isAsked in [false, true] {
      let story = story(PanelPlan(buttons: [button("a", [.press: "light", .hold: "scene"])]))
      if !isAsked { story.edge(0, true, at: 50) }
      let reading = TagReading.of(.alarmSecret)
      story.at(100, .reader(.tagArrived(reading.uid)))
      story.at(110, .reader(.tagRead(reading)))
      let words = isAsked ? story.at(900, .panel(.asked(action: "alarm"))) : story.sleep(until: 900)
      #expect(words == ["light refused", "light ready", "report not confirmed alarm otherTouch"])
      #expect(!story.sleep(until: 9_000).contains { $0.hasPrefix("store") })
    }
  }

  @Test func `a question caused by one caller's press is confirmed by that caller only`() {
    let other = PressCaller(number: 7)
    for (caller, isConfirmed) in [(PressCaller.program, true), (other, false)] {
      let story = story(plan)
      story.at(100, .panel(.asked(action: "alarm")))
      let words = story.at(300, .panel(.asked(action: "alarm", by: caller)))
      #expect(words.contains { $0.hasPrefix("store") } == isConfirmed, "\(words)")
      #expect(words.contains("report not confirmed alarm otherTouch") != isConfirmed, "\(words)")
    }
  }

  @Test func `a stop ends the question`() {
    let story = story(plan)
    story.press(0, at: 100)
    #expect(story.at(200, .stopRequested).contains("report not confirmed alarm closed"))
  }
}

@Suite struct KioskPanelFaultTests {
  private let plan = PanelPlan.pressing("light", "scene")
  private let fault = PanelFault.ledUnusable(code: 2)

  @Test func `a failed line is reported once and shown, and the rest of the panel works`() {
    let story = story(plan)
    #expect(
      story.at(100, .panel(.failed(.input(0), fault))) == [
        "light fault", "report panel lost input(0) ledUnusable(code: 2)",
      ])
    #expect(story.at(110, .panel(.failed(.input(0), fault))) == [])
    #expect(story.press(0, at: 200) == [])
    #expect(story.press(1, at: 300) == ["store scene"])
    #expect(story.sleep(until: 1_099).filter { $0 == "retry panel" } == [])
    #expect(story.sleep(until: 1_100) == ["retry panel"])
    #expect(
      story.at(1_110, .panel(.opened(.input(0), isActive: false, debouncesItself: false))) == [
        "light ready", "report panel recovered input(0)",
      ])
    #expect(story.press(0, at: 1_200) == ["store light"])
    #expect(story.sleep(until: 11_000) == [])
  }

  @Test func `missing lines are retried with growing delays, up to half a minute`() {
    let story = KioskScript(panel: plan)
    story.start()
    story.at(100, .panel(.failed(.indicator(0), fault)))
    var (last, delays) = (100, [Int]())
    while last < 130_000 {
      guard story.at(story.wakesAt ?? .max, .timerFired).contains("retry panel") else { continue }
      delays.append(story.time - last)
      last = story.time
      #expect(story.at(last, .panel(.failed(.indicator(0), fault))) == [])
    }
    #expect(delays == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000])
  }

  @Test func `a line that needs a different configuration is not retried`() {
    let story = story(plan)
    #expect(story.at(100, .panel(.failed(.input(0), .line(.listedTwice)))).contains("light fault"))
    #expect(story.sleep(until: 11_000) == [])
    story.at(11_000, .panel(.failed(.indicator(0), .line(.chipGone))))
    #expect(story.wakesAt == 12_000)
    story.at(11_500, .panel(.opened(.indicator(0), isActive: false, debouncesItself: false)))
    #expect(story.kiosk.baseLight == .fault && story.wakesAt == 12_005)
  }

  @Test func `a button that is stuck at the start is reported, shown, and ignored until it is released`() {
    let story = KioskScript(panel: plan)
    story.startAll()
    #expect(
      story.at(20, .panel(.opened(.input(0), isActive: true, debouncesItself: false))) == [
        "light fault", "report panel buttonStuck 0",
      ])
    story.at(20, .panel(.opened(.input(1), isActive: false, debouncesItself: false)))
    #expect(story.press(1, at: 100).contains("store scene"))
    #expect(story.edge(0, false, at: 1_000) == [])
    #expect(story.sleep(until: 1_020) == ["light ready", "report panel buttonRecovered 0"])
    #expect(story.press(0, at: 1_100) == ["store light"])
  }

  @Test func `a button that bounces endlessly is reported once, and the others work`() {
    let story = story(plan)
    var words: [String] = []
    for edge in 0..<10_000 {
      let time = Instant(nanoseconds: 100_000_000 + Int64(edge) * 100_000)
      words += story.at(100 + edge / 10, .panel(.edge(input: 0, isActive: edge % 2 == 0, at: time)))
    }
    #expect(words == ["store light", "pause 0", "light fault", "report panel buttonChattering 0"])
    #expect(story.press(1, at: 1_200).contains("store scene"))
    // The kiosk noticed after 500 ms; half a minute later it listens again.
    for second in stride(from: 5_000, through: 30_000, by: 5_000) { story.at(second, .reader(.heartbeat)) }
    #expect(story.sleep(until: 30_700).contains("resume 0"))
    #expect(
      story.at(30_800, .panel(.opened(.input(0), isActive: false, debouncesItself: false))) == [
        "light ready", "report panel buttonRecovered 0",
      ])
    #expect(story.press(0, at: 31_000).contains("store light"))
  }

  @Test func `a vanished virtual panel removes its buttons, and restores them when it returns`() {
    let story = KioskScript(panel: plan)
    story.startAll()
    story.at(20, .panel(.opened(.simulator, isActive: false, debouncesItself: false)))
    #expect(story.edge(0, true, at: 100) == ["store light"])
    #expect(
      story.at(200, .panel(.failed(.simulator, .simulatorAway(code: 0)))) == [
        "light fault", "report panel lost simulator simulatorAway(code: 0)",
      ])
    #expect(story.edge(0, true, at: 300) == [])
    #expect(story.sleep(until: 1_200) == ["retry panel"])
    story.at(1_210, .panel(.opened(.simulator, isActive: false, debouncesItself: false)))
    #expect(story.edge(0, true, at: 1_300) == ["store light"])
  }

  @Test func `events of parts that the panel lacks have no effect`() {
    let story = story(plan)
    for index in [-1, 2, Int.max] {
      #expect(story.edge(index, true, at: 100) == [])
      #expect(story.at(100, .panel(.key(button: index, isDown: true, at: story.moment(100).instant))) == [])
      #expect(story.at(100, .panel(.opened(.input(index), isActive: true, debouncesItself: false))) == [])
    }
  }

  @Test func `a key of the terminal works even if the button's line failed`() {
    let story = KioskScript(panel: plan)
    story.startAll()
    story.at(20, .panel(.failed(.input(0), fault)))
    #expect(story.at(100, .panel(.key(button: 0, isDown: true, at: story.moment(100).instant))).contains("store light"))
  }
}
