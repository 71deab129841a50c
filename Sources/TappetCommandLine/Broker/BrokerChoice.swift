// Selects the broker according to the options: the kiosk's broker with its certificates, or a different broker.

import CPlatform
import TappetConfig
import TappetCore
import TappetMessages
import TappetPlatform
import TappetStore

/// The broker that a command connects to.
package enum BrokerChoice {
  /// Returns the connection settings, with neither status announcements nor anything else reserved for the kiosk.
  @export(interface)
  package static func settings(_ arguments: Arguments) throws(CommandFailure) -> BrokerSettings {
    var settings =
      if arguments.has("url"), !arguments.has("kiosk") { try own(arguments) } else { try kiosk(arguments) }
    settings.announcesStatus = false
    settings.commandTopics = []
    settings.siteTopic = nil
    settings.will = nil
    settings.needsQoS1 = false
    if let name = arguments.value("client-id") {
      guard BrokerSettings.isClientID(name) else {
        throw .usage(
          "--client-id must be 1 to \(Limits.clientIDSizeMax) bytes long and must not contain '/', '+' or '#'")
      }
      settings.clientID = name
    } else {
      settings.clientID = "tappet-mqtt-" + nonce()
    }
    switch arguments.value("protocol") {
    case "5": settings.version = .v5
    case "3.1.1": settings.version = .v311
    default: break
    }
    return settings
  }

  /// Returns eight random hexadecimal digits.
  package static func nonce() -> String { (try? LibCrypto.random(count: 4)).map { Hex.encode($0) } ?? "0" }

  private static func kiosk(_ arguments: Arguments) throws(CommandFailure) -> BrokerSettings {
    let configuration = try KioskAccess.load(arguments)
    guard var settings = configuration.broker else {
      throw .refused("\(KioskAccess.path(arguments)) contains no 'broker'; use --url to specify one")
    }
    if configuration.storesPassword {
      let store = try KioskAccess.openStore(configuration)
      do throws(SecretStoreError) { settings.password = try store.brokerPassword() } catch {
        throw .failed(error.sentence)
      }
    }
    if let url = arguments.value("url"), let endpoint = BrokerEndpoint(url: url) {
      // The consent to a password without TLS is about the configured endpoints.
      settings.endpoints = [settings.endpoints.first { $0.text == endpoint.text } ?? endpoint]
    }
    return settings
  }

  private static func own(_ arguments: Arguments) throws(CommandFailure) -> BrokerSettings {
    guard let endpoint = arguments.value("url").flatMap({ BrokerEndpoint(url: $0) }) else {
      throw .usage("--url must be mqtts://HOST[:PORT] or mqtt://HOST[:PORT]")
    }
    var settings = BrokerSettings(
      endpoints: [endpoint], clientID: "", caFile: arguments.value("ca"),
      certificateFile: arguments.value("certificate"), privateKeyFile: arguments.value("private-key"),
      announcesStatus: false, alpn: arguments.value("alpn"), username: arguments.value("username"))
    guard settings.username != nil, endpoint.usesTLS else { return settings }
    settings.password = try password(arguments.value("password-file"))
    return settings
  }

  private static func password(_ file: String?) throws(CommandFailure) -> BrokerPassword? {
    if file == nil, !Prompt.isPossible { return nil }
    let line = try Prompt.privateLine(
      from: file, question: "Password", what: "password", sizeMax: Limits.brokerPasswordSizeMax)
    if file == nil, line.count == 0 { return nil }
    guard let password = BrokerPassword(line) else {
      throw .failed("the password is invalid: it is empty, or contains NUL")
    }
    return password
  }
}
