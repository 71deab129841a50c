// Several brokers: one that is gone or silent is left for the next, and nothing is lost on the way.

import Foundation
import TestSupport
import Testing

@Suite struct FailoverTests {
  /// A kiosk with two brokers, and a witness at each.
  private final class Pair {
    let world: KioskWorld
    let second: Broker
    let secondWitness: Witness

    init() throws {
      world = try KioskWorld()
      let folder = world.folder + "/second"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      second = try Broker(in: folder)
      try second.start()
      secondWitness = try Witness(second, in: folder)
      try world.write(.init(otherPorts: [second.port]))
    }

    deinit { second.stop() }

    func logs(_ broker: Broker) -> Bool { world.log.contains("connected to mqtts://localhost:\(broker.port)") }
  }

  @Test func `a tap goes to the next broker when one fails, and the next start begins with that broker`() throws {
    let pair = try Pair()
    let world = pair.world
    try world.start()
    #expect(eventually { pair.logs(world.broker) })
    world.broker.stop()
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try world.url(1))")
    #expect(eventually { pair.secondWitness.actions.count == 1 }, "\(world.log)")
    #expect(eventually { pair.logs(pair.second) })
    world.kiosk?.end()
    let before = world.log.utf8.count
    try world.start()
    func said() -> String { String(decoding: world.log.utf8.dropFirst(before), as: UTF8.self) }
    #expect(eventually { said().contains("localhost:\(pair.second.port)") }, "\(said())")
    #expect(!said().contains("localhost:\(world.broker.port)"), "\(said())")
  }

  @Test func `a frozen broker is left after five seconds, and the next one gets the message with the same id`() throws {
    let pair = try Pair()
    let world = pair.world
    try world.start()
    world.broker.freeze()
    try world.tell("place ntag213 uid=\(world.freshUID()) url=\(try world.url(1))")
    #expect(eventually { pair.secondWitness.actions.count == 1 }, "\(world.log)")
    #expect(eventually { world.log.contains("acknowledge-expired") }, "\(world.log)")
    world.broker.thaw()
    _ = try world.received(1)
    #expect(try world.settled().map { $0.payload } == pair.secondWitness.actions.map { $0.payload })
  }
}
