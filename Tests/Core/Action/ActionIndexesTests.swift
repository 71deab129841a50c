// The index of an action is that of its tags: the order of the configuration decides only until there is a secret.

import Testing

@testable import TappetCore

@Suite struct ActionIndexesTests {
  /// Actions in the order of a configuration; `name=4` gives an index.
  private func actions(_ words: String...) -> [Action] {
    words.enumerated().map { position, word in
      let parts = word.split(separator: "=").map(String.init)
      let given = parts.count > 1 ? Int64(parts[1]) : nil
      return Action(
        name: parts[0], title: "", index: given ?? Int64(position), isIndexGiven: given != nil, topic: "t",
        message: PayloadTemplate("m"))
    }
  }

  private func secret(_ action: String, _ index: Int64, byte: UInt8 = 1, created: Int64 = 1000) -> TagSecret {
    TagSecret(
      id: "\(action)-\(byte)", action: action, index: index, key: .repeating(byte), createdUnixSeconds: created,
      label: nil)
  }

  @Test func `without secrets each action's index is its position`() {
    let indexes = ActionIndexes(actions("garage", "light"), secrets: [])
    #expect(indexes.index(of: "garage") == 0 && indexes.index(of: "light") == 1)
    #expect(indexes.action(at: 1)?.name == "light" && indexes.action(at: 2) == nil && indexes.index(of: "bell") == nil)
  }

  @Test func `an action inserted above others takes a free index, and the others keep their indexes`() {
    let secrets = [secret("garage", 0), secret("light", 1, byte: 2)]
    let indexes = ActionIndexes(actions("bell", "garage", "light", "scene"), secrets: secrets)
    #expect(indexes.index(of: "garage") == 0 && indexes.index(of: "light") == 1)
    #expect(indexes.index(of: "scene") == 3 && indexes.index(of: "bell") == 4)
  }

  @Test func `a configured index is used, or otherwise that of the oldest secret`() {
    let secrets = [secret("light", 0, byte: 2, created: 3000), secret("garage", 0, created: 2000)]
    let indexes = ActionIndexes(actions("bell=1", "light", "garage"), secrets: secrets)
    #expect(indexes.index(of: "bell") == 1 && indexes.index(of: "garage") == 0 && indexes.index(of: "light") == 3)
  }

  @Test func `a secret that an embedding program supplies does not displace a stored one`() {
    let secrets = [secret("light", 0, byte: 2, created: 0), secret("garage", 0)]
    #expect(ActionIndexes(actions("light", "garage"), secrets: secrets).index(of: "garage") == 0)
  }

  @Test func `tags work wherever their action is moved, and two actions can have tags with the same index`() throws {
    let (garage, light) = (secret("garage", 0), secret("light", 0, byte: 2, created: 2000))
    for words in [actions("garage", "light"), actions("light", "garage"), actions("bell", "scene", "light", "garage")] {
      for own in [garage, light] {
        let verified = ActionIndexes(words, secrets: [garage, light]).verify(.of(own))
        #expect(try verified.get().action.name == own.action)
      }
    }
  }

  @Test func `a tag's last secret is only a hint: its other secrets are still found`() throws {
    let (first, second) = (secret("garage", 0), secret("garage", 0, byte: 2))
    let uid = TagUID.number(1)
    var indexes = ActionIndexes(actions("garage"), secrets: [first, second])
    let isNews = [indexes.learn(uid, first), indexes.learn(uid, first)]
    #expect(isNews == [true, false])
    for own in [first, second] {
      let url = try TagURL.sign(index: 0, timestamp: 5, key: own.key)
      #expect(indexes.secret(of: url, on: uid)?.id == own.id && indexes.secret(of: url, on: .number(2))?.id == own.id)
    }
    let random = try #require(TagUID([8, 1, 2, 3]))
    let others = [
      indexes.learn(uid, second), indexes.learn(random, first), indexes.learn(.number(3), secret("light", 1, byte: 3)),
    ]
    #expect(others == [true, false, false])
    let forged = try TagURL.sign(index: 0, timestamp: 5, key: .repeating(9))
    #expect(indexes.secret(of: forged, on: uid) == nil)
  }

  @Test func `a hint does not override an action's configured index`() throws {
    var own = secret("garage", 0)
    own.seenUIDs = [.number(1)]
    let url = try TagURL.sign(index: 0, timestamp: 5, key: own.key)
    #expect(ActionIndexes(actions("garage"), secrets: [own]).secret(of: url, on: .number(1))?.id == own.id)
    #expect(ActionIndexes(actions("garage=5"), secrets: [own]).secret(of: url, on: .number(1)) == nil)
  }

  @Test func `if a tag's action has a different index or is not configured, this is reported`() {
    let own = secret("garage", 0)
    func words(_ actions: [Action]) -> String {
      switch ActionIndexes(actions, secrets: [own, secret("light", 1, byte: 2)]).verify(.of(own)) {
      case .success(let tap): tap.action.name
      case .failure(let refusal): refusal.words
      }
    }
    #expect(words(actions("light", "garage=5")) == "stray 0 of garage")
    #expect(words(actions("gate", "light")) == "stray 0 of garage, gone")
    #expect(words(actions("light", "garage")) == "garage")
  }

  @Test func `a running kiosk keeps the tags' indexes when its secrets or configuration are reloaded`() {
    let garage = secret("garage", 0)
    let story = KioskScript(actions("garage", "light"))
    story.startAll()
    story.at(20, .secretsLoaded([garage]))
    #expect(story.tap(at: 100, .of(garage, uid: 1)) == ["store garage", "note garage-1"])
    let moved = KioskSettings(actions: actions("bell", "light", "garage"))
    story.at(200, .reconfigured(moved, reconnect: false, newReader: false))
    #expect(story.tap(at: 5000, .of(garage, uid: 2)) == ["store garage", "note garage-1"])
  }
}
