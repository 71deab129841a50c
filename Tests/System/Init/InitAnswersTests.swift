// `tappet init --answers`: boards that are set up alike, each with facts of its own.

import Foundation
import TestSupport
import Testing

@Suite(.serialized) struct InitAnswersTests {
  private struct Site {
    let folder: String
    var target: String { folder + "/etc/kiosk.yaml" }
    let host: String

    init() throws {
      folder = try Programs.temporaryFolder().path
      host = try Programs.run(try Programs.installed("uname"), ["-n"]).output.trimmingCharacters(in: .newlines)
      // Two boards, this one in capitals, and a broker that is not there.
      try write(
        "boards.csv", "hostname,door,title\nelsewhere-1,back,x\n\(host.uppercased()),front,\"Door, front\"\n")
      try write(
        "site.yaml",
        """
        yes: true
        untested: true
        preset: mosquitto
        url: localhost:1
        client-id: "door-%{board.door}"
        reader: none
        topic: "site/%{board.door}/open"
        message: '{"at":"%{time}","door":"%{board.title}"}'
        state: data
        boards: boards.csv

        """)
    }

    func write(_ name: String, _ text: String) throws {
      try text.write(toFile: folder + "/" + name, atomically: true, encoding: .utf8)
    }

    func run(_ options: String...) throws -> Finished {
      try Programs.run(
        try Programs.built("tappet"), ["init", "--answers", folder + "/site.yaml", "--config", target] + options,
        environment: ["TAPPET_PRESETS": Repository.root + "/board/presets"])
    }
  }

  @Test func `one file answers for all boards, a table for each board, and a typed option overrides both`() throws {
    let site = try Site()
    defer { try? FileManager.default.removeItem(atPath: site.folder) }
    let done = try site.run("--action", "open")
    #expect(done.status == 0, "\(done)")
    let text = try String(contentsOfFile: site.target, encoding: .utf8)
    for line in [
      "client_id: door-front ", "topic: site/front/open", "name: open", "reader: none", "state: \(site.folder)/data ",
      #"message: '{"at":"%{time}","door":"Door, front"}'"#,
    ] { #expect(text.contains(line), "\(line): \(text)") }
    let again = try site.run("--client-id", "typed", "--force")
    #expect(again.status == 0, "\(again)")
    #expect(try String(contentsOfFile: site.target, encoding: .utf8).contains("client_id: typed "))
  }

  @Test func `a table can mark boards without a broker`() throws {
    let site = try Site()
    defer { try? FileManager.default.removeItem(atPath: site.folder) }
    let answers = try String(contentsOfFile: site.folder + "/site.yaml", encoding: .utf8)
      .replacingOccurrences(of: "url: localhost:1", with: "url: \"%{board.broker}\"")
      .replacingOccurrences(of: "state: data", with: "state: data\nsend-to: \"#%{board.door}:h\"")
    try site.write("site.yaml", answers)
    for (broker, line) in [("none", "room: \"#front:h\"\n"), ("localhost:1", "topic: site/front/open\n")] {
      try site.write("boards.csv", "hostname,door,title,broker\n\(site.host),front,Door,\(broker)\n")
      let done = try site.run("--force")
      #expect(done.status == 0, "\(done)")
      let text = try String(contentsOfFile: site.target, encoding: .utf8)
      #expect(text.contains(line) && text.contains("\nbroker:") == (broker != "none"), "\(text)")
    }
  }

  @Test func `each error has its own message, and nothing is written`() throws {
    let site = try Site()
    defer { try? FileManager.default.removeItem(atPath: site.folder) }
    let answers = try String(contentsOfFile: site.folder + "/site.yaml", encoding: .utf8)
    let boards = try String(contentsOfFile: site.folder + "/boards.csv", encoding: .utf8)
    func expect(_ sentence: String, _ line: Int = #line) throws {
      let done = try site.run()
      #expect(done.status != 0 && done.errors.contains(sentence), "line \(line): \(done)")
      #expect(!FileManager.default.fileExists(atPath: site.folder + "/etc"))
    }
    for (old, new, sentence) in [
      ("topic:", "topik:", "site.yaml:7:1: unknown key 'topik' (did you mean 'topic'?)"),
      ("yes: true", "yes: maybe", "site.yaml:1:6: yes must be 'true' or 'false', not 'maybe'"),
      (
        "board.door}\"\nreader", "board.dor}\"\nreader",
        "site.yaml:5: unknown fact '%{board.dor}'; the facts of this board are "
      ),
      ("boards.csv", "bords.csv", "bords.csv cannot be read: No such file or directory"),
      ("yes: true", "force: true", "unknown key 'force'"),
      ("reader: none", "reader: none\nwrite-tag: true", "--tap and --write-tag need a reader"),
    ] {
      try site.write("site.yaml", answers.replacingOccurrences(of: old, with: new))
      try expect(sentence)
    }
    try site.write("site.yaml", "# \(site.host)\n")
    try expect("site.yaml:2:1: the file is empty, or contains only comments")
    try site.write("site.yaml", answers)
    for (old, new, sentence) in [
      (site.host.uppercased(), "elsewhere-2", "boards.csv contains no row for this board: "),
      ("elsewhere-1", site.host, "boards.csv: lines 2 and 3 both match this board"),
      ("hostname", "board", "no column identifies this board's row; add one of the columns "),
      (",x\n", "\n", "line 2: the row contains 2 fields, but the first line contains 3"),
      ("\"Door, front\"", "%T", "contains a '%' that would create a placeholder in the message"),
      ("front,\"Door", "%{uid},\"Door", "contains a '%' that would create a placeholder in the topic"),
      ("\"Door, front\"", "\"Door", "misplaced or unclosed quote"),
      ("door,title", "door,door", "boards.csv: line 1: duplicate column 'door'"),
      ("front,\"Door", ",\"Door", "'%{board.door}' has no value, because the column 'door' is empty in "),
    ] {
      try site.write("boards.csv", boards.replacingOccurrences(of: old, with: new))
      try expect(sentence)
    }
  }
}
