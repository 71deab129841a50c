// The options that specify a broker, for every command that connects to one.

import TappetConfig
import TappetCore

extension Command {
  /// Options for the broker's address and this client's identity.
  package static var brokerOptions: [CommandOption] {
    @export(interface) get {
      [
        CommandOption("kiosk", "use the kiosk's certificates and login (default without --url)"),
        CommandOption("url", "URL", "mqtts://HOST[:PORT] or mqtt://HOST[:PORT], instead of the kiosk's broker"),
        CommandOption("ca", "FILE", .file, "CA certificates to trust, instead of the system's"),
        CommandOption("certificate", "FILE", .file, "client certificate: PEM, or .p12 with its key"),
        CommandOption("private-key", "FILE", .file, "private key of the client certificate"),
        CommandOption("username", "NAME", "user name; prompts for the password"),
        CommandOption("password-file", "FILE", .file, "file whose first line is the password (mode 0600)"),
        CommandOption("client-id", "ID", "client id (default: a unique id)"),
        CommandOption("protocol", "VERSION", .word(["3.1.1", "5"]), "MQTT version (default: 5, then 3.1.1)"),
        CommandOption("alpn", "NAME", "protocol name to offer in the TLS handshake"),
      ]
    }
  }

  @export(interface)
  package static func usageErrorOfBroker(_ arguments: Arguments) -> String? {
    if let url = arguments.value("url"), BrokerEndpoint(url: url) == nil {
      return "--url must be mqtts://HOST[:PORT] or mqtt://HOST[:PORT]"
    }
    if let version = arguments.value("protocol"), !["3.1.1", "5"].contains(version) {
      return "--protocol must be 3.1.1 or 5, not '\(version)'"
    }
    let isOwn = arguments.has("url") && !arguments.has("kiosk")
    let foreign = ["ca", "certificate", "private-key", "username", "password-file", "alpn"].first { arguments.has($0) }
    if !isOwn, let foreign { return "--\(foreign) requires --url without --kiosk: the kiosk uses its own" }
    if arguments.has("password-file"), !arguments.has("username") { return "--password-file needs --username" }
    guard let url = arguments.value("url").flatMap({ BrokerEndpoint(url: $0) }), !url.usesTLS else { return nil }
    if arguments.has("password-file") { return "a password is sent only over TLS: use mqtts://" }
    return arguments.value("protocol") == "5" ? "MQTT 5 is used only over TLS: use mqtts://" : nil
  }
}
