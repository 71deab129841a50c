// tappet cert enrol: obtains a certificate for a locally created key from AWS IoT or an EST server, unattended.

import TappetCommandLine
import TappetCore
import TappetJSON
import TappetPlatform

extension Command {
  static var certEnrol: Command {
    Command(
      words: "cert enrol", section: .certificates, summary: "get a certificate for a key that never leaves the board",
      options: [
        CommandOption("aws", "TEMPLATE", "AWS IoT fleet provisioning template to enrol with"),
        CommandOption("est", "URL", "EST server (RFC 7030) to enrol with: https://HOST[:PORT][/PATH]"),
        CommandOption("claim", "FILE", .file, "client certificate: AWS claim, or a certificate for the EST server"),
        CommandOption("claim-key", "FILE", .file, "private key of the claim certificate"),
        CommandOption("ca", "FILE|system", .file, "the only CA certificates to trust for enrolment"),
        CommandOption("url", "HOST|URL", "AWS IoT endpoint (default: the configuration's broker)"),
        CommandOption("alpn", "NAME", "ALPN protocol (default on AWS's port 443: the required protocol)"),
        CommandOption("parameter", "NAME=VALUE", "template parameter; can be repeated"),
        CommandOption("est-username", "NAME", "user name for the EST server; prompts for the password"),
        CommandOption("est-password-file", "FILE", .file, "file whose first line is the EST password (mode 0600)"),
        CommandOption("roots", "FILE", .file, "write the root certificates of the EST server's CA to this file"),
        CommandOption("client-id", "NAME", "common name (default: the configuration's client id)"),
        CommandOption("dns", "NAME,…", "additional DNS names"), .certificate, .privateKey,
        CommandOption("answers", "FILE", .file, "YAML file that specifies these options; can contain %{board.NAME}"),
        CommandOption("wait", "SECONDS", .seconds(1...86_400), "time limit for the whole enrolment (60)"), .force,
        .json,
      ],
      abbreviatesOptions: true,
      details: """
        Creates a key (P-256, mode 0600) if none exists, obtains a certificate for it, checks the certificate,
        and installs it. Existing files are replaced only after that check. --aws connects with the claim
        certificate, and registers the board with SerialNumber (its serial number or machine id) and the other
        parameters. --est authenticates with the claim certificate or a password; an existing certificate that
        is still valid is renewed.
        Exit status: 5 the CA has not decided yet: run the same command again later.
        """,
      example: "tappet cert enrol --aws kiosks --url HOST --claim claim.pem --claim-key claim.key",
      usageError: EnrolCommand.usageError, body: .plain(EnrolCommand.run))
  }
}

enum EnrolCommand {
  static func run(_ typed: Arguments) throws(CommandFailure) {
    let facts = BoardFacts()
    var arguments = typed
    if let path = typed.value("answers") {
      let given = try InitAnswers.given(in: path, for: .certEnrol, facts: facts)
      // A parameter on the command line replaces only the parameter with the same name.
      let parameters = given.filter { $0.name == "parameter" } + typed.all("parameter").map { ("parameter", $0) }
      arguments = try typed.without(["parameter"]).with(
        given.filter { $0.name != "parameter" } + parameters, for: .certEnrol)
    }
    let enrolment = try Enrolment(arguments)
    if let template = arguments.value("aws") {
      try FleetProvisioning.run(enrolment, template: template, facts)
    } else if let url = arguments.value("est") {
      try ESTEnrolment.run(enrolment, url: url)
    } else {
      throw .usage("the --answers file contains neither 'aws' nor 'est'")
    }
  }

  static func usageError(_ arguments: Arguments) -> String? {
    let isAWS = arguments.has("aws")
    if isAWS == arguments.has("est") {
      if isAWS { return "--aws and --est cannot be combined" }
      return arguments.has("answers") ? nil : "specify --aws TEMPLATE or --est URL"
    }
    if let other = (isAWS ? ["est-username", "est-password-file", "roots"] : ["url", "alpn", "parameter"])
      .first(where: { arguments.has($0) && !arguments.has("answers") })
    {
      return "--\(other) requires \(isAWS ? "--est" : "--aws")"
    }
    if arguments.has("claim") != arguments.has("claim-key") { return "--claim and --claim-key must be used together" }
    if arguments.has("est-password-file"), !arguments.has("est-username") {
      return "--est-password-file needs --est-username"
    }
    if let name = arguments.value("client-id"), !BrokerSettings.isClientID(name) {
      return "--client-id must be 1 to \(Limits.clientIDSizeMax) bytes long and must not contain '/', '+' or '#'"
    }
    return isAWS ? usageErrorOfAWS(arguments) : usageErrorOfEST(arguments)
  }

  private static func usageErrorOfAWS(_ arguments: Arguments) -> String? {
    guard let template = arguments.value("aws"), FleetProvisioning.isTemplate(template) else {
      return "--aws must be the name of a provisioning template: 1 to 36 letters, digits, '_' and '-'"
    }
    if !arguments.has("claim"), !arguments.has("answers") { return "--aws needs --claim and --claim-key" }
    if let bad = arguments.all("parameter").first(where: { FleetProvisioning.parameter($0) == nil }) {
      return "--parameter must be NAME=VALUE, not \(bad.quoted)"
    }
    guard let url = arguments.value("url") else { return nil }
    return FleetProvisioning.endpoint(url) == nil ? "--url must be HOST, HOST:PORT or mqtts://HOST[:PORT]" : nil
  }

  private static func usageErrorOfEST(_ arguments: Arguments) -> String? {
    guard let url = arguments.value("est"), ESTServer.parts(of: url) != nil else {
      return "--est must be https://HOST[:PORT][/PATH]"
    }
    return nil
  }
}
