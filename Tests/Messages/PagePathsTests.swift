// Paths of files in texts for the page.

import TappetJSON
import TappetMessages
import Testing

@Suite struct PagePathsTests {
  @Test(arguments: [
    ("/etc/tappet/broker.password cannot be read: it is missing", "broker.password cannot be read: it is missing"),
    ("the key '/etc/tappet/Schlüssel.pem' (/run/x/y), and /a/b/", "the key 'Schlüssel.pem' (y), and b"),
    ("mqtts://broker.example/mqtt: home/door/ring, /x", "mqtts://broker.example/mqtt: home/door/ring, /x"),
    ("and/or /", "and/or /"), ("", ""),
  ])
  func `a text has the names of files, without their folders`(_ text: String, _ shown: String) {
    #expect(text.withoutFolders == shown)
  }

  @Test func `the status has no folders, and its topics stay`() {
    let status = JSON.object([
      "state": .string("/var/lib/tappet"), "commands": .array([.object(["topic": .string("/house/gate/set")])]),
      "certificates": .array([.object(["file": .string("/etc/tappet/client.pem"), "days_left": .number(9)])]),
    ])
    #expect(
      String(decoding: status.withoutFolders.encoded(), as: UTF8.self)
        == #"{"state":"tappet","commands":[{"topic":"/house/gate/set"}],"#
        + #""certificates":[{"file":"client.pem","days_left":9}]}"#)
  }
}
