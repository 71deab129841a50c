// The limits of a proof: it tells neither that a command is its sender's newest, nor that it was made for this kiosk.

import Testing

@testable import TappetCore

@Suite struct CommandOrderTests {
  private static let time = 20_000
  private let key = TimestampKey(hex: "000102030405060708090a0b0c0d0e0f")

  private func story(_ trust: CommandTrust, firmware: FirmwareRole? = nil) -> KioskScript {
    var panel = PanelPlan()
    panel.outputs = ["gate", "heater"].map { OutputPlan(name: $0) }
    let plan = CommandPlan(topic: "c", trust: trust, outputs: ["gate", "heater"], firmware: firmware)
    let story = KioskScript(panel: panel, commands: [plan])
    story.startAll()
    for index in 0...1 { story.at(10, .panel(.opened(.output(index), isActive: false, debouncesItself: false))) }
    story.at(Self.time, .timerFired)
    return story
  }

  /// The first words of a signed command's effects; it was signed some seconds ago.
  private func send(_ story: KioskScript, _ name: String, _ request: OutputRequest, ago: Int64) throws -> String {
    let sentAt = story.moment(story.time).unixSeconds - ago
    var command = CommandRequest(.target(.output(OutputOrder(output: name, request: request))), unixSeconds: sentAt)
    command.nonce = "\(request.rawValue)-\(ago)-nonce"
    command.hmac = Hex.encode(try SecretKey.repeating(0x5A).authenticate(#require(command.signedBytes(topic: "c"))))
    return arrive(story, command)
  }

  private func arrive(_ story: KioskScript, _ request: CommandRequest) -> String {
    story.at(story.time, .commandArrived(CommandArrival(topic: "c", size: 100, content: .request(request))))[0]
  }

  @Test func `if a broker swaps two signed commands, the newer one determines the output`() throws {
    let story = story(.signed(.repeating(0x5A)))
    #expect(try send(story, "heater", .off, ago: 0).hasPrefix("report command heater off"))
    #expect(try send(story, "heater", .on, ago: 2) == "report command refused overtaken")
    // Another output has an order of its own, and a second may have several commands.
    #expect(try send(story, "gate", .on, ago: 2) == "output 0 on")
    #expect(try send(story, "heater", .on, ago: 0) == "output 1 on")
    #expect(story.kiosk.status.outputs.map(\.isOn) == [true, true])
  }

  @Test func `a signed command acts after both clocks were a day ahead for a minute`() throws {
    let story = story(.signed(.repeating(0x5A)))
    story.wallOffset += 86_400_000
    #expect(try send(story, "heater", .on, ago: 0) == "output 1 on")
    story.wallOffset -= 86_400_000
    #expect(try send(story, "heater", .off, ago: 0) == "output 1 off")
  }

  @Test(arguments: [nil, FirmwareRole(open: "gate", stop: "gate", close: "gate", isLax: true)])
  func `a token that the kiosk made for a lamp does not open its own gate`(_ firmware: FirmwareRole?) throws {
    let story = story(.token(key), firmware: firmware)
    func command(_ token: String) -> CommandRequest {
      var request = CommandRequest(.target(.output(OutputOrder(output: "gate", request: .on))))
      if firmware != nil { request.form = .number(1) }
      request.token = token
      return request
    }
    let now = story.moment(Self.time).unixSeconds
    let ours = try TimestampToken.seal(unixSeconds: now, key: #require(key))
    story.at(Self.time, .tokenSealed(ours, unixSeconds: now))
    #expect(arrive(story, command(ours)) == "report command refused repeated")
    let theirs = try TimestampToken.seal(unixSeconds: now, key: #require(key))
    #expect(arrive(story, command(theirs)) == "output 0 on")
  }
}
