// `telemetry:` of kiosk.yaml.

import Testing

@testable import TappetConfig
@testable import TappetMessages

@Suite struct TelemetryConfigurationTests {
  private func parse(_ more: String) -> ConfigurationParser.Outcome {
    let text = """
      broker: {url: 'mqtts://broker.example', client_id: kiosk}
      actions:
        - {name: garage, topic: home/garage, message: x}
      \(more)
      """
    return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: "/etc/tappet")
  }

  @Test(arguments: [("", false), ("telemetry: {state: true}", true), ("telemetry: {state: false}", false)])
  func `the state is published if configured`(_ text: String, _ isPublished: Bool) {
    guard case .loaded(let configuration) = parse(text) else {
      Issue.record("\(parse(text))")
      return
    }
    #expect(configuration.publishesState == isPublished)
  }

  @Test(arguments: ["telemetry: true", "telemetry: {}", "telemetry: {state: 'true'}", "telemetry: {stat: true}"])
  func `an invalid setting is refused`(_ text: String) {
    guard case .refused(let problems) = parse(text) else {
      Issue.record("accepted: \(text)")
      return
    }
    #expect(problems.allSatisfy { $0.sentence.hasPrefix("k:4:") })
  }
}
