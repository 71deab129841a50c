// The secret and the message of a new tag.

import Testing

@testable import TappetCore

@Suite struct TagDraftTests {
  private let action = Action(
    name: "garage", title: "Garage", index: 7, topic: "t", message: PayloadTemplate("m"))

  @Test(arguments: [false, true])
  func `a draft's URL verifies with its own secret, and contains the key only if requested`(
    carriesKey: Bool
  ) throws {
    let draft = try TagDraft(
      action: action, index: 7, label: "  Front door\n", carriesKey: carriesKey, unixSeconds: 1_700_000_000)
    #expect(draft.secret.label == "Front door" && draft.secret.index == 7 && draft.secret.action == "garage")
    let uri = try #require(try NDEFMessage(decoding: draft.message).firstURI)
    // The sizes of the phone app's tags: 106 bytes, and 175 with the key.
    #expect(draft.message.count == (carriesKey ? 175 : 106))
    let url = try TagURL.parse(uri)
    #expect(url.carriesKey == carriesKey && url.timestamp == 1_700_000_000)
    #expect(url.verify(with: [draft.secret])?.id == draft.secret.id)
    #expect(TagURL.carriedKey(in: uri) == (carriesKey ? draft.secret.key : nil))
  }

  @Test func `no two drafts share a key or an id`() throws {
    let one = try TagDraft(action: action, index: 7, label: nil, carriesKey: false, unixSeconds: 1)
    let other = try TagDraft(action: action, index: 7, label: nil, carriesKey: false, unixSeconds: 1)
    #expect(one.secret.key != other.secret.key && one.secret.id != other.secret.id)
    #expect(one.secret.id.utf8.count == 36)
  }

  @Test func `the longest numbers still make one short record`() throws {
    let last = Action(name: "a", title: "a", index: .max, topic: "t", message: PayloadTemplate("m"))
    let draft = try TagDraft(action: last, index: .max, label: nil, carriesKey: true, unixSeconds: .max)
    let uri = try #require(try NDEFMessage(decoding: draft.message).firstURI)
    #expect(try TagURL.parse(uri).verify(with: [draft.secret]) != nil)
  }

  @Test func `a label of 4 KiB or with a line break is refused`() throws {
    let long = String(repeating: "x", count: 4096)
    #expect(throws: TagDraftError.label(.tooLong(size: 4096, max: Limits.secretLabelSizeMax))) {
      try TagDraft(action: action, index: 7, label: long, carriesKey: false, unixSeconds: 1)
    }
    // The store would refuse them later, when the tag is written already.
    for scalar in ["\n", "\u{9B}", "\u{7F}"] as [Unicode.Scalar] {
      let label = "a\(scalar)b"
      #expect(throws: TagDraftError.label(.unseen(scalar, place: 2)), "\(label)") {
        try TagDraft(action: action, index: 7, label: label, carriesKey: false, unixSeconds: 1)
      }
    }
  }
}
