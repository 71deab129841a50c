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
        CommandOption("aws", "TEMPLATE", "from AWS IoT, by fleet provisioning with this template"),
        CommandOption("est", "URL", "from an EST server (RFC 7030): https://HOST[:PORT][/PATH]"),
        CommandOption("claim", "FILE", .file, "the certificate to show there: AWS's claim, or one that EST knows"),
        CommandOption("claim-key", "FILE", .file, "its private key"),
        CommandOption("ca", "FILE|system", .file, "the only CA certificates to trust there"),
        CommandOption("url", "HOST|URL", "AWS IoT's endpoint, in place of the configuration's broker"),
        CommandOption("alpn", "NAME", "protocol for the TLS handshake; AWS's on port 443 is known"),
        CommandOption("parameter", "NAME=VALUE", "a parameter of the template; may be given more than once"),
        CommandOption("est-username", "NAME", "the user name at the EST server; its password is asked for"),
        CommandOption("est-password-file", "FILE", .file, "file whose first line is that password (mode 0600)"),
        CommandOption("roots", "FILE", .file, "write the roots of the EST server's CA to this file"),
        CommandOption("client-id", "NAME", "the common name, in place of the configuration's client id"),
        CommandOption("dns", "NAME,…", "further DNS names"), .certificate, .privateKey,
        CommandOption("answers", "FILE", .file, "these options in YAML, with facts about the board"),
        CommandOption("wait", "SECONDS", .seconds(1...86_400), "how long all of it may take (60)"), .force, .json,
      ],
      abbreviatesOptions: true,
      details: """
        Makes a key (P-256, mode 0600) if there is none, has a certificate issued for it, checks that, and puts
        it in place. Nothing that is there is replaced before. --aws connects with the claim certificate, and
        registers the board with SerialNumber (the board's, or its machine id) and the other parameters. --est
        asks with the claim certificate or a password; a certificate that is there and still valid is renewed.
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
      // A parameter on the command line replaces only the parameter of the same name.
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
      throw .usage("the file of --answers has neither 'aws' nor 'est'")
    }
  }

  static func usageError(_ arguments: Arguments) -> String? {
    let isAWS = arguments.has("aws")
    if isAWS == arguments.has("est") {
      if isAWS { return "--aws and --est exclude each other" }
      return arguments.has("answers") ? nil : "give --aws TEMPLATE or --est URL"
    }
    if let other = (isAWS ? ["est-username", "est-password-file", "roots"] : ["url", "alpn", "parameter"])
      .first(where: { arguments.has($0) && !arguments.has("answers") })
    {
      return "--\(other) goes with \(isAWS ? "--est" : "--aws")"
    }
    if arguments.has("claim") != arguments.has("claim-key") { return "--claim and --claim-key go together" }
    if arguments.has("est-password-file"), !arguments.has("est-username") {
      return "--est-password-file needs --est-username"
    }
    if let name = arguments.value("client-id"), !BrokerSettings.isClientID(name) {
      return "--client-id takes 1 to \(Limits.clientIDSizeMax) bytes without '/', '+' and '#'"
    }
    return isAWS ? usageErrorOfAWS(arguments) : usageErrorOfEST(arguments)
  }

  private static func usageErrorOfAWS(_ arguments: Arguments) -> String? {
    guard let template = arguments.value("aws"), FleetProvisioning.isTemplate(template) else {
      return "--aws takes the name of a provisioning template: 1 to 36 letters, digits, '_' and '-'"
    }
    if !arguments.has("claim"), !arguments.has("answers") { return "--aws needs --claim and --claim-key" }
    if let bad = arguments.all("parameter").first(where: { FleetProvisioning.parameter($0) == nil }) {
      return "--parameter takes NAME=VALUE, not \(bad.quoted)"
    }
    guard let url = arguments.value("url") else { return nil }
    return FleetProvisioning.endpoint(url) == nil ? "--url takes HOST, HOST:PORT or mqtts://HOST[:PORT]" : nil
  }

  private static func usageErrorOfEST(_ arguments: Arguments) -> String? {
    guard let url = arguments.value("est"), ESTServer.parts(of: url) != nil else {
      return "--est takes https://HOST[:PORT][/PATH]"
    }
    return nil
  }
}
