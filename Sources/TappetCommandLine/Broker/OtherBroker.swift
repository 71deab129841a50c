// The second broker of a command: a different address, with the certificates and the login of the first broker, and
// optionally a separate CA.

import TappetConfig
import TappetCore

extension BrokerChoice {
  /// Returns the settings for the broker specified with `--other`, with a client id different from that of `settings`.
  @export(interface)
  package static func other(_ arguments: Arguments, beside settings: BrokerSettings) throws(CommandFailure)
    -> BrokerSettings
  {
    guard let endpoint = arguments.value("other").flatMap({ BrokerEndpoint(url: $0) }) else {
      throw .usage("--other must be mqtts://HOST[:PORT] or mqtt://HOST[:PORT]")
    }
    var other = settings
    other.endpoints = [endpoint]
    other.clientID += "-o"
    if let path = arguments.value("other-ca") { other.caFile = path }
    return other
  }
}

extension Command {
  /// Options for the address of the second broker.
  package static var otherBrokerOptions: [CommandOption] {
    [
      CommandOption("other", "URL", "URL of the other broker, for which the same certificates and login are used"),
      CommandOption("other-ca", "FILE", .file, "the only CA certificates to trust for the other broker"),
    ]
  }

  package static func usageErrorOfOther(_ arguments: Arguments) -> String? {
    guard arguments.value("other").map({ BrokerEndpoint(url: $0) != nil }) ?? false else {
      return "--other must be mqtts://HOST[:PORT] or mqtt://HOST[:PORT]"
    }
    return nil
  }
}
