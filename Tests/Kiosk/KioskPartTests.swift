// The states of the kiosk's parts: whatever shows them names each part that does not work.

import TappetConfig
import TappetMessages
import Testing

@testable import TappetCore
@testable import TappetKiosk

@Suite struct KioskPartTests {
  private struct Refused: Error { var outcome: ConfigurationParser.Outcome }

  private func configuration() throws -> KioskConfiguration {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      panel: {buttons: [{name: left, line: GPIO17, press: play}]}
      actions: [{name: play, topic: t, message: m}]
      """
    let outcome = ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet", files: .ignored)
    guard case .loaded(let configuration) = outcome else { throw Refused(outcome: outcome) }
    return configuration
  }

  private func status(_ change: (inout KioskStatus) -> Void) -> KioskStatus {
    var status = KioskStatus(
      reader: .ready, link: .connecting, panel: [], outputs: [], commands: [],
      clock: KioskStatus.Clock(isNeeded: false),
      light: .ready)
    change(&status)
    return status
  }

  private let broken: [(KioskPart, (inout KioskStatus) -> Void)] = [
    (.reader, { $0.reader = .stopped }), (.broker, { $0.link = .closed }), (.disk, { $0.store = .full }),
    (.panel, { $0.panel = [.stuck(button: 0)] }), (.webhooks, { $0.webhooks = .lost(.silent) }),
    (.rooms, { $0.rooms = .failing(.status(502)) }),
    (.inventory, { $0.inventory = KioskStatus.Inventory(loss: .silent, scannerErrno: 0) }),
    (.site, { $0.site = KioskStatus.Site(name: "north", trouble: .malformed) }), (.page, { $0.pageErrno = 98 }),
  ]

  @Test func `the service manager's line and the reply in a room name each faulty part`() throws {
    let configuration = try configuration()
    #expect(broken.map { $0.0 } == KioskPart.allCases)
    for (part, change) in broken {
      let status = status(change)
      let state = try #require(status.state(of: part, configuration))
      #expect(!state.isGood && state.code != "good" && state.text != "good", "\(part)")
      #expect(status.line(configuration).contains("; \(part.rawValue): \(state.text)"), "\(part)")
      #expect(status.roomText(configuration, "#a:h").contains("\(part.rawValue) \(state.code)"), "\(part)")
    }
  }

  @Test func `without further configuration only the standard parts have a state`() throws {
    let configuration = try configuration()
    let status = status { _ in }
    for part in KioskPart.allCases {
      #expect((status.state(of: part, configuration) != nil) == part.isStandard, "\(part)")
    }
  }
}
