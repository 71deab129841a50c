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
        CommandOption(
          "protocol", "VERSION", .word(["3.1", "3.1.1", "5"]), "MQTT version (default: 5, then 3.1.1)"),
        CommandOption("alpn", "NAME", "protocol name to offer in the TLS handshake"),
        CommandOption("psk-identity", "NAME", "identity of a pre-shared key to use instead of certificates"),
        CommandOption(
          "psk-file", "FILE", .file, "file whose first line is the pre-shared key, in hexadecimal (mode 0600)"),
      ]
    }
  }

  @export(interface)
  package static func usageErrorOfBroker(_ arguments: Arguments) -> String? {
    if let url = arguments.value("url"), BrokerEndpoint(url: url) == nil {
      return "--url must be mqtts://HOST[:PORT] or mqtt://HOST[:PORT]"
    }
    if let version = arguments.value("protocol"), !["3.1", "3.1.1", "5"].contains(version) {
      return "--protocol must be 3.1, 3.1.1 or 5, not '\(version)'"
    }
    let isOwn = arguments.has("url") && !arguments.has("kiosk")
    let certificates = ["ca", "certificate", "private-key"]
    let foreign = (certificates + ["username", "password-file", "alpn", "psk-identity", "psk-file"]).first {
      arguments.has($0)
    }
    if !isOwn, let foreign { return "--\(foreign) requires --url without --kiosk: the kiosk uses its own" }
    if arguments.has("password-file"), !arguments.has("username") { return "--password-file needs --username" }
    if let mistake = usageErrorOfPreSharedKey(arguments, certificates) { return mistake }
    guard let url = arguments.value("url").flatMap({ BrokerEndpoint(url: $0) }), !url.usesTLS else { return nil }
    if arguments.has("password-file") { return "a password is sent only over TLS: use mqtts://" }
    return arguments.value("protocol") == "5" ? "MQTT 5 is used only over TLS: use mqtts://" : nil
  }

  private static func usageErrorOfPreSharedKey(_ arguments: Arguments, _ certificates: [String]) -> String? {
    let (hasName, hasFile) = (arguments.has("psk-identity"), arguments.has("psk-file"))
    if hasName != hasFile { return hasName ? "--psk-identity needs --psk-file" : "--psk-file needs --psk-identity" }
    guard hasName else { return nil }
    if let other = certificates.first(where: { arguments.has($0) }) {
      return "--psk-identity and --\(other) cannot be combined"
    }
    if arguments.value("url").flatMap({ BrokerEndpoint(url: $0) })?.usesTLS == false {
      return "a pre-shared key requires TLS: use mqtts://"
    }
    let size = arguments.value("psk-identity")?.utf8.count ?? 0
    return (1...Limits.preSharedKeyNameSizeMax).contains(size)
      ? nil : "--psk-identity must be 1 to \(Limits.preSharedKeyNameSizeMax) bytes long"
  }
}
