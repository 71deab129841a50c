// The part `site:` of kiosk.yaml: what is read, and the sentence for each mistake.

import Foundation
import TappetCore
import TestSupport
import Testing

@testable import TappetConfig
@testable import TappetMessages

private let digits = String(repeating: "ab", count: 32)

private func parse(_ site: String, folder: String = "/etc/tappet", files: NamedFiles = .ignored)
  -> ConfigurationParser.Outcome
{
  let text = """
    broker: {url: 'mqtts://broker.example', client_id: kiosk}
    \(site)
    actions:
      - {name: door, topic: home/door, message: in}
    """
  return ConfigurationParser.parse(Array(text.utf8), name: "k", folder: folder, files: files)
}

private func problems(_ site: String, folder: String = "/etc/tappet", files: NamedFiles = .ignored) -> [String] {
  guard case .refused(let problems) = parse(site, folder: folder, files: files) else { return [] }
  return problems.map { $0.sentence }
}

@Suite struct SiteConfigurationTests {
  @Test func `a site has a topic, and a key that is read from a file`() throws {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: false)
    let path = folder.path + "/site.key"
    _ = FileManager.default.createFile(
      atPath: path, contents: Data((digits + "\n").utf8), attributes: [.posixPermissions: 0o600])
    let text = "site: {name: north-1, key: {file: site.key}, public_key: \(digits)}"
    guard case .loaded(let configuration) = parse(text, folder: folder.path, files: .required) else {
      Issue.record("\(problems(text, folder: folder.path, files: .required))")
      return
    }
    #expect(configuration.site?.topic == "tappet/site/north-1/people" && configuration.site?.key != nil)
    #expect(configuration.broker?.siteTopic == configuration.site?.topic)
    #expect(configuration.broker?.ownTopics == ["tappet/site/north-1/people"])
    #expect(ConfigurationParser.namedFiles(in: Array(text.utf8)) == ["site.key"])
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    #expect(problems(text, folder: folder.path, files: .used).first?.contains("chmod 600") == true)
  }

  @Test func `without a site nothing is subscribed to`() {
    guard case .loaded(let configuration) = parse("") else {
      Issue.record("refused")
      return
    }
    #expect(configuration.site == nil && configuration.broker?.ownTopics == [])
  }

  @Test func `each error is reported with its place and its remedy`() {
    #expect(problems("site: {name: north, key: {file: k}}").first?.contains("'public_key' is missing") == true)
    #expect(problems("site: {key: {file: k}, public_key: \(digits)}").first?.contains("'name' is missing") == true)
    #expect(problems("site: {name: north, public_key: \(digits)}").first?.contains("'key' is missing") == true)
    #expect(
      problems("site: {name: north, key: {file: k}, public_key: abc}").first?.contains("tappet people keys") == true)
    for name in ["a/b", "'#'", "'a b'", "ü"] {
      let found = problems("site: {name: \(name), key: {file: k}, public_key: \(digits)}")
      #expect(found.first?.contains("letters, digits") == true, "\(name): \(found)")
    }
    let taken =
      "commands: [{topic: tappet/site/north/people, trust: trusted, actions: [door]}]\n"
      + "site: {name: north, key: {file: k}, public_key: \(digits)}"
    #expect(problems(taken).first?.contains("the only user of topic") == true)
  }
}
