// Support for 'tappet command test': the kiosk creates a command as a sender would, with its own keys, and validates it
// like any other command.

import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages

extension Runtime {
  /// Creates and validates a command, for users who may read the keys.
  ///
  /// The response is `{"payload": …, "result": …, "code": …, "text": …}`.
  func testCommand(_ sample: SampleCommand, topic: String, for client: ControlServer.Client) {
    guard client.maySeeKeys else {
      return client.send(.failure("only root and the kiosk's own user can test commands"))
    }
    guard let plan = kiosk.settings.commands.first(where: { $0.topic == topic }) else {
      return client.send(.failure("'commands' in kiosk.yaml does not contain this topic"))
    }
    guard let payload = plan.payload(sample, unixSeconds: now().unixSeconds) else {
      return client.send(
        .failure("no proof can be created: the key is missing, or the topic does not accept this kind of command"))
    }
    var arrival = CommandArrival(
      topic: plan.topic, size: payload.count,
      content: CommandArrival.Content(payload, isFirmware: plan.firmware != nil))
    arrival.isTest = true
    control.commandReply = nil
    feed(.commandArrived(arrival))
    // Only a command whose entry is still being written to disk has no reply yet.
    let result = control.commandReply?.result ?? .accepted
    var text = String?.none
    if case .refused(let refusal) = result { text = refusal.sentence(topic: plan.topic) }
    client.send(
      .object([
        "payload": .string(String(decoding: payload, as: UTF8.self)), "result": .string(result.word),
        "code": .optional(result.code), "text": .optional(text),
      ]))
  }
}

extension CommandPlan {
  /// Returns an authenticated command for the topic of this plan; `nil` if it cannot be created.
  fileprivate func payload(_ sample: SampleCommand, unixSeconds: Int64) -> [UInt8]? {
    guard firmware == nil else { return firmwarePayload(sample, unixSeconds: unixSeconds) }
    var members = [JSON.Member(name: "id", value: .string("test"))]
    func add(_ name: String, _ value: JSON) { members.append(JSON.Member(name: name, value: value)) }
    switch sample {
    case .action(let name): add("action", .string(name))
    case .output(let name, let operation):
      add("output", .string(name))
      add("do", .string(operation))
    }
    switch trust {
    case .room: return nil
    case .trusted: if window != nil { add("t", .number(unixSeconds)) }
    case .token(let key):
      guard let key, let token = try? TimestampToken.seal(unixSeconds: unixSeconds, key: key) else { return nil }
      add("token", .string(token))
    case .signed(let key):
      guard let key, let nonce = try? LibCrypto.random(count: 16) else { return nil }
      add("t", .number(unixSeconds))
      add("nonce", .string(Hex.encode(nonce)))
      guard case .request(let request) = CommandArrival.Content(JSON.object(members).encoded()),
        let message = request.signedBytes(topic: topic), let code = try? key.authenticate(message)
      else { return nil }
      add("hmac", .string(Hex.encode(code)))
    }
    return JSON.object(members).encoded()
  }

  private func firmwarePayload(_ sample: SampleCommand, unixSeconds: Int64) -> [UInt8]? {
    guard case .action(let name) = sample, let number = Int64(decimal: name.utf8), case .token(let key?) = trust,
      let token = try? TimestampToken.seal(unixSeconds: unixSeconds, key: key)
    else { return nil }
    return JSON.object(["command": .number(number), "otp-auth": .string(token), "sender": .string("tappet")]).encoded()
  }
}
