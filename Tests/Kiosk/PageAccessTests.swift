// The requests that the page's socket serves.

import TappetCore
import Testing

@testable import TappetKiosk

@Suite struct PageAccessTests {
  private func names(_ level: PageLevel?) -> Set<String> {
    Set(KioskRequestTests.requests.filter { $0.pageAccess.allows(level) }.map { $0.form.name })
  }

  @Test func `each level is allowed what the page needs for it, and nothing else`() {
    #expect(names(nil) == ["enter", "pair"])
    #expect(names(.look) == ["enter", "pair", "web-state", "web-watch"])
    #expect(names(.press) == names(.look).union(["press", "confirm", "cancel", "panel-lock"]))
    #expect(names(.manage) == names(.press))
  }
}
