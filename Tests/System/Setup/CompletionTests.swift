// Completion in real shells, on a terminal: commands, values from the configuration and the database, and files.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct CompletionTests {
  /// A shell, the options that keep its own configuration out, and the commands that load the script.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish

    var path: String? {
      ["/usr/bin/", "/bin/", "/usr/local/bin/"].map { $0 + rawValue }.first(where: FileManager.default.isExecutableFile)
    }

    var options: [String] {
      switch self {
      case .bash: ["--norc", "--noprofile"]
      case .zsh: ["-f"]
      case .fish: ["--no-config", "--private"]
      }
    }

    func loading(_ folder: String) -> String {
      switch self {
      case .bash: "source <(tappet completion bash)"
      case .zsh: "autoload -Uz compinit; compinit -u -d \(folder)/zcompdump; source <(tappet completion zsh)"
      case .fish: "tappet completion fish | source"
      }
    }
  }

  static func canRun(_ shell: Shell) -> Bool { Terminal.tmuxPath != nil && shell.path != nil }

  @Test(.enabled(if: canRun(.bash), "there is no tmux to be the terminal: tools/deps install tests"))
  func `bash completes commands, actions, ids and files`() throws { try complete(.bash) }

  @Test(.enabled(if: canRun(.zsh), "zsh or tmux is not installed"))
  func `zsh completes commands, actions, ids and files`() throws { try complete(.zsh) }

  @Test(.enabled(if: canRun(.fish), "fish or tmux is not installed"))
  func `fish completes commands, actions, ids and files`() throws { try complete(.fish) }

  private func complete(_ shell: Shell) throws {
    let world = try KioskWorld(withBroker: false)
    let id = String(try world.tappet("secret", "list").output.prefix { $0 != " " })
    let bin = try Programs.built("tappet").deletingLastPathComponent().path
    let terminal = try Terminal(
      URL(fileURLWithPath: "/usr/bin/env"),
      [
        "PATH=\(bin):/usr/bin:/bin", "HOME=\(world.folder)", "TAPPET_CONFIG=\(world.configPath)",
        "TAPPET_COMPLETIONS=\(Repository.root)/board/completions", try #require(shell.path),
      ] + shell.options, in: world.folder, columns: 160)
    try terminal.type(shell.loading(world.folder) + "; echo load''ed\r")
    let isLoaded = try eventually { try terminal.text().contains("loaded") }
    try #require(isLoaded, "the script cannot be loaded")

    /// Types the beginning of a line and waits for its end, without trailing spaces; then discards the line.
    func expect(_ typed: String, becomes line: String) throws {
      try terminal.type(typed + "\t")
      let isCompleted = try eventually { try terminal.text().contains(line) }
      let screen = try terminal.text()
      #expect(isCompleted, "\(shell) made of '\(typed)':\n\(screen)")
      try terminal.type("\u{15}")
    }
    try expect("tappet sec", becomes: "tappet secret")
    try expect("tappet secret li", becomes: "tappet secret list")
    try expect("tappet secret list --js", becomes: "tappet secret list --json")
    try expect("tappet tag write gar", becomes: "tappet tag write garage")
    try expect("tappet secret remove " + id.prefix(6), becomes: "tappet secret remove " + id)
    try expect(
      "tappet secret import --file \(world.folder)/kiosk.y", becomes: "--file \(world.folder)/kiosk.yaml")
    let shown = try terminal.everything()
    for key in world.keys { #expect(!shown.contains(key.prefix(16))) }
  }

  @Test func `without a configuration, a database or a kiosk, completion offers and creates nothing`() throws {
    let world = try KioskWorld(withBroker: false)
    func words(_ config: String, _ words: String...) throws -> Finished {
      try Programs.run(
        try Programs.built("tappet"), ["completion", "--words", "--", "--config", config] + words)
    }
    let path = world.folder + "/new.yaml"
    try "broker: {url: \"mqtt://127.0.0.1:1\", client_id: k}\nstate: \(world.folder)/new\nactions: []\n"
      .write(toFile: path, atomically: true, encoding: .utf8)
    for config in ["/nowhere", path] {
      for line in [["secret", "share"], ["outbox", "drop"], ["tag", "write"]] {
        let done = try words(config, line[0], line[1], "")
        #expect(done.status == 0 && done.output == "none\n" && done.errors.isEmpty, "\(line) \(done)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: world.folder + "/new"))
    let listed = try words(world.configPath, "secret", "share", "")
    #expect(listed.output.split(separator: "\n").count == 3 && listed.errors.isEmpty, "\(listed)")
    for key in world.keys { #expect(!listed.output.contains(key)) }
  }
}
