// Words that people try, which are the names of other programs' commands.

import TappetCore

/// Suggestions for unknown commands.
enum Synonyms {
  /// Other words for the first word of a command, and what does what they mean.
  private static var firsts: KeyValuePairs<String, String> {
    [
      "start": "sudo systemctl start tappet", "stop": "sudo systemctl stop tappet",
      "restart": "sudo systemctl restart tappet", "reload": "sudo systemctl reload tappet",
      "enable": "sudo systemctl enable --now tappet", "disable": "sudo systemctl disable --now tappet",
      "log": "journalctl -u tappet", "logs": "journalctl -u tappet", "journal": "journalctl -u tappet",
      "taps": "tappet history", "events": "tappet history", "users": "tappet person list", "user": "tappet person",
      "persons": "tappet person list", "doctor": "tappet check", "test": "tappet check", "diagnose": "tappet check",
      "validate": "tappet check --config-only", "version": "tappet --version", "setup": "tappet init",
      "configure": "tappet init", "read": "tappet tag read", "scan": "tappet tag read", "write": "tappet tag write",
      "tags": "tappet secret list", "keys": "tappet secret list", "queue": "tappet outbox list",
      "search": "tappet find", "outputs": "tappet output list",
    ]
  }

  /// Other words for the second word of a command.
  private static var seconds: KeyValuePairs<String, [String]> {
    [
      "delete": ["remove", "drop", "forget"], "rm": ["remove", "drop", "forget"], "del": ["remove", "drop", "forget"],
      "ls": ["list"], "show": ["list"], "create": ["add", "new"], "new": ["add"], "add": ["new", "import"],
      "scan": ["read"], "clear": ["erase", "drop"], "block": ["suspend"], "unblock": ["resume"], "limit": ["allow"],
    ]
  }

  /// Returns the suggestion for an unknown first word, to append to the error.
  static func suggestion(for first: String, among known: [String]) -> String {
    if let other = firsts.first(where: { $0.key == first })?.value { return " (did you mean '\(other)'?)" }
    return Spelling.suggestion(Spelling.nearest(to: first, among: known, limit: 2))
  }

  /// Returns the suggestion for an unknown second word of a group.
  static func suggestion(forSecond second: String, among known: [String]) -> String {
    let others = seconds.first { $0.key == second }?.value ?? []
    return Spelling.suggestion(
      others.first { known.contains($0) } ?? Spelling.nearest(to: second, among: known, limit: 2))
  }
}
