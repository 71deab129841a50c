// A group of commands with the same first word, which has a manual page and an overview in `tappet help`.

import TappetCommandLine
import TappetCore

/// A group such as `tag`, with `tag read`, `tag write` and others, or a single command of one word.
struct CommandGroup {
  var word: String
  /// One-line description, without a full stop.
  var summary: String
  /// Formatted text about all commands of the group; may be empty.
  var details = ""
  var commands: [Command] = []

  /// All groups in the order of the overview.
  static var all: [CommandGroup] {
    var groups: [CommandGroup] = []
    for command in Command.all {
      let word = String(command.words.prefix { $0 != " " })
      if groups.last?.word != word { groups.append(described(word) ?? CommandGroup(word, command.summary)) }
      groups[groups.count - 1].commands.append(command)
    }
    return groups
  }

  /// Returns the group of two-word commands with this first word; `nil` if there is none.
  static func named(_ word: String) -> CommandGroup? { all.first { $0.word == word && $0.commands[0].isPair } }

  /// The second words of the group's commands.
  var seconds: [String] { commands.map { String($0.words.dropFirst(word.count + 1)) } }

  private init(_ word: String, _ summary: String, _ details: String = "") {
    self.word = word
    self.summary = summary
    self.details = details
  }

  private static func described(_ word: String) -> CommandGroup? { descriptions.first { $0.word == word } }

  private static var descriptions: [CommandGroup] {
    [
      CommandGroup("broker", "store the kiosk's password for the broker"),
      CommandGroup("panel", "lock the buttons"),
      CommandGroup("output", "list and switch the outputs"),
      CommandGroup("web", "let browsers use the kiosk's page"),
      CommandGroup("command", "test the commands that a kiosk accepts"),
      CommandGroup("outbox", "list, drop and export pending messages"),
      CommandGroup("tag", "read, write, protect and learn tags"),
      CommandGroup(
        "secret", "create, share, import and remove the secrets of tags",
        """
        An ID can be abbreviated as long as it is unambiguous, or replaced with a fingerprint. Only root and the
        kiosk's own user can see keys.
        """),
      CommandGroup("action", "rename an action"),
      CommandGroup("token", "create and open timestamp tokens"),
      CommandGroup("person", "manage people and the limits of their tags"),
      CommandGroup("people", "push people to all doors of a site"),
      CommandGroup("matrix", "log in to a Matrix homeserver, and manage rooms"),
      CommandGroup("space", "manage the spaces of Matrix rooms"),
      CommandGroup("cert", "check, import, request and enrol certificates"),
      CommandGroup(
        "mqtt", "test, watch and measure a broker",
        """
        The broker, the certificates and the login come from the configuration, unless --url specifies another
        broker. With --url and --kiosk, the kiosk's certificates and login are used for that broker. A running
        kiosk keeps its connection, because these commands use a different client id.
        """),
      CommandGroup(
        "fleet", "monitor all kiosks on a broker",
        """
        The broker retains whether each kiosk is connected and, with 'telemetry: {state: true}', its state.
        """),
      CommandGroup(
        "inventory", "import and export the inventory, and undo changes",
        "A change is on disk when the command exits; use --by to record a different person as its author."),
    ] + InventoryKind.allCases.map { CommandGroup($0.name, "manage the \($0.plural) of the inventory") }
  }
}
