// tappet completion: the shell scripts in board/completions, which query this program for completions.
//
// Each script calls `tappet completion --words -- WORD…` with the words up to the cursor; the last word is unfinished.
// The first line of the response is `words`, `files`, `folders` or `none`; `words` is followed by one line per word,
// `WORD TAB DESCRIPTION`.

import TappetCommandLine
import TappetCore
import TappetPlatform

extension Command {
  static var completion: Command {
    Command(
      words: "completion", section: .setup, summary: "print a completion script for bash, zsh or fish",
      operands: [Operand("SHELL", .word(["bash", "zsh", "fish"]))],
      details: """
        Prints a script that makes the shell complete commands, options, files, actions, topics, and the ids
        of secrets and outbox entries. 'make install' installs all three scripts.
          bash  source <(tappet completion bash)
          zsh   tappet completion zsh >"${fpath[1]}/_tappet"
          fish  tappet completion fish >~/.config/fish/completions/tappet.fish
        """,
      body: .plain { (arguments) throws(CommandFailure) in
        let shell = arguments.operands[0]
        guard ["bash", "zsh", "fish"].contains(shell) else {
          throw .usage("no script for '\(shell)'; the supported shells are bash, zsh and fish")
        }
        let path = DataFolder.path("completions", variable: "TAPPET_COMPLETIONS") + "/tappet." + shell
        switch TextFile.read(path, sizeMax: Limits.configurationSizeMax) {
        case .success(let script): Output.write(bytes: script.bytes)
        case .failure(let error): throw .failed("\(path) cannot be read: \(error.text); reinstall Tappet")
        }
      })
  }
}
