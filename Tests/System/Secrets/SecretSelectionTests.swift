// Secrets by what people know of them: a fingerprint that is the same on every kiosk, a label, an action.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct SecretSelectionTests {
  private func secrets(_ world: KioskWorld) throws -> [[String: Any]] {
    let listed = try world.tappet("secret", "list", "--json")
    return listed.list("secrets")
  }

  @Test func `a secret's fingerprint is the same on every kiosk, and revokes the secret there`() throws {
    let worlds = [try KioskWorld(withBroker: false), try KioskWorld(withBroker: false)]
    let key = Signing.key()
    var fingerprints: Set<String> = []
    var ids: Set<String> = []
    for world in worlds {
      let id = try world.importSecret(index: 1, key: key)
      ids.insert(id)
      let secret = try #require(try secrets(world).first { $0["id"] as? String == id })
      fingerprints.insert(try #require(secret["fingerprint"] as? String))
    }
    let fingerprint = try #require(fingerprints.first)
    #expect(fingerprints.count == 1 && ids.count == 2 && fingerprint.count == 16, "\(fingerprints) \(ids)")
    #expect(!key.contains(fingerprint))
    #expect(try worlds[0].tappet("secret", "list").output.contains("fingerprint \(fingerprint)"))
    // One kiosk runs, one does not.
    try worlds[1].start(until: "offline")
    for world in worlds {
      let done = try world.tappet("secret", "remove", fingerprint)
      #expect(done.status == 0 && done.errors.contains("of light, Test. Its tags are refused from now on"), "\(done)")
      #expect(try secrets(world).count == 2)
    }
  }

  @Test func `secrets are removed by action and label, and several only after a question`() throws {
    let world = try KioskWorld(withBroker: false)
    for label in ["Ann", "Bob"] { #expect(try world.tappet("secret", "new", "light", "--label", label).status == 0) }
    #expect(try world.tappet("secret", "remove", "--label", "Ann", "--action", "light").status == 0)
    let left = try secrets(world).compactMap { $0["label"] as? String }
    #expect(left.sorted() == ["Bob", "Test", "Test"], "\(left)")
    let unsure = try world.tappet("secret", "remove", "--action", "light")
    #expect(unsure.status == 1 && unsure.errors.contains("this removes 2 secrets"), "\(unsure)")
    #expect(try world.tappet("secret", "remove", "--action", "light", "--yes").status == 0)
    #expect(try secrets(world).count == 1)
    #expect(try world.tappet("secret", "remove", "--label", "Ann").errors.contains("no secret matches"))
    #expect(try world.tappet("secret", "remove").status == 2)
    #expect(try world.tappet("secret", "remove", "--label", "Ann", "3f").status == 2)
  }
}
