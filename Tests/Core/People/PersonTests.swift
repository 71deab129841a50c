// Whose tag it is: a suspended person's tags never act, whichever way they come.

import TappetPlatform
import Testing

@testable import TappetCore

@Suite struct PersonTests {
  private let ann = Person(id: "1", name: "Ann \"A\" Lee", createdUnixSeconds: 1)

  private func secret(of person: Person?, _ action: Action = .light) -> TagSecret {
    var secret = TagSecret.of(action, id: "light-1", byte: 0x77)
    secret.person = person
    return secret
  }

  @Test func `a suspended person's tag is refused by name, and acts again once the person is resumed`() {
    let story = KioskScript()
    story.startAll()
    let reading = TagReading.of(secret(of: ann))
    story.at(20, .secretsLoaded([secret(of: ann)]))
    #expect(story.tap(at: 100, reading) == ["store light", "note light-1"])
    story.at(3000, .secretsLoaded([secret(of: ann.with(isSuspended: true))]))
    #expect(
      story.tap(at: 5000, reading) == ["light refused", "report refused suspended Ann \"A\" Lee at light"])
    story.at(8000, .secretsLoaded([secret(of: ann)]))
    #expect(story.tap(at: 9000, reading) == ["store light", "note light-1"])
  }

  @Test func `suspending a person leaves other people's tags of the action working`() {
    let story = KioskScript()
    story.startAll()
    var other = TagSecret.of(.light, id: "light-2", byte: 0x78)
    other.person = Person(id: "2", name: "Ben", createdUnixSeconds: 1)
    story.at(20, .secretsLoaded([secret(of: ann.with(isSuspended: true)), other]))
    #expect(story.tap(at: 100, .of(other)) == ["store light", "note light-2"])
  }

  @Test func `a message and a topic name the person, if there is one`() throws {
    let action = Action(
      name: "who", title: "Who", index: 9, topic: "door/%{person}",
      message: try #require(PayloadTemplate(configured: "{\"by\":\"%{person}\"}")))
    for (person, topic, text) in [
      (ann, "door/Ann \"A\" Lee", "{\"by\":\"Ann \\\"A\\\" Lee\"}"), (nil, "door/none", "{\"by\":\"\"}"),
    ] as [(Person?, String, String)] {
      let story = KioskScript([action])
      story.startAll()
      let secret = secret(of: person, action)
      story.at(20, .secretsLoaded([secret]))
      story.tap(at: 100, .of(secret))
      let entry = try #require(story.commit(at: 101).entry)
      #expect(entry.topic == topic && entry.message.text == text)
    }
  }
}
