// Commands' promises: any payload is a command or none; nothing acts without its topic's proof; a trusted command
// drives only what its topic allows; and what was signed acts once, whoever repeats or changes it.

import TappetConfig
import TappetCore
import TappetJSON

private let signed = "home/lobby/signed"
private let unixSeconds: Int64 = 1_790_000_010
private let key = SecretKey([UInt8](repeating: 0x5A, count: SecretKey.size))

/// One input, twice: as a payload on each topic, and as the choices that make a signed command.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> Int32 {
  let bytes = input(data, size)
  for topic in ["sealed", "device", "urls"] {
    var kiosk = Door()
    promise(kiosk.reaction(to: bytes, on: topic).isEmpty, "an unproved command acts on \(topic)")
  }
  var kiosk = Door()
  promise(kiosk.reaction(to: bytes, on: "open").isSubset(of: ["gate"]), "a trusted command does what it may not")
  if !kiosk.reaction(to: bytes, on: signed).isEmpty { promise(isSigned(bytes), "an unsigned command acts") }
  promise(kiosk.reaction(to: bytes, on: signed).isEmpty, "a signed command acts twice")
  var choices = Choices(bytes)
  judgeOwn(&choices)
  return 0
}

private func isSigned(_ payload: [UInt8]) -> Bool {
  guard case .request(let request) = CommandArrival.Content(payload), let message = request.signedBytes(topic: signed),
    let code = try? key?.authenticate(message)
  else { return false }
  return request.hmac.flatMap { Hex.decode($0) } == code
}

/// A sender's own command acts once, and not at all when a byte of it is another.
private func judgeOwn(_ choices: inout Choices) {
  let (place, change) = (choices.below(4096), choices.byte())
  let nonce = choices.take(8 + choices.below(57)).map { 0x21 + $0 % 0x5E }
  let id = choices.text()
  guard nonce.count >= Limits.commandNonceSizeMin, id.isPrintable, id.utf8.count <= Limits.commandIDSizeMax else {
    return
  }
  var request = CommandRequest(.target(.output(OutputOrder(output: "gate", request: .on))), id: id)
  request.unixSeconds = unixSeconds
  request.nonce = String(decoding: nonce, as: UTF8.self)
  guard let message = request.signedBytes(topic: signed), let code = try? key?.authenticate(message) else { return }
  let payload = JSON.object([
    "id": .string(id), "output": .string("gate"), "do": .string("on"), "t": .number(unixSeconds),
    "nonce": .string(request.nonce ?? ""), "hmac": .string(Hex.encode(code)),
  ]).encoded()
  var changed = payload
  changed[place % changed.count] ^= change
  var kiosk = Door()
  let acts = !kiosk.reaction(to: changed, on: signed).isEmpty
  promise(!acts || isSigned(changed), "a changed command acts")
  if acts { return }
  promise(kiosk.reaction(to: payload, on: signed) == ["gate"], "its own command is refused")
  promise(kiosk.reaction(to: payload, on: signed).isEmpty, "its own command acts twice")
}

/// A kiosk with outputs, an action and a topic for each kind of trust.
private struct Door {
  private static let names = ["gate", "vault"]
  private var kiosk: Kiosk
  private let now: Moment

  init() {
    let token = TimestampKey(hex: "000102030405060708090a0b0c0d0e0f")
    let bell = Action(name: "bell", title: "bell", index: 0, topic: "home/bell", message: PayloadTemplate("ring"))
    let settings = KioskSettings(
      actions: [bell], panel: PanelPlan(outputs: Door.names.map { OutputPlan(name: $0) }), trustsClock: true,
      commands: [
        CommandPlan(topic: "open", trust: .trusted, window: nil, outputs: ["gate"]),
        CommandPlan(topic: "sealed", trust: .token(token), actions: ["bell"], outputs: Door.names),
        CommandPlan(topic: signed, trust: .signed(key), outputs: ["gate"]),
        CommandPlan(topic: "urls", trust: .signed(nil), actions: ["bell"], outputs: Door.names),
        CommandPlan(
          topic: "device", trust: .token(token), outputs: Door.names,
          firmware: FirmwareRole(open: "gate", stop: "vault", close: "gate")),
      ])
    let start = Moment(instant: Instant(nanoseconds: 0), unixMilliseconds: (unixSeconds - 20) * 1000)
    kiosk = Kiosk(settings: settings, seed: (1, 2, 3, 4), at: start.instant)
    now = start.later(by: .seconds(20))
    var events: [Event] = [.started(OutboxSummary()), .clockChecked(isSynchronized: true), .secretsLoaded([])]
    events += Door.names.indices.map { .panel(.opened(.output($0), isActive: false, debouncesItself: false)) }
    for event in events { _ = kiosk.handle(event, at: start) }
    _ = kiosk.handle(.timerFired, at: now)
  }

  /// The names of the outputs that it drives, and of the actions that it runs; also where that changes nothing.
  mutating func reaction(to payload: [UInt8], on topic: String) -> Set<String> {
    let content =
      payload.count > Limits.commandSizeMax
      ? CommandArrival.Content.unread : CommandArrival.Content(payload, isFirmware: topic == "device")
    let arrival = CommandArrival(topic: topic, size: payload.count, content: content)
    var names: Set<String> = []
    for effect in kiosk.handle(.commandArrived(arrival), at: now) {
      switch effect {
      case .setOutput(let index, _): names.insert(Door.names[index])
      case .store(.append(let entry)): names.insert(entry.action)
      case .report(.command(.accepted(_, .output(let order), _))): names.insert(order.output)
      case .report(.command(.accepted(_, .action(let name), _))): names.insert(name)
      default: break
      }
    }
    return names
  }
}
