// AWS IoT fleet provisioning by claim: with a certificate shared by all boards, a board obtains its own certificate and
// is registered as a thing. Topics and members are those of AWS's "Device provisioning MQTT API", in JSON:
//
//   $aws/certificates/create-from-csr/json            ──▶ certificateSigningRequest
//                                  …/accepted         ◀── certificateId certificatePem certificateOwnershipToken
//   $aws/provisioning-templates/NAME/provision/json   ──▶ certificateOwnershipToken parameters
//                                  …/accepted         ◀── thingName deviceConfiguration
//                                  …/rejected         ◀── statusCode errorCode errorMessage
//
// AWS sends the response only on the connection that sent the request, and only if the client subscribed beforehand.

import TappetBroker
import TappetCommandLine
import TappetConfig
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform

/// A provisioning session with AWS IoT.
struct FleetProvisioning {
  private static let creation = "$aws/certificates/create-from-csr/json"

  private let dialogue: RequestSession
  private let deadline: Instant
  private let registration: String
  private let place: String

  /// Obtains the certificate, and installs it once the board is registered.
  static func run(_ enrolment: Enrolment, template: String, _ facts: BoardFacts) throws(CommandFailure) {
    let settings = try settings(enrolment)
    let client = try BrokerClient(settings)
    defer { client.shutdown() }
    try connect(client, by: enrolment.deadline)
    let place = settings.endpoints[client.endpoint].host
    let dialogue = FleetProvisioning(
      dialogue: RequestSession(client), deadline: enrolment.deadline,
      registration: "$aws/provisioning-templates/\(template)/provision/json", place: place)
    try dialogue.subscribe()
    let issued = try dialogue.create(enrolment.request)
    let identity = try enrolment.identity(issued.pem, from: place)
    // Write the files before registering: if the disk is full, AWS still discards the unused certificate automatically.
    let files = try enrolment.draft(identity)
    var extras = try dialogue.register(issued.token, parameters(enrolment.arguments, facts))
    extras.certificateID = issued.id
    try enrolment.finish(files, identity, extras)
  }

  // MARK: Options

  /// Whether AWS allows this template name.
  static func isTemplate(_ name: String) -> Bool {
    (1...36).contains(name.utf8.count) && name.hasOnlyASCIIAlphanumerics(and: "-_")
  }

