// A URL that was copied onto another tag, where the action binds it to the tag that it was written to.

import Testing

@testable import TappetCore

@Suite struct TapBindingTests {
  private let uid = TagUID.number(1)

  private func story(binds: Bool) -> KioskScript {
    let action = Action(
      name: "light", title: "", index: 1, topic: "t", message: PayloadTemplate("m"), cooldown: .zero, bindsUID: binds)
    let story = KioskScript([action])
    story.startAll()
    return story
  }

  /// A secret that was made for the tag `uid` at that second, and the URL on a tag.
  private func secret(made: Int64 = 1000, uid: TagUID?) -> TagSecret {
    TagSecret(
      id: "light-1", action: "light", index: 1, key: .repeating(0x11), createdUnixSeconds: made, label: nil, uid: uid)
  }

  private func reading(signedAt time: Int64 = 1000, on uid: Int) throws -> TagReading {
    .holding(try TagURL.sign(index: 1, timestamp: time, key: .repeating(0x11)).text(), uid: uid)
  }

  @Test func `a copied URL is refused on any other tag, with a specific reason`() throws {
    let story = story(binds: true)
    story.at(20, .secretsLoaded([secret(uid: uid)]))
    #expect(story.tap(at: 100, try reading(on: 1)) == ["store light", "note light-1"])
    #expect(story.tap(at: 5000, try reading(on: 2)) == ["light refused", "report refused copied light"])
    #expect(story.tap(at: 9000, try reading(on: 1)) == ["store light", "note light-1"])
  }

  @Test func `phones' tags, imported secrets and actions without 'bind_uid' are not bound to a UID`() throws {
    let bound = story(binds: true)
    bound.at(20, .secretsLoaded([secret(uid: uid)]))
    #expect(bound.tap(at: 100, try reading(signedAt: 1001, on: 2)) == ["store light", "note light-1"])
    bound.at(200, .secretsLoaded([secret(uid: nil)]))
    #expect(bound.tap(at: 5000, try reading(on: 3)) == ["store light", "note light-1"])
    let unbound = story(binds: false)
    unbound.at(20, .secretsLoaded([secret(uid: uid)]))
    #expect(unbound.tap(at: 100, try reading(on: 2)) == ["store light", "note light-1"])
  }

  @Test func `a written tag's UID is stored with its secret, unless the tag's UID is random`() throws {
    for bytes in [[4, 1, 2, 3, 4, 5, 6], [8, 1, 2, 3]] as [[UInt8]] {
      let uid = try #require(TagUID(bytes))
      let draft = try TagDraft(action: .light, index: 1, label: nil, carriesKey: false, unixSeconds: 1)
      var job = TagJob(.write(draft, protects: false), passwordKey: nil)
      _ = job.tagIsThere(uid)
      let steps = job.received(
        .orderDone(OrderOutcome(uid: uid, model: .ntag213, writes: 28, fault: nil)))
      guard case .save(let secret, _) = steps.first else {
        Issue.record("nothing is saved")
        continue
      }
      #expect(secret.uid == (bytes.count == 4 ? nil : uid))
    }
  }

  @Test func `rewriting a copy of a tag does not remove the original's secret`() throws {
    let made = secret(uid: uid)
    let known = FormerSecrets([made], unshared: [made.id])
    let url = try TagURL.sign(index: 1, timestamp: 1000, key: made.key)
    if case .replaced = known.secret(of: url, on: .number(2)) { Issue.record("replaced") }
    if case .kept = known.secret(of: url, on: uid) { Issue.record("kept") }
  }
}
