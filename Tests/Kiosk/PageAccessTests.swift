// The requests that the page's socket serves.

import TappetCore
import Testing

@testable import TappetKiosk

@Suite struct PageAccessTests {
  private func names(_ level: PageLevel?, isConfirmed: Bool = false) -> Set<String> {
    let allowed = KioskRequestTests.requests.filter { $0.pageAccess.allows(level, isConfirmed: isConfirmed) }
    return Set(allowed.map { $0.form.name })
  }

  @Test func `each level is allowed what the page needs for it, and nothing else`() {
    #expect(names(nil) == ["enter", "pair"])
    #expect(names(.look) == ["enter", "pair", "web-state", "web-watch"])
    #expect(
      names(.press)
        == names(.look).union([
          "press", "confirm", "cancel", "panel-lock", "stock-find", "stock-show", "stock-list", "stock-move",
          "stock-lend", "stock-return", "stock-adjust", "stock-undo",
        ]))
    #expect(
      names(.manage)
        == names(.press).union([
          "web-taps", "web-hours", "person-list", "person-add", "person-rename", "person-suspend", "person-resume",
          "secret-list", "web-actions", "status", "outbox-retry", "web-list", "again",
          "secret-rename", "web-received", "broker-test", "broker-listen", "web-log", "web-fleet",
        ]))
    let confirmed = [
      "secret-share", "secret-remove", "person-remove", "web-tag", "web-remove", "broker-publish", "web-backup",
    ]
    #expect(names(.manage, isConfirmed: true) == names(.manage).union(confirmed))
    #expect(names(.press, isConfirmed: true) == names(.press))
    let backup = KioskRequest.secrets(.shareSecret(id: "a1", isForBackup: true))
    #expect(!backup.pageAccess.allows(.manage, isConfirmed: true))
  }
}
