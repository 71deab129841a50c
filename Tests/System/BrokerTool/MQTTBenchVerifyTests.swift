// The broker tool measures with QoS 2.

import Foundation
import TestSupport
import Testing

// On a machine that is very busy, three of 400 messages were still missing after five quiet seconds, once: whether the
// broker or the client kept them back is not known. Not for the gate.
@Suite(.serialized) struct MQTTBenchVerifyTests {
  @Test func `bench loses nothing of QoS 2 at 200 messages a second`() throws {
    let broker = try TestBroker(.plain)
    let done = try Programs.run(
      try Programs.built("tappet"),
      ["mqtt", "bench", "--url", "mqtt://localhost:\(broker.port)", "--rate", "200", "--for", "2", "--qos", "2"])
    #expect(done.status == 0 && done.output.contains("sent 400, acknowledged 400, refused 0"), "\(done)")
    #expect(done.output.contains("lost 0, duplicates 0, out of order 0"), "\(done)")
  }
}
