// The state that a kiosk publishes, as a real broker keeps it.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct TelemetryTests {
  private func states(_ world: KioskWorld) -> [[String: Any]] {
    (world.witness?.all ?? []).filter { $0.topic == "tappet/kiosk/state" }.compactMap {
      (try? JSONSerialization.jsonObject(with: Data($0.payload.utf8))) as? [String: Any]
    }
  }

  private func delivered(_ state: [String: Any]) -> Int? {
    (state["counters"] as? [String: Any])?["delivered"] as? Int
  }

  @Test func `the state is retained, follows events, and matches its documentation`() throws {
    let world = try KioskWorld(KioskWorld.KioskConfiguration(more: "telemetry: {state: true}"))
    try world.start()
    #expect(eventually { states(world).last?["light"] as? String == "ready" }, "\(states(world))")
    try world.goodTap()
    #expect(eventually { states(world).last.flatMap { delivered($0) } == 1 }, "\(states(world))")
    let state = try #require(states(world).last)
    #expect(JSONPromise("state-message", try JSONSchema()).mistakes(state) == [])
    #expect((state["certificate_ends_at"] as? String)?.hasPrefix("20") == true)
    // A witness that comes later finds it.
    try world.witness?.subscribeAgain()
    #expect(eventually { world.witness?.all.contains { $0.topic == "tappet/kiosk/state" && $0.isRetained } == true })
  }

  @Test func `without 'telemetry' nothing is published about the state`() throws {
    let world = try KioskWorld()
    try world.start()
    try world.goodTap()
    _ = try world.settled()
    #expect(states(world).isEmpty)
  }
}
