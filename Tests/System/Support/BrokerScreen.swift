// A terminal and a broker, for the commands that draw what a broker has.

import Foundation
import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
  /// A test whose terminal tmux is.
  static var needsTmux: Self {
    .enabled(if: Terminal.tmuxPath != nil, "there is no tmux to be the terminal: tools/deps install tests")
  }
}

extension Terminal {
  /// The lines on the screen.
  var lines: [String] {
    ((try? text()) ?? "").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  func shows(_ text: String) -> Bool { eventually { lines.contains { $0.contains(text) } } }
}

/// A broker, and a folder for the terminal that shows what it has.
struct BrokerScreen {
  let broker: TestBroker
  let folder: String
  let tappet: URL

  init(_ name: String) throws {
    broker = try TestBroker(.plain)
    folder = TestFolder.make(name)
    tappet = try Programs.built("tappet")
  }

  var url: String { "mqtt://localhost:\(broker.port)" }

  /// The terminal's output so far.
  var written: String { textSoFar(folder + "/written") }

  /// A terminal on which `tappet` runs with these words, and these variables.
  func terminal(_ words: [String], variables: [String] = []) throws -> Terminal {
    let env = URL(fileURLWithPath: "/usr/bin/env")
    return try Terminal(env, variables + [tappet.path] + words + ["--url", url], in: folder, columns: 80)
  }

  func publish(_ topic: String, _ text: String) throws {
    #expect(try Programs.run(tappet, ["mqtt", "pub", "--url", url, topic, text, "--retain"]).status == 0)
  }
}
