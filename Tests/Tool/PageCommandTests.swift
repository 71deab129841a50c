// The commands that the pages show, as the parser takes them: each exists, with these options and operands.

import Foundation
import TestSupport
import Testing

@testable import TappetCommandLine
@testable import TappetTool

@Suite struct PageCommandTests {
  private static let pages =
    ["README.md"]
    + ((try? FileManager.default.contentsOfDirectory(atPath: Repository.path("docs"))) ?? [])
    .filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }.sorted()

  /// The lines of a page's blocks for a shell; one that ends with a backslash continues.
  private func blockLines(_ page: String) throws -> [String] {
    var lines: [String] = []
    var language: String?
    for line in try String(contentsOfFile: Repository.path(page), encoding: .utf8).components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        language = language == nil ? String(line.dropFirst(3)) : nil
      } else if !["", "sh"].contains(language) {
        continue
      } else if let last = lines.last, last.hasSuffix("\\") {
        lines[lines.count - 1] = last.dropLast() + line
      } else {
        lines.append(line)
      }
    }
    return lines
  }

  /// The words of each command of `tappet` in a line of a shell; nothing is expanded.
  private func commands(_ line: String) -> [[String]] {
    var commands: [[String]] = [[]]
    var word: String?
    var quote: Character?
    func endWord() {
      if let word { commands[commands.count - 1].append(word) }
      word = nil
    }
    for character in line {
      switch character {
      case "'" where quote == nil, "\"" where quote == nil:
        quote = character
        word = word ?? ""
      case quote: quote = nil
      case _ where quote != nil: word = (word ?? "") + String(character)
      case " ": endWord()
      case "#" where word == nil:
        return finished()
      case "|", ";", "&", "(", ")", "`":
        endWord()
        commands.append([])
      // The file of a redirection is not a word of the command.
      case "<", ">":
        word = nil
        commands.append(["redirected"])
      default: word = (word ?? "") + String(character)
      }
    }
    return finished()
    func finished() -> [[String]] {
      endWord()
      return commands.compactMap { words in
        let start = words.prefix { $0 == "sudo" || $0 == "$" }.count
        return words.dropFirst(start).first == "tappet" ? Array(words.dropFirst(start + 1)) : nil
      }
    }
  }

  @Test(arguments: pages)
  func `every command on a page is accepted by the parser`(_ page: String) throws {
    let table = CommandTable(Command.all)
    for line in try blockLines(page) {
      for words in commands(line) where !words.contains(where: { $0.hasPrefix("[") || $0 == "…" }) {
        let (global, rest) = CommandTable.split(words)
        guard let first = rest.first, first != "--version", first != "--help", first != "help" else { continue }
        guard let command = table.find(rest) else {
          Issue.record("\(page): there is no such command: \(line)")
          continue
        }
        let operands = rest.dropFirst(command.words.split(separator: " ").count).map {
          $0 == "ID" ? String(repeating: "0", count: 32) : $0
        }
        do throws(CommandFailure) { _ = try Arguments.parse(global + operands, for: command) } catch {
          // A page is read at a terminal.
          guard error.sentence?.hasPrefix("standard output is not a terminal") != true else { continue }
          Issue.record("\(page): \(line): \(error.sentence ?? "")")
        }
      }
    }
  }

  @Test func `a shell line is split into commands, and all pages are found`() {
    #expect(Self.pages.count > 20)
    #expect(commands("sudo tappet secret list # tappet x") == [["secret", "list"]])
    #expect(commands("tappet a 'b c' >x && tappet d | jq .") == [["a", "b c"], ["d"]])
    #expect(commands("echo tappet; $ tappet mqtt pub t \"a 'b'\"") == [["mqtt", "pub", "t", "a 'b'"]])
  }
}
