// tappet audit: who changed a secret, or saw one, and when.

import TappetCore
import TappetDevices
import TappetRuntime

enum AuditCommand {
  static func run(_ words: [String]) -> ExitStatus {
    switch Arguments.parse(words, command: "audit", options: [.config, .json]) {
    case .failure(let stop): return stop.status
    case .success(let arguments):
      guard let configuration = Settings.load(arguments) else { return .configuration }
      return SecretCommand.perform("audit") { () throws(SecretRefusal) in
        let deeds = try all(SecretDoor(configuration: configuration))
        if arguments.has("json") { return Output.print(.array(deeds)) }
        for deed in deeds {
          Output.print(
            "\(TimeText.local(deed["time"]?.wholeNumber ?? 0))  user \(deed["user"]?.wholeNumber ?? 0)  \(deed["program"]?.text ?? "")[\(deed["process"]?.wholeNumber ?? 0)]  \(deed["deed"]?.text ?? "")  \(deed["subject"]?.text ?? "")"
          )
        }
      }
    }
  }

  private static func all(_ door: SecretDoor) throws(SecretRefusal) -> [JSON] {
    var deeds: [JSON] = []
    var after: Int64 = 0
    while true {
      let page =
        try door.ask("audit", [JSON.Member(name: "after", value: .number(after))]).json["deeds"]?.elements ?? []
      deeds += page
      guard let last = page.last?["number"]?.wholeNumber, last > after else { return deeds }
      after = last
    }
  }
}
