// tappet-webhook at servers whose answers have no end, and at those that answer no HTTP.

import TappetCore
import TestSupport
import Testing

@Suite(.serialized) struct WebhookFloodTests {
  @Test(arguments: ["headers", "trailers", "hints"])
  func `endless headers are cut off without using memory`(_ path: String) throws {
    let rig = try WebhookRig(paths: [path, "ok"])
    guard case .answered(_, status: 200, _) = try rig.post(1) else { throw TestFault("200") }
    let before = try rig.peak()
    guard case .failed(_, .headersTooLarge, _) = try rig.post() else { throw TestFault("headersTooLarge") }
    #expect(try rig.peak() - before < 4096, "KB more than \(before)")
    guard case .answered(_, status: 200, _) = try rig.post(1) else { throw TestFault("200") }
  }

  @Test func `tappet-webhook is limited to 24 MB of data`() throws {
    let rig = try WebhookRig()
    let limits = try String(contentsOfFile: "/proc/\(try #require(rig.pid))/limits", encoding: .utf8)
    #expect(limits.split(separator: "\n").contains { $0.hasPrefix("Max data size             25165824") }, "\(limits)")
  }

  @Test(arguments: ["garbage", "old", "nul"])
  func `a response that is not HTTP is not taken for a redirect`(_ path: String) throws {
    let rig = try WebhookRig(paths: [path])
    guard case .failed(_, .notHTTP, _) = try rig.post() else { throw TestFault("notHTTP") }
  }

  @Test(arguments: ["to-plain", "to-file", "to-itself"])
  func `redirects to anything other than https, or in a loop, are refused`(_ path: String) throws {
    let rig = try WebhookRig(paths: [path], redirects: 1)
    guard case .failed(_, .redirectForbidden, _) = try rig.post() else { throw TestFault("redirectForbidden") }
  }
}
