// tappet cert check: checks certificates, their keys and their chains, in any format.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetMessages
import TappetPlatform
import TappetTLS

extension Command {
  static var certCheck: Command {
    Command(
      words: "cert check", section: .certificates, summary: "check certificates and keys",
      operands: [Operand("FILE", .file, .any)],
      options: [
        CommandOption("host", "NAME", "check that the certificates are valid for this server name"),
        .passphraseFile,
        .json,
      ],
      details: """
        Checks certificates and keys, in PEM, DER or PKCS#12 files in any order: dates, usage, strength, whether
        the key belongs to a certificate, and whether the chain is complete. Without files, checks the files
        specified in the configuration.
        Exit status: 0 everything is valid; 1 something is wrong.
        """,
      body: .plain { (arguments) throws(CommandFailure) in
        let paths = arguments.operands.isEmpty ? try CertificateFiles(arguments).all() : arguments.operands
        try Prompt.requirePassphraseFile(arguments)
        let report = CertificatesReport(paths, host: arguments.value("host")) { Prompt.passphrase(of: $0, arguments) }
        let now = SystemClock().now().unixSeconds
        arguments.report?.set(.object(["findings": .array(report.findings.map { $0.json(at: now) })]))
        var isGood = true
        for finding in report.findings {
          if !finding.isGood(at: now) { isGood = false }
          if arguments.asJSON { continue }
          var text = finding.sentence(at: now)
          if case .problem(let problem) = finding.remark { text = problem.promptSentence }
          Output.print((finding.isGood(at: now) ? "ok    " : "FAIL  ") + text)
        }
        if !isGood { throw .found }
      })
  }
}
