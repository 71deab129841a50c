// The table of commands: --help, the parser, completions and the manual come from it.

import Foundation
import TappetConfig
import Testing
import TestSupport

@testable import TappetBrokerTool
@testable import TappetCommandLine
@testable import TappetKioskTool
@testable import TappetTool

@Suite struct CommandTests {
  /// Operands that are accepted, as many as the command needs.
  private func operands(_ command: Command) -> [String] {
    command.operands.map { operand in
      switch operand.kind {
      case .entryID: String(repeating: "0", count: 32)
      default: "x"
      }
    }
  }

  private func sample(_ option: CommandOption) -> [String] {
    guard option.value != nil else { return ["--" + option.name] }
    switch option.kind {
    case .seconds: return ["--" + option.name, "7"]
    default: return ["--" + option.name, "7.svg"]
    }
  }

  private func message(_ command: Command, _ words: [String]) -> String? {
    do throws(CommandFailure) {
      _ = try Arguments.parse(words, for: command)
      return nil
    } catch {
      #expect(error.status == .usage)
      return error.sentence ?? ""
    }
  }

  @Test func `the overview fits a terminal of 80 by 24, and lists the first word of every command`() {
    let lines = Help.overview.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count < 24 && lines.allSatisfy { $0.count <= 80 }, "\(Help.overview)")
    let listed = Set(lines.dropFirst().flatMap { $0.split { $0 == " " || $0 == "," } }.map(String.init))
    #expect(Set(CommandGroup.all.map(\.word)).isSubset(of: listed))
  }

  @Test func `every command is on one page of the manual, and every group lists all its commands`() {
    let words = Command.all.map(\.words)
    #expect(Set(words).count == words.count)
    let pages = ManualTable.pages.elements ?? []
    #expect(pages.flatMap { $0["commands"]?.elements ?? [] }.compactMap { $0["words"]?.text } == words)
    let groups = CommandGroup.all
    #expect(Set(groups.map(\.word)).count == groups.count && groups.count == pages.count)
    for group in groups {
      #expect(!group.summary.isEmpty && !group.summary.hasSuffix("."), "\(group.word)")
      guard group.commands[0].isPair else { continue }
      // Not the summary of its first command: it has one of its own.
      #expect(group.summary != group.commands[0].summary, "\(group.word)")
      let lines = Help.list(group).split(separator: "\n")
      for command in group.commands {
        let line = "  " + command.words + " "
        #expect(lines.filter { $0.hasPrefix(line) && $0.hasSuffix(command.summary) }.count == 1, "\(command.words)")
      }
    }
  }

  @Test func `every command has help with its usage and all options, no wider than a terminal`() {
    for command in Command.all {
      #expect(command.help.hasPrefix("Usage: tappet \(command.words)"))
      #expect(!command.summary.isEmpty && !command.summary.hasSuffix(".") && !command.details.isEmpty)
      for option in command.allOptions {
        #expect(command.help.contains("\n  --\(option.name)"), "\(command.words) --\(option.name)")
        #expect(!option.summary.isEmpty && !option.summary.hasSuffix("."), "\(command.words) --\(option.name)")
      }
      for line in command.help.split(separator: "\n") { #expect(line.count <= 110, "\(line)") }
    }
  }

  @Test func `an option's value that is not ASCII does not disturb the column of summaries`() {
    for command in Command.all {
      let lines: [String] = command.help.split(separator: "\n").map { String($0) }
      var columns: Set<Int> = []
      for option in command.allOptions {
        guard let line = lines.first(where: { $0.hasPrefix("  --\(option.name) ") }) else { continue }
        columns.insert(line.count - option.summary.count)
      }
      #expect(columns.count == 1, "\(command.help)")
    }
  }

  @Test func `the parser accepts exactly the options that help lists`() throws {
    for command in Command.all {
      let listed = Set(command.help.matches(of: /\n  --([a-z-]+)/).map { String($0.1) })
      #expect(listed == Set(command.allOptions.map(\.name)))
      for name in listed {
        let option = try #require(command.allOptions.first { $0.name == name })
        let isInPlace =
          command.operands.last.map { if case .oneUnlessOption = $0.count { true } else { false } } ?? false
        let words = sample(option) + (isInPlace && name == "all" ? [] : operands(command))
        let complaint = message(command, words)
        // A combination may still be refused; the option itself is not.
        #expect(complaint?.contains("option '") != true, "\(command.words) \(words): \(complaint ?? "")")
      }
      let foreign = message(command, ["--nothing"] + operands(command))
      #expect(foreign?.contains("unknown option '--nothing'") == true, "\(command.words)")
    }
  }

  @Test func `usage errors are explained and suggest the nearest valid word`() {
    #expect(
      message(.secretList, ["--jsn"]) == "unknown option '--jsn' (did you mean '--json'?); "
        + "see 'tappet secret list --help'")
    #expect(message(.secretList, ["-x"])?.hasPrefix("unknown option '-x'") == true)
    #expect(
      message(.mqttPub, ["t", "-5"]) == "unknown option '-5' (put '--' before an argument that starts with '-'); "
        + "see 'tappet mqtt pub --help'")
    for words in [["-1+1"], ["t", "-1+1"], ["--url", "mqtt://h", "-1+1"]] {
      #expect(message(.mqttPub, words)?.hasPrefix("unknown option '-1+1'") == true, "\(words)")
    }
    #expect(message(.mqttPub, ["--url", "mqtt://h", "--", "t", "-5"]) == nil)
    #expect(message(.secretList, ["--json=1"]) == "option '--json' does not take a value")
    #expect(message(.secretNew, ["--label"]) == "option '--label' needs a value: LABEL")
    #expect(message(.certImport, ["--c", "x"]) == "option '--c' is ambiguous: --certificate, --ca, --config")
    #expect(
      message(.secretNew, []) == "missing ACTION; usage: tappet secret new [--label LABEL] ACTION")
    #expect(message(.secretNew, ["a", "b"]) == "unexpected argument 'b'")
    #expect(
      message(.tagRead, ["--timeout", "0"])
        == "--timeout must be whole seconds from 1 to 3600, or a time such as 5m, not '0'")
    for (text, seconds) in [("90", 90), ("90s", 90), ("2m", 120), ("2 min", 120), ("1h", 3600)] {
      let arguments = try? Arguments.parse(["--timeout", text], for: .tagRead)
      #expect(arguments?.seconds("timeout") == .seconds(seconds), "\(text)")
    }
    for text in ["", "m", "-1", "1.5h", "2M", "9223372036854775807d"] {
      #expect(message(.tagRead, ["--timeout", text]) != nil, "\(text)")
    }
    #expect(message(.outboxDrop, ["--all", String(repeating: "0", count: 32)])?.hasPrefix("unexpected") == true)
    // A key is not repeated.
    let key = String(repeating: "ab", count: 32)
    #expect(message(.secretImport, ["smpshare://secret?idx=0&key=" + key])?.contains(key) == false)
    #expect(CommandTable.all.find(["secret", "new", "x"])?.words == "secret new")
    #expect(CommandTable.all.find(["secret"]) == nil && CommandTable.all.find([]) == nil)
    #expect(CommandTable.split(["--config", "f", "--config=g", "status"]).global == ["--config", "f", "--config=g"])
  }

  // MARK: Completion

  private func completed(_ words: String...) -> [String] {
    let lines = Completion(of: words).text.split(separator: "\n").map(String.init)
    return lines.first == "words" ? lines.dropFirst().map { String($0.prefix { $0 != "\t" }) } : lines
  }

  @Test func `commands, options, values and files are completed where they are allowed`() throws {
    #expect(completed("sec") == ["secret"])
    #expect(completed("").contains("completion"))
    #expect(completed("secret", "re") == ["rename", "remove", "rekey"])
    #expect(completed("help", "secret", "sh") == ["share"])
    #expect(completed("secret", "list", "--j") == ["--json"])
    #expect(completed("secret", "share", "--out", "") == ["files"])
    #expect(completed("secret", "share", "--out=x") == ["files"])
    #expect(completed("init", "--state", "") == ["folders"])
    #expect(completed("--config", "") == ["files"])
    #expect(completed("cert", "check", "a", "b") == ["files"])
    #expect(completed("completion", "") == ["bash", "zsh", "fish"])
    #expect(completed("completion", "bash", "") == ["none"])
    #expect(completed("secret", "list", "") == ["none"])
    #expect(completed("nothing", "") == ["none"])
  }

  @Test func `actions and topics are completed from the configuration, if there is one`() throws {
    let folder = TemporaryFolder()
    let path = folder.path + "/kiosk.yaml"
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
    try """
    broker: {url: "mqtt://127.0.0.1:1", client_id: k}
    state: \(folder.path)/state
    actions: [{name: light, topic: home/light, message: b}, {name: garage, topic: home/garage, message: b}]
    """.write(toFile: path, atomically: true, encoding: .utf8)
    #expect(completed("tag", "write", "--config", path, "") == ["light", "garage"])
    #expect(completed("--config", path, "tag", "write", "g") == ["garage"])
    #expect(completed("tag", "write", "--config", "=", path, "g") == ["garage"])
    #expect(completed("init", "--config=" + path, "--topic", "home/l") == ["home/light"])
    #expect(completed("secret", "import", "--config", path, "--action=l") == ["--action=light"])
    #expect(completed("secret", "remove", "--config", path, "") == ["none"])
    #expect(completed("outbox", "drop", "--config", path, "") == ["none"])
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/state"), "a completion made a database")
    #expect(completed("tag", "write", "--config", "/nowhere", "") == ["none"])
  }
}
