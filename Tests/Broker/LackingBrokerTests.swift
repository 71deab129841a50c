// Brokers that lack something that MQTT leaves to them, as their CONNACK says, or as they hang up: real mosquittos.

import TappetCore
import TappetMessages
import TestSupport
import Testing

@Suite(.serialized) struct LackingBrokerTests {
  @Test(arguments: [MQTTVersion.v311, .v5])
  func `a broker without retained messages receives none, which is reported once`(_ version: MQTTVersion) throws {
    let broker = try TestBroker(more: "retain_available false\n")
    let subscriber = try broker.subscribe("tappet/#")
    let test = try LinkUnderTest(broker.settings(version: version))
    test.link.connect(endpoint: 0)
    #expect(test.log.wait { $0 == [.lacksRetained, .connected(sessionPresent: false)] }, "\(test.log.events)")
    let id = EntryID(high: 5, low: 1)
    test.publish(id, "kiosk/light", isRetained: true)
    #expect(
      test.log.wait { $0.contains(.acknowledged(id)) || $0.contains(.acknowledgedUnheard(id)) }, "\(test.log.events)")
    #expect(eventually { subscriber.messages == ["0 1 tappet/kiosk-test/status online"] }, "\(subscriber.messages)")
    test.link.disconnect()
    #expect(test.log.wait { $0.last == .disconnected })
    #expect(eventually { subscriber.messages.last == "0 1 tappet/kiosk-test/status offline" })
    let before = test.log.events.count
    test.link.connect(endpoint: 0)
    #expect(test.log.wait { $0.count > before })
    #expect(test.log.events.dropFirst(before) == [.connected(sessionPresent: false)])
  }

  @Test func `a broker without QoS 1 is reported as unusable, with or without a will`() throws {
    let broker = try TestBroker(more: "max_qos 0\n")
    for announces in [true, false] {
      var settings = broker.settings(version: .v5)
      (settings.announcesStatus, settings.needsQoS1) = (announces, true)
      let test = try LinkUnderTest(settings)
      #expect(test.failure() == .refused(.qosNotSupported))
    }
    var settings = broker.settings(version: .v5)
    settings.announcesStatus = false
    #expect(try LinkUnderTest(settings).connected(broker))
    #expect(LinkFailure.refused(.qosNotSupported).sentence.contains("it does not support QoS 1"))
  }

  @Test(arguments: ["", "retain_available false\n"])
  func `with MQTT 3.1.1 a will with QoS 0 reveals that the broker lacks QoS 1`(_ more: String)
    throws
  {
    let broker = try TestBroker(more: "max_qos 0\n" + more)
    #expect(try LinkUnderTest(broker.settings(version: .v311)).failure() == .refused(.qosNotSupported))
    var probe = broker.settings(version: .v311)
    (probe.announcesStatus, probe.will, probe.needsQoS1) = (false, probe.probeWill, true)
    #expect(try LinkUnderTest(probe).failure() == .refused(.qosNotSupported))
  }
}
