// The line about the page in 'tappet check'.

import TappetJSON
import TappetMessages
import Testing

@testable import TappetKioskTool

@Suite struct CheckPageTests {
  private let now: Int64 = 1_795_400_000

  private func finding(_ facts: KeyValuePairs<String, JSON>?, isServed: Bool = true) -> String {
    let (verdict, text) = CheckReport.page(
      facts.map { JSON.object($0) }, host: "door.example", atUnixSeconds: now, isServed: { _ in isServed })
    return "\(verdict): \(text)"
  }

  private func served(_ seconds: Int64, isLocal: Bool = false) -> KeyValuePairs<String, JSON> {
    [
      "good": .bool(true), "port": .number(8443), "local": .bool(isLocal),
      "certificate_ends_at": .time(unixMilliseconds: (now + seconds) * 1000),
    ]
  }

  @Test func `a page that is served is shown with its address and its certificate's days`() {
    let valid = "its certificate is valid for"
    #expect(finding(served(86_400 * 9 + 5)) == "good: https://door.example:8443; \(valid) 9 days")
    let local = finding(served(86_400, isLocal: true))
    #expect(local == "good: https://localhost:8443, on this machine only; \(valid) 1 day")
    #expect(finding(served(-1)) == "bad: https://door.example:8443; its certificate has expired")
  }

  @Test func `a page that cannot be opened is reported with what is known`() {
    #expect(finding(nil) == "note: the running kiosk has no page yet; reload it")
    #expect(finding(["good": .bool(false), "text": .string("no socket")]) == "bad: no socket")
    let unknown = finding(["good": .bool(true), "port": .null])
    #expect(unknown.hasPrefix("note: ") && unknown.hasSuffix("its address is unknown"))
    #expect(finding(served(86_400), isServed: false).hasPrefix("note: nothing listens at port 8443"))
  }
}
