// The second broker of a command: another address, with the certificates and the login of the first unless it has its
// own trust.

import TappetConfig
import TappetCore

extension BrokerChoice {
  /// The settings of the broker of `--other`, for the same client beside the one with `settings`.
  @export(interface)
  package static func other(_ arguments: Arguments, beside settings: BrokerSettings) throws(CommandFailure)
    -> BrokerSettings
  {
    guard let endpoint = arguments.value("other").flatMap({ BrokerEndpoint(url: $0) }) else {
      throw .usage("--other takes mqtts://HOST[:PORT] or mqtt://HOST[:PORT]")
    }
    var other = settings
    other.endpoints = [endpoint]
    other.clientID += "-o"
    if let path = arguments.value("other-ca") { other.caFile = path }
    return other
  }
}

extension Command {
  /// Where the second broker is.
  package static var otherBrokerOptions: [CommandOption] {
    [
      CommandOption("other", "URL", "the other broker; certificates and login are the same"),
      CommandOption("other-ca", "FILE", .file, "the only certificates to trust there"),
    ]
  }

  package static func usageErrorOfOther(_ arguments: Arguments) -> String? {
    guard arguments.value("other").map({ BrokerEndpoint(url: $0) != nil }) ?? false else {
      return "--other takes mqtts://HOST[:PORT] or mqtt://HOST[:PORT]"
    }
    return nil
  }
}