  /// Parses `NAME=VALUE`.
  static func parameter(_ text: String) -> JSON.Member? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else { return nil }
    return JSON.Member(name: String(parts[0]), value: .string(String(parts[1])))
  }

  /// Parses `HOST`, `HOST:PORT` or `mqtts://HOST[:PORT]`.
  static func endpoint(_ text: String) -> BrokerEndpoint? {
    let url = text.utf8.contains(UInt8(ascii: "/")) ? text : "mqtts://" + text
    return BrokerEndpoint(url: url).flatMap { $0.usesTLS ? $0 : nil }
  }

  /// Returns SerialNumber, as in AWS's examples, and the specified parameters; the last value of a parameter wins.
  private static func parameters(_ arguments: Arguments, _ facts: BoardFacts) -> [JSON.Member] {
    var members: [JSON.Member] = []
    if let serial = facts["serial"] ?? facts["machine_id"] {
      members.append(JSON.Member(name: "SerialNumber", value: .string(serial)))
    }
    for member in arguments.all("parameter").compactMap({ parameter($0) }) {
      members.removeAll { $0.name == member.name }
      members.append(member)
    }
    return members
  }

  private static func settings(_ enrolment: Enrolment) throws(CommandFailure) -> BrokerSettings {
    let arguments = enrolment.arguments
    var endpoints = arguments.value("url").flatMap { endpoint($0) }.map { [$0] }
    var alpn = arguments.value("alpn")
    if endpoints == nil {
      let broker = try KioskAccess.load(arguments).broker
      endpoints = broker?.endpoints
      alpn = alpn ?? broker?.alpn
    }
    guard let endpoints, endpoints.allSatisfy({ $0.usesTLS }) else {
      throw .usage("fleet provisioning requires TLS: specify AWS IoT's endpoint with --url")
    }
    let preset = BrokerPreset.load(name: "aws-iot")?.other
    if alpn == nil, endpoints.first?.port == preset?.port { alpn = preset?.alpn }
    guard let claim = arguments.value("claim"), let key = arguments.value("claim-key") else {
      throw .usage("--aws needs --claim and --claim-key")
    }
    let ca = arguments.value("ca") ?? enrolment.brokerCA
    return BrokerSettings(
      endpoints: endpoints, clientID: enrolment.clientID, caFile: ca == "system" ? nil : ca, certificateFile: claim,
      privateKeyFile: key, announcesStatus: false, alpn: alpn)
  }

  // MARK: The connection

  /// Connects to the first endpoint that accepts the claim certificate.
  private static func connect(_ client: BrokerClient, by deadline: Instant) throws(CommandFailure) {
    var reason = CommandFailure.timerFired("no time was left to connect")
    for index in client.settings.endpoints.indices {
      let name = client.settings.endpoints[index].text
      let time = min(deadline - Instant.now(), Limits.connectTimeout + .seconds(2))
      switch time > .zero ? client.connect(endpoint: index, within: time) : .timeUp {
      case .connected: return
      case .interrupted: throw .interrupted
      case .timeUp: reason = .timerFired("\(name) did not respond")
      case .failed(let failure):
        reason = .failed(
          "nothing was changed: \(name): \(failure.sentence) (certificate: --claim, CA: --ca)",
          failure.code)
      }
    }
    throw reason
  }

  private func subscribe() throws(CommandFailure) {
    for topic in [Self.creation, registration].flatMap({ [$0 + "/accepted", $0 + "/rejected"] }) {
      switch dialogue.subscribe(topic, qos: 1) {
      case .granted: continue
      case .refused:
        throw .refused(
          "nothing was changed: \(place) does not allow the claim certificate to subscribe to \(topic); allow this "
            + "in the certificate's policy",
          FailureCode.enrolmentRefused)
      case .none:
        try requireConnection(about: topic)
        throw .timerFired("\(place) did not acknowledge the subscription to \(topic)")
      }
    }
  }

  /// Throws if the connection was lost: AWS disconnects a client that violates its policy.
  private func requireConnection(about topic: String) throws(CommandFailure) {
    if let loss = dialogue.loss {
      throw .failed(
        "\(place) closed the connection after a request on \(topic): \(loss.sentence); AWS IoT does this when the "
          + "claim certificate's policy does not allow the topic", loss.code)
    }
    try dialogue.requireConnection()
  }

  // MARK: Requests

  private func create(_ request: [UInt8]) throws(CommandFailure) -> (id: String, pem: [UInt8], token: String) {
    let csr = String(decoding: request, as: UTF8.self)
    let answer = try ask(Self.creation, .object(["certificateSigningRequest": .string(csr)]))
    guard let pem = answer["certificatePem"]?.text, let token = answer["certificateOwnershipToken"]?.text,
      let id = answer["certificateId"]?.text
    else { throw malformed(Self.creation) }
    return (id, Array(pem.utf8), token)
  }

  private func register(_ token: String, _ parameters: [JSON.Member]) throws(CommandFailure) -> Enrolment.Extras {
    let request = JSON.object(["certificateOwnershipToken": .string(token), "parameters": .object(parameters)])
    let answer = try ask(registration, request)
    guard let name = answer["thingName"]?.text else { throw malformed(registration) }
    var extras = Enrolment.Extras(thingName: name)
    if case .object(let members)? = answer["deviceConfiguration"] { extras.configuration = members }
    return extras
  }

  /// Sends the request, retrying while AWS throttles, and returns the accepted response.
  private func ask(_ topic: String, _ request: JSON) throws(CommandFailure) -> JSON {
    var ceiling = Limits.enrolmentPauseMin
    var lastRefusal: FleetRefusal?
    while true {
      guard let message = try exchange(topic, request) else {
        throw lastRefusal?.failure(topic, place)
          ?? .timerFired(
            "\(place) did not respond on \(topic); check that the template exists, and that the claim certificate is "
              + "allowed to use it")
      }
      guard let json = JSON(decoding: message.payload, roundsFractions: true) else { throw malformed(topic) }
      guard message.topic != topic + "/accepted" else { return json }
      let refusal = FleetRefusal(json)
      // A random pause keeps boards that were refused at the same time from retrying at the same time.
      let pause = Duration.milliseconds(Int64.random(in: ceiling.wholeMilliseconds / 2...ceiling.wholeMilliseconds))
      guard refusal.isTemporary, Instant.now() + pause < deadline else { throw refusal.failure(topic, place) }
      Output.printError("\(place) is busy (\(refusal.code.escaped)); retrying")
      lastRefusal = refusal
      dialogue.collect(until: pause)
      try requireConnection(about: topic)
      ceiling = min(ceiling * 2, Limits.enrolmentPauseMax)
    }
  }

  /// Sends a request and returns the response, or `nil` if none arrives in time.
  private func exchange(_ topic: String, _ request: JSON) throws(CommandFailure) -> LinkMessage? {
    switch dialogue.publish(topic, request.encoded()) {
    case .taken: break
    case .refused(let code):
      throw .refused(
        "nothing was changed: \(place) does not allow the claim certificate to publish to \(topic): "
          + LinkFailure.publishRefusal(code),
        FailureCode.enrolmentRefused)
    case .none: try requireConnection(about: topic)
    }
    let answers = [topic + "/accepted", topic + "/rejected"]
    if let message = dialogue.message(until: deadline, where: { answers.contains($0.topic) }) { return message }
    try requireConnection(about: topic)
    if dialogue.hasDiscarded { throw malformed(topic) }
    return nil
  }

  private func malformed(_ topic: String) -> CommandFailure {
    .failed(
      "nothing was changed: the response from \(place) on \(topic) does not match AWS's documentation; check that "
        + "this is AWS IoT",
      FailureCode.malformedAnswer)
  }
}

/// An error that AWS IoT returned.
private struct FleetRefusal {
  let status: Int64
  let code: String
  private let text: String

  init(_ json: JSON) {
    status = json["statusCode"]?.wholeNumber ?? 0
    code = json["errorCode"]?.text ?? ""
    text = json["errorMessage"]?.text ?? ""
  }

  /// Whether the request may succeed later, because it was throttled or the server failed.
  var isTemporary: Bool { status == 429 || (500...599).contains(status) }

  func failure(_ topic: String, _ place: String) -> CommandFailure {
    let reason = "\(text.escaped) (\(code.escaped), \(status))"
    return .refused("nothing was changed: \(place) refused \(topic): \(reason)", FailureCode.enrolmentRefused)
  }
}

extension CommandFailure {
  /// Creates a failure for an expired time limit.
  static func timerFired(_ sentence: String) -> Self {
    .failed("nothing was changed: " + sentence, FailureCode.timedOut)
  }
}
