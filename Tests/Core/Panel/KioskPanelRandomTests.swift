// Random events on a panel: the kiosk runs requested actions only, and always comes to rest.

import TappetPlatform
import Testing

@testable import TappetCore

/// Anything that can happen on a panel, in any order: only requested actions run, and the kiosk never spins.
@Suite struct KioskPanelRandomTests {
  private let plan = PanelPlan(
    buttons: [
      button("a", [.press: "light", .hold: "scene", .double: "alarm"]),
      button("b", [.press: "alarm", .release: "light"]),
      button("c", [.press: "scene", .repeat: "light", .triple: "scene"]), button("d", [.press: "light"]),
    ], chords: [ChordPlan(first: 0, second: 3, action: "alarm")], lockAfter: .seconds(20), unlockCode: [3, 3])

  @Test func `random panel events trigger only requested actions, and cause no busy loop`() {
    var stores = 0
    for seed in 1...60 {
      var random = Randomness(seed: (UInt64(seed), 5, 7, 9))
      let story = story(plan)
      var (time, isAsked, isLocked) = (20, false, true)
      func happens(_ event: Event) {
        story.at(time, event)
        for effect in story.lastEffects {
          switch effect {
          case .store(.append(let entry)):
            stores += 1
            #expect(entry.trigger == .tag || !isLocked, "seed \(seed) at \(time): \(entry.action) while locked")
            #expect(entry.action != "alarm" || isAsked, "seed \(seed) at \(time): alarm without a question")
            if entry.action == "alarm" { isAsked = false }
          case .report(.tap(.confirming)): isAsked = true
          case .report(.tap(.confirmationEnded)): isAsked = false
          case .report(.panel(.locked)): isLocked = true
          case .report(.panel(.unlocked)): isLocked = false
          default: break
          }
        }
      }
      for _ in 0..<400 {
        let end = time + Int.random(in: 0...(Int.random(in: 0..<10, using: &random) == 0 ? 3_000 : 120), using: &random)
        var wakes = 0
        while let wake = story.wakesAt, wake <= end, wakes < 100 {
          wakes += 1
          time = max(time, wake)
          happens(.timerFired)
        }
        #expect(wakes < 100, "seed \(seed): the kiosk spins at \(time)")
        if wakes == 100 { return }
        time = end
        let button = Int.random(in: 0..<4, using: &random)
        let now = story.moment(time - Int.random(in: 0...3, using: &random)).instant
        switch Int.random(in: 0..<40, using: &random) {
        case 0..<30: happens(.panel(.edge(input: button, isActive: Bool.random(using: &random), at: now)))
        case 30: happens(.panel(.failed(.input(button), .line(.chipGone))))
        case 31..<33:
          happens(.panel(.opened(.input(button), isActive: Bool.random(using: &random), debouncesItself: false)))
        case 33: happens(.panel(.key(button: button, isDown: Bool.random(using: &random), at: now)))
        case 34: happens(.reader(.tagRead(.of(.keySecret, uid: time))))
        case 35: happens(.reader(.tagRead(.of(.alarmSecret, uid: time))))
        case 36: happens(.reader(.tagLeft(.number(time))))
        case 37: happens(.reader(.heartbeat))
        case 38: happens(.readerEnded(.exited(0)))
        default: happens(.reader(.ready(device: "chip")))
        }
      }
    }
    #expect(stores > 300)
  }
}
